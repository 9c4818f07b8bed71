#pragma once

#include <string>
#include <vector>

#include "bench/attention.hpp"
#include "bench/crossover.hpp"
#include "bench/machine_limits.hpp"

namespace edgewise::app {

/// All that one run of the benchmark found.
struct BenchReport {
  std::string command;
  std::string graph;  ///< Of a run on one graph; empty for a sweep.
  BenchOptions options;
  Machine machine;
  MachineLimits limits;
  std::vector<Row> rows;
  std::vector<Crossover> crossovers;
};

/// What a measurement reaches of the limits. No gather rate for variants that make all pairs.
struct Rates {
  double gigaflops = 0;
  double share_of_arithmetic = 0;
  std::optional<double> gigabytes_per_second;
  std::optional<double> share_of_gather;
};

Rates rates_of(const BenchReport& report, const Row& row, const Measurement& measurement);

/// The table for people.
std::string to_text(const BenchReport& report);
/// The schema edgewise.bench/1, described in docs/formats.md.
json::Value to_json(const BenchReport& report);
/// A header, and a line for each variant of each row; empty fields where there is no number.
std::string to_csv(const BenchReport& report);

/// "0.1 %", "100 %".
std::string format_density(double density);
/// "12.3 µs", "4.56 ms", "1.2 s".
std::string format_time(double milliseconds);
/// What the lines are titled with: the score, the heads and the threads.
std::string describe(const BenchReport& report);

/// A variant and why it was skipped.
struct Skip {
  std::string what;  ///< "dense_masked, training, 16384 nodes"
  std::string why;   ///< Of the smallest of its densities.
  std::vector<double> densities;
};
std::vector<Skip> skips_of(const BenchReport& report);

}  // namespace edgewise::app
