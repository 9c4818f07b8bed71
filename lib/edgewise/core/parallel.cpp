#include "edgewise/core/parallel.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>
#include <sys/single_threaded.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "edgewise/core/detail/team.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/serial_thread.hpp"

namespace edgewise {
namespace {

std::atomic<int>& thread_count() {
  static std::atomic<int> count{std::clamp(omp_get_max_threads(), 1, kMaxThreads)};
  return count;
}

thread_local bool is_in_region = false;

/// A process that was forked from one with threads has none of them, but OpenMP would wait for them: it works on one
/// thread.
bool has_lost_threads = false;

void watch_forks() {
  static bool has_threads;  // another thread that forks at the same time sees the same
  pthread_atfork([] { has_threads = !__libc_single_threaded; }, nullptr,
                 [] { has_lost_threads = has_lost_threads || has_threads; });
}
[[maybe_unused]] const bool kWatchesForks = (watch_forks(), true);

/// Holds `is_busy` while the team works for this thread.
class TeamForOne {
 public:
  TeamForOne() : is_mine_(!is_busy.test_and_set(std::memory_order_acquire)) {}
  TeamForOne(const TeamForOne&) = delete;
  TeamForOne& operator=(const TeamForOne&) = delete;
  ~TeamForOne() {
    if (is_mine_) is_busy.clear(std::memory_order_release);
  }
  bool is_mine() const { return is_mine_; }

 private:
  inline static std::atomic_flag is_busy;
  bool is_mine_;
};

/// Runs chunks until one throws.
class Chunks {
 public:
  explicit Chunks(const std::function<void(std::size_t)>& body) : body_(body) {}

  void run(std::size_t chunk) noexcept {
    if (has_failed_.load(std::memory_order_relaxed)) return;
    const SerialThread nested;
    try {
      check_interruption();
      body_(chunk);
    } catch (...) {
      if (!has_failed_.exchange(true)) failure_ = std::current_exception();
    }
  }
  /// After all of them.
  void rethrow() {
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  const std::function<void(std::size_t)>& body_;
  std::atomic<bool> has_failed_{false};
  std::exception_ptr failure_;
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
  const int count = threads();
  const bool is_serial = chunks <= 1 || count == 1 || is_in_region || has_lost_threads || omp_in_parallel() != 0;
  if (!is_serial) {
    if (const TeamForOne team; team.is_mine()) {
      Chunks guarded(body);
      detail::run_in_team(chunks, count, [&](std::size_t chunk) { guarded.run(chunk); });
      return guarded.rethrow();
    }
  }
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    check_interruption();
    body(chunk);
  }
}

}  // namespace edgewise
