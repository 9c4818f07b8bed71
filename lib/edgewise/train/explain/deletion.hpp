#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/train/use/model_data.hpp"

/// @file
/// What a model would predict without some of what it sees.
namespace edgewise::train {

/// What is deleted together. All of it empty: nothing.
struct Deletion {
  std::vector<graph::Node> nodes = {};      ///< As in Subject::nodes.
  std::vector<std::size_t> edges = {};      ///< As in Subject::edges.
  std::vector<std::string> features = {};   ///< Names of Subject::features.
  /// SMILES of a molecule to predict in place of the item, read as `predict` reads it; nothing else is then deleted.
  std::string replacement = {};
};

/// One item, a node or a graph, and predictions for it when parts of what it depends on are deleted.
///
/// - A node is deleted together with its edges. All other nodes keep their features, also those that come from the
///   graph (degrees, positional encodings, counts of hydrogens). On a grid, where every place needs a node, its
///   features become 0.
/// - A deleted feature becomes neutral: 0 where it is encoded, which is the mean of a number in training and no
///   category of a text; for features used as they are, 0 if they are sparse, else their mean over the nodes of the
///   data. Of a node, only its own are deleted; of a graph, its descriptors.
/// - Fingerprints and RDKit's descriptors are those of the molecule with hydrogens in place of what is deleted
///   (io::without_parts).
///
/// Every prediction is the public one (model_input.hpp, `predict`): of an average, of an ensemble, refined and
/// calibrated. Many deletions are predicted as one union of graphs.
class Subject {
 public:
  /// `loaded` must outlive this. Only the part of a graph that the node sees is used (Model::reach), unless the model
  /// sees all of it. Throws UsageError if there is no such item.
  Subject(ModelData& loaded, graph::Node item);

  /// The nodes that may be deleted: of a graph, all but a virtual one; of one large graph those that the item sees.
  /// Indices in Dataset::graph, ascending.
  std::span<const graph::Node> nodes() const { return {nodes_.data(), nodes_.size() - virtual_nodes_}; }
  /// Ends of the edges between them, as positions in `nodes`.
  std::span<const std::pair<graph::Node, graph::Node>> edges() const { return ends_; }
  /// Position of the item in `nodes`, if it is a node.
  graph::Node target() const { return target_; }
  /// Positions of those that the item, a node, takes in directly; itself excluded.
  std::vector<graph::Node> neighbours() const;
  /// The features of the item that are not neutral already.
  std::vector<std::string> features() const;

  /// [deletions, outputs]: the predictions for the item. Throws ModelError as `predict`.
  Matrix predict(std::span<const Deletion> deletions);

 private:
  /// What one of `components_of` the model sees.
  struct Input {
    data::Features own;  ///< Of `nodes_`, before trees and known labels.
    Matrix labels;       ///< Known labels as features.
    Matrix neutral;      ///< [1, columns of own]
    std::map<std::string, FeatureColumns> places;
  };
  /// A union of what is left after some deletions.
  struct PrunedGraphs {
    Dataset data;
    std::vector<graph::Node> rows;       ///< Position in `nodes_` of each node.
    std::vector<graph::Node> offsets = {0};
    std::vector<graph::Node> targets;    ///< The item's row, if it is a node.
  };

  bool is_graph() const { return loaded_.data.graphs.has_value(); }
  void find_nodes();
  void find_edges();
  Input input_of(const TrainedModel& kind, const ModelInput& input) const;
  std::vector<bool> kept_nodes(const Deletion& deletion) const;
  PrunedGraphs remains(std::span<const Deletion> deletions) const;
  graph::NodeNames names_of(std::span<const graph::Node> rows) const;
  void describe(std::span<const Deletion> deletions, PrunedGraphs& left) const;
  void set_descriptors(std::span<const std::string> smiles, GraphDescriptors& descriptors) const;
  MixtureItems remaining_parts(const PrunedGraphs& left) const;
  std::string rest_of(const Deletion& deletion) const;
  std::string rest_of_mixture(std::span<const graph::Node> atoms,
                              std::span<const std::pair<graph::Node, graph::Node>> bonds) const;
  ModelInput model_input(const TrainedModel& kind, const Input& input, std::span<const Deletion> deletions,
                         const PrunedGraphs& left) const;
  Matrix predict_replacements(std::span<const Deletion> deletions);
  Matrix predict_remains(std::span<const Deletion> deletions);

  ModelData& loaded_;
  graph::Node item_;
  graph::Node target_ = 0;
  std::vector<graph::Node> nodes_;
  std::size_t virtual_nodes_ = 0;
  std::vector<graph::EdgeIndex> edges_;                     // the user's; those of a virtual node come last
  std::vector<std::pair<graph::Node, graph::Node>> all_ends_;
  std::vector<std::pair<graph::Node, graph::Node>> ends_;   // without those of a virtual node
  std::vector<Input> inputs_;
  bool is_grid_ = false;
  bool is_one_by_one_ = false;      // a step over the whole graph knows its nodes by name
  bool uses_molecule_ = false;      // fingerprints or descriptors are input
};

}  // namespace edgewise::train
