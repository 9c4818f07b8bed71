#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

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
  /// Requested longer ago than short steps take: what is still at work should be given up (core/observer.hpp).
  bool is_overdue() const;

 private:
  static constexpr int kCount = 3;
  struct sigaction previous_[kCount] = {};
};

/// Ends the process if it has not ended a second after it was interrupted, whatever it is doing, once no file is being
/// written.
class LastResort {
 public:
  /// `say_so` is called before the process ends, unless the end is orderly.
  explicit LastResort(std::function<void()> say_so);
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;
  ~LastResort();

  /// The work has stopped, and what is finished is being saved and printed: this may take a few seconds.
  void begin_orderly_end() { is_orderly_ = true; }
  /// The work ends by itself, however long it takes.
  void dismiss() { is_dismissed_ = true; }

 private:
  void watch();

  std::function<void()> say_so_;
  std::atomic<bool> is_orderly_ = false;
  std::atomic<bool> is_dismissed_ = false;
  std::atomic<bool> is_done_ = false;
  std::thread watcher_;
};

}  // namespace edgewise::app
