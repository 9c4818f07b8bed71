#include "edgewise/report/curve_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "edgewise/core/text.hpp"
#include "edgewise/report/metric_text.hpp"
#include "edgewise/report/svg_chart.hpp"
#include "edgewise/train/loop/curves.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::report {
namespace {

constexpr std::size_t kMostPoints = 400;  // of a curve

std::string share(double value) { return fmt::format("{:.2g}", value); }

/// What is said of labels without a curve.
std::string left_out(const Scored& scored, std::size_t shown, const char* what) {
  const std::size_t all = scored.labels.names.size();
  if (train::has_positive_class(scored.labels) || shown >= all) return "";
  return fmt::format(" The {} most frequent of {} {} are shown.", shown, all, what);
}

const char* what_names_are(const Scored& scored) {
  return scored.labels.has_classes() ? "classes" : "labels";
}

/// The curves of the shown columns that have both sides.
struct NamedCurve {
  std::string name;
  train::RankingCurve curve;
};

std::vector<NamedCurve> curves_of(const Scored& scored) {
  std::vector<NamedCurve> curves;
  for (const std::size_t column : shown_columns(scored)) {
    train::RankingCurve curve = train::ranking_curve(scored.labels, scored.predictions, column, scored.items);
    if (!curve.points.empty()) curves.push_back({scored.labels.names[column], std::move(curve)});
  }
  return curves;
}

std::string points_drawn(const std::vector<NamedCurve>& curves) {
  std::size_t longest = 0;
  for (const NamedCurve& one : curves) longest = std::max(longest, one.curve.points.size());
  return longest > kMostPoints ? fmt::format(" Of each curve at most {} points are drawn, evenly spaced.", kMostPoints)
                               : "";
}

std::string curves_in_words(const Chart& chart) {
  std::string text;
  for (const Series& series : chart.series)
    if (series.drawn != Drawn::guide) text += fmt::format("{}{}", text.empty() ? "" : "; ", series.label);
  return text;
}

Figure roc_figure(const Scored& scored, const std::vector<NamedCurve>& curves) {
  Chart chart{.title = "ROC curve",
              .x = {.label = "false positive rate", .low = 0, .high = 1},
              .y = {.label = "recall (true positive rate)", .low = 0, .high = 1.02}};
  for (const NamedCurve& one : curves) {
    Series series{.label = fmt::format("{}: area {}", printable(one.name, 36), format_metric(one.curve.roc_auc)),
                  .style = series_style(chart.series.size()),
                  .points = {{0, 0}}};
    for (const std::size_t i : even_places(one.curve.points.size(), kMostPoints))
      series.points.emplace_back(one.curve.points[i].false_positive_rate, one.curve.points[i].recall);
    chart.series.push_back(std::move(series));
  }
  chart.description = curves_in_words(chart);
  chart.series.push_back({.label = "chance", .style = "guide", .points = {{0, 0}, {1, 1}}, .drawn = Drawn::guide});
  return {draw(chart),
          fmt::format("For every threshold, the share of the positives that are found (true positive rate) over the "
                      "share of the others that are taken for positives (false positive rate).{}{}",
                      left_out(scored, curves.size(), what_names_are(scored)), points_drawn(curves))};
}

Figure precision_recall_figure(const Scored& scored, const std::vector<NamedCurve>& curves) {
  Chart chart{.title = "Precision and recall",
              .x = {.label = "recall", .low = 0, .high = 1},
              .y = {.label = "precision", .low = 0, .high = 1.02}};
  for (const NamedCurve& one : curves) {
    const auto known = static_cast<double>(one.curve.positives + one.curve.negatives);
    Series series{.label = fmt::format("{}: average precision {} (chance {})", printable(one.name, 20),
                                       format_metric(one.curve.average_precision),
                                       share(static_cast<double>(one.curve.positives) / known)),
                  .style = series_style(chart.series.size()),
                  .points = {}};
    double from = 0;
    for (const std::size_t i : even_places(one.curve.points.size(), kMostPoints)) {
      const train::RankingPoint& point = one.curve.points[i];
      series.points.emplace_back(from, point.precision);
      series.points.emplace_back(point.recall, point.precision);
      from = point.recall;
    }
    chart.series.push_back(std::move(series));
  }
  chart.description = curves_in_words(chart);
  return {draw(chart),
          fmt::format("Precision, the share of true positives among those predicted, over recall, the share of the "
                      "positives that are found. Chance is the share of positives among all.{}{}",
                      left_out(scored, curves.size(), what_names_are(scored)), points_drawn(curves))};
}

}  // namespace

Figure reliability_figure(const Scored& scored) {
  const train::Reliability reliability =
      train::reliability(scored.labels, scored.predictions, scored.items);
  Chart chart{.title = fmt::format("Reliability: expected calibration error {}",
                                   format_metric(reliability.expected_error)),
              .x = {.label = "confidence", .low = 0, .high = 1},
              .y = {.label = "share that is right", .ticks = {0, 0.2, 0.4, 0.6, 0.8, 1}, .low = -0.08, .high = 1.04}};
  Series series{.label = "decisions, with their number", .style = "v0", .points = {}, .drawn = Drawn::points};
  for (const train::ReliabilityBin& bin : reliability.bins) {
    if (bin.decisions == 0 || std::isnan(bin.accuracy)) continue;
    series.points.emplace_back(bin.confidence, bin.accuracy);
    series.captions.push_back(std::to_string(bin.decisions));
    series.names.push_back(counted(static_cast<std::size_t>(bin.decisions), "decision"));
    chart.description += fmt::format("{}confidence {}: {} right of {}", chart.description.empty() ? "" : "; ",
                                     share(bin.confidence), share(bin.accuracy), bin.decisions);
  }
  chart.series.push_back(std::move(series));
  chart.series.push_back(
      {.label = "confidence that holds", .style = "guide", .points = {{0, 0}, {1, 1}}, .drawn = Drawn::guide});
  const bool has_labels = scored.labels.has_flags();
  return {draw(chart), fmt::format("Decisions in {} ranges of their confidence{}: how many of them are right. Below "
                                   "the dashed line the model is too sure of itself, above it too modest. The expected "
                                   "calibration error is the mean distance from the line, by the number of decisions.",
                                   reliability.bins.size(), has_labels ? ", one for each label of an item" : "")};
}

std::vector<Figure> ranking_figures(const Scored& scored) {
  const std::vector<NamedCurve> curves = curves_of(scored);
  if (curves.empty()) return {};
  return {roc_figure(scored, curves), precision_recall_figure(scored, curves)};
}

std::vector<Figure> curve_figures(const Scored& scored) {
  std::vector<Figure> charts = ranking_figures(scored);
  charts.push_back(reliability_figure(scored));
  return charts;
}

}  // namespace edgewise::report
