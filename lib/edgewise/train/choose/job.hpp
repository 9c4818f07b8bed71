#pragma once

#include <memory>

#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/loop/graph_batches.hpp"
#include "edgewise/train/loop/label_mask.hpp"
#include "edgewise/train/loop/reorder.hpp"
#include "edgewise/train/run/run.hpp"

namespace edgewise::train {

/// Runs one job: makes the split, fits the features to the training items, and builds and trains the model (or the
/// models of an ensemble). Run `run` has the seed `config.training.seed + run`. The presets include baselines
/// (baselines.hpp) and "auto", which trains several models and keeps the best (choose.hpp). Throws UsageError for a
/// model whose parameters or node pairs do not fit in memory; otherwise throws as `fit`, `make_split` and nn::Model do.
Run run_job(const Config& config, const JobData& data, std::int64_t run, const FitHooks& hooks = {});

/// As `run_job`, for a run whose predictions are not the final ones: without remarks on them.
Run run_part(const Config& config, const JobData& data, std::int64_t run, const FitHooks& hooks = {});

/// The record of how a model was trained, for TrainedModel::training. `in_force` are the options it was actually
/// trained with.
json::Value training_record(const Config& config, const TrainOptions& in_force, const JobData& data, std::int64_t index,
                            const Run& run);

/// Adds the metrics to that record.
void record_metrics(const Report& report, json::Value& record);

/// The shape of a model for `data`. `descriptors` are those of DescriptorMap.
nn::ModelShape shape_of(const JobData& data, const data::Features& features, const graph::FrozenGraph& frozen,
                        const Matrix& descriptors);

/// Throws UsageError for steps of training that the configuration requires but the data does not allow.
void check_steps(const Config& config, const JobData& data);

/// Replaces the predictions of the run and its model by the refined ones.
void take_refinement(const data::Labels& labels, RefinedPredictions refined, Run& run);
/// Applies the best refinement, if the data allows any.
void refine_always(const JobData& data, Run& run);

/// Completes `model` with what the data determines, unless the configuration says otherwise: windows and convolutions
/// use the grid if there is one, graphs are read out ("readout": "mean"), nodes with few dense columns of `features`
/// keep all of them in training ("input_dropout": 0, unless there is a "dropout"), and edge weights, if any, become an
/// edge feature ("graph": {"weight_as_feature": false} prevents it), scaled unless a block uses the weights themselves.
json::Value complete_model(const json::Value& model, const JobData& data, const data::Features& features);

/// The layout of the graphs of a job, even if there is only one.
GraphLayout layout_of(const JobData& data);

/// Batch options for a job with many graphs. `data` must outlive the batches, and so must `descriptors` (of
/// DescriptorMap; null or without columns: none).
GraphBatchOptions graph_batch_options(const JobData& data, std::int64_t batch_size,
                                      const Matrix* descriptors = nullptr);

/// Throws UsageError if an order other than "none" is requested and `data` has many graphs.
void check_order(const JobData& data, const std::string& name);

/// Throws UsageError if a mask of the model has more pairs of nodes or of edges, in one graph of `data`, than fit in
/// memory, or if the rows of one of many graphs do not. `frozen` is the graph of the data. Graphs are not searched
/// unless a quick bound is too high.
void check_pairs(const nn::Model& model, const JobData& data, const graph::FrozenGraph& frozen);

/// Reorders the nodes of `frozen` and `features` by the order called `name`; see reorder.hpp. Throws UsageError for
/// anything but "none" if graphs have the labels: they are small, and taken in batches.
NodeOrder reorder(const JobData& data, const std::string& name, double gathers, graph::FrozenGraph& frozen,
                  data::Features& features);

/// The batches for training or prediction. `data` and `features` must outlive them, and at node level so must `frozen`.
/// `order` is the result of `reorder`; `labels` describes labels among the node features of a single graph.
std::unique_ptr<Batches> make_batches(const JobData& data, const data::Features& features,
                                      const graph::FrozenGraph& frozen, std::int64_t batch_size,
                                      std::vector<graph::Node> order = {}, MaskedLabels labels = {},
                                      const Matrix* descriptors = nullptr);

}  // namespace edgewise::train
