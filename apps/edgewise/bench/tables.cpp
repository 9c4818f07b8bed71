#include <fmt/format.h>
#include <fmt/ranges.h>

#include "chart.hpp"
#include "bench/page.hpp"
#include "bench/work.hpp"

namespace edgewise::app {
namespace {

std::string percent(double share) { return fmt::format("{:.{}f} %", 100 * share, share < 0.1 ? 1 : 0); }

std::string crossover_table(const BenchReport& report) {
  if (report.crossovers.empty()) return "";
  std::string text = "<h2>Density from which the dense variant is ahead of sparse_fused</h2>\n<div class=\"scroll\">"
                     "<table>\n<tr><th>nodes</th><th class=\"text\">dense</th><th class=\"text\">pass</th>"
                     "<th class=\"text\">of</th><th>density</th></tr>\n";
  for (const Crossover& crossover : report.crossovers)
    text += fmt::format("<tr><td>{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td>"
                        "<td>{}</td></tr>\n",
                        crossover.nodes, attention::name(crossover.dense), name(crossover.pass), name(crossover.metric),
                        crossover.density ? format_density(*crossover.density) : crossover.verdict);
  return text + "</table></div>\n";
}

std::string measured_cells(const BenchReport& report, const Row& row, const Measurement& m) {
  const Rates rates = rates_of(report, row, m);
  const std::string peak = m.peak_bytes ? format_bytes(static_cast<double>(*m.peak_bytes)) : "–";
  std::string text = fmt::format("<td>{}</td><td>{}</td><td>{}</td><td>{:.1f}</td><td>{}</td>",
                                 format_time(m.median_ms), format_time(m.least_ms), peak, rates.gigaflops,
                                 percent(rates.share_of_arithmetic));
  if (rates.gigabytes_per_second && rates.share_of_gather)
    text += fmt::format("<td>{:.1f}</td><td>{}</td>", *rates.gigabytes_per_second, percent(*rates.share_of_gather));
  else
    text += "<td>–</td><td>–</td>";
  return text + fmt::format("<td>{:.1e}</td>", std::max(m.output_difference, m.gradient_difference));
}

std::string measurement_table(const BenchReport& report) {
  std::string text = "<h2>All measurements</h2>\n<div class=\"scroll\"><table>\n<tr><th>nodes</th><th>density</th>"
                     "<th>edges</th><th class=\"text\">pass</th><th class=\"text\">variant</th><th>median</th>"
                     "<th>least</th><th>peak memory</th><th>GFLOP/s</th><th>of the limit</th><th>GB/s gathered</th>"
                     "<th>of the limit</th><th>difference</th></tr>\n";
  for (const Row& row : report.rows)
    for (const Measurement& m : row.measurements) {
      text += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td>",
                          row.nodes, format_density(row.asked_density), row.edges, name(row.pass),
                          attention::name(m.variant));
      text += m.is_measured()
                  ? measured_cells(report, row, m)
                  : fmt::format("<td colspan=\"8\" class=\"text none\">skipped: {}</td>", escape(m.skipped));
      text += "</tr>\n";
    }
  return text + "</table></div>\n";
}

}  // namespace

std::string to_tables(const BenchReport& report) {
  return crossover_table(report) + measurement_table(report) +
         "<p class=\"none\">GFLOP/s count the products for scores and weighted sums (and for their gradients), over "
         "the edges for sparse variants and over all pairs for dense ones, including skipped tiles. GB/s count one "
         "row of another node per edge, in each pass over the edges; their limit is that of random rows of about this "
         "size from a table of this size.</p>\n";
}

}  // namespace edgewise::app
