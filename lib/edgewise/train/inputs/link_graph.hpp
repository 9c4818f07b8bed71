#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/core/lazy.hpp"
#include "edgewise/data/feature_overlaps.hpp"
#include "edgewise/data/link_similarities.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/data/tie_factors.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/graph/link_numbers.hpp"
#include "edgewise/graph/sampling.hpp"
#include "edgewise/graph/ties.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "edgewise/train/inputs/link_map.hpp"
#include "edgewise/train/loop/batches.hpp"
#include "edgewise/train/loop/row_source.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/node_pairs.hpp"

namespace edgewise::train {

/// What says how alike the features of nodes are.
struct LinkFeatures {
  Matrix directions;  ///< data::feature_directions; no columns if nodes have no features but what they are called.
  std::optional<data::FeatureOverlaps> overlaps = {};  ///< Of sparse features of one kind of nodes.
};

/// Of several kinds of nodes, the features are the columns of tables, and whom a node has edges with in other relations
/// than that of the ties.
LinkFeatures link_features(const Dataset& data, const FeatureMap& map, const data::Features& features);

/// Whether numbers of pairs with these names (LinkGraph::number_names) are of ties between two sides; nothing if they
/// may be of either.
std::optional<bool> are_between_sides(std::span<const std::string> names);

/// What may be seen of a network when its ties are asked for: some of them carry messages between the nodes, and are
/// the evidence about pairs of nodes. Holds references to all that it is made of.
class LinkGraph {
 public:
  /// `is_seen` says of each tie whether it may be seen; empty: all. `frozen` has all edges, `alike` is of
  /// `link_features`.
  LinkGraph(const Dataset& data, const data::Features& features, const graph::FrozenGraph& frozen,
            const LinkFeatures& alike, const std::vector<bool>& is_seen);

  std::size_t node_count() const { return ties_.node_count(); }
  const graph::Ties& ties() const { return ties_; }

  /// The numbers of pairs to learn from: of the ties around them (graph::link_numbers_of), between two sides of the
  /// factors of all ties (data::TieFactors), and of how alike their features are (data::LinkSimilarities,
  /// data::FeatureOverlaps). If there are other relations, also of the edges of any relation: these names begin with
  /// "any_".
  std::vector<std::string> number_names() const;
  /// [pairs, names]. With OwnTie::omit a pair that has a tie is looked at as if it had none, but for how alike the
  /// features of neighbours are.
  Matrix numbers(const NodePairs& pairs, std::span<const std::string> names,
                 graph::OwnTie own_tie = graph::OwnTie::keep) const;

  /// One row for each pair; pairs and numbers must outlive the record on the tape. Throws as nn::Model::forward does.
  autograd::Variable forward(nn::Model& model, const PassOptions& pass, const NodePairs& pairs, const Matrix& numbers);
  /// The same from a sample of the edges that lead to the nodes of the pairs and to those that both ends know. It is
  /// drawn by the seed of the pass, `epoch` and the network; `sampling` is the same in all calls.
  autograd::Variable forward_on_sample(nn::Model& model, const PassOptions& pass, const NodePairs& pairs,
                                       const Matrix& numbers, const graph::NeighbourSampling& sampling,
                                       std::uint64_t epoch);
  /// The same in two steps without a record, so that many pairs cost one pass over the network: the rows of the nodes
  /// that the model's readout of links gets, empty if they are the features themselves,
  Matrix encode(nn::Model& model);
  /// and the outputs for pairs.
  Matrix read_out(nn::Model& model, const Matrix& nodes, const NodePairs& pairs, const Matrix& numbers);

 private:
  const graph::Ties& around() const { return around_ ? *around_ : ties_; }
  const graph::FrozenGraph& messages();
  nn::NodeRows input(autograd::Tape& tape) const;
  nn::ForwardContext context_of(nn::Model& model, const PassOptions& pass);
  void add_pairs(nn::Model& model, const NodePairs& pairs, const Matrix& numbers, nn::ForwardContext& context);
  void add_placed_pairs(nn::Model& model, const NodePairs& pairs, const Matrix& numbers, nn::ForwardContext& context);
  std::vector<graph::Node> place_in_sample(const NodePairs& pairs);

  const data::Features& features_;
  const LinkFeatures& alike_;
  const graph::FrozenGraph& frozen_;
  std::vector<bool> is_hidden_;  // of its edges; empty: none is
  std::optional<graph::FrozenGraph> messages_;  // once a network asks for it
  graph::Ties ties_;
  std::optional<graph::Ties> around_;  // ties, and the edges of other relations
  std::span<const std::uint8_t> sides_;  // empty unless ties lead from one side to another
  std::unique_ptr<autograd::SparseInput> sparse_;
  Lazy<data::LinkSimilarities> similarities_;
  Lazy<data::TieFactors> factors_;
  std::map<std::string, graph::FrozenGraph> masks_;       // that layers need
  graph::FrozenGraph common_;                             // of the pairs of the last pass
  Matrix edge_rows_;
  // Of the last pass on a sample.
  std::unique_ptr<graph::Sampler> sampler_;
  graph::Sample sample_;
  TakenRows taken_;
  NodePairs placed_;
};

}  // namespace edgewise::train
