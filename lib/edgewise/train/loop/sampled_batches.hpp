#pragma once

#include <memory>
#include <span>
#include <vector>

#include "edgewise/train/loop/node_batches.hpp"
#include "edgewise/train/loop/part_batches.hpp"
#include "edgewise/train/loop/sampling.hpp"

namespace edgewise::train {

/// Training steps over samples of one graph (graph/sampling.hpp) or of a frozen network; evaluation goes over all
/// edges, as NodeBatches or PartBatches do. The samples of an epoch are drawn one or two ahead in a thread in the
/// background, unless there is but one thread; what they hold of the features are the rows of their nodes.
class SampledBatches : public Batches {
 public:
  /// Arguments as those of NodeBatches.
  SampledBatches(const Sampling& sampling, const data::Features& features, const graph::FrozenGraph& graph,
                 std::vector<graph::Node> order = {}, MaskedLabels labels = {}, GraphLayout layout = {});
  /// Reads edges and features where they are in the file. Processes that share the parts draw and train alike, and
  /// share what goes over all edges.
  SampledBatches(const Sampling& sampling, std::shared_ptr<const data::FrozenNetwork> network,
                 const graph::FreezeOptions& options, PartHolding holding = {});
  ~SampledBatches() override;

  std::size_t item_count() const override { return all_->item_count(); }
  /// Also throws UsageError for a model that cannot be trained on such samples.
  void check_fits(const nn::Model& model) const override;
  std::vector<std::vector<graph::Node>> training_batches(const nn::Model& model, std::vector<graph::Node> items,
                                                         std::uint64_t seed, std::uint64_t epoch) override;
  /// In training, the batches of the last `training_batches` in their order. Throws UsageError for others.
  autograd::Variable forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) override;
  std::vector<std::vector<graph::Node>> of_evaluation(const nn::Model& model,
                                                      std::span<const graph::Node> items) const override {
    return all_->of_evaluation(model, items);
  }
  std::span<const float> loss_weights() const override;

 private:
  class Drawer;

  Sampling sampling_;
  std::shared_ptr<const data::FrozenNetwork> network_ = nullptr;  // if it is one
  std::unique_ptr<Batches> all_;
  MaskedLabels labels_;
  std::vector<graph::Node> order_;  // empty: the user's order
  std::vector<graph::Node> place_;  // the inverse
  std::vector<std::vector<graph::Node>> items_;  // of each batch of the epoch, the user's nodes
  std::size_t next_ = 0;
  std::unique_ptr<Drawer> drawer_;
};

}  // namespace edgewise::train
