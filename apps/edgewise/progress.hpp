#pragma once

#include <atomic>
#include <string>

#include "edgewise/core/clock.hpp"
#include "edgewise/core/observer.hpp"

namespace edgewise::app {

/// Progress on standard error: on a terminal one line that is rewritten at most ten times a second, otherwise a plain
/// line at most every ten seconds.
class Progress {
 public:
  explicit Progress(bool is_quiet);

  /// Shows how far a step of the work is.
  void show(const WorkStep& step);
  /// Shows `text` and how far the step that it describes is, from 0 to 1.
  void update(double share, const std::string& text);
  /// How far the whole command is, from 0 to 1; from then on, the time left is shown. It is estimated from the time
  /// since `start`.
  void set_whole(double share) { whole_ = share; }
  /// Restarts the clock for the time left, which is not known any more.
  void start();
  /// Clears the bar so that other lines can follow.
  void finish();

 private:
  bool is_due();
  /// ", 2:30 left"; "" if that is not known.
  std::string left() const;

  bool is_quiet_;
  bool is_terminal_;
  std::atomic<bool> is_shown_ = false;  // the process may end in another thread
  double whole_ = 0;
  Clock::time_point start_;
  Clock::time_point last_;
};

/// "0:07", "12:30", "3:00:05".
std::string format_duration(double seconds);

}  // namespace edgewise::app
