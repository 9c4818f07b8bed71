#include "bench/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

#include "bench/work.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/core/version.hpp"
#include "edgewise/report/html_page.hpp"
#include "edgewise/report/markup.hpp"
#include "edgewise/report/svg_chart.hpp"

namespace edgewise::app {

using namespace report;

using attention::Variant;

namespace {

constexpr std::array kPasses = {Pass::forward, Pass::training};
constexpr std::size_t kMaxDensities = 4;

constexpr const char* kStyle = R"(
body { max-width: 1600px; } .charts { grid-template-columns: repeat(4, 1fr); }
@media (max-width: 1500px) { .charts { grid-template-columns: 1fr 1fr; } }
@media (max-width: 600px) { .charts { grid-template-columns: 1fr; } }
.limit { stroke: var(--soft); stroke-width: 1.3; }
.edges { stroke-dasharray: 7 4; } .pairs { stroke-dasharray: 9 3 2 3; }
.gather { stroke-dasharray: 2 3; } .cross { stroke-width: 1; stroke-dasharray: 3 3; opacity: .8; }
)";

/// The colour of a variant does not depend on which others are measured.
std::string style_of(Variant variant) {
  switch (variant) {
    case Variant::sparse_fused: return "v0";
    case Variant::gather_scatter: return "v1";
    case Variant::dense_tiled: return "v2";
    case Variant::dense_masked: return "v3";
  }
  return "";
}

std::string name_of(Variant variant) { return std::string(attention::name(variant)); }

std::vector<const Row*> rows_where(const BenchReport& report, const std::function<bool(const Row&)>& holds) {
  std::vector<const Row*> rows;
  for (const Row& row : report.rows)
    if (holds(row)) rows.push_back(&row);
  return rows;
}

/// One curve per variant over `rows`, with x taken from the row.
std::vector<Series> curves_of(const BenchReport& report, const std::vector<const Row*>& rows, Metric metric,
                              const std::function<double(const Row&)>& x) {
  std::vector<Series> curves;
  for (const Variant variant : report.options.variants) {
    Series curve{.label = name_of(variant), .style = style_of(variant), .points = {}, .drawn = Drawn::points};
    for (const Row* row : rows)
      if (const auto value = value_of(row->find(variant), metric)) curve.points.emplace_back(x(*row), *value);
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

Series limit(const char* label, const char* style) {
  return {.label = label, .style = style, .points = {}, .drawn = Drawn::guide};
}

/// Lower bounds on the time that follow from the limits of the machine.
std::vector<Series> limits() {
  return {limit("arithmetic limit, edges", "limit edges"), limit("arithmetic limit, all pairs", "limit pairs"),
          limit("gather limit, edges", "limit gather")};
}

/// Adds these limits, in milliseconds over x.
void add_limits(const BenchReport& report, const std::vector<const Row*>& rows,
                const std::function<double(const Row&)>& x, std::vector<Series>& curves) {
  std::vector<Series> bounds = limits();
  for (const Row* row : rows) {
    const Work sparse = work_of(*row, Variant::sparse_fused, report.options);
    const Work dense = work_of(*row, Variant::dense_tiled, report.options);
    if (!(sparse.operations > 0)) continue;
    bounds[0].points.emplace_back(x(*row), sparse.operations / report.limits.gigaflops / 1e6);
    bounds[1].points.emplace_back(x(*row), dense.operations / report.limits.gigaflops / 1e6);
    const double rate = report.limits.gather(sparse.row_bytes, sparse.table_bytes).gigabytes_per_second;
    bounds[2].points.emplace_back(x(*row), sparse.gathered_bytes / rate / 1e6);
  }
  std::ranges::move(bounds, std::back_inserter(curves));
}

template <class T>
std::vector<T> distinct(const BenchReport& report, const std::function<T(const Row&)>& of) {
  std::vector<T> values;
  for (const Row& row : report.rows) values.push_back(of(row));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::string format_milliseconds(double value) { return format_time(value); }
std::string format_nodes(double value) { return fmt::format("{:.0f}", value); }

/// "sparse_fused 1.2 µs to 3.4 ms, dense_tiled ...", for those who do not see the curves.
std::string times_in_words(const Chart& chart) {
  std::string text;
  for (const Series& curve : chart.series) {
    if (curve.drawn == Drawn::guide) continue;
    text += fmt::format("{}{} {} to {}", text.empty() ? "" : ", ", curve.label,
                        chart.y.format(curve.points.front().second), chart.y.format(curve.points.back().second));
  }
  return fmt::format("{} from the lowest to the highest {}: {}", chart.y.label, chart.x.label, text);
}

std::string density_charts(const BenchReport& report) {
  std::vector<Figure> charts;
  for (const std::size_t nodes : distinct<std::size_t>(report, [](const Row& row) { return row.nodes; }))
    for (const Pass pass : kPasses) {
      const auto rows = rows_where(report, [&](const Row& row) { return row.nodes == nodes && row.pass == pass; });
      const auto x = [](const Row& row) { return row.asked_density; };
      Chart chart{.title = fmt::format("{} nodes, {}", nodes, name(pass)),
                  .x = {"share of pairs that are edges", format_density, Scale::logarithmic},
                  .y = {"time per call", format_milliseconds, Scale::logarithmic},
                  .series = curves_of(report, rows, Metric::time, x),
                  .has_legend = false};
      for (const Row* row : rows) chart.x.ticks.push_back(row->asked_density);
      chart.description = times_in_words(chart);
      add_limits(report, rows, x, chart.series);
      for (const Crossover& crossover : report.crossovers)
        if (crossover.nodes == nodes && crossover.pass == pass && crossover.metric == Metric::time && crossover.density)
          chart.marks.push_back({*crossover.density,
                                 fmt::format("{} ahead from {}", name_of(crossover.dense),
                                             format_density(*crossover.density)),
                                 style_of(crossover.dense)});
      charts.push_back({draw(chart), ""});
    }
  return heading("Time against density") + figures(charts);
}

std::vector<double> chosen_densities(const BenchReport& report) {
  const std::vector<double> all = distinct<double>(report, [](const Row& row) { return row.asked_density; });
  if (all.size() <= kMaxDensities) return all;
  std::vector<double> chosen;
  for (std::size_t i = 0; i < kMaxDensities; ++i) chosen.push_back(all[i * (all.size() - 1) / (kMaxDensities - 1)]);
  return chosen;
}

std::string nodes_charts(const BenchReport& report, Metric metric) {
  const bool is_time = metric == Metric::time;
  std::vector<Figure> charts;
  for (const double density : chosen_densities(report))
    for (const Pass pass : kPasses) {
      const auto rows =
          rows_where(report, [&](const Row& row) { return row.asked_density == density && row.pass == pass; });
      const auto x = [](const Row& row) { return static_cast<double>(row.nodes); };
      Chart chart{.title = fmt::format("density {}, {}", format_density(density), name(pass)),
                  .x = {"nodes", format_nodes, Scale::logarithmic},
                  .y = is_time ? ChartAxis{"time per call", format_milliseconds, Scale::logarithmic}
                               : ChartAxis{"peak memory", format_bytes, Scale::binary},
                  .series = curves_of(report, rows, metric, x),
                  .has_legend = false};
      for (const Row* row : rows) chart.x.ticks.push_back(x(*row));
      chart.description = times_in_words(chart);
      if (is_time) add_limits(report, rows, x, chart.series);
      charts.push_back({draw(chart), ""});
    }
  return heading(is_time ? "Time against nodes" : "Peak memory against nodes") + figures(charts);
}

std::string graph_bars(const BenchReport& report) {
  std::vector<Figure> charts;
  for (const Row& row : report.rows)
    for (const Metric metric : {Metric::time, Metric::memory}) {
      const bool is_time = metric == Metric::time;
      const FormatNumber format = is_time ? FormatNumber(format_milliseconds) : FormatNumber(format_bytes);
      std::vector<Bar> bars;
      std::string words;
      for (const Variant variant : report.options.variants)
        if (const auto value = value_of(row.find(variant), metric)) {
          bars.push_back({name_of(variant), style_of(variant), *value});
          words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name_of(variant), format(*value));
        }
      const std::string nodes = report.rows.size() > 2 ? fmt::format(", {} nodes", row.nodes) : "";
      charts.push_back({draw_bars(fmt::format("{}, {}{}", is_time ? "time per call" : "peak memory", name(row.pass),
                                              nodes),
                                  words, bars, format),
                        ""});
    }
  return heading("Time and peak memory") + figures(charts);
}

std::string legend(const BenchReport& report) {
  std::string text = "<div class=\"legend\">";
  for (const Variant variant : report.options.variants)
    text += fmt::format("<span>{}{}</span>\n", draw_swatch(style_of(variant), Drawn::points), name_of(variant));
  if (report.graph.empty())  // bar charts have no limit lines
    for (const Series& bound : limits())
      text += fmt::format("<span>{}{}</span>\n", draw_swatch(bound.style, Drawn::guide), bound.label);
  return text + "</div>\n";
}

std::string gather_limits(const MachineLimits& limits) {
  std::string text;
  for (const GatherLimit& gather : limits.gathers)
    text += fmt::format("{}{:.1f} GB/s of rows of {} B from {}", text.empty() ? "" : ", ",
                        gather.gigabytes_per_second, gather.row_bytes,
                        format_bytes(static_cast<double>(gather.table_bytes)));
  return text;
}

std::string method(const BenchReport& report) {
  std::string text = "Times are medians over calls, with the variants in turns. ";
  if (is_compared(report))
    text += fmt::format("Before timing, all agreed within {:.0e} of the largest entry. ", kAgreementBound);
  return text + "Memory is what a variant takes on top of the graph and the inputs. A training call is forward and "
                "backward.";
}

std::string machine(const BenchReport& report) {
  const Machine& machine = report.machine;
  const MachineLimits& limits = report.limits;
  return heading("Machine and command") +
         terms({{"command", code(report.command)},
                {"version", kVersion},
                {"seed", fmt::format("{}", report.options.seed)},
                {"processor", fmt::format("{}, {}, {}", escape(machine.processor), machine.instructions,
                                          counted(static_cast<std::size_t>(machine.threads), "thread"))},
                {"build", fmt::format("{}, {}", escape(machine.compiler), code(machine.flags))},
                {"arithmetic limit", fmt::format("{:.0f} GFLOP/s", limits.gigaflops)},
                {"streaming limit", fmt::format("reads {:.1f} GB/s, copies {:.1f} GB/s (read and written)",
                                                limits.read_gigabytes_per_second, limits.copy_gigabytes_per_second)},
                {"gather limit", gather_limits(limits)}});
}

}  // namespace

std::string to_page(const BenchReport& report) {
  const std::string graph = report.graph.empty() ? "" : report.graph + ": ";
  std::string body = paragraph(graph + describe(report)) + paragraph(method(report));
  if (report.was_stopped) body += paragraph("Interrupted: the other rows were not measured.");
  body += legend(report);
  if (report.graph.empty())
    body += density_charts(report) + nodes_charts(report, Metric::time) + nodes_charts(report, Metric::memory);
  else
    body += graph_bars(report);
  return to_html(Page{.title = "Sparse against dense attention",
                      .answer = answer_of(report),
                      .body = body + to_tables(report) + machine(report),
                      .style = kStyle});
}

}  // namespace edgewise::app
