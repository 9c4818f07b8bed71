#pragma once

namespace edgewise::app {

/// While one lives, the first Ctrl-C (SIGINT) or SIGTERM only sets a flag; the second one ends the process as usual.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  bool was_asked() const;
};

}  // namespace edgewise::app
