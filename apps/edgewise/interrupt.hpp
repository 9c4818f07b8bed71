#pragma once

#include <csignal>

namespace edgewise::app {

/// While one lives, the first Ctrl-C (SIGINT), SIGTERM or hang-up of the terminal (SIGHUP) only sets a flag; the second
/// one ends the process as usual. A hang-up that was ignored when it was made (nohup) stays so.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  bool was_asked() const;

 private:
  static constexpr int kCount = 3;
  struct sigaction previous_[kCount] = {};
};

}  // namespace edgewise::app
