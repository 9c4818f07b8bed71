#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"

namespace edgewise::optim {

enum class ScheduleKind {
  constant,
  cosine,   ///< Falls to `minimum` along half a cosine over `steps` (Loshchilov and Hutter 2017, one cycle).
  plateau,  ///< Multiplied by `factor` whenever the watched loss has not improved for `patience` observations.
};

/// The names, in the order of the values.
std::vector<std::string> schedule_kind_names();

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::constant;
  std::int64_t warmup = 0;   ///< Steps of linear rise to the full rate: 1/warmup, 2/warmup, ... For every kind.
  std::int64_t steps = 0;    ///< Cosine: the step that reaches `minimum`, warm-up included; it stays there afterwards.
  double minimum = 0;        ///< Cosine and plateau: lowest multiple of the learning rate.
  double factor = 0.5;       ///< Plateau.
  std::int64_t patience = 10;  ///< Plateau.
  double threshold = 1e-4;     ///< Plateau: an improvement is a loss below best - threshold |best|.
};

/// The learning rate of each step, as a multiple of the base rate.
class Schedule {
 public:
  /// Throws UsageError if an option is out of range.
  explicit Schedule(const ScheduleOptions& options = {});

  /// For step 0, 1, ...; in [0, 1].
  double multiplier(std::int64_t step) const;
  /// Plateau: takes the loss of an evaluation. Ignored by the other kinds.
  void observe(double loss);

  /// The state that changes during training; it never does for constant and cosine.
  json::Value state() const;
  void restore(const json::Value& state);

 private:
  ScheduleOptions options_;
  std::optional<double> best_;
  std::int64_t since_best_ = 0;
  double level_ = 1;
};

}  // namespace edgewise::optim
