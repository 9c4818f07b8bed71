#include "interrupt.hpp"

namespace edgewise::app {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t asked = 0;

void on_signal(int signal) {
  asked = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  asked = 0;
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

bool Interrupt::was_asked() const { return asked != 0; }

}  // namespace edgewise::app
