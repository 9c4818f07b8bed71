#include "interrupt.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <utility>

#include "edgewise/core/atomic_file.hpp"
#include "failure.hpp"

namespace edgewise::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr std::chrono::milliseconds kOverdue{500};
constexpr std::chrono::milliseconds kLastResort{900};
constexpr std::chrono::seconds kOrderlyEnd{5};  // to save what is finished
constexpr std::chrono::milliseconds kPause{20};

std::atomic<bool> requested = false;  // set by signals, read by any thread
std::atomic<Clock::rep> requested_at = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<Clock::rep>::is_always_lock_free);

/// Posted by signals. Never destroyed: a signal may come at any time.
sem_t& wake_up() {
  static sem_t& semaphore = *[] {
    auto* made = new sem_t;
    sem_init(made, 0, 0);
    return made;
  }();
  return semaphore;
}

void on_signal(int signal) {
  requested_at = Clock::now().time_since_epoch().count();
  requested = true;
  sem_post(&wake_up());
  std::signal(signal, SIG_DFL);
}

Clock::duration waited() { return Clock::now().time_since_epoch() - Clock::duration(requested_at); }

}  // namespace

Interrupt::Interrupt() {
  wake_up();
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

bool Interrupt::is_overdue() const { return requested && waited() > kOverdue; }

LastResort::LastResort(std::function<void()> say_so) : say_so_(std::move(say_so)), watcher_([this] { watch(); }) {}

LastResort::~LastResort() {
  is_done_ = true;
  sem_post(&wake_up());
  watcher_.join();
}

void LastResort::watch() {
  while (!requested && !is_done_) sem_wait(&wake_up());
  while (!is_done_ && waited() < (is_orderly_ ? Clock::duration(kOrderlyEnd) : Clock::duration(kLastResort)))
    std::this_thread::sleep_for(kPause);
  if (is_done_ || is_dismissed_) return;
  const auto whole_files = hold_writing();
  if (is_done_) return;
  if (!is_orderly_) say_so_();
  ::_exit(kInterrupted);
}

}  // namespace edgewise::app
