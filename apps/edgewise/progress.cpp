#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "message.hpp"

namespace edgewise::app {
namespace {

constexpr int kBarWidth = 24;

}  // namespace

Progress::Progress(bool is_quiet) : is_quiet_(is_quiet), is_terminal_(::isatty(STDERR_FILENO) == 1) { start(); }

void Progress::start() { start_ = last_ = Clock::now(); }

void Progress::update(double done, double total, const std::string& text) {
  if (is_quiet_) return;
  const Clock::time_point now = Clock::now();
  if (seconds_between(last_, now) < (is_terminal_ ? 0.1 : 10)) return;
  last_ = now;
  const double share = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0;
  const double left = share > 0 ? seconds_between(start_, now) * (1 - share) / share : 0;
  if (!is_terminal_) {
    say(fmt::format("{:3.0f}% {}, {} left", 100 * share, text, format_duration(left)));
    return;
  }
  const auto filled = static_cast<int>(share * kBarWidth);
  write_error(fmt::format("\r\033[K[{:#<{}}{:.<{}}] {}, {} left", "", filled, "", kBarWidth - filled, one_line(text),
                          format_duration(left)));
  is_shown_ = true;
}

void Progress::finish() {
  if (is_shown_) write_error("\r\033[K");
  is_shown_ = false;
}

double seconds_between(std::chrono::steady_clock::time_point start, std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

std::string format_duration(double seconds) {
  const auto total = static_cast<std::int64_t>(std::llround(std::max(0.0, seconds)));
  if (total >= 3600) return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

}  // namespace edgewise::app
