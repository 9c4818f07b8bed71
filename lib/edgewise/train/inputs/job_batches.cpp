#include "edgewise/train/inputs/job_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "edgewise/core/error.hpp"
#include "edgewise/data/frozen_network.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "edgewise/train/loop/part_batches.hpp"
#include "edgewise/train/loop/sampled_batches.hpp"
#include "edgewise/train/source/pretraining.hpp"

namespace edgewise::train {
namespace {

/// How many relations the model has layers of.
std::uint32_t relations_of(const json::Value& blocks, Eigen::Index edge_features) {
  const nn::Model model(blocks, {.inputs = 1, .outputs = 1, .edge_features = static_cast<int>(edge_features)}, 0);
  std::uint32_t relations = 0;
  for (const nn::MaskShape& mask : model.masks()) relations = std::max(relations, mask.relation);
  return relations;
}

}  // namespace

graph::FrozenGraph freeze(const Dataset& data, const graph::FreezeOptions& options) {
  if (!data.frozen) return graph::freeze(data.graph, options);
  graph::FrozenGraph frozen;
  frozen.edge_features.resize(0, data.frozen->edge_feature_count() + (options.weight_as_feature ? 1 : 0));
  return frozen;
}

GraphLayout layout_of(const Dataset& data) {
  return {.offsets = data.offsets(),
          .grid_columns = data.collection ? data.collection->grid_columns : 0,
          .items = data.kinds ? data.items().size() : 0};
}

GraphBatchOptions graph_batch_options(const Dataset& data, std::int64_t batch_size, const Matrix* descriptors) {
  GraphBatchOptions options{.batch_size = static_cast<std::size_t>(batch_size),
                            .labelled = data.graphs ? Labelled::graphs : Labelled::nodes,
                            .sign_columns = data.graphs ? data.graphs->sign_columns : 0,
                            .paths = data.has_paths() ? &data.graphs->paths : nullptr};
  if (descriptors != nullptr && descriptors->cols() > 0) options.descriptors = descriptors;
  if (data.graphs && data.graphs->mixtures) {
    const MixtureItems& mixtures = *data.graphs->mixtures;
    options.parts = {.of_each = mixtures.size(), .offsets = mixtures.offsets, .weights = &mixtures.shares};
  }
  if (data.collection) {
    options.sign_columns = data.sign_columns;
    options.grid_columns = data.collection->grid_columns;
  }
  return options;
}

std::unique_ptr<Batches> make_batches(const Dataset& data, const data::Features& features,
                                      const graph::FrozenGraph& frozen, std::int64_t batch_size,
                                      std::vector<graph::Node> order, MaskedLabels labels, const Matrix* descriptors) {
  if (data.frozen) return std::make_unique<PartBatches>(data.frozen, data.parts);
  if (!data.has_many_graphs())
    return std::make_unique<NodeBatches>(features, frozen, std::move(order), layout_of(data), labels);
  GraphBatchOptions options = graph_batch_options(data, batch_size, descriptors);
  if (is_pretraining(data.reading)) {
    const auto columns = static_cast<Eigen::Index>(features.columns());
    options.masked = {.columns = columns - data.encodings.cols(), .share = kMaskedShare};
  }
  return std::make_unique<GraphBatches>(features, graph::GraphUnion{frozen, data.offsets()}, options);
}

std::unique_ptr<Batches> make_sampled_batches(const Dataset& data, const data::Features& features,
                                              const graph::FrozenGraph& frozen,
                                              const json::Value& model, const TrainOptions& options,
                                              std::vector<graph::Node> order, MaskedLabels labels) {
  Sampling sampling = read_sampling(options.sample, options.replace, options.batch_size);
  if (auto* neighbours = std::get_if<graph::NeighbourSampling>(&sampling))
    neighbours->relations = relations_of(model, frozen.edge_features.cols());
  if (data.frozen)
    return std::make_unique<SampledBatches>(sampling, data.frozen, nn::graph_options_of(model), data.parts);
  return std::make_unique<SampledBatches>(sampling, features, frozen, std::move(order), std::move(labels),
                                          layout_of(data));
}

void check_order(const Dataset& data, const std::string& name) {
  if (data.links && name != "none")
    throw UsageError(fmt::format("training.reorder: \"{}\" is for labels of nodes; ties name the nodes as they are",
                                 name));
  if (data.frozen && name != "none" && name != "auto")
    throw UsageError(
        fmt::format("training.reorder: {}: the nodes of a frozen network are in order; leave it out", name));
  if (data.has_many_graphs() && name != "none")
    throw UsageError(
        fmt::format("training.reorder: \"{}\" is for the nodes of one graph; {} has many graphs, which "
                    "are taken in batches",
                    name, data.name));
}

NodeOrder reorder(const Dataset& data, const std::string& name, double gathers, graph::FrozenGraph& frozen,
                  data::Features& features) {
  check_order(data, name);
  if (data.frozen) return {};
  return reorder(name, gathers, frozen, features);
}

}  // namespace edgewise::train
