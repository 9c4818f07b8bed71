#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "edgewise/train/jobs/chance.hpp"
#include "edgewise/train/loop/fit.hpp"

namespace edgewise::train {

/// How the validation metric of a model comes along: tells early which models are not worth training to the end, by
/// epochs alone, so that the outcome does not depend on the machine.
class ProgressTrace {
 public:
  /// A job of at most `epochs`; `sample` is of the validation items.
  ProgressTrace(std::string metric, std::int64_t epochs, Sample sample);

  void observe(const EpochRecord& record);

  /// Whether this model, trained behind `leader`, is to be given up:
  /// - at the last rung it came to (40, 80, 160, ... epochs; where an eighth of all is less, from there on) its best
  ///   was more than three standard errors behind what the leader's had been there; or
  /// - it is more than one behind the leader's best, and for 20 epochs neither its metric nor its loss has become
  ///   better.
  bool is_behind(const ProgressTrace& leader) const;

 private:
  /// How many standard errors `value` is ahead of the best so far.
  double errors_behind(double value) const;

  std::string metric_;
  std::int64_t first_rung_;
  Sample sample_;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  std::int64_t epoch_ = 0;
  double best_loss_ = std::numeric_limits<double>::infinity();
  std::int64_t better_at_ = 0;  // the epoch
  std::vector<double> rungs_;   // the best so far, at each
};

}  // namespace edgewise::train
