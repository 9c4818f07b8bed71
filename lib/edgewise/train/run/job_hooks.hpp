#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <string>

#include "edgewise/train/loop/fit.hpp"

namespace edgewise::train {

/// Hooks for the caller of a job: those of each `fit`, and what jobs have besides. All may be empty.
struct JobHooks : FitHooks {
  /// For jobs that train several models to choose from: called before each, with its name.
  std::function<void(const std::string&)> on_model;
  /// Called with lines to say before long work.
  NoteHook note;
  /// For jobs that choose: called with how far the job is, from 0 to 1, by the work that is counted beforehand.
  std::function<void(double)> on_work;
  /// With a deadline: how many seconds the job is given, by which it plans what must not depend on the clock.
  double seconds = std::numeric_limits<double>::infinity();
  /// Whether the model is kept, and not only measured; then what its use needs is computed, too.
  bool keeps_model = true;
};

/// The hooks of a job that has so many seconds from `start` on.
inline JobHooks ending_after(double seconds, std::chrono::steady_clock::time_point start, JobHooks hooks) {
  using Clock = std::chrono::steady_clock;
  constexpr double kMost = 1e9;  // more would overflow the clock
  const std::chrono::duration<double> time(std::min(seconds, kMost));
  hooks.deadline = start + std::chrono::duration_cast<Clock::duration>(time);
  hooks.seconds = seconds;
  return hooks;
}

}  // namespace edgewise::train
