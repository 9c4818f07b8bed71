#pragma once

#include <functional>
#include <memory>

/// @file
/// Functions that take turns on one thread.
namespace edgewise {

/// A function that can pause anywhere, also within functions that it calls, and goes on when it is resumed. It runs on
/// the thread that resumes it, which must always be the same. It may pause while it handles an exception.
class Fiber {
 public:
  explicit Fiber(std::function<void()> run);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  /// A function that has begun but not ended is unwound where it paused, by an exception that is thrown again where it
  /// pauses after a `catch (...)`. What the function throws meanwhile is dropped.
  ~Fiber();

  /// Runs until the function pauses or ends. Throws what it throws.
  void resume();
  bool is_done() const;
  /// Within the function of a fiber: returns to whoever resumed it.
  static void pause();

 private:
  struct State;
  void switch_to();

  std::unique_ptr<State> state_;
};

}  // namespace edgewise
