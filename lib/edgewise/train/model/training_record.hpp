#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/config/model_config.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::train {

/// How a model was trained, kept in its file.
struct TrainingRecord {
  std::string version = {};  ///< Of the software.
  std::uint64_t seed = 0;    ///< Of the run, not of the job.
  std::int64_t run = 0;      ///< Of the job, from 0.
  std::int64_t runs = 1;     ///< Of the job.
  std::string split_mark = {};  ///< Result of `fingerprint_of`; empty in files of models that were not trained here.
  std::optional<std::string> positive_class = {};  ///< Of two.
  ModelConfig model = {};
  json::Value options = json::Object{};  ///< TrainOptions as JSON; models of earlier versions have other members.
  std::string from = {};                 ///< The model it started from; empty: none.
  std::int64_t epochs = 0;
  std::int64_t best_epoch = 0;
  Metrics validation = {};
  Metrics test = {};

  /// The metric it was chosen by; empty: the default of its task.
  std::string metric() const;

  json::Value to_json() const;
  /// Throws UsageError for a record that no training leaves. `labels`: names of the classes or targets.
  static TrainingRecord from_json(const json::Value& record, const std::vector<std::string>& labels);
};

}  // namespace edgewise::train
