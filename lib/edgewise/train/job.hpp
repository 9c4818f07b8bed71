#pragma once

#include <memory>
#include <optional>

#include "edgewise/train/bundle.hpp"
#include "edgewise/train/fit.hpp"
#include "edgewise/train/graph_examples.hpp"
#include "edgewise/train/job_data.hpp"
#include "edgewise/train/reorder.hpp"

namespace edgewise::train {

/// One run of a job: one seed, one split, one model.
struct Run {
  Report report;
  data::Split split;
  Matrix predictions;            ///< [items, labels]: probabilities or values, with the kept weights.
  Matrix deviations;             ///< [items, labels]: their spread over an ensemble; empty for one model.
  std::optional<Bundle> bundle;  ///< Not for baselines.
  std::size_t parameters = 0;
  std::size_t inputs = 0;         ///< Feature columns.
  std::string order;              ///< Of the nodes inside: none, degree, cuthill_mckee, clustering.
  std::vector<std::string> notes;
};

/// Splits, fits the features to the training items, makes the model (or the models of an ensemble) and trains it: run
/// `run` has the seed `config.training.seed + run`. Throws UsageError for a model whose numbers, or whose pairs of nodes, do
/// not fit in memory. Baselines are among the presets: see `is_baseline`.
/// Throws as `fit`, `make_split` and nn::Model do.
Run run_job(const Config& config, const JobData& data, std::int64_t run, const FitHooks& hooks = {});

/// "gat", or "blocks" for a model that is no preset.
std::string model_name(const json::Value& model);

/// Presets that are no models of blocks but something to compare with:
/// - "label_propagation": edges and training labels only (nodes in classes).
/// - "fingerprint": ridge or logistic regression on Morgan fingerprints (molecules).
/// - "sum_features": the same on the sums of the nodes' features, no graph at all (Errica et al. 2020).
std::vector<std::string> baseline_names();
bool is_baseline(const json::Value& model);

/// `model` with what the data decides: graphs are read out ("readout": "mean"), and edge weights, where there are any,
/// are a feature of the edges unless the configuration says otherwise ("graph": {"weight_as_feature": false}).
json::Value complete_model(const json::Value& model, const JobData& data);

/// How the graphs of a graph-level job are taken. `data` must outlive the examples.
GraphExamplesOptions graph_examples_options(const JobData& data, std::int64_t batch_size);

/// Throws UsageError where an order is asked for that is not "none" and `data` has many graphs.
void check_order(const JobData& data, const std::string& name);

/// Throws UsageError where the model attends between all pairs of nodes of a graph and one graph of `data` has more
/// pairs than fit in memory.
void check_pairs(const nn::Model& model, const JobData& data);

/// Puts the nodes of `frozen` and `features` into the order called `name`; see reorder.hpp. Throws UsageError for
/// anything but "none" when graphs have the labels: they are small, and taken in batches.
NodeOrder reorder(const JobData& data, const std::string& name, double gathers, graph::FrozenGraph& frozen,
                  data::Features& features);

/// What to train on or to ask about. `data` and `features` must outlive it, and `frozen` at
/// node level. `order` is what `reorder` put them into.
std::unique_ptr<Examples> make_examples(const JobData& data, const data::Features& features,
                                        const graph::FrozenGraph& frozen, std::int64_t batch_size,
                                        std::vector<graph::Node> order = {});

}  // namespace edgewise::train
