#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"

namespace edgewise::train {

/// When training stops, and which weights are kept.
enum class StoppingRule {
  /// Keep the weights of the best (largest) validation metric; ties go to the lower loss, and so does everything while
  /// the metric is undefined. Patience restarts then, and whenever the loss reaches a new minimum, so that a lucky
  /// early peak of the metric does not end training while the model still learns.
  validation_metric,
  /// Keep the weights of the lowest validation loss.
  validation_loss,
  /// The rule of the GAT paper's code (Velickovic et al. 2018): patience restarts if the metric >= its best OR the loss
  /// <= its best; weights are kept only if BOTH hold. The two best values are tracked independently.
  gat,
  /// Never stop early; keep the last weights.
  none,
};

/// In the order of the enumerators.
std::vector<std::string> stopping_rule_names();

struct StoppingOptions {
  StoppingRule rule = StoppingRule::validation_metric;
  /// Stop after this many consecutive evaluations without progress; 0 means never.
  std::int64_t patience = 100;
};

/// Watches the validation loss and metric (larger is better) of each evaluation.
class EarlyStopping {
 public:
  /// Throws UsageError if the patience is negative.
  explicit EarlyStopping(const StoppingOptions& options = {});

  /// Records one evaluation and returns whether to keep its weights; `epoch` counts from 1. A NaN metric counts as no
  /// progress.
  bool observe(std::int64_t epoch, double loss, double metric);

  /// Epoch of the weights kept last; 0 before the first.
  std::int64_t best_epoch() const { return best_epoch_; }

  /// Remaining evaluations without progress before training stops; nothing if it never does.
  std::optional<std::int64_t> left() const;

  /// Nothing before the first metric.
  std::optional<double> best_metric() const { return best_metric_; }

  json::Value state() const;
  /// Restores the state after `epoch`. Throws UsageError for one that does not exist then.
  void restore(const json::Value& state, std::int64_t epoch);

 private:
  StoppingOptions options_;
  std::optional<double> best_loss_;
  std::optional<double> lowest_loss_;  // overall minimum; best_loss_ may be the loss of the kept weights
  std::optional<double> best_metric_;
  std::int64_t best_epoch_ = 0;
  std::int64_t waited_ = 0;
};

}  // namespace edgewise::train
