#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>

#include "edgewise/core/detail/team.hpp"

namespace edgewise::detail {
namespace {

using Run = std::function<void(std::size_t)>;

/// How often a waiting thread checks its condition, some tens of microseconds in all, before it sleeps.
constexpr int kSpins = 1000;
/// A region counts its chunks in 32 bits.
constexpr std::size_t kMaxChunks = ~std::uint32_t{0};

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

/// Threads that help with chunks. The caller waits for chunks that other threads have started, never for a thread. It
/// sleeps while it waits, which leaves its processor to a helper that was interrupted.
class Team {
 public:
  /// Never destroyed: its threads may still access it while the process exits.
  static Team& instance() {
    static Team& team = *new Team;
    return team;
  }

  void run(std::size_t chunks, int threads, const Run& run) {
    hire(threads - 1);
    run_ = &run;
    chunks_ = static_cast<std::uint32_t>(chunks);
    unfinished_ = chunks_;
    helpers_ = threads - 1;
    open_ = (std::uint64_t{++region_number_} << 32) + chunks_;
    if (sleeping_ > 0) {
      { const std::lock_guard<std::mutex> until_they_wait(mutex_); }
      work_.notify_all();
    }
    work();
    if (spin_until([&] { return unfinished_ == 0; })) return;
    std::unique_lock<std::mutex> sleep(mutex_);
    is_caller_sleeping_ = true;
    finished_.wait(sleep, [&] { return unfinished_ == 0; });
    is_caller_sleeping_ = false;
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
      (*run_)(chunks_ - static_cast<std::uint32_t>(open));
      if (--unfinished_ == 0 && is_caller_sleeping_) {
        const std::lock_guard<std::mutex> wake(mutex_);
        finished_.notify_one();
      }
      open = open_;
    }
  }

  const Run* run_ = nullptr;
  std::uint32_t chunks_ = 0;
  std::uint32_t region_number_ = 0;
  int hired_ = 0;

  std::atomic<std::uint64_t> open_{0};  // the number of the region, and how many of its chunks are not taken yet
  std::atomic<std::uint32_t> unfinished_{0};
  std::atomic<int> helpers_{0};  // those with lower ids take part

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable finished_;
  std::atomic<int> sleeping_{0};
  std::atomic<bool> is_caller_sleeping_{false};
};

}  // namespace

void run_in_team(std::size_t chunks, int threads, const Run& run) {
  if (chunks <= kMaxChunks) return Team::instance().run(chunks, threads, run);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) run(chunk);
}

}  // namespace edgewise::detail
