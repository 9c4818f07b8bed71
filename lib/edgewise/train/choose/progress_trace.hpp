#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/choose/chance.hpp"
#include "edgewise/train/loop/fit.hpp"

namespace edgewise::train {

/// Tracks the validation metric of a model to find early which models are not worth training to the end. It depends on
/// epochs alone, so the outcome does not depend on the machine.
class ProgressTrace {
 public:
  /// For a job of at most `epochs`; `sample` is of the validation items.
  ProgressTrace(std::string metric, std::int64_t epochs, Sample sample);

  void observe(const EpochRecord& record);

  /// Whether to give up this model, trained after `leader`:
  /// - at its last rung (40, 80, 160, ... epochs; the first rung is an eighth of all epochs if that is less) its best
  ///   was more than three standard errors behind the leader's best at that rung; or
  /// - it is more than one standard error behind the leader's best, and neither its metric nor its loss has improved
  ///   for 20 epochs.
  bool is_behind(const ProgressTrace& leader) const;

  /// What was observed, as JSON.
  json::Value state() const;
  /// Throws UsageError unless `state` gave it.
  void restore(const json::Value& state);

 private:
  /// How many standard errors `value` is ahead of the best so far.
  double errors_behind(double value) const;

  std::string metric_;
  std::int64_t first_rung_;
  Sample sample_;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  std::int64_t epoch_ = 0;
  double best_loss_ = std::numeric_limits<double>::infinity();
  std::int64_t better_at_ = 0;  // epoch of the last improvement
  std::vector<double> rungs_;   // best so far, at each rung
};

}  // namespace edgewise::train
