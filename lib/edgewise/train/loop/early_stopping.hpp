#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"

namespace edgewise::train {

/// When training stops, and which weights are kept.
enum class StoppingRule {
  /// Keep the weights of the best (largest) validation metric, first of equals by the lower loss. Patience starts again
  /// then, and whenever the loss is lower than ever: a lucky early peak of the metric does not end a training that
  /// still learns.
  validation_metric,
  /// Keep the weights of the lowest validation loss.
  validation_loss,
  /// The rule of the GAT paper's code (Velickovic et al. 2018): patience starts again when the metric >= its best OR
  /// the loss <= its best; weights are kept only when BOTH hold. The two bests move apart from each other.
  gat,
  /// Never stop early; keep the last weights.
  none,
};

/// In the order of the values.
std::vector<std::string> stopping_rule_names();

struct StoppingOptions {
  StoppingRule rule = StoppingRule::validation_metric;
  /// Evaluations in a row without progress after which training stops; 0 means never.
  std::int64_t patience = 100;
};

/// Watches the validation loss and metric (larger is better) of each evaluation.
class EarlyStopping {
 public:
  /// Throws UsageError when the patience is negative.
  explicit EarlyStopping(const StoppingOptions& options = {});

  struct Verdict {
    bool keep_weights = false;
    bool stop = false;
  };
  /// One evaluation; `epoch` counts from 1. A metric that is not a number counts as no progress.
  Verdict observe(std::int64_t epoch, double loss, double metric);

  /// Epoch whose weights were kept last; 0 before the first.
  std::int64_t best_epoch() const { return best_epoch_; }

  /// Evaluations without progress after which training stops from here; nothing when it never does.
  std::optional<std::int64_t> left() const;

  json::Value state() const;
  void restore(const json::Value& state);

 private:
  StoppingOptions options_;
  std::optional<double> best_loss_;
  std::optional<double> lowest_loss_;  // ever seen; best_loss_ may be that of the kept weights
  std::optional<double> best_metric_;
  std::int64_t best_epoch_ = 0;
  std::int64_t waited_ = 0;
};

}  // namespace edgewise::train
