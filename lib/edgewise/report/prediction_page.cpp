#include "edgewise/report/prediction_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/report/html_page.hpp"
#include "edgewise/report/quality.hpp"
#include "edgewise/report/run_facts.hpp"
#include "edgewise/report/svg_chart.hpp"
#include "edgewise/train/loop/curves.hpp"
#include "edgewise/train/loop/runs.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::report {
namespace {

constexpr std::size_t kMostBars = 30;
constexpr std::size_t kBins = 10;
constexpr std::size_t kLeastSure = 20;
constexpr std::size_t kMostUnlike = 50;

bool are_numbers(const PredictionPage& page) { return page.predictions.kind == io::PredictionKind::numbers; }

std::string format_count(double count) { return fmt::format("{:.0f}", count); }

std::string_view name_of_row(const PredictionPage& page, std::size_t row) {
  const std::vector<graph::Node>& nodes = page.predictions.nodes;
  return page.data.items()[nodes.empty() ? static_cast<graph::Node>(row) : nodes[row]];
}

/// The values of a column that are known.
std::vector<float> known_values(const Matrix& values, Eigen::Index column) {
  std::vector<float> known;
  for (Eigen::Index row = 0; row < values.rows(); ++row)
    if (std::isfinite(values(row, column))) known.push_back(values(row, column));
  return known;
}

/// How sure the model is of each row: of the class, or of the least sure of several labels. NaN where nothing was
/// predicted.
std::vector<float> confidences(const PredictionPage& page) {
  const Matrix& values = page.predictions.values;
  std::vector<float> sure;
  for (Eigen::Index row = 0; row < values.rows(); ++row)
    sure.push_back(values.row(row).array().isNaN().any() ? std::nanf("")
                   : page.predictions.kind == io::PredictionKind::classes
                       ? values.row(row).maxCoeff()
                       : values.row(row).array().max(1 - values.row(row).array()).minCoeff());
  return sure;
}

/// Rows predicted as each class, or with each label.
std::vector<std::int64_t> predicted_counts(const PredictionPage& page) {
  const Matrix& values = page.predictions.values;
  std::vector<std::int64_t> counts(page.predictions.columns.size());
  const std::vector<std::int32_t> classes = train::predicted_classes(values);
  for (Eigen::Index row = 0; row < values.rows(); ++row) {
    if (values.row(row).array().isNaN().any()) continue;
    if (page.predictions.kind == io::PredictionKind::classes) {
      ++counts[static_cast<std::size_t>(classes[static_cast<std::size_t>(row)])];
      continue;
    }
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] += values(row, static_cast<Eigen::Index>(i)) >= 0.5F ? 1 : 0;
  }
  return counts;
}

std::vector<std::size_t> descending(const std::vector<std::int64_t>& counts) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  return order;
}

std::string bars_in_words(const std::vector<Bar>& bars) {
  std::string text;
  for (const Bar& bar : bars) text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", bar.label, bar.value);
  return text;
}

Figure counts_figure(const PredictionPage& page) {
  const std::vector<std::int64_t> counts = predicted_counts(page);
  std::vector<Bar> bars;
  for (const std::size_t i : descending(counts))
    if (bars.size() < kMostBars)
      bars.push_back({page.predictions.columns[i], "v0", static_cast<double>(counts[i])});
  const bool are_classes = page.predictions.kind == io::PredictionKind::classes;
  return {draw_bars(are_classes ? "Predicted classes" : "Predicted labels", bars_in_words(bars), bars, format_count),
          fmt::format("How many {} are predicted {}.{}", page.data.noun().many,
                      are_classes ? "as each class" : "to have each label, with a probability of 0.5 up",
                      counts.size() > kMostBars
                          ? fmt::format(" The {} most frequent of {}.", kMostBars, counts.size())
                          : "")};
}

Figure histogram_figure(const std::string& title, const std::vector<float>& values, double low, double high,
                        const std::string& caption) {
  const std::vector<std::int64_t> counts = train::histogram(values, low, high, kBins);
  const double width = (high - low) / static_cast<double>(kBins);
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < kBins; ++i)
    bars.push_back({fmt::format("{} to {}", plain_number(low + width * static_cast<double>(i)),
                                plain_number(low + width * static_cast<double>(i + 1))),
                    "v0", static_cast<double>(counts[i])});
  return {draw_bars(title, bars_in_words(bars), bars, format_count), caption};
}

std::vector<Figure> figures_of(const PredictionPage& page) {
  if (!are_numbers(page))
    return {counts_figure(page),
            histogram_figure("Confidence", confidences(page), 0, 1,
                             page.predictions.kind == io::PredictionKind::classes
                                 ? "The probability of the predicted class. Whether it can be trusted is what the "
                                   "reliability diagram of edgewise evaluate shows."
                                 : "The confidence in the least sure label of each row, max(p, 1 - p).")};
  std::vector<Figure> charts;
  for (std::size_t i = 0; i < std::min(page.predictions.columns.size(), kMostCurves); ++i) {
    const std::vector<float> known = known_values(page.predictions.values, static_cast<Eigen::Index>(i));
    if (known.empty()) continue;
    const auto [low, high] = std::ranges::minmax(known);
    charts.push_back(histogram_figure(fmt::format("Predicted {}", printable(page.predictions.columns[i], 40)), known,
                                      low, high, fmt::format("How many {} are predicted to have such a value.",
                                                             page.data.noun().many)));
  }
  return charts;
}

/// The rows that the model is least sure of: by their probabilities, or by the spread over several models.
std::string least_sure(const PredictionPage& page) {
  const io::Predictions& table = page.predictions;
  if (are_numbers(page) && !table.has_deviations()) return "";
  std::vector<float> doubt;
  if (are_numbers(page)) {
    for (Eigen::Index row = 0; row < table.values.rows(); ++row) doubt.push_back(table.deviations(row, 0));
  } else {
    for (const float sure : confidences(page)) doubt.push_back(1 - sure);
  }
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < doubt.size(); ++row)
    if (!std::isnan(doubt[row])) order.push_back(row);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return doubt[a] > doubt[b]; });
  order.resize(std::min(order.size(), kLeastSure));
  Table shown{.columns = {{table.key, true}, {"predicted", true}, {are_numbers(page) ? "std" : "confidence"}}};
  for (const std::size_t row : order) {
    const auto place = static_cast<Eigen::Index>(row);
    Eigen::Index best = 0;
    table.values.row(place).maxCoeff(&best);
    const std::string predicted = table.kind == io::PredictionKind::classes
                                      ? table.columns[static_cast<std::size_t>(best)]
                                      : plain_number(table.values(place, 0));
    shown.rows.push_back({std::string(name_of_row(page, row)), predicted,
                          plain_number(are_numbers(page) ? doubt[row] : 1 - doubt[row])});
  }
  if (table.kind == io::PredictionKind::labels) shown.columns[1].name = fmt::format("p of {}", table.columns.front());
  if (are_numbers(page)) shown.columns[1].name = table.columns.front();
  return heading("Least sure") + to_html(shown);
}

/// The rows that are unlike all of training, and why.
std::string unlike_training(const PredictionPage& page) {
  const io::Predictions& table = page.predictions;
  const auto found = std::ranges::find(table.after, "unlike", &io::TextColumn::name);
  if (found == table.after.end()) return "";
  Table shown{.columns = {{table.key, true}, {"why", true}}};
  std::size_t count = 0;
  for (std::size_t row = 0; row < found->values.size(); ++row) {
    if (found->values[row].empty()) continue;
    if (++count <= kMostUnlike) shown.rows.push_back({std::string(name_of_row(page, row)), found->values[row]});
  }
  const std::string title = heading("Unlike the training data");
  if (count == 0) return title + remark(fmt::format("None of the {}.", page.data.noun().many));
  return title +
         remark(fmt::format("{} of {} {}: nothing in training resembles them, so do not rely on their predictions and "
                            "intervals.{}",
                            count, found->values.size(), page.data.noun().of(found->values.size()),
                            count > kMostUnlike ? fmt::format(" The first {}:", kMostUnlike) : "")) +
         to_html(shown);
}

std::string answer_of(const PredictionPage& page) {
  const io::Predictions& table = page.predictions;
  const std::string rows = fmt::format("{} {} are predicted", table.values.rows(), page.data.noun().many);
  if (table.values.rows() == 0) return rows + ".";
  if (!are_numbers(page)) {
    const std::vector<std::int64_t> counts = predicted_counts(page);
    constexpr std::size_t kNamed = 3;
    std::vector<std::string> named;
    for (const std::size_t i : descending(counts))
      if (named.size() < kNamed) named.push_back(fmt::format("{} \"{}\"", counts[i], printable(table.columns[i], 40)));
    return fmt::format("{}: {}{}.", rows, fmt::join(named, ", "), counts.size() > kNamed ? ", ..." : "");
  }
  std::vector<float> known = known_values(table.values, 0);
  if (known.empty()) return rows + ", but none has a value.";
  const auto [low, high] = std::ranges::minmax(known);
  return fmt::format("{}: {} from {} to {}, in the middle {}.", rows, printable(table.columns.front(), 40),
                     plain_number(low), plain_number(high),
                     plain_number(train::median(std::vector<double>(known.begin(), known.end()))));
}

}  // namespace

std::string to_html(const PredictionPage& page) {
  std::string body = paragraph(fmt::format("They are in {}.", page.out));
  if (const std::size_t known = data::labelled_nodes(page.data.labels).size(); known > 0)
    body += remark(fmt::format("{} of the {} have a known label: edgewise evaluate says how good the predictions are.",
                               known, page.data.noun().many));
  body += figures(figures_of(page)) + unlike_training(page) + least_sure(page) +
          data_section(page.data, std::nullopt, page.notes) +
          repeat_section({.command = page.command, .more = {{"model", page.model}}});
  return to_html(Page{.title = fmt::format("Predictions for {}", printable(page.data.name, 80)),
                      .answer = answer_of(page),
                      .body = body});
}

}  // namespace edgewise::report
