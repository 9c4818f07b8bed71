#pragma once

#include <optional>

#include "edgewise/train/bundle.hpp"
#include "edgewise/train/fit.hpp"
#include "edgewise/train/job_data.hpp"

namespace edgewise::train {

/// One run of a job: one seed, one split, one model.
struct Run {
  Report report;
  data::Split split;
  Matrix predictions;            ///< [nodes, labels]: probabilities or values, with the kept weights.
  std::optional<Bundle> bundle;  ///< Not for label propagation.
  std::size_t parameters = 0;
  std::size_t inputs = 0;         ///< Feature columns.
  std::vector<std::string> notes;
};

/// Splits, fits the features to the training nodes, makes the model and trains it: run `run` has the seed
/// `config.training.seed + run`. `{"preset": "label_propagation"}` is the baseline without learning.
/// Throws as `fit`, `make_split` and nn::Model do.
Run run_job(const Config& config, const JobData& data, std::int64_t run, const FitHooks& hooks = {});

/// "gat", or "blocks" for a model that is no preset.
std::string model_name(const json::Value& model);

/// `model` with what the data decides: edge weights, where there are any, are a feature of the edges unless the
/// configuration says otherwise ("graph": {"weight_as_feature": false}).
json::Value complete_model(const json::Value& model, const graph::Graph& graph);

}  // namespace edgewise::train
