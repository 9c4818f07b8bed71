#include "edgewise/train/loop/graph_batches.hpp"

#include <fmt/format.h>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/data/encodings.hpp"

namespace edgewise::train {

GraphBatches::GraphBatches(const data::Features& features, graph::GraphUnion graphs,
                             const GraphBatchOptions& options)
    : features_(features), all_(std::move(graphs)), options_(options) {
  if (features.is_sparse) throw UsageError("graphs: expected dense features of nodes, got sparse ones");
  if (options.batch_size == 0) throw UsageError("training.batch_size: expected at least 1, got 0");
}

void GraphBatches::check_fits(const nn::Model& model) const {
  check_node_sets(model);
  const nn::ModelShape& shape = model.shape();
  if (!model.is_graph_level())
    throw ModelError("model: it has no readout: it labels nodes, and the data has labels of graphs");
  if (features_.columns() != static_cast<std::size_t>(shape.inputs))
    throw ModelError(fmt::format("model: the nodes have {} feature columns, the model is made for {}",
                                 features_.columns(), shape.inputs));
  if (all_.graph.edge_features.cols() != shape.edge_features)
    throw ModelError(fmt::format("model: the edges have {} feature columns, the model is made for {}",
                                 all_.graph.edge_features.cols(), shape.edge_features));
  if (pair_features() != shape.pair_features)
    throw ModelError(fmt::format("model: pairs of nodes have {} feature columns, the model is made for {}",
                                 pair_features(), shape.pair_features));
  if (features_.rows() != all_.graph.destination_count())
    throw ModelError(fmt::format("model: the features have {} rows, the graphs have {} nodes", features_.rows(),
                                 all_.graph.destination_count()));
}

std::vector<std::vector<graph::Node>> GraphBatches::of_epoch(std::vector<graph::Node> items, std::uint64_t seed,
                                                           std::uint64_t epoch) const {
  Random random(seed, Stream::shuffle, epoch);
  shuffle(std::span(items), random);
  const std::size_t count = (items.size() + options_.batch_size - 1) / options_.batch_size;
  std::vector<std::vector<graph::Node>> steps;
  for (std::size_t i = 0; i < count; ++i)
    steps.emplace_back(items.begin() + static_cast<std::ptrdiff_t>(items.size() * i / count),
                       items.begin() + static_cast<std::ptrdiff_t>(items.size() * (i + 1) / count));
  return steps;
}

void GraphBatches::fill_batch(const nn::Model& model, std::span<const graph::Node> items) {
  batch_.graphs = graph::select(all_, items);
  batch_.masks.clear();
  add_masks(model, {batch_.graphs.graph, batch_.graphs.offsets}, batch_.masks);
  if (const auto complete = batch_.masks.find("complete"); complete != batch_.masks.end() && options_.paths != nullptr)
    complete->second.edge_features = data::path_length_features(*options_.paths, items);
  batch_.features.resize(static_cast<Eigen::Index>(batch_.graphs.offsets.back()), features_.dense.cols());
  for (std::size_t i = 0; i < items.size(); ++i)
    batch_.features.middleRows(batch_.graphs.offsets[i], batch_.graphs.offsets[i + 1] - batch_.graphs.offsets[i]) =
        features_.dense.middleRows(all_.offsets[items[i]], all_.offsets[items[i] + 1] - all_.offsets[items[i]]);
}

int GraphBatches::pair_features() const { return options_.paths == nullptr ? 0 : options_.paths->maximum + 2; }

autograd::Variable GraphBatches::forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) {
  fill_batch(model, items);
  if (pass.is_training && options_.sign_columns > 0)
    data::flip_signs(batch_.features.rightCols(options_.sign_columns), batch_.graphs.offsets,
                     random_key(pass.seed, Stream::shuffle, pass.step, 1));
  nn::ForwardContext context{.tape = pass.tape,
                             .masks = masks_of(batch_.graphs.graph, batch_.masks),
                             .is_training = pass.is_training,
                             .seed = pass.seed,
                             .step = pass.step,
                             .attention = pass.attention,
                             .embeddings = pass.embeddings};
  return model.forward(context, {.dense = pass.tape.constant(batch_.features)});
}

}  // namespace edgewise::train
