#pragma once

#include <chrono>

/// @file
/// Time that passes, whatever the date is set to.
namespace edgewise {

using Clock = std::chrono::steady_clock;

inline double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

inline double seconds_since(Clock::time_point start) { return seconds_between(start, Clock::now()); }

inline double milliseconds_since(Clock::time_point start) { return 1e3 * seconds_since(start); }

}  // namespace edgewise
