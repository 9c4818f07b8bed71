#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>

#include "edgewise/core/parallel.hpp"

namespace edgewise {

/// The main function of programs with Google Benchmark: one thread unless THREADS is set in the environment.
inline int run_benchmarks(int argc, char** argv) {
  const char* threads = std::getenv("THREADS");
  set_threads(threads != nullptr ? std::atoi(threads) : 1);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace edgewise
