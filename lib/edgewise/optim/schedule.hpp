#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"

namespace edgewise::optim {

enum class ScheduleKind {
  constant,
  cosine,   ///< Down to `minimum` along half a cosine over `steps` (Loshchilov and Hutter 2017, one cycle).
  plateau,  ///< Times `factor` whenever the watched loss has not improved for `patience` observations.
};

/// In the order of the values.
std::vector<std::string> schedule_kind_names();

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::constant;
  std::int64_t warmup = 0;   ///< Steps of linear rise to the full rate: 1/warmup, 2/warmup, ... Before any kind.
  std::int64_t steps = 0;    ///< Cosine: where it reaches `minimum`, warm-up included; stays there afterwards.
  double minimum = 0;        ///< Cosine and plateau: lowest multiple of the learning rate.
  double factor = 0.5;       ///< Plateau.
  std::int64_t patience = 10;  ///< Plateau.
  double threshold = 1e-4;     ///< Plateau: an improvement is a loss below best * (1 - threshold).
};

/// The learning rate of each step, as a multiple of the base rate.
class Schedule {
 public:
  /// Throws UsageError when an option is out of its range.
  explicit Schedule(const ScheduleOptions& options = {});

  /// For step 0, 1, ...; in (0, 1].
  double multiplier(std::int64_t step) const;
  /// Plateau: tells the loss of an evaluation. The others do not look at it.
  void observe(double loss);

  /// What changes during training; nothing for constant and cosine.
  json::Value state() const;
  void restore(const json::Value& state);

 private:
  ScheduleOptions options_;
  std::optional<double> best_;
  std::int64_t since_best_ = 0;
  double level_ = 1;
};

}  // namespace edgewise::optim
