#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace edgewise::app {

/// Progress on standard error: on a terminal one line that is rewritten at most ten times a second, otherwise a plain
/// line at most every ten seconds.
class Progress {
 public:
  explicit Progress(bool is_quiet);

  /// Reports `done` of `total` units, with a status `text`. The time left is estimated from the pace since `start`.
  void update(double done, double total, const std::string& text);
  /// Restarts the clock for the time left.
  void start();
  /// Clears the bar so that other lines can follow.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_quiet_;
  bool is_terminal_;
  bool is_shown_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

double seconds_between(std::chrono::steady_clock::time_point start, std::chrono::steady_clock::time_point end);

/// "0:07", "12:30", "3:00:05".
std::string format_duration(double seconds);

}  // namespace edgewise::app
