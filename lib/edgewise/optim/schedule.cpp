#include "edgewise/optim/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json_fields.hpp"

namespace edgewise::optim {

std::vector<std::string> schedule_kind_names() { return {"constant", "cosine", "plateau"}; }

Schedule::Schedule(const ScheduleOptions& options) : options_(options) {
  if (options.warmup < 0)
    throw UsageError(fmt::format("schedule: warmup: expected at least 0, got {}", options.warmup));
  if (options.kind == ScheduleKind::cosine && options.steps <= options.warmup)
    throw UsageError(fmt::format("schedule: steps: expected more than the warm-up of {}, got {}", options.warmup,
                                 options.steps));
  if (!(options.minimum >= 0 && options.minimum <= 1))
    throw UsageError(fmt::format("schedule: minimum: expected a number in [0, 1], got {}", options.minimum));
  if (!(options.factor > 0 && options.factor < 1))
    throw UsageError(fmt::format("schedule: factor: expected a number between 0 and 1, got {}", options.factor));
  if (options.patience < 1)
    throw UsageError(fmt::format("schedule: patience: expected at least 1, got {}", options.patience));
}

double Schedule::multiplier(std::int64_t step) const {
  if (step < options_.warmup) return static_cast<double>(step + 1) / static_cast<double>(options_.warmup);
  if (options_.kind != ScheduleKind::cosine) return level_;
  const auto length = static_cast<double>(options_.steps - options_.warmup);
  const double done = std::min(1.0, static_cast<double>(step - options_.warmup) / length);
  return options_.minimum + (1 - options_.minimum) * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

void Schedule::observe(double loss) {
  if (options_.kind != ScheduleKind::plateau) return;
  if (!best_ || loss < *best_ - std::abs(*best_) * options_.threshold) {
    best_ = loss;
    since_best_ = 0;
    return;
  }
  if (++since_best_ < options_.patience) return;
  level_ = std::max(options_.minimum, level_ * options_.factor);
  since_best_ = 0;
}

json::Value Schedule::state() const {
  json::Value state;
  state.set("level", level_);
  state.set("since_best", since_best_);
  if (best_) state.set("best", *best_);
  return state;
}

void Schedule::restore(const json::Value& state) {
  level_ = json::Required<json::Number<0.0, 1.0>>::read(state, "level", 1.0);
  since_best_ = json::Required<json::Integer<0>>::read(state, "since_best", std::int64_t{0});
  best_.reset();
  if (const json::Value* best = state.find("best")) best_ = best->as_number();
}

}  // namespace edgewise::optim
