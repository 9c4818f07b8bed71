#include "edgewise/train/targets/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/train/targets/ranking.hpp"

namespace edgewise::train {
namespace {

double ratio(double part, double whole) { return whole == 0 ? 0 : part / whole; }

void check_lengths(const char* metric, std::size_t scores, std::size_t positives) {
  if (scores != positives)
    throw UsageError(fmt::format("{}: {} scores, but {} say which are positive", metric, scores, positives));
}

void check_class(const char* what, std::int32_t found, std::size_t classes) {
  if (found >= 0 && static_cast<std::size_t>(found) < classes) return;
  throw UsageError(fmt::format("metrics: {} {} is not one of {} classes", what, found, classes));
}

bool has_nan(std::span<const float> values) {
  return std::any_of(values.begin(), values.end(), [](float value) { return std::isnan(value); });
}

/// Visits truth and prediction of each known entry of a column.
template <class Visit>
void each_known(ConstMatrixRef truth, ConstMatrixRef predictions, Eigen::Index column,
                std::span<const graph::Node> nodes, Visit&& visit) {
  if (predictions.rows() != truth.rows() || predictions.cols() != truth.cols())
    throw UsageError(fmt::format("metrics: expected predictions [{}, {}], got [{}, {}]", truth.rows(), truth.cols(),
                                 predictions.rows(), predictions.cols()));
  check_items("metrics", nodes, static_cast<std::size_t>(truth.rows()));
  for (const graph::Node node : nodes)
    if (!std::isnan(truth(node, column))) visit(double{truth(node, column)}, double{predictions(node, column)});
}

/// Mean of `measure(column)` over the columns.
template <class Measure>
double mean_over_columns(Eigen::Index columns, Measure&& measure) {
  std::vector<double> values;
  for (Eigen::Index column = 0; column < columns; ++column) values.push_back(measure(column));
  return mean_of_defined(values);
}

double rmse_of(ConstMatrixRef truth, ConstMatrixRef predictions, Eigen::Index column,
               std::span<const graph::Node> nodes) {
  double sum = 0, count = 0;
  each_known(truth, predictions, column, nodes, [&](double y, double p) {
    sum += (y - p) * (y - p);
    ++count;
  });
  return count == 0 ? kUndefinedMetric : std::sqrt(sum / count);
}

/// Calls visit(truth, prediction) for each node of known class.
template <class Visit>
void each_decision(std::span<const std::int32_t> truth, std::span<const std::int32_t> predictions, std::size_t classes,
                   std::span<const graph::Node> nodes, Visit&& visit) {
  if (truth.size() != predictions.size())
    throw UsageError(fmt::format("metrics: {} predictions for {} items", predictions.size(), truth.size()));
  check_items("metrics", nodes, truth.size());
  for (const graph::Node node : nodes) {
    if (truth[node] == -1) continue;
    check_class("the truth", truth[node], classes);
    check_class("the prediction", predictions[node], classes);
    visit(truth[node], predictions[node]);
  }
}

}  // namespace

void check_labels(std::string_view operation, const data::Labels& labels, std::size_t rows) {
  const auto names = static_cast<std::int64_t>(labels.names.size());
  if (labels.item_count() != rows)
    throw UsageError(fmt::format("{}: the labels have {} rows, expected {}", operation, labels.item_count(), rows));
  if (!labels.has_classes()) {
    if (labels.targets.cols() != names)
      throw UsageError(
          fmt::format("{}: the labels have {} columns, but {} names", operation, labels.targets.cols(), names));
    return;
  }
  const auto is_unknown = [&](std::int32_t one) { return one < -1 || one >= names; };
  if (const auto found = std::ranges::find_if(labels.classes, is_unknown); found != labels.classes.end())
    throw UsageError(fmt::format("{}: class {} is not one of {} classes", operation, *found, names));
  if (labels.positive && (*labels.positive < 0 || *labels.positive >= names))
    throw UsageError(
        fmt::format("{}: the positive class {} is not one of {} classes", operation, *labels.positive, names));
}

void check_items(std::string_view operation, std::span<const graph::Node> items, std::size_t rows) {
  for (const graph::Node item : items)
    if (item >= rows) throw UsageError(fmt::format("{}: row {}, but there are {}", operation, item, rows));
}

void check_predictions(std::string_view operation, const data::Labels& labels, ConstMatrixRef predictions) {
  const std::size_t rows = labels.item_count();
  check_labels(operation, labels, rows);
  const auto columns = static_cast<std::size_t>(predictions.cols());
  const bool has_columns = labels.task.has_candidates ? columns % 2 == 1 : columns == labels.names.size();
  if (static_cast<std::size_t>(predictions.rows()) != rows || !has_columns)
    throw UsageError(fmt::format("{}: expected predictions [{}, {}], got [{}, {}]", operation, rows,
                                 labels.names.size(), predictions.rows(), predictions.cols()));
}

double mean_of_defined(std::span<const double> values) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? kUndefinedMetric : sum / static_cast<double>(count);
}

void count_decision(std::size_t truth, std::size_t predicted, std::span<ClassCounts> counts) {
  if (truth == predicted) ++counts[truth].hits;
  ++counts[predicted].predicted;
  ++counts[truth].support;
}

std::vector<std::int32_t> predicted_classes(ConstMatrixRef scores) {
  std::vector<std::int32_t> classes(static_cast<std::size_t>(scores.rows()), 0);
  for (Eigen::Index row = 0; row < scores.rows(); ++row)
    for (Eigen::Index c = 1; c < scores.cols(); ++c)
      if (scores(row, c) > scores(row, classes[static_cast<std::size_t>(row)]))
        classes[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(c);
  return classes;
}

ConfusionMatrix confusion_matrix(std::span<const std::int32_t> truth, std::span<const std::int32_t> predictions,
                                 std::size_t classes, std::span<const graph::Node> nodes) {
  const auto size = static_cast<Eigen::Index>(classes);
  ConfusionMatrix counts = ConfusionMatrix::Zero(size, size);
  each_decision(truth, predictions, classes, nodes,
                [&](std::int32_t of, std::int32_t predicted) { ++counts(of, predicted); });
  return counts;
}

std::vector<ClassCounts> class_counts(std::span<const std::int32_t> truth, std::span<const std::int32_t> predictions,
                                      std::size_t classes, std::span<const graph::Node> nodes) {
  std::vector<ClassCounts> counts(classes);
  each_decision(truth, predictions, classes, nodes, [&](std::int32_t of, std::int32_t predicted) {
    count_decision(static_cast<std::size_t>(of), static_cast<std::size_t>(predicted), counts);
  });
  return counts;
}

std::vector<ClassReport> class_reports(std::span<const ClassCounts> counts) {
  std::vector<ClassReport> reports;
  for (const ClassCounts& of : counts) {
    const auto hits = static_cast<double>(of.hits), predicted = static_cast<double>(of.predicted);
    const auto support = static_cast<double>(of.support);
    reports.push_back(
        {ratio(hits, predicted), ratio(hits, support), ratio(2 * hits, predicted + support), of.support});
  }
  return reports;
}

double accuracy(std::span<const ClassCounts> counts) {
  std::int64_t hits = 0, total = 0;
  for (const ClassCounts& of : counts) {
    hits += of.hits;
    total += of.support;
  }
  return total == 0 ? kUndefinedMetric : static_cast<double>(hits) / static_cast<double>(total);
}

double macro_f1(std::span<const ClassCounts> counts) {
  const std::vector<ClassReport> reports = class_reports(counts);
  std::vector<double> values;
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (counts[c].support + counts[c].predicted > 0) values.push_back(reports[c].f1);
  return mean_of_defined(values);
}

double roc_auc(std::span<const float> scores, std::span<const std::uint8_t> positives) {
  check_lengths("roc_auc", scores.size(), positives.size());
  if (has_nan(scores) || std::ranges::count(positives, 1) == 0) return kUndefinedMetric;
  double positives_above = 0, pairs_won = 0, negatives = 0;
  each_threshold(scores, positives, [&](double here, double total) {
    pairs_won += (total - here) * (positives_above + 0.5 * here);
    positives_above += here;
    negatives += total - here;
  });
  const double pairs = positives_above * negatives;
  return pairs == 0 ? kUndefinedMetric : pairs_won / pairs;
}

double average_precision(std::span<const float> scores, std::span<const std::uint8_t> positives) {
  check_lengths("average_precision", scores.size(), positives.size());
  if (has_nan(scores) || std::ranges::count(positives, 1) == 0) return kUndefinedMetric;
  double hits = 0, seen = 0, sum = 0;
  each_threshold(scores, positives, [&](double here, double total) {
    hits += here;
    seen += total;
    sum += here * hits / seen;
  });
  return sum / hits;
}

double mean_absolute_error(ConstMatrixRef truth, ConstMatrixRef predictions, std::span<const graph::Node> nodes) {
  return mean_over_columns(truth.cols(), [&](Eigen::Index column) {
    double sum = 0, count = 0;
    each_known(truth, predictions, column, nodes, [&](double y, double p) {
      sum += std::abs(y - p);
      ++count;
    });
    return count == 0 ? kUndefinedMetric : sum / count;
  });
}

double root_mean_squared_error(ConstMatrixRef truth, ConstMatrixRef predictions, std::span<const graph::Node> nodes) {
  return mean_over_columns(truth.cols(),
                           [&](Eigen::Index column) { return rmse_of(truth, predictions, column, nodes); });
}

double relative_rmse(ConstMatrixRef truth, ConstMatrixRef predictions, std::span<const graph::Node> nodes,
                     std::span<const double> deviations) {
  if (deviations.size() != static_cast<std::size_t>(truth.cols()))
    throw UsageError(fmt::format("metrics: {} deviations of {} targets", deviations.size(), truth.cols()));
  return mean_over_columns(truth.cols(), [&](Eigen::Index column) {
    return rmse_of(truth, predictions, column, nodes) / deviations[static_cast<std::size_t>(column)];
  });
}

double r_squared(ConstMatrixRef truth, ConstMatrixRef predictions, std::span<const graph::Node> nodes) {
  return mean_over_columns(truth.cols(), [&](Eigen::Index column) {
    double sum = 0, count = 0;
    each_known(truth, predictions, column, nodes, [&](double y, double) {
      sum += y;
      ++count;
    });
    const double mean = count == 0 ? 0 : sum / count;
    double residual = 0, total = 0;
    each_known(truth, predictions, column, nodes, [&](double y, double p) {
      residual += (y - p) * (y - p);
      total += (y - mean) * (y - mean);
    });
    return total == 0 ? kUndefinedMetric : 1 - residual / total;
  });
}

double bounds_held(const data::Labels& labels, ConstMatrixRef predictions, std::span<const graph::Node> nodes) {
  std::int64_t bounds = 0, held = 0;
  for (const graph::Node node : nodes)
    for (Eigen::Index c = 0; labels.has_bounds() && c < predictions.cols(); ++c) {
      const float lower = labels.lower_bounds(node, c), upper = labels.upper_bounds(node, c);
      if (std::isnan(lower) && std::isnan(upper)) continue;
      ++bounds;
      held += predictions(node, c) >= lower || predictions(node, c) <= upper ? 1 : 0;
    }
  return bounds == 0 ? kUndefinedMetric : static_cast<double>(held) / static_cast<double>(bounds);
}

json::Value to_json(const Metrics& metrics) {
  json::Value value{json::Object{}};
  for (const auto& [name, number] : metrics) value.set(name, number);
  return value;
}

double metric(const Metrics& metrics, std::string_view name) {
  std::string known;
  for (const auto& [known_name, value] : metrics) {
    if (known_name == name) return value;
    known += (known.empty() ? "" : ", ") + known_name;
  }
  throw UsageError(fmt::format("metric \"{}\" is not one of this task; they are {}", name, known));
}

bool has_positive_class(const data::Labels& labels) {
  return labels.has_classes() && labels.names.size() == 2;
}

std::int32_t positive_class(const data::Labels& labels) {
  if (labels.positive) return *labels.positive;
  const auto first = std::ranges::count(labels.classes, 0), second = std::ranges::count(labels.classes, 1);
  return first < second ? 0 : 1;
}

bool has_rare_classes(const data::Labels& labels) {
  const auto is_rare = [](double positives, double known) {
    return known > 0 && std::min(positives, known - positives) < kRareShare * known;
  };
  if (labels.has_numbers()) return false;
  if (labels.has_classes()) {
    const auto positives = static_cast<double>(std::count(labels.classes.begin(), labels.classes.end(), 1));
    const auto unknown = std::count(labels.classes.begin(), labels.classes.end(), -1);
    return labels.names.size() == 2 &&
           is_rare(positives, static_cast<double>(labels.classes.size()) - static_cast<double>(unknown));
  }
  Eigen::Index rare = 0;
  for (Eigen::Index column = 0; column < labels.targets.cols(); ++column) {
    const auto of = labels.targets.col(column).array();
    if (is_rare(static_cast<double>((of > 0.5F).count()), static_cast<double>((of == of).count()))) ++rare;
  }
  return 2 * rare >= labels.targets.cols();
}

std::vector<std::string> never_predicted(const data::Labels& labels, ConstMatrixRef predictions,
                                         std::span<const graph::Node> nodes) {
  if (labels.has_numbers() || labels.task.has_candidates) return {};
  check_predictions("never_predicted", labels, predictions);
  check_items("never_predicted", nodes, labels.item_count());
  const bool is_classification = labels.has_classes();
  std::vector<bool> is_there(labels.names.size()), is_predicted(labels.names.size());
  const std::vector<std::int32_t> classes =
      is_classification ? predicted_classes(predictions) : std::vector<std::int32_t>{};
  for (const graph::Node node : nodes) {
    if (is_classification) {
      if (labels.classes[node] >= 0) is_there[static_cast<std::size_t>(labels.classes[node])] = true;
      is_predicted[static_cast<std::size_t>(classes[node])] = true;
      continue;
    }
    for (Eigen::Index label = 0; label < predictions.cols(); ++label) {
      if (labels.targets(node, label) > 0.5F) is_there[static_cast<std::size_t>(label)] = true;
      if (predictions(node, label) >= 0.5F) is_predicted[static_cast<std::size_t>(label)] = true;
    }
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < labels.names.size(); ++i)
    if (is_there[i] && !is_predicted[i]) names.push_back(labels.names[i]);
  return names;
}

}  // namespace edgewise::train
