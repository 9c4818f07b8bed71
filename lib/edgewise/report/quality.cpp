#include "edgewise/report/quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "edgewise/core/text.hpp"
#include "edgewise/report/curve_figures.hpp"
#include "edgewise/report/link_quality.hpp"
#include "edgewise/report/metric_text.hpp"
#include "edgewise/report/svg_chart.hpp"
#include "edgewise/train/baselines/constant_prediction.hpp"
#include "edgewise/train/choose/chance.hpp"
#include "edgewise/train/loop/curves.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/targets/evaluate.hpp"
#include "edgewise/train/targets/metric_kinds.hpp"
#include "edgewise/train/use/evaluation.hpp"

namespace edgewise::report {
namespace {

constexpr std::size_t kMostDots = 6000;     // over all parity plots
constexpr std::size_t kMarkedErrors = 10;

/// " 400 of the 12000 dots are drawn, evenly spaced."; "" if all are.
std::string thinned(std::size_t drawn, std::size_t all, const char* what) {
  return drawn < all ? fmt::format(" {} of the {} {} are drawn, evenly spaced.", drawn, all, what) : "";
}

std::string name_of(const Scored& scored, std::size_t column) { return scored.labels.names[column]; }

/// Truth and prediction of an item.
struct Pair {
  graph::Node item;
  double truth;
  double prediction;

  double error() const { return std::abs(truth - prediction); }
};

std::vector<Pair> pairs_of(const Scored& scored, std::size_t column) {
  std::vector<Pair> pairs;
  for (const graph::Node item : scored.items) {
    const auto place = static_cast<Eigen::Index>(column);
    const Pair pair{item, scored.labels.targets(item, place), scored.predictions(item, place)};
    if (std::isfinite(pair.truth) && std::isfinite(pair.prediction)) pairs.push_back(pair);
  }
  return pairs;
}

/// Of more than `kMarkedErrors`, those furthest off.
std::vector<Pair> largest_errors(std::vector<Pair> pairs) {
  if (pairs.size() <= kMarkedErrors) return {};
  std::ranges::partial_sort(pairs, pairs.begin() + kMarkedErrors, std::greater<>(), &Pair::error);
  pairs.resize(kMarkedErrors);
  return pairs;
}

Figure parity_figure(const Scored& scored, std::size_t column, std::size_t most) {
  const std::vector<Pair> pairs = pairs_of(scored, column);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Pair& pair : pairs) {
    low = std::min({low, pair.truth, pair.prediction});
    high = std::max({high, pair.truth, pair.prediction});
  }
  const double margin = high > low ? 0.04 * (high - low) : 1;
  const std::string name = name_of(scored, column);
  Chart chart{.title = fmt::format("{}: predicted and true", printable(name, 36)),
              .description = fmt::format("{} of {}", name, items_of(scored)),
              .x = {.label = "true " + name, .low = low - margin, .high = high + margin},
              .y = {.label = "predicted " + name, .low = low - margin, .high = high + margin}};
  Series dots{.label = items_of(scored), .style = "v0", .points = {}, .drawn = Drawn::dots};
  const std::vector<std::size_t> places = even_places(pairs.size(), most);
  for (const std::size_t i : places) dots.points.emplace_back(pairs[i].truth, pairs[i].prediction);
  Series errors{.label = fmt::format("the {} largest errors", kMarkedErrors), .style = "v3", .points = {},
                .drawn = Drawn::marks};
  for (const Pair& pair : largest_errors(pairs)) {
    errors.points.emplace_back(pair.truth, pair.prediction);
    errors.names.emplace_back(scored.data.items()[pair.item]);
    chart.description += fmt::format("; {}: {} instead of {}", printable(errors.names.back(), 40),
                                     plain_number(pair.prediction), plain_number(pair.truth));
  }
  chart.series.push_back(
      {.label = "right", .style = "guide", .points = {{low, low}, {high, high}}, .drawn = Drawn::guide});
  chart.series.push_back(std::move(dots));
  if (!errors.points.empty()) chart.series.push_back(std::move(errors));
  return {draw(chart), fmt::format("Each dot is one of {}; on the dashed line the prediction is right.{}{}",
                                   items_of(scored), thinned(places.size(), pairs.size(), "dots"),
                                   chart.series.size() > 2 ? " Point at a mark to see whose error it is." : "")};
}

std::string class_table(const Scored& scored, const std::vector<train::ClassReport>& reports) {
  Table table{.caption = "Each class",
              .columns = {{"class", true}, {"precision"}, {"recall"}, {"f1"}, {"count"}}};
  for (std::size_t i = 0; i < std::min(reports.size(), kMostRows); ++i)
    table.rows.push_back({name_of(scored, i), format_metric(reports[i].precision), format_metric(reports[i].recall),
                          format_metric(reports[i].f1), std::to_string(reports[i].support)});
  return to_html(table) +
         (reports.size() > kMostRows ? remark(fmt::format("The first {} of {} classes.", kMostRows, reports.size()))
                                     : "");
}

/// The whole matrix; cells are as dark as their share of the row.
std::string confusion_table(const Scored& scored, const train::ConfusionMatrix& confusion) {
  Table table{.caption = "Confusion matrix (a true class in each row)",
              .columns = {{"", true}}};
  for (const std::string& name : scored.labels.names) table.columns.push_back({name});
  for (Eigen::Index r = 0; r < confusion.rows(); ++r) {
    std::vector<Cell> row = {name_of(scored, static_cast<std::size_t>(r))};
    const auto all = static_cast<double>(confusion.row(r).sum());
    for (Eigen::Index c = 0; c < confusion.cols(); ++c)
      row.emplace_back(std::to_string(confusion(r, c)), all > 0 ? static_cast<double>(confusion(r, c)) / all : 0);
    table.rows.push_back(std::move(row));
  }
  return to_html(table);
}

/// What is confused most often, of too many classes for the whole matrix.
std::string mistake_table(const Scored& scored, const train::ConfusionMatrix& confusion) {
  std::vector<std::tuple<std::int64_t, Eigen::Index, Eigen::Index>> mistakes;
  for (Eigen::Index r = 0; r < confusion.rows(); ++r)
    for (Eigen::Index c = 0; c < confusion.cols(); ++c)
      if (r != c && confusion(r, c) > 0) mistakes.emplace_back(-confusion(r, c), r, c);
  std::ranges::sort(mistakes);
  Table table{.caption = fmt::format("The most frequent mistakes among {} classes", scored.labels.names.size()),
              .columns = {{"true class", true}, {"predicted", true}, {"count"}}};
  for (std::size_t i = 0; i < std::min(mistakes.size(), kMostConfused); ++i) {
    const auto& [count, truth, predicted] = mistakes[i];
    table.rows.push_back({name_of(scored, static_cast<std::size_t>(truth)),
                          name_of(scored, static_cast<std::size_t>(predicted)), std::to_string(-count)});
  }
  return to_html(table);
}

std::string class_tables(const Scored& scored) {
  const std::vector<std::int32_t> predicted = train::predicted_classes(scored.predictions);
  const std::size_t classes = scored.labels.names.size();
  std::string text = class_table(
      scored,
      train::class_reports(train::class_counts(scored.labels.classes, predicted, classes, scored.items)));
  if (classes > train::kMostClassesCompared) return text;
  const train::ConfusionMatrix confusion =
      train::confusion_matrix(scored.labels.classes, predicted, classes, scored.items);
  return text + (classes <= kMostConfused ? confusion_table(scored, confusion) : mistake_table(scored, confusion));
}

std::string parity_sections(const Scored& scored) {
  const std::vector<std::size_t> columns = shown_columns(scored);
  std::vector<Figure> charts;
  for (const std::size_t column : columns)
    charts.push_back(parity_figure(scored, column, kMostDots / columns.size()));
  const std::size_t all = scored.labels.names.size();
  return figures(charts) +
         (columns.size() < all ? remark(fmt::format("The first {} of {} targets.", columns.size(), all)) : "");
}

/// What a prediction that looks at no item does.
std::string constant_in_words(const Scored& scored, const std::string& metric, const Matrix& constant) {
  if (scored.labels.has_numbers()) return "always answering the mean";
  if (train::metric_kind(metric).is_of_order()) return "ranking by chance";
  if (scored.labels.has_flags()) return "answering the same for every item";
  const std::int32_t answer = train::predicted_classes(constant.topRows(1)).front();
  return fmt::format("always answering \"{}\"", printable(name_of(scored, static_cast<std::size_t>(answer)), 40));
}

}  // namespace

std::string answer_of(const Scored& scored, const Answer& answer) {
  if (scored.labels.task.has_candidates) return link_answer(scored, answer.model, answer.metric, answer.score);
  const std::string score =
      fmt::format("{} has {} {} on the {}", answer.model, answer.metric, answer.score, items_of(scored));
  if (std::isnan(answer.value)) return fmt::format("{} has no {} on the {}.", answer.model, answer.metric,
                                                   items_of(scored));
  const Matrix constant = train::constant_prediction(scored.labels, answer.from);
  const double base =
      train::metric(train::evaluate(scored.labels, constant, scored.items, answer.deviations), answer.metric);
  if (std::isnan(base)) return score + ".";
  const double lead = train::lead(answer.metric, answer.value, base);
  const double margin = train::chance(answer.metric, answer.value, train::sample_of(scored.labels, scored.items));
  const std::string than = fmt::format("{}, which has {}", constant_in_words(scored, answer.metric, constant),
                                       format_metric(base));
  if (lead > margin) return fmt::format("{}: clearly better than {}.", score, than);
  if (!(lead > 0)) return fmt::format("{}: no better than {}.", score, than);
  return fmt::format("{}: better than {}, but a difference of up to {} may be chance.", score, than,
                     format_metric(margin));
}

std::string quality_sections(const Scored& scored) {
  if (scored.items.empty()) return "";
  if (scored.labels.task.has_candidates) return link_sections(scored);
  std::string text = heading(fmt::format("On the {}", items_of(scored)));
  if (scored.labels.has_numbers()) return text + parity_sections(scored);
  if (scored.labels.has_classes()) text += class_tables(scored);
  return text + figures(curve_figures(scored));
}

}  // namespace edgewise::report
