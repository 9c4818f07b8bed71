#pragma once

#include <cstddef>
#include <functional>

/// @file
/// The threads behind parallel_chunks: those of OpenMP (openmp_team.cpp), or with EDGEWISE_OPENMP=OFF a pool of our own
/// (own_team.cpp), which the thread sanitizer understands.
namespace edgewise::detail {

/// Calls run(chunk), which does not throw, for every chunk in [0, chunks), on up to `threads` threads, this one among
/// them. One thread at a time may call it, not from within `run`, and not in a process that was forked from one with
/// threads.
void run_in_team(std::size_t chunks, int threads, const std::function<void(std::size_t)>& run);

}  // namespace edgewise::detail
