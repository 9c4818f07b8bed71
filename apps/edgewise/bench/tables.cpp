#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/page.hpp"
#include "bench/work.hpp"
#include "edgewise/report/html_page.hpp"

namespace edgewise::app {

using namespace report;
namespace {

std::string percent(double share) { return fmt::format("{:.{}f} %", 100 * share, share < 0.1 ? 1 : 0); }

std::string crossover_table(const BenchReport& report) {
  if (report.crossovers.empty()) return "";
  Table table{.columns = {{"nodes"}, {"dense", true}, {"pass", true}, {"of", true}, {"density"}}};
  for (const Crossover& crossover : report.crossovers)
    table.rows.push_back({std::to_string(crossover.nodes), std::string(attention::name(crossover.dense)),
                          name(crossover.pass), name(crossover.metric),
                          crossover.density ? format_density(*crossover.density) : crossover.verdict});
  return heading("Density from which the dense variant is ahead of sparse_fused") + to_html(table);
}

std::vector<Cell> measured_cells(const BenchReport& report, const Row& row, const Measurement& m) {
  const Rates rates = rates_of(report, row, m);
  const bool has_gather = rates.gigabytes_per_second && rates.share_of_gather;
  return {format_time(m.median_ms),
          format_time(m.least_ms),
          m.peak_bytes ? format_bytes(static_cast<double>(*m.peak_bytes)) : "–",
          fmt::format("{:.1f}", rates.gigaflops),
          percent(rates.share_of_arithmetic),
          has_gather ? fmt::format("{:.1f}", *rates.gigabytes_per_second) : "–",
          has_gather ? percent(*rates.share_of_gather) : "–",
          fmt::format("{:.1e}", std::max(m.output_difference, m.gradient_difference))};
}

std::string measurement_table(const BenchReport& report) {
  Table table{.columns = {{"nodes"}, {"density"}, {"edges"}, {"pass", true}, {"variant", true}, {"median"}, {"least"},
                          {"peak memory"}, {"GFLOP/s"}, {"of the limit"}, {"GB/s gathered"}, {"of the limit"},
                          {"difference"}}};
  for (const Row& row : report.rows)
    for (const Measurement& m : row.measurements) {
      std::vector<Cell> cells = {std::to_string(row.nodes), format_density(row.asked_density),
                                 std::to_string(row.edges), name(row.pass), std::string(attention::name(m.variant))};
      const std::vector<Cell> measured =
          m.is_measured() ? measured_cells(report, row, m)
                          : std::vector<Cell>{Cell("skipped: " + m.skipped, 0, table.columns.size() - cells.size())};
      cells.insert(cells.end(), measured.begin(), measured.end());
      table.rows.push_back(std::move(cells));
    }
  return heading("All measurements") + to_html(table);
}

}  // namespace

std::string to_tables(const BenchReport& report) {
  return crossover_table(report) + measurement_table(report) +
         remark("GFLOP/s count the products for scores and weighted sums (and for their gradients), over the edges for "
                "sparse variants and over all pairs for dense ones, including skipped tiles. GB/s count one row of "
                "another node per edge, in each pass over the edges; their limit is that of random rows of about this "
                "size from a table of this size.");
}

}  // namespace edgewise::app
