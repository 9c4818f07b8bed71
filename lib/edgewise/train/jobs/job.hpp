#pragma once

#include <memory>

#include "edgewise/train/jobs/run.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/loop/graph_batches.hpp"
#include "edgewise/train/loop/label_mask.hpp"
#include "edgewise/train/loop/reorder.hpp"

namespace edgewise::train {

/// Splits, fits the features to the training items, makes the model (or the models of an ensemble) and trains it: run
/// `run` has the seed `config.training.seed + run`. Throws UsageError for a model whose numbers, or whose pairs of
/// nodes, do not fit in memory. Baselines are among the presets: see baselines.hpp; so is "auto", which trains several
/// models and keeps the best: see choose.hpp. Throws as `fit`, `make_split` and nn::Model do.
Run run_job(const Config& config, const JobData& data, std::int64_t run, const FitHooks& hooks = {});

/// How a model came to be, for its file: TrainedModel::training. `in_force` are the options that it was trained with.
json::Value training_record(const Config& config, const TrainOptions& in_force, const JobData& data, std::int64_t index,
                            const Run& run);

/// Puts what a model was measured by into that.
void record_metrics(const Report& report, json::Value& record);

/// What a model of `data` is made for. `descriptors` are of DescriptorMap.
nn::ModelShape shape_of(const JobData& data, const data::Features& features, const graph::FrozenGraph& frozen,
                        const Matrix& descriptors);

/// Makes the refined predictions those of the run and its model.
void take_refinement(const data::Labels& labels, RefinedPredictions refined, Run& run);
/// The best refinement, or a note that there is none for this data.
void refine_always(const JobData& data, Run& run);

/// `model` with what the data decides: windows and convolutions go over a grid where there is one, graphs are read out
/// ("readout": "mean"), and edge weights, where there are any, are a feature of the edges, scaled unless a block looks
/// for the weights themselves, if the configuration does not say otherwise ("graph": {"weight_as_feature": false}).
json::Value complete_model(const json::Value& model, const JobData& data);

/// Where the graphs of a job begin, also when there is one.
GraphLayout layout_of(const JobData& data);

/// How the graphs of a job with many are taken. `data` must outlive the batches, and so must `descriptors` (of
/// DescriptorMap; no columns or null: none).
GraphBatchOptions graph_batch_options(const JobData& data, std::int64_t batch_size,
                                      const Matrix* descriptors = nullptr);

/// Throws UsageError where an order is asked for that is not "none" and `data` has many graphs.
void check_order(const JobData& data, const std::string& name);

/// Throws UsageError where a mask of the model that does not follow edges has more pairs of nodes, in one graph of
/// `data`, than fit in memory.
void check_pairs(const nn::Model& model, const JobData& data);

/// Puts the nodes of `frozen` and `features` into the order called `name`; see reorder.hpp. Throws UsageError for
/// anything but "none" when graphs have the labels: they are small, and taken in batches.
NodeOrder reorder(const JobData& data, const std::string& name, double gathers, graph::FrozenGraph& frozen,
                  data::Features& features);

/// What to train on or to ask about. `data` and `features` must outlive it, and `frozen` at
/// node level. `order` is what `reorder` put them into; `labels` are among the features of the nodes of one graph.
std::unique_ptr<Batches> make_batches(const JobData& data, const data::Features& features,
                                      const graph::FrozenGraph& frozen, std::int64_t batch_size,
                                      std::vector<graph::Node> order = {}, MaskedLabels labels = {},
                                      const Matrix* descriptors = nullptr);

}  // namespace edgewise::train
