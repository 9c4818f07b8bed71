#pragma once

#include <cstddef>
#include <functional>

namespace edgewise {

inline constexpr int kMaxThreads = 1024;

/// Number of threads that parallel work uses, from 1 to kMaxThreads. Initially as many as OpenMP would use.
int threads();
/// Throws UsageError if `count` is out of range.
void set_threads(int count);

/// Runs `body(chunk)` for every chunk in [0, chunks), on up to `threads()` threads; serially inside another parallel
/// region or if there is only one chunk. Chunks must not write to the same place. The first exception is rethrown in
/// the caller. Chunks must not depend on the number of threads: this is what makes results bit-identical.
void parallel_chunks(std::size_t chunks, const std::function<void(std::size_t chunk)>& body);

/// Runs `body(begin, end)` over [0, count) in pieces of `grain`; the last one may be shorter.
template <class Body>
void parallel_for(std::size_t count, std::size_t grain, Body&& body) {
  const std::size_t chunks = (count + grain - 1) / grain;
  parallel_chunks(chunks, [&](std::size_t chunk) {
    const std::size_t begin = chunk * grain;
    body(begin, begin + grain < count ? begin + grain : count);
  });
}

}  // namespace edgewise
