#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"

/// @file
/// What this machine can do at most, measured: the lines that a kernel cannot cross.
namespace edgewise::app {

/// Which memory a table of rows is in while it is gathered from.
enum class Level { second_cache, third_cache, memory };
const char* name(Level level);

/// Reading whole rows at random places, with software prefetch where it helps.
struct GatherLimit {
  Level level = Level::memory;
  std::size_t row_bytes = 0;
  std::size_t table_bytes = 0;
  double gigabytes_per_second = 0;
};

/// For `threads()` threads; the best of several tries. 1 GB is 10^9 bytes.
struct MachineLimits {
  std::size_t second_cache_bytes = 0;
  std::size_t third_cache_bytes = 0;  ///< By the time of a load, at most what the system reports.
  double read_gigabytes_per_second = 0;  ///< Streaming, from memory.
  double copy_gigabytes_per_second = 0;  ///< Streaming, bytes read and bytes written.
  std::vector<GatherLimit> gathers;
  double gigaflops = 0;  ///< Fused multiply-adds of floats, two operations each.

  /// Of rows of about this size from a table of this size.
  const GatherLimit& gather(std::size_t row_bytes, std::size_t table_bytes) const;
  /// Takes the larger of each number: two looks some time apart, for a machine with other work to do.
  void raise(const MachineLimits& other);
  json::Value to_json() const;
};

/// Takes two to three seconds.
MachineLimits measure_machine_limits();

/// What ran, and where.
struct Machine {
  std::string processor;     ///< As the system calls it.
  std::string compiler;      ///< "g++ 12.2.0".
  std::string flags;         ///< Of the build.
  std::string instructions;  ///< "AVX-512", "AVX2" or "baseline".
  int threads = 1;

  json::Value to_json() const;
};

Machine this_machine();

}  // namespace edgewise::app
