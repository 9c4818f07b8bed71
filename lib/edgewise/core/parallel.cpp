#include "edgewise/core/parallel.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <atomic>
#include <exception>

#include "edgewise/core/error.hpp"

namespace edgewise {
namespace {

std::atomic<int>& thread_count() {
  static std::atomic<int> count{omp_get_max_threads()};
  return count;
}

}  // namespace

int threads() { return thread_count(); }

void set_threads(int count) {
  if (count < 1) throw UsageError(fmt::format("threads: expected at least 1, got {}", count));
  thread_count() = count;
}

void parallel_chunks(std::size_t chunks, const std::function<void(std::size_t)>& body) {
  const int team = threads();
  if (chunks <= 1 || team == 1 || omp_in_parallel()) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) body(chunk);
    return;
  }
  std::exception_ptr failure;
  std::atomic<bool> failed{false};
#pragma omp parallel for num_threads(team) schedule(dynamic, 1)
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    if (failed) continue;
    try {
      body(chunk);
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace edgewise
