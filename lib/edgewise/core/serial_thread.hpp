#pragma once

namespace edgewise {

/// While one lives, parallel work that this thread asks for runs on this thread alone, so that a thread in the
/// background does not take the others from work in the foreground.
class SerialThread {
 public:
  SerialThread();
  ~SerialThread();
  SerialThread(const SerialThread&) = delete;
  SerialThread& operator=(const SerialThread&) = delete;

 private:
  bool was_serial_;
};

}  // namespace edgewise
