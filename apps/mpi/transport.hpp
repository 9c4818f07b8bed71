#pragma once

#include <cstdint>

/// @file
/// What carries rows between the processes of mpirun: a library of its own, which the command line loads if it runs
/// there, so that it needs no MPI elsewhere.
extern "C" {

struct EdgewiseTransport {
  int rank;
  int count;
  /// Start a transfer of `count` floats and return its number; tags are taken modulo what MPI allows.
  std::int64_t (*send)(const float* values, std::uint64_t count, int to, std::uint64_t tag);
  std::int64_t (*receive)(float* values, std::uint64_t count, int from, std::uint64_t tag);
  /// Whether a transfer is done; then its number is free again.
  int (*is_done)(std::int64_t transfer);
  void (*broadcast)(float* values, std::uint64_t count, int from);
  /// Ends the job, with this exit code, as soon as all have come here.
  void (*end)();
  /// Ends the job at once.
  void (*abort)(int code);
};

/// Begins MPI; null if that fails.
const EdgewiseTransport* edgewise_begin_transport();
}
