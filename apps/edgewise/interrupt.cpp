#include "interrupt.hpp"

#include <atomic>

namespace edgewise::app {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> requested = false;  // set by signals, read by any thread
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int signal) {
  requested = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  requested = false;
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (int i = 0; i < kCount; ++i) {
    sigaction(kSignals[i], nullptr, &previous_[i]);
    const bool is_nohup = kSignals[i] == SIGHUP && previous_[i].sa_handler == SIG_IGN;
    if (!is_nohup) sigaction(kSignals[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (int i = 0; i < kCount; ++i) sigaction(kSignals[i], &previous_[i], nullptr);
}

bool Interrupt::is_requested() const { return requested; }

}  // namespace edgewise::app
