#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/graph/sampling.hpp"
#include "edgewise/train/loop/batches.hpp"
#include "edgewise/train/loop/label_mask.hpp"

namespace edgewise::train {

/// Batches of the nodes of one graph, of which the first alone may be items, or of several graphs that `layout`
/// delimits. A pass covers only the part of the graph its items depend on (Model::reach) if that part is less than half
/// of the nodes and edges, the items are not most of the nodes, and no attention is requested; otherwise it covers
/// everything. If other nodes can't be items, the part may be of any size, and each step along its edges gives only the
/// rows that the steps after it need. No items mean all items. Further data for sparse features is built once.
/// `features` and `graph` must outlive this.
///
/// With `order`, row i of both is the user's node order[i]. Outputs and attention are mapped back, so items are always
/// the user's nodes, whatever the internal order. If `labels` has columns, an epoch is one step whose loss is over the
/// training nodes with hidden labels; other passes see the features unchanged.
class NodeBatches : public Batches {
 public:
  NodeBatches(const data::Features& features, const graph::FrozenGraph& graph, std::vector<graph::Node> order = {},
              GraphLayout layout = {}, MaskedLabels labels = {});
  ~NodeBatches() override;

  std::size_t item_count() const override { return layout_.items > 0 ? layout_.items : features_.rows(); }
  void check_fits(const nn::Model& model) const override;
  std::vector<std::vector<graph::Node>> training_batches(const nn::Model& model, std::vector<graph::Node> items,
                                                         std::uint64_t seed, std::uint64_t epoch) override;
  autograd::Variable forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) override;
  /// A mask of the last `forward`, its nodes in internal order. Throws UsageError if it needed none of this name.
  const graph::FrozenGraph& mask(const std::string& name) const;

 private:
  /// The part of the graph that some nodes depend on, within the reach of a model.
  struct Part {
    std::vector<graph::Node> seeds;
    std::size_t hops;
    std::vector<graph::Node> nodes = {};  // of the first rows, ascending
    graph::FrozenGraph graph = {};
    std::unique_ptr<graph::Sampler> sampler = nullptr;
    graph::Sample steps = {};  // of the sampler, in place of the graph
    data::Features features = {};
    std::unique_ptr<NodeBatches> batches = nullptr;  // nothing: most of the graph

    std::vector<graph::Node> places_of(std::span<const graph::Node> of) const;
  };

  bool hides_labels(const PassOptions& pass) const { return pass.is_training && labels_.columns > 0; }
  const Part* part_of(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items);
  void add_part(const nn::Model& model, std::span<const graph::Node> seeds, std::size_t hops);
  autograd::Variable forward_all(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items);
  std::vector<graph::Node> places_of(std::span<const graph::Node> items) const;
  void add_masks_of(const nn::Model& model);
  nn::NodeRows input(const PassOptions& pass, std::span<const graph::Node> items);
  void put_back(std::vector<nn::AttentionRecord>& records) const;

  const data::Features& features_;
  const graph::FrozenGraph& graph_;
  const graph::Sample* steps_ = nullptr;  // in place of the graph
  GraphLayout layout_;
  std::vector<graph::Node> order_;                   // empty: the user's order
  std::vector<graph::Node> place_;                   // the inverse
  std::map<std::string, graph::FrozenGraph> masks_;  // in internal order, built when a model first needs them
  std::unique_ptr<autograd::SparseInput> sparse_;
  Matrix edge_rows_;  // built when a model first needs them
  MaskedLabels labels_;
  std::optional<LabelMask> label_mask_;  // built when training first needs it
  std::vector<graph::Node> rows_;        // of the items of the last pass, in internal order
  std::list<Part> parts_;                // of the sets of nodes requested last
};

}  // namespace edgewise::train
