#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/graph/neighbourhood.hpp"
#include "edgewise/train/loop/batches.hpp"
#include "edgewise/train/loop/label_mask.hpp"

namespace edgewise::train {

/// The nodes of one graph, or of several that `layout` sets apart. A pass goes over what its items see of them
/// (Model::reach) where that is less than half of the nodes and edges, the items are not most of the nodes, and no
/// attention is asked for, and else over all; no items stand for all. What sparse features need besides is made once.
/// `features` and `graph` must outlive this. With `order`, row i of both is the user's node order[i]: outputs and
/// attention are put back, so that items are the user's nodes whatever the order inside. Where `labels` has columns, an
/// epoch is a step whose loss is that of the training nodes with hidden labels; a pass that is not for training sees
/// the features as they are.
class NodeBatches : public Batches {
 public:
  NodeBatches(const data::Features& features, const graph::FrozenGraph& graph, std::vector<graph::Node> order = {},
              GraphLayout layout = {}, MaskedLabels labels = {});
  ~NodeBatches() override;

  std::size_t item_count() const override { return features_.rows(); }
  void check_fits(const nn::Model& model) const override;
  std::vector<std::vector<graph::Node>> of_epoch(const nn::Model& model, std::vector<graph::Node> items,
                                                 std::uint64_t seed, std::uint64_t epoch) const override;
  autograd::Variable forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) override;
  std::vector<std::vector<graph::Node>> of_evaluation(const nn::Model& model,
                                                      std::span<const graph::Node> items) const override;
  /// Of the last `forward`, its nodes in the order inside. Throws UsageError when it needed none of this name.
  const graph::FrozenGraph& mask(const std::string& name) const;

 private:
  /// What some nodes see of the graph, as far as a model reaches.
  struct Part {
    std::vector<graph::Node> seeds;
    std::size_t hops;
    std::optional<graph::Neighbourhood> seen;  // nothing: it is most of the graph
    data::Features features;
    std::unique_ptr<NodeBatches> batches;

    std::vector<graph::Node> places_of(std::span<const graph::Node> nodes) const;
  };

  bool hides_labels(const PassOptions& pass) const { return pass.is_training && labels_.columns > 0; }
  const Part* part_of(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items);
  Part make_part(std::span<const graph::Node> seeds, std::size_t hops) const;
  autograd::Variable forward_all(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items);
  std::vector<graph::Node> places_of(std::span<const graph::Node> items) const;
  bool are_all_in_order(std::span<const graph::Node> rows) const;
  void add_masks_of(const nn::Model& model);
  nn::NodeRows input(const PassOptions& pass, std::span<const graph::Node> items);
  void put_back(std::vector<nn::AttentionRecord>& records) const;

  const data::Features& features_;
  const graph::FrozenGraph& graph_;
  GraphLayout layout_;
  std::vector<graph::Node> order_;                   // empty: the user's order
  std::vector<graph::Node> place_;                   // the inverse
  std::map<std::string, graph::FrozenGraph> masks_;  // in the order inside, made when a model first needs them
  std::unique_ptr<autograd::SparseInput> sparse_;
  Matrix edge_rows_;  // made when a model first needs them
  MaskedLabels labels_;
  std::optional<LabelMask> label_mask_;  // made when training first needs it
  std::vector<graph::Node> rows_;        // of the items of the last pass, inside
  std::list<Part> parts_;                // of the last sets of nodes that were asked for
};

}  // namespace edgewise::train
