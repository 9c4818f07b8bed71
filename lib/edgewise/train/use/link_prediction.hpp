#pragma once

#include <memory>
#include <string>
#include <vector>

#include "edgewise/io/predictions.hpp"
#include "edgewise/train/inputs/link_graph.hpp"
#include "edgewise/train/use/model_data.hpp"

/// @file
/// What a model of ties says about pairs of nodes.
namespace edgewise::train {

/// A model of ties on a network.
class LinkScorer {
 public:
  /// `loaded` must outlive it. `is_seen` says of each tie whether the model may see it; empty: all. Passes over the
  /// network once with each model of an average or ensemble. Throws ModelError unless the model is one of ties and fits
  /// the data.
  explicit LinkScorer(ModelData& loaded, const std::vector<bool>& is_seen = {});
  /// The same with other ties. The features must not have changed since.
  LinkScorer seeing(const std::vector<bool>& is_seen) const;

  const graph::Ties& ties() const { return components_.front().graph->ties(); }
  const graph::NodeNames& names() const { return loaded_.data.graph.names(); }
  /// What the ends of pairs are called.
  PairNames pair_names() const { return loaded_.data.pair_names(); }
  /// The names of the nodes that ties are suggested to: the nodes themselves, or the first of several kinds.
  const graph::NodeNames& source_names() const;
  /// The ties of the network.
  const LinkItems& links() const { return *loaded_.data.links; }
  /// The probability of each pair that it is a tie, among as many pairs that are none: the mean over the models. Of a
  /// pair that has a tie, graph::link_numbers are those without it; what messages and means over neighbours bring is
  /// not.
  std::vector<float> probabilities(const NodePairs& pairs);
  /// The rows of the nodes that pairs are read from, by the first model with a network: [nodes, width], or no columns
  /// if there is none.
  const Matrix& embeddings() const;

 private:
  /// A kind of model with what it sees of the data, and its members.
  struct Component {
    TrainedModel* trained;
    std::shared_ptr<const LinkFeatures> alike;
    std::unique_ptr<LinkGraph> graph;
    std::vector<nn::Model*> models;
    std::vector<Matrix> nodes;  // of each model
  };

  using AllFeatures = std::vector<std::shared_ptr<const LinkFeatures>>;  // of each component

  LinkScorer(ModelData& loaded, const std::vector<bool>& is_seen, const AllFeatures& alike);

  ModelData& loaded_;
  std::vector<Component> components_;
};

/// The predictions of validation and test ties and their candidates, as in training: [ties, 1 + candidates], NaN for
/// other ties. The mean over the models.
Matrix judge_links(ModelData& loaded, const data::Split& split);

/// Pairs with their probabilities. The key is the source; beside it the columns target, probability, rank (among the
/// pairs of the same source, from 1) and known (yes if the network has the tie).
struct LinkTable {
  NodePairs pairs;
  std::vector<float> probabilities;
  std::vector<std::size_t> ranks;
  std::vector<bool> are_known;
  std::vector<std::vector<graph::Node>> common;  ///< Of each pair some nodes that both have ties with, or no rows.
};

LinkTable score_links(LinkScorer& scorer, NodePairs pairs);

/// Adds LinkTable::common, up to `most` for each pair, those with the fewest ties first. Throws UsageError if ties lead
/// from one side of nodes to the other, where there are no such nodes.
void add_common_neighbours(const LinkScorer& scorer, std::size_t most, LinkTable& table);

/// Writes it as CSV, or one JSON object a line, by the ending of `path`. LinkTable::common is a last column
/// common_neighbours, with bars between the names, or an array.
void write_links(const std::string& path, const PairNames& names, const LinkTable& table);
void write_links(std::ostream& out, io::ResultFormat format, const PairNames& names, const LinkTable& table);

}  // namespace edgewise::train
