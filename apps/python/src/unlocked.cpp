#include "unlocked.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace edgewise::python {
namespace {

// Changed under the interpreter's lock.
std::atomic<int> running{0};
std::atomic<std::thread::id> ending{};  ///< The thread that ends the interpreter, if it does.

[[noreturn]] void sleep_until_the_process_ends() {
  PyEval_SaveThread();
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// Waits for what other threads compute.
void end() {
  ending = std::this_thread::get_id();
  while (running > 0) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const nb::gil_scoped_release released;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

bool is_ended_by_another_thread() {
  const std::thread::id by = ending;
  return by != std::thread::id() && by != std::this_thread::get_id();
}

Unlocked::Unlocked() {
  if (is_ended_by_another_thread()) sleep_until_the_process_ends();
  ++running;
  state_ = PyEval_SaveThread();
}

Unlocked::~Unlocked() {
  PyEval_RestoreThread(state_);
  --running;
  if (is_ended_by_another_thread()) sleep_until_the_process_ends();
}

void bind_ending(nb::module_& module) {
  pthread_atfork(nullptr, nullptr, [] { running = 0; });  // a forked process has no other threads
  module.def("end", &end);
  nb::module_::import_("atexit").attr("register")(module.attr("end"));
}

}  // namespace edgewise::python
