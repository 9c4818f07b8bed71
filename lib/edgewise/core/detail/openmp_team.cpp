#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include "edgewise/core/detail/team.hpp"

namespace edgewise::detail {
namespace {

using Clock = std::chrono::steady_clock;

/// A region ends when every thread has come to its end, also one that had nothing to do. On a busy machine that may be
/// milliseconds after the last chunk: then the work does without other threads for so many times as long.
constexpr int kRest = 20;
constexpr Clock::duration kUsualWait = std::chrono::microseconds(200);  // until a thread that slept has woken up

/// `count`, or half as many as the system allows if those are fewer: OpenMP ends the process if it cannot start one.
int allowed_threads(int count) {
  static int tried = 1, allowed = 1;
  if (count <= tried) return std::min(count, allowed);
  std::atomic<int> started{1};
  std::atomic<bool> is_counted{false};
  const auto help = [&] {
    void* volatile block = std::malloc(1);  // threads also need memory beside their stacks
    std::free(block);
    ++started;
    started.notify_one();
    is_counted.wait(false);
  };
  std::vector<std::thread> helpers;
  helpers.reserve(static_cast<std::size_t>(count));
  tried = allowed = count;
  try {
    for (int i = 1; i < count; ++i) {
      helpers.emplace_back(help);
      started.wait(i);
    }
  } catch (const std::exception&) {
    allowed = static_cast<int>(helpers.size()) / 2 + 1;
  }
  is_counted = true;
  is_counted.notify_all();
  for (std::thread& helper : helpers) helper.join();
  return allowed;
}

}  // namespace

void run_in_team(std::size_t chunks, int threads, const std::function<void(std::size_t)>& run) {
  static Clock::time_point rest_until;
  const int team = Clock::now() < rest_until ? 1 : allowed_threads(threads);
  std::atomic<Clock::duration> last{};  // when a thread had ended its last chunk
#pragma omp parallel num_threads(team) if (team > 1)
  {
    bool has_run = false;
#pragma omp for schedule(dynamic, 1) nowait
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      run(chunk);
      has_run = true;
    }
    const Clock::duration own = has_run ? Clock::now().time_since_epoch() : Clock::duration{};
    for (Clock::duration before = last; own > before && !last.compare_exchange_weak(before, own);) continue;
  }
  const Clock::time_point end = Clock::now();
  const Clock::duration waited = end.time_since_epoch() - last.load();
  if (waited > kUsualWait) rest_until = end + kRest * waited;
}

}  // namespace edgewise::detail
