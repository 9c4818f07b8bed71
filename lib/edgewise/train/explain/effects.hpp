#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/explain/deletion.hpp"

/// @file
/// What each part adds to a prediction: the prediction with everything, minus the prediction without the part.
namespace edgewise::train {

/// A part of what a model sees, with its effect. It has the unit and the sign of the answer: a probability, or the
/// value in the user's units. The effects of several parts need not add up to that of all of them.
struct PartEffect {
  /// "neighbour", "node", "edge", "atom", "bond", "side group", "common neighbour", "tie", "feature".
  std::string kind;
  std::string name;  ///< Nodes by name, atoms by number with their elements, bonds by the atoms at their ends.
  Deletion deletion;
  std::vector<graph::Node> nodes = {};  ///< The nodes deleted, or the ends of an edge; as in Subject::nodes.
  std::vector<std::string> ends = {};  ///< Of a tie: the names of its two nodes.
  double without = 0;  ///< The answer without the part; NaN if there is none.
  double effect = 0;
};

/// {"kind", "part", "nodes", "effect", "without", and for side groups "rest", the SMILES of what is left, for ties
/// "ends"}.
json::Value to_json(const PartEffect& part);

/// What is predicted for an item, and the effects on one of the outputs, the answer.
struct Effects {
  graph::Node item = 0;                 ///< Of a tie: its source,
  std::optional<graph::Node> target;    ///< and its target.
  Matrix prediction;       ///< [1, outputs]
  std::size_t answer = 0;  ///< Of the outputs.
  /// Of a node: its neighbours, then its features. Of a node in a collection: the other nodes of its graph, then its
  /// features; of an atom or a bond: the other atoms and bonds of its molecule, then its features. Of a graph: its
  /// nodes, its edges, its descriptors. Of a molecule: atoms, bonds, side groups (io::side_groups), descriptors.
  std::vector<PartEffect> parts;
};

/// The effects on the output `answer`: a class, a label or a target. If empty: the predicted class, the most probable
/// label, or the first target (of several of atoms and of bonds, of those of the item). Exact for each part, which is
/// really left out (see Subject). Throws as Subject does, and UsageError for an unknown answer, for one of bonds if the
/// item is an atom, and for an atom if the model is one of bonds, and the reverse.
Effects effects_of(ModelData& loaded, graph::Node item, std::string_view answer = {});

/// How likely a tie is between two nodes, by a model of ties: the probability that `predict` gives, but without the
/// pair's own tie if it has one. The parts, at most kMostLinkParts of each kind, those with the fewest ties first:
/// - "common neighbour": without the ties that it has with the two;
/// - "tie": without that of one of the two with a node that the other does not know;
/// - "feature": both nodes have its neutral value (neutral_features.hpp).
/// The network is read again without each of them. Throws Interrupted, ModelError unless the model is one of ties, and
/// UsageError if the two are one node.
Effects effects_of_link(ModelData& loaded, graph::Node source, graph::Node target);
inline constexpr std::size_t kMostLinkParts = 40;

/// Whether the network has a tie from `source` to `target`, or if it is undirected from `target` to `source`.
bool has_tie(const Dataset& data, graph::Node source, graph::Node target);

/// {"prediction": {LABEL: VALUE, ...}, "of": the answer, "value": ..., "parts": [...]}
json::Value to_json(const ModelData& loaded, const Effects& effects);

}  // namespace edgewise::train
