#pragma once

#include <nanobind/nanobind.h>

namespace edgewise::python {

namespace nb = nanobind;

/// Whether another thread is about to end the interpreter, so that long work should stop.
bool is_ended_by_another_thread();

/// Computes without the interpreter's lock, as nb::gil_scoped_release does, until the interpreter is about to end. It
/// then waits for what other threads compute, since they could not take the lock back afterwards; they sleep from then
/// on until the process ends, as does a thread that starts anything later.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

void bind_ending(nb::module_& module);

}  // namespace edgewise::python
