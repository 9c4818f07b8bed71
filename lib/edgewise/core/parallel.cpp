#include "edgewise/core/parallel.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/serial_thread.hpp"

namespace edgewise {
namespace {

using Body = std::function<void(std::size_t)>;

/// How often a waiting thread checks its condition, some tens of microseconds in all, before it sleeps.
constexpr int kSpins = 1000;
/// A region counts its chunks in 32 bits.
constexpr std::size_t kMaxChunks = ~std::uint32_t{0};

std::atomic<int>& thread_count() {
  static std::atomic<int> count{std::clamp(omp_get_max_threads(), 1, kMaxThreads)};
  return count;
}

thread_local bool is_in_region = false;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

template <class Condition>
bool spin_until(const Condition& holds) {
  for (int i = 0; i < kSpins; ++i, pause())
    if (holds()) return true;
  return false;
}

/// Threads that help with chunks. The caller waits for chunks that other threads have started, never for a thread, so
/// on a busy machine a helper that does not get to run costs nothing. The caller sleeps while it waits, which leaves
/// its processor to a helper that was interrupted.
class Team {
 public:
  /// Never destroyed: its threads may still access it while the process exits. A process that was forked has none of
  /// its threads, so it gets a new one.
  static Team& instance() {
    static std::atomic<Team*> team{new Team};
    [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { team = new Team; });
    return *team;
  }

  /// False if another user thread is running a region.
  bool try_run(std::size_t chunks, int threads, const Body& body) {
    const std::unique_lock<std::mutex> lock(region_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    hire(threads - 1);
    body_ = &body;
    chunks_ = static_cast<std::uint32_t>(chunks);
    has_failed_ = false;
    unfinished_ = chunks_;
    helpers_ = threads - 1;
    open_ = (std::uint64_t{++region_number_} << 32) + chunks_;
    if (sleeping_ > 0) {
      { const std::lock_guard<std::mutex> until_they_wait(mutex_); }
      work_.notify_all();
    }
    is_in_region = true;
    work();
    is_in_region = false;
    if (!spin_until([&] { return unfinished_ == 0; })) {
      std::unique_lock<std::mutex> sleep(mutex_);
      is_caller_sleeping_ = true;
      finished_.wait(sleep, [&] { return unfinished_ == 0; });
      is_caller_sleeping_ = false;
    }
    if (has_failed_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return true;
  }

 private:
  /// Starts helpers until there are `count`, or as many as the system allows.
  void hire(int count) {
    try {
      for (; hired_ < count; ++hired_) std::thread([this, id = hired_] { help(id); }).detach();
    } catch (const std::system_error&) {
    }
  }

  /// The main loop of a helper.
  void help(int id) {
    is_in_region = true;
    const auto is_wanted = [&] { return static_cast<std::uint32_t>(open_.load()) > 0 && id < helpers_; };
    while (true) {
      if (!spin_until(is_wanted)) {
        std::unique_lock<std::mutex> sleep(mutex_);
        ++sleeping_;
        work_.wait(sleep, is_wanted);
        --sleeping_;
      }
      work();
    }
  }

  /// Runs chunks until none is left. The region lasts until all chunks that were taken are finished, so its data may be
  /// read until then.
  void work() {
    std::uint64_t open = open_;
    while (static_cast<std::uint32_t>(open) > 0) {
      if (!open_.compare_exchange_weak(open, open - 1)) continue;
      run(chunks_ - static_cast<std::uint32_t>(open));
      if (--unfinished_ == 0 && is_caller_sleeping_) {
        const std::lock_guard<std::mutex> wake(mutex_);
        finished_.notify_one();
      }
      open = open_;
    }
  }

  void run(std::size_t chunk) {
    if (has_failed_) return;
    try {
      check_interruption();
      (*body_)(chunk);
    } catch (...) {
      if (!has_failed_.exchange(true)) failure_ = std::current_exception();
    }
  }

  std::mutex region_;  // held by the caller of a region
  const Body* body_ = nullptr;
  std::uint32_t chunks_ = 0;
  std::exception_ptr failure_;
  std::uint32_t region_number_ = 0;
  int hired_ = 0;

  std::atomic<std::uint64_t> open_{0};  // the number of the region, and how many of its chunks are not taken yet
  std::atomic<std::uint32_t> unfinished_{0};
  std::atomic<bool> has_failed_{false};
  std::atomic<int> helpers_{0};  // those with lower ids take part

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable finished_;
  std::atomic<int> sleeping_{0};
  std::atomic<bool> is_caller_sleeping_{false};
};

}  // namespace

SerialThread::SerialThread() : was_serial_(std::exchange(is_in_region, true)) {}

SerialThread::~SerialThread() { is_in_region = was_serial_; }

int threads() { return thread_count(); }

void set_threads(int count) {
  if (count < 1 || count > kMaxThreads)
    throw UsageError(fmt::format("threads: expected 1 to {}, got {}", kMaxThreads, count));
  thread_count() = count;
}

void parallel_chunks(std::size_t chunks, const std::function<void(std::size_t)>& body) {
  const int team = threads();
  const bool is_serial = chunks <= 1 || chunks > kMaxChunks || team == 1 || is_in_region || omp_in_parallel() != 0;
  if (!is_serial && Team::instance().try_run(chunks, team, body)) return;
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    check_interruption();
    body(chunk);
  }
}

}  // namespace edgewise
