#pragma once

#include <string>
#include <vector>

#include "bench/attention.hpp"
#include "bench/crossover.hpp"
#include "bench/machine_limits.hpp"

namespace edgewise::app {

/// All results of one run of the benchmark.
struct BenchReport {
  std::string command;
  std::string graph;  ///< Name of the graph or mask rule; empty for a sweep over random masks.
  BenchOptions options;
  Machine machine;
  MachineLimits limits;
  std::vector<Row> rows;
  std::vector<Crossover> crossovers;  ///< Only if all rows were measured.
  bool was_stopped = false;           ///< Before all rows were measured.
};

/// Rates achieved by a measurement, compared to the limits. Variants that compute all pairs have no gather rate.
struct Rates {
  double gigaflops = 0;
  double share_of_arithmetic = 0;
  std::optional<double> gigabytes_per_second;
  std::optional<double> share_of_gather;
};

Rates rates_of(const BenchReport& report, const Row& row, const Measurement& measurement);

inline constexpr const char* kBenchSchema = "edgewise.bench/1";

/// The report as text.
std::string to_text(const BenchReport& report);
/// The report in the schema edgewise.bench/1, described in docs/formats.md.
json::Value to_json(const BenchReport& report);
/// The report as CSV: a header, and one line per variant and row. Missing numbers are empty fields.
std::string to_csv(const BenchReport& report);

/// "0.1 %", "100 %".
std::string format_density(double density);
/// "12.3 µs", "4.56 ms", "1.2 s".
std::string format_time(double milliseconds);
/// A title for the results: the score, the normaliser, the heads and the threads.
std::string describe(const BenchReport& report);

/// Whether the results of variants were compared in any row.
bool is_compared(const BenchReport& report);

/// A variant and why it was skipped.
struct Skip {
  std::string what;  ///< "dense_masked, training, 16384 nodes"
  std::string why;   ///< The reason at the first of the densities.
  std::vector<double> densities;
};
std::vector<Skip> skips_of(const BenchReport& report);

}  // namespace edgewise::app
