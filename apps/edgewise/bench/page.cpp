#include "bench/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "chart.hpp"
#include "bench/work.hpp"

namespace edgewise::app {

using attention::Variant;

namespace {

constexpr std::array kPasses = {Pass::forward, Pass::training};
constexpr std::size_t kMaxDensities = 4;

constexpr const char* kStyle = R"(
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1600px; padding: 0 1rem;
  background: var(--back); color: var(--text); }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
code { font-size: .9em; } p, .legend { max-width: 70rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; }
.charts { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1rem; }
@media (max-width: 1200px) { .charts { grid-template-columns: repeat(2, 1fr); } }
@media (max-width: 600px) { .charts { grid-template-columns: 1fr; } }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; margin: .6rem 0; }
.legend span { white-space: nowrap; }
.swatch { width: 34px; height: 14px; vertical-align: middle; margin-right: .4rem; }
.limit { stroke: var(--soft); stroke-width: 1.3; }
.edges { stroke-dasharray: 7 4; } .pairs { stroke-dasharray: 9 3 2 3; }
.gather { stroke-dasharray: 2 3; } .cross { stroke-width: 1; stroke-dasharray: 3 3; opacity: .8; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid var(--grid); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; } td.text, th.text { text-align: left; } .none { color: var(--soft); }
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
std::vector<Curve> curves_of(const BenchReport& report, const std::vector<const Row*>& rows, Metric metric,
                             const std::function<double(const Row&)>& x) {
  std::vector<Curve> curves;
  for (const Variant variant : report.options.variants) {
    Curve curve{name_of(variant), style_of(variant), {}};
    for (const Row* row : rows)
      if (const auto value = value_of(row->find(variant), metric)) curve.points.emplace_back(x(*row), *value);
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

/// Adds the lower bounds on the time that follow from the limits of the machine, in milliseconds over x.
void add_limits(const BenchReport& report, const std::vector<const Row*>& rows,
                const std::function<double(const Row&)>& x, std::vector<Curve>& curves) {
  Curve edges{"arithmetic limit, edges", "limit edges", {}};
  Curve pairs{"arithmetic limit, all pairs", "limit pairs", {}};
  Curve gather{"gather limit, edges", "limit gather", {}};
  for (const Row* row : rows) {
    const Work sparse = work_of(*row, Variant::sparse_fused, report.options);
    const Work dense = work_of(*row, Variant::dense_tiled, report.options);
    if (!(sparse.operations > 0)) continue;
    edges.points.emplace_back(x(*row), sparse.operations / report.limits.gigaflops / 1e6);
    pairs.points.emplace_back(x(*row), dense.operations / report.limits.gigaflops / 1e6);
    const double rate = report.limits.gather(sparse.row_bytes, sparse.table_bytes).gigabytes_per_second;
    gather.points.emplace_back(x(*row), sparse.gathered_bytes / rate / 1e6);
  }
  for (Curve* curve : {&edges, &pairs, &gather}) curves.push_back(std::move(*curve));
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

std::string density_charts(const BenchReport& report) {
  std::string text = "<h2>Time against density</h2>\n<div class=\"charts\">\n";
  for (const std::size_t nodes : distinct<std::size_t>(report, [](const Row& row) { return row.nodes; }))
    for (const Pass pass : kPasses) {
      const auto rows = rows_where(report, [&](const Row& row) { return row.nodes == nodes && row.pass == pass; });
      const auto x = [](const Row& row) { return row.asked_density; };
      Chart chart{fmt::format("{} nodes, {}", nodes, name(pass)), "share of pairs that are edges", "time per call",
                  format_density, format_milliseconds, {}, false, curves_of(report, rows, Metric::time, x), {}};
      for (const Row* row : rows) chart.x_ticks.push_back(row->asked_density);
      add_limits(report, rows, x, chart.curves);
      for (const Crossover& crossover : report.crossovers)
        if (crossover.nodes == nodes && crossover.pass == pass && crossover.metric == Metric::time && crossover.density)
          chart.marks.push_back({*crossover.density,
                                 fmt::format("{} ahead from {}", name_of(crossover.dense),
                                             format_density(*crossover.density)),
                                 style_of(crossover.dense)});
      text += draw(chart);
    }
  return text + "</div>\n";
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
  std::string text =
      fmt::format("<h2>{} against nodes</h2>\n<div class=\"charts\">\n", is_time ? "Time" : "Peak memory");
  for (const double density : chosen_densities(report))
    for (const Pass pass : kPasses) {
      const auto rows =
          rows_where(report, [&](const Row& row) { return row.asked_density == density && row.pass == pass; });
      const auto x = [](const Row& row) { return static_cast<double>(row.nodes); };
      Chart chart{fmt::format("density {}, {}", format_density(density), name(pass)), "nodes",
                  is_time ? "time per call" : "peak memory", format_nodes,
                  is_time ? FormatNumber(format_milliseconds) : FormatNumber(format_bytes), {}, !is_time,
                  curves_of(report, rows, metric, x), {}};
      for (const Row* row : rows) chart.x_ticks.push_back(x(*row));
      if (is_time) add_limits(report, rows, x, chart.curves);
      text += draw(chart);
    }
  return text + "</div>\n";
}

std::string graph_bars(const BenchReport& report) {
  std::string text = "<h2>Time and peak memory</h2>\n<div class=\"charts\">\n";
  for (const Row& row : report.rows)
    for (const Metric metric : {Metric::time, Metric::memory}) {
      std::vector<Bar> bars;
      for (const Variant variant : report.options.variants)
        if (const auto value = value_of(row.find(variant), metric))
          bars.push_back({name_of(variant), style_of(variant), *value});
      const bool is_time = metric == Metric::time;
      const std::string nodes = report.rows.size() > 2 ? fmt::format(", {} nodes", row.nodes) : "";
      text += draw_bars(fmt::format("{}, {}{}", is_time ? "time per call" : "peak memory", name(row.pass), nodes),
                        bars, is_time ? FormatNumber(format_milliseconds) : FormatNumber(format_bytes));
    }
  return text + "</div>\n";
}

std::string legend(const BenchReport& report) {
  std::string text = "<div class=\"legend\">";
  for (const Variant variant : report.options.variants)
    text += fmt::format("<span>{}{}</span>\n", draw_swatch(style_of(variant)), name_of(variant));
  if (!report.graph.empty()) return text + "</div>\n";  // bar charts have no limit lines
  for (const auto& [style, label] :
       {std::pair("limit edges", "arithmetic limit, edges"), std::pair("limit pairs", "arithmetic limit, all pairs"),
        std::pair("limit gather", "gather limit, edges")})
    text += fmt::format("<span>{}{}</span>\n", draw_swatch(style), label);
  return text + "</div>\n";
}

std::string entry(const std::string& term, const std::string& text) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", term, text);
}

std::string head(const BenchReport& report) {
  const MachineLimits& limits = report.limits;
  std::string text = fmt::format("<h1>Sparse against dense attention</h1>\n<p>{}{}</p>\n<dl>\n",
                                 report.graph.empty() ? "" : escape(report.graph) + ": ", escape(describe(report)));
  text += entry("command", fmt::format("<code>{}</code>", escape(report.command)));
  text += entry("processor", fmt::format("{}, {}", escape(report.machine.processor), report.machine.instructions));
  text += entry("build",
                fmt::format("{}, <code>{}</code>", escape(report.machine.compiler), escape(report.machine.flags)));
  text += entry("arithmetic limit", fmt::format("{:.0f} GFLOP/s", limits.gigaflops));
  text += entry("streaming limit", fmt::format("reads {:.1f} GB/s, copies {:.1f} GB/s (read and written)",
                                               limits.read_gigabytes_per_second, limits.copy_gigabytes_per_second));
  std::string gathers;
  for (const GatherLimit& gather : limits.gathers)
    gathers += fmt::format("{}{:.1f} GB/s of rows of {} B from {}", gathers.empty() ? "" : ", ",
                           gather.gigabytes_per_second, gather.row_bytes,
                           format_bytes(static_cast<double>(gather.table_bytes)));
  text += entry("gather limit", gathers);
  text += "</dl>\n<p>Times are medians over calls, with the variants in turns. ";
  if (is_compared(report))
    text += fmt::format("Before timing, all agreed within {:.0e} of the largest entry. ", kAgreementBound);
  return text + "Memory is what a variant takes on top of the graph and the inputs. A training call is forward and "
                "backward.</p>\n";
}

}  // namespace

std::string to_page(const BenchReport& report) {
  std::string text = "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n";
  text += "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n";
  text += fmt::format("<title>Sparse against dense attention</title>\n<style>{}{}</style>\n</head>\n<body>\n",
                      kChartStyle, kStyle);
  text += head(report) + legend(report);
  if (report.graph.empty())
    text += density_charts(report) + nodes_charts(report, Metric::time) + nodes_charts(report, Metric::memory);
  else
    text += graph_bars(report);
  return text + to_tables(report) + "</body>\n</html>\n";
}

}  // namespace edgewise::app
