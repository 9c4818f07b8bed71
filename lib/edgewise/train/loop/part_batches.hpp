#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "edgewise/data/frozen_network.hpp"
#include "edgewise/train/loop/batches.hpp"
#include "edgewise/train/loop/part_holding.hpp"
#include "edgewise/train/loop/ranks.hpp"

namespace edgewise::train {

struct PartShared;

/// What the last pass of a training took.
struct PassCost {
  std::uint64_t columns = 0;        ///< Floats of a row in a halo that went forward and back.
  std::uint64_t bytes = 0;          ///< Of masks and of what is kept for the way back, all parts that are here.
  std::uint64_t sent_bytes = 0;     ///< To other processes, since the beginning.
  std::uint64_t spilled_bytes = 0;  ///< The most space that the temporary file took, since the beginning.
};

/// Batches of the nodes of a frozen network: every pass goes over all parts. The outputs are bitwise the same whoever
/// holds the parts. Throws UsageError for more ranks than parts, and in a pass that records attention or embeddings.
class PartBatches : public Batches {
 public:
  PartBatches(std::shared_ptr<const data::FrozenNetwork> network, PartHolding holding = {});
  ~PartBatches() override;

  std::size_t item_count() const override;
  /// Also throws ModelError for a model that sees nodes by other ways than along the edges, or that reverses these.
  void check_fits(const nn::Model& model) const override;
  std::vector<std::vector<graph::Node>> training_batches(const nn::Model& model, std::vector<graph::Node> items,
                                                         std::uint64_t seed, std::uint64_t epoch) override;
  autograd::Variable forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) override;

  PassCost cost() const;

 private:
  std::shared_ptr<const data::FrozenNetwork> network_;
  std::unique_ptr<PartShared> shared_;
};

}  // namespace edgewise::train
