#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/train/loop/batches.hpp"
#include "edgewise/train/loop/graph_batches.hpp"
#include "edgewise/train/loop/label_mask.hpp"
#include "edgewise/train/loop/reorder.hpp"
#include "edgewise/train/loop/train_options.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// How the graphs of a job go through a model.
namespace edgewise::train {

/// The graph of a job as a model needs it. That of a frozen network has no rows: they are in its file.
graph::FrozenGraph freeze(const Dataset& data, const graph::FreezeOptions& options);

/// The layout of the graphs of a job, even if there is only one.
GraphLayout layout_of(const Dataset& data);

/// Batch options for a job with many graphs. `data` must outlive the batches, and so must `descriptors` (of
/// DescriptorMap; null or without columns: none).
GraphBatchOptions graph_batch_options(const Dataset& data, std::int64_t batch_size,
                                      const Matrix* descriptors = nullptr);

/// Throws UsageError if an order other than "none" is requested and `data` has many graphs.
void check_order(const Dataset& data, const std::string& name);

/// Reorders the nodes of `frozen` and `features` by the order called `name`; see reorder.hpp. Throws UsageError for
/// anything but "none" if graphs have the labels: they are small, and taken in batches. Nodes of a frozen network stay.
NodeOrder reorder(const Dataset& data, const std::string& name, double gathers, graph::FrozenGraph& frozen,
                  data::Features& features);

/// Batches of samples of the nodes of one graph, for options that ask for them. Of a `model` (its blocks) with layers
/// of relations, fan-outs are for each relation; other arguments as those of `make_batches`.
std::unique_ptr<Batches> make_sampled_batches(const Dataset& data, const data::Features& features,
                                              const graph::FrozenGraph& frozen,
                                              const json::Value& model, const TrainOptions& options,
                                              std::vector<graph::Node> order, MaskedLabels labels);

/// The batches for training or prediction. `data` and `features` must outlive them, and at node level so must `frozen`.
/// `order` is the result of `reorder`; `labels` describes labels among the node features of a single graph.
std::unique_ptr<Batches> make_batches(const Dataset& data, const data::Features& features,
                                      const graph::FrozenGraph& frozen, std::int64_t batch_size,
                                      std::vector<graph::Node> order = {}, MaskedLabels labels = {},
                                      const Matrix* descriptors = nullptr);

}  // namespace edgewise::train
