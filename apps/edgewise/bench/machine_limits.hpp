#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"

/// @file
/// Measured upper limits of this machine, which no kernel can exceed.
namespace edgewise::app {

/// The level of the memory hierarchy that holds a table while rows are gathered from it.
enum class Level { second_cache, third_cache, memory };
const char* name(Level level);

/// Reading whole rows in random order, with software prefetch where it helps.
struct GatherLimit {
  Level level = Level::memory;
  std::size_t row_bytes = 0;
  std::size_t table_bytes = 0;
  double gigabytes_per_second = 0;
};

/// The best of several tries, with `threads()` threads. 1 GB is 10^9 bytes.
struct MachineLimits {
  std::size_t second_cache_bytes = 0;
  std::size_t third_cache_bytes = 0;  ///< Estimated from load times; at most what the system reports.
  double read_gigabytes_per_second = 0;  ///< Streaming, from memory.
  double copy_gigabytes_per_second = 0;  ///< Streaming, counting bytes read and bytes written.
  std::vector<GatherLimit> gathers;
  double gigaflops = 0;  ///< Fused multiply-adds on floats, counted as two operations each.

  /// The limit for rows of about this size from a table of this size.
  const GatherLimit& gather(std::size_t row_bytes, std::size_t table_bytes) const;
  /// Takes the larger of each number. Used to combine two measurements some time apart on a busy machine.
  void raise(const MachineLimits& other);
  json::Value to_json() const;
};

/// Takes two to three seconds.
MachineLimits measure_machine_limits();

/// The machine and the build that ran.
struct Machine {
  std::string processor;     ///< As named by the system.
  std::string compiler;      ///< "g++ 12.2.0".
  std::string flags;         ///< Compiler flags.
  std::string instructions;  ///< "AVX-512", "AVX2" or "baseline".
  int threads = 1;

  json::Value to_json() const;
};

Machine this_machine();

}  // namespace edgewise::app
