#include "edgewise/train/loop/part_batches.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/train/loop/part_pass.hpp"

namespace edgewise::train {
namespace {

std::unique_ptr<PartShared> share(const data::FrozenNetwork& network, const PartHolding& holding) {
  if (holding.ranks != nullptr && holding.ranks->count() > network.part_count())
    throw UsageError(fmt::format("{}: {} processes cannot share {} parts; freeze the network with more (--parts)",
                                 network.path(), holding.ranks->count(), network.part_count()));
  PartMap map(network, holding.ranks);
  HeldParts parts(network, map.first, map.count, holding.memory, holding.folder);
  return std::make_unique<PartShared>(PartShared{std::move(map), std::move(parts), holding.ranks});
}

}  // namespace

PartBatches::PartBatches(std::shared_ptr<const data::FrozenNetwork> network, PartHolding holding)
    : network_(std::move(network)), shared_(share(*network_, holding)) {}

PartBatches::~PartBatches() = default;

std::size_t PartBatches::item_count() const { return network_->item_count(); }

void PartBatches::check_fits(const nn::Model& model) const {
  check_node_sets(model);
  if (model.is_graph_level())
    throw ModelError("model: it has a readout: it labels graphs, but the data has labels of nodes");
  for (const nn::MaskShape& mask : model.masks())
    if (!mask.is_along_edges())
      throw ModelError(fmt::format("model: it uses the mask \"{}\", but a frozen network is seen along its edges only",
                                   mask.name));
  const graph::FreezeOptions& options = model.graph_options();
  if (options.flow == graph::Flow::target_to_source && network_->is_directed())
    throw ModelError("model: it reverses the edges, but those of a frozen network keep their direction; freeze it with "
                     "the columns of sources and targets exchanged");
  check_feature_columns(model, network_->feature_count(),
                        network_->edge_feature_count() + (options.weight_as_feature ? 1 : 0));
}

std::vector<std::vector<graph::Node>> PartBatches::training_batches(const nn::Model&, std::vector<graph::Node> items,
                                                                    std::uint64_t, std::uint64_t) {
  return {std::move(items)};
}

PassCost PartBatches::cost() const {
  PassCost cost{.columns = shared_->columns,
                .sent_bytes = shared_->sent_bytes,
                .spilled_bytes = shared_->parts.spilled_bytes()};
  for (std::size_t i = 0; i < shared_->parts.size(); ++i) cost.bytes += shared_->parts[i].mask().bytes();
  for (const auto& free : shared_->free_tapes)
    for (const auto& tapes : free) cost.bytes += tapes->tape.bytes();
  return cost;
}

autograd::Variable PartBatches::forward(nn::Model& model, const PassOptions& options,
                                        std::span<const graph::Node> items) {
  check_indices("nodes", "items", items, item_count());
  if (options.attention != nullptr || options.embeddings != nullptr)
    throw UsageError("a frozen network: attention and embeddings are not recorded; read the network from its tables");
  autograd::Tape& tape = options.tape;
  const auto pass = tape.keep(std::make_shared<PartPass>(*shared_, model, options, items));
  const auto rows = static_cast<Eigen::Index>(items.empty() ? item_count() : items.size());
  autograd::Variable outputs = tape.make(rows, model.shape().outputs, true);
  pass->take_outputs(outputs.value());
  tape.on_backward(outputs, [pass = pass.get(), outputs] {
    const MatrixMap upstream = outputs.gradient();
    pass->backward({upstream.data(), upstream.rows(), upstream.cols()});
  });
  return outputs;
}

}  // namespace edgewise::train
