#include "bench/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/work.hpp"
#include "edgewise/core/text.hpp"

namespace edgewise::app {

using attention::Variant;

namespace {

std::string cell(const Measurement& measurement) {
  if (!measurement.is_measured()) return "skipped";
  const std::string memory =
      measurement.peak_bytes ? format_bytes(static_cast<double>(*measurement.peak_bytes)) : std::string("-");
  return fmt::format("{:>9}{:>11}", format_time(measurement.median_ms), memory);
}

std::string table(const BenchReport& report) {
  std::string text = fmt::format("{:>8} {:>8} {:>11}  {:<8}", "nodes", "density", "edges", "pass");
  for (const Variant variant : report.options.variants) text += fmt::format("{:>21}", attention::name(variant));
  for (const Row& row : report.rows) {
    text += fmt::format("\n{:>8} {:>8} {:>11}  {:<8}", row.nodes, format_density(row.asked_density), row.edges,
                        name(row.pass));
    for (const Measurement& measurement : row.measurements) text += fmt::format("{:>21}", cell(measurement));
  }
  return text;
}

std::string limits_text(const MachineLimits& limits) {
  std::string text = fmt::format(
      "limits of this machine: {:.0f} GFLOP/s; memory: reads {:.1f} GB/s, copies {:.1f} GB/s; "
      "gathering rows of",
      limits.gigaflops, limits.read_gigabytes_per_second, limits.copy_gigabytes_per_second);
  for (const GatherLimit& gather : limits.gathers)
    text += fmt::format("{} {} B from {} at {:.1f}", &gather == &limits.gathers.front() ? "" : ",", gather.row_bytes,
                        format_bytes(static_cast<double>(gather.table_bytes)), gather.gigabytes_per_second);
  return text + " GB/s";
}

std::string crossover_text(const Crossover& crossover) {
  return crossover.density ? "at " + format_density(*crossover.density) : crossover.verdict;
}

std::string crossovers_text(const BenchReport& report) {
  std::string text = "\n\ndensity from which the dense variant is ahead of sparse_fused:";
  text += fmt::format("\n{:>8}  {:<12}  {:<8}  {:<25}{:<25}", "nodes", "dense", "pass", "time", "memory");
  for (const Crossover& crossover : report.crossovers) {
    if (crossover.metric != Metric::time) continue;
    const auto memory = std::find_if(report.crossovers.begin(), report.crossovers.end(), [&](const Crossover& other) {
      return other.metric == Metric::memory && other.nodes == crossover.nodes && other.pass == crossover.pass &&
             other.dense == crossover.dense;
    });
    text += fmt::format("\n{:>8}  {:<12}  {:<8}  {:<25}{}", crossover.nodes, attention::name(crossover.dense),
                        name(crossover.pass), crossover_text(crossover), crossover_text(*memory));
  }
  return text;
}

json::Value optional_number(const std::optional<double>& number) {
  return number ? json::Value(*number) : json::Value();
}

json::Value to_json(const BenchReport& report, const Row& row, const Measurement& measurement) {
  json::Value value;
  value.set("variant", attention::name(measurement.variant));
  value.set("skipped", measurement.is_measured() ? json::Value() : json::Value(measurement.skipped));
  if (!measurement.is_measured()) return value;
  const Rates rates = rates_of(report, row, measurement);
  value.set("median_ms", measurement.median_ms);
  value.set("least_ms", measurement.least_ms);
  value.set("rounds", measurement.rounds);
  value.set("calls", measurement.calls);
  value.set("peak_bytes", measurement.peak_bytes ? json::Value(*measurement.peak_bytes) : json::Value());
  value.set("output_difference", measurement.output_difference);
  value.set("gradient_difference",
            row.pass == Pass::training ? json::Value(measurement.gradient_difference) : json::Value());
  value.set("gigaflops", rates.gigaflops);
  value.set("share_of_arithmetic", rates.share_of_arithmetic);
  value.set("gigabytes_per_second", optional_number(rates.gigabytes_per_second));
  value.set("share_of_gather", optional_number(rates.share_of_gather));
  return value;
}

json::Value to_json(const BenchReport& report, const Row& row) {
  json::Value value;
  value.set("nodes", static_cast<std::int64_t>(row.nodes));
  value.set("sources", static_cast<std::int64_t>(row.sources));
  value.set("edges", static_cast<std::int64_t>(row.edges));
  value.set("density", row.density);
  value.set("asked_density", row.asked_density);
  value.set("pass", name(row.pass));
  json::Array variants;
  for (const Measurement& measurement : row.measurements) variants.push_back(to_json(report, row, measurement));
  value.set("variants", std::move(variants));
  return value;
}

json::Value to_json(const Crossover& crossover) {
  json::Value value;
  value.set("nodes", static_cast<std::int64_t>(crossover.nodes));
  value.set("pass", name(crossover.pass));
  value.set("metric", name(crossover.metric));
  value.set("dense", attention::name(crossover.dense));
  value.set("density", optional_number(crossover.density));
  value.set("verdict", crossover.verdict);
  return value;
}

}  // namespace

Rates rates_of(const BenchReport& report, const Row& row, const Measurement& measurement) {
  const Work work = work_of(row, measurement.variant, report.options);
  const double nanoseconds = measurement.least_ms * 1e6;
  Rates rates;
  if (!(nanoseconds > 0)) return rates;
  rates.gigaflops = work.operations / nanoseconds;
  rates.share_of_arithmetic = rates.gigaflops / report.limits.gigaflops;
  if (is_dense(measurement.variant)) return rates;
  rates.gigabytes_per_second = work.gathered_bytes / nanoseconds;
  rates.share_of_gather =
      *rates.gigabytes_per_second / report.limits.gather(work.row_bytes, work.table_bytes).gigabytes_per_second;
  return rates;
}

std::vector<Skip> skips_of(const BenchReport& report) {
  std::vector<Skip> skips;
  for (const Row& row : report.rows)
    for (const Measurement& measurement : row.measurements) {
      if (measurement.is_measured()) continue;
      const std::string what =
          fmt::format("{}, {}, {} nodes", attention::name(measurement.variant), name(row.pass), row.nodes);
      const auto old = std::find_if(skips.begin(), skips.end(), [&](const Skip& skip) { return skip.what == what; });
      if (old == skips.end())
        skips.push_back({what, measurement.skipped, {row.asked_density}});
      else
        old->densities.push_back(row.asked_density);
    }
  return skips;
}

std::string describe(const BenchReport& report) {
  const BenchOptions& options = report.options;
  return fmt::format("{} attention{}, {}, {} x {}, {}", options.score->name,
                     options.score_options.scale ? "" : " without scale", attention::name(options.normaliser),
                     counted(static_cast<std::size_t>(options.heads), "head"), options.width,
                     counted(static_cast<std::size_t>(report.machine.threads), "thread"));
}

bool is_compared(const BenchReport& report) { return std::ranges::any_of(report.rows, &Row::is_compared); }

std::string to_text(const BenchReport& report) {
  std::string text = fmt::format("{}{}: median time per call, peak memory on top of the graph and the inputs\n",
                                 report.graph.empty() ? "" : report.graph + ", ", describe(report));
  text += table(report);
  for (const Skip& skip : skips_of(report)) {
    std::vector<std::string> densities;
    for (const double density : skip.densities) densities.push_back(format_density(density));
    text += fmt::format("\nskipped: {}, density {}: {}{}", skip.what, fmt::join(densities, ", "), skip.why,
                        densities.size() > 1 ? " (the first)" : "");
  }
  if (!report.crossovers.empty()) text += crossovers_text(report);
  if (report.was_stopped) text += "\n\ninterrupted: the other rows were not measured";
  text += "\n\n";
  if (is_compared(report)) text += fmt::format("results agree within {:.0e} of the largest entry\n", kAgreementBound);
  return text + limits_text(report.limits);
}

json::Value to_json(const BenchReport& report) {
  json::Value value;
  value.set("schema", kBenchSchema);
  value.set("command", report.command);
  value.set("graph", report.graph.empty() ? json::Value() : json::Value(report.graph));
  value.set("score", report.options.score->name);
  value.set("normaliser", attention::name(report.options.normaliser));
  value.set("scale", report.options.score_options.scale);
  value.set("heads", report.options.heads);
  value.set("width", report.options.width);
  value.set("seed", report.options.seed);
  value.set("machine", report.machine.to_json());
  value.set("limits", report.limits.to_json());
  value.set("agreement_bound", kAgreementBound);
  json::Array rows, crossovers;
  for (const Row& row : report.rows) rows.push_back(to_json(report, row));
  for (const Crossover& crossover : report.crossovers) crossovers.push_back(to_json(crossover));
  value.set("rows", std::move(rows));
  value.set("crossovers", std::move(crossovers));
  value.set("interrupted", report.was_stopped);
  return value;
}

std::string to_csv(const BenchReport& report) {
  std::string text =
      "score,normaliser,nodes,sources,edges,density,asked_density,pass,variant,skipped,median_ms,least_ms,rounds,calls,"
      "peak_bytes,output_difference,gradient_difference,gigaflops,share_of_arithmetic,gigabytes_per_second,share_of_"
      "gather\n";
  const auto field = [](const std::optional<double>& number) { return number ? fmt::format("{}", *number) : ""; };
  for (const Row& row : report.rows)
    for (const Measurement& m : row.measurements) {
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}", report.options.score->name,
                          attention::name(report.options.normaliser), row.nodes, row.sources, row.edges, row.density,
                          row.asked_density, name(row.pass), attention::name(m.variant), m.skipped);
      if (!m.is_measured()) {
        text += ",,,,,,,,,,,\n";
        continue;
      }
      const Rates rates = rates_of(report, row, m);
      text += fmt::format(",{},{},{},{},{},{},{},{},{},{},{}\n", m.median_ms, m.least_ms, m.rounds, m.calls,
                          m.peak_bytes ? std::to_string(*m.peak_bytes) : "", m.output_difference,
                          row.pass == Pass::training ? fmt::format("{}", m.gradient_difference) : "", rates.gigaflops,
                          rates.share_of_arithmetic, field(rates.gigabytes_per_second), field(rates.share_of_gather));
    }
  return text;
}

std::string format_density(double density) {
  const double percent = 100 * density;
  return percent >= 0.995 ? fmt::format("{:.3g} %", percent) : fmt::format("{:.2g} %", percent);
}

std::string format_time(double milliseconds) {
  if (milliseconds < 1) return fmt::format("{:.3g} µs", 1e3 * milliseconds);
  if (milliseconds < 1000) return fmt::format("{:.3g} ms", milliseconds);
  return fmt::format("{:.3g} s", milliseconds / 1000);
}

}  // namespace edgewise::app
