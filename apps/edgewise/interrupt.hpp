#pragma once

#include <csignal>

namespace edgewise::app {

/// While an Interrupt exists, the first SIGINT (Ctrl-C), SIGTERM or SIGHUP (terminal hang-up) only sets a flag. The
/// second one ends the process as usual. SIGHUP stays ignored if it already was (nohup).
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  bool is_requested() const;

 private:
  static constexpr int kCount = 3;
  struct sigaction previous_[kCount] = {};
};

}  // namespace edgewise::app
