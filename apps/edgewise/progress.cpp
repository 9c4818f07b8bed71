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

void Progress::start() {
  start_ = last_ = Clock::now();
  whole_ = 0;
}

void Progress::show(const WorkStep& step) {
  if (!is_due()) return;
  update(step.total > 0 ? step.done / step.total : 0, std::string(step.what));
}

bool Progress::is_due() { return !is_quiet_ && seconds_between(last_, Clock::now()) >= (is_terminal_ ? 0.1 : 10); }

std::string Progress::left() const {
  constexpr double kEnough = 0.01;  // to tell a pace
  if (whole_ < kEnough) return "";
  const double seconds = seconds_between(start_, Clock::now()) * (1 - whole_) / whole_;
  return fmt::format(", {} left", format_duration(seconds));
}

void Progress::update(double share, const std::string& text) {
  if (!is_due()) return;
  last_ = Clock::now();
  share = std::clamp(share, 0.0, 1.0);
  if (!is_terminal_) {
    say(fmt::format("{:3.0f}% {}{}", 100 * share, text, left()));
    return;
  }
  const auto filled = static_cast<int>(share * kBarWidth);
  write_error(
      fmt::format("\r\033[K[{:#<{}}{:.<{}}] {}{}", "", filled, "", kBarWidth - filled, one_line(text), left()));
  is_shown_ = true;
}

void Progress::finish() {
  if (is_shown_.exchange(false)) write_error("\r\033[K");
}

std::string format_duration(double seconds) {
  const auto total = static_cast<std::int64_t>(std::llround(std::max(0.0, seconds)));
  if (total >= 3600) return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

}  // namespace edgewise::app
