#include "edgewise/train/model/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "edgewise/core/correlation.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"

namespace edgewise::train {
namespace {

using data::Task;
using Eigen::Index;

constexpr float kUnknownScore = std::numeric_limits<float>::quiet_NaN();
constexpr double kSmallestProbability = 1e-12;
constexpr double kNeverSure = 1e-6;  // what all classes share of a probability that is changed
constexpr std::size_t kMostScores = 20'000;  // to keep, about

double logit(double p) {
  const double inside = std::clamp(p, kSmallestProbability, 1 - kSmallestProbability);
  return std::log(inside / (1 - inside));
}

double log_of(double p) { return std::log(std::max(p, kSmallestProbability)); }

/// The temperature with the smallest log loss; 1 unless the total loss falls by more than one, as a parameter that is
/// of no use may make it do.
double best_temperature(const std::function<double(double temperature)>& loss) {
  constexpr double kMost = 3;  // of |log T|
  constexpr int kBits = 26;  // half of those of a double: around a minimum, no function tells more of its place
  const auto [place, least] =
      boost::math::tools::brent_find_minima([&](double x) { return loss(std::exp(x)); }, -kMost, kMost, kBits);
  return loss(1) - least > 1 ? std::exp(place) : 1;
}

/// The share of doubt in labels: that of one more item whose label is not known. Without it, nothing would keep
/// predictions that are all right from becoming certain (Platt, "Probabilities for SV Machines", 1999).
double doubt_of(std::size_t items) { return 1 / static_cast<double>(items + 1); }

/// The cross-entropy of the true class, or with some doubt any class, after division of the logits by the temperature.
double class_loss(const Matrix& predictions, graph::Node item, std::int32_t truth, double doubt, double temperature) {
  double sum = 0, mean = 0;
  const double top = log_of(predictions.row(item).maxCoeff());
  for (Index c = 0; c < predictions.cols(); ++c) {
    const double scaled = (log_of(predictions(item, c)) - top) / temperature;
    sum += std::exp(scaled);
    mean += scaled / static_cast<double>(predictions.cols());
  }
  return std::log(sum) - (1 - doubt) * (log_of(predictions(item, truth)) - top) / temperature - doubt * mean;
}

/// Divides the logits of one item's classes by the temperature. The largest stays the largest, and none becomes
/// certain.
void temper(double temperature, Eigen::Ref<Eigen::RowVectorXf> row) {
  const double top = log_of(row.maxCoeff());
  double sum = 0;
  std::vector<double> powers;
  for (const float p : row) sum += powers.emplace_back(p == 0 ? 0 : std::exp((log_of(p) - top) / temperature));
  for (Index c = 0; c < row.size(); ++c)
    row[c] = static_cast<float>((1 - kNeverSure) * powers[static_cast<std::size_t>(c)] / sum +
                                kNeverSure / static_cast<double>(row.size()));
}

std::vector<graph::Node> known_items(const data::Labels& labels, const Matrix& predictions,
                                     std::span<const graph::Node> items) {
  std::vector<graph::Node> known;
  std::ranges::copy_if(items, std::back_inserter(known), [&](graph::Node item) {
    return labels.has_value(item) && !predictions.row(item).array().isNaN().any();
  });
  return known;
}

/// At most this many of the scores, ascending, at even ranks and none smaller than what it stands for.
std::vector<float> thinned(std::vector<float> scores, std::size_t most) {
  std::ranges::sort(scores);
  if (scores.size() <= most) return scores;
  std::vector<float> kept;
  for (std::size_t i = 1; i <= most; ++i) kept.push_back(scores[(i * scores.size() + most - 1) / most - 1]);
  return kept;
}

/// What the variance of an item is a sum of: 1, its squared spread if there is one, its squared
/// uncertainty inputs.
Eigen::RowVectorXd terms_of(const Matrix& deviations, ConstMatrixRef uncertainty_inputs, Index item, Index target) {
  const Index first = deviations.size() > 0 ? 2 : 1;
  Eigen::RowVectorXd terms = Eigen::RowVectorXd::Ones(first + uncertainty_inputs.cols());
  if (first == 2) terms[1] = static_cast<double>(deviations(item, target)) * deviations(item, target);
  if (uncertainty_inputs.cols() > 0)
    terms.tail(uncertainty_inputs.cols()) = uncertainty_inputs.row(item).cast<double>().cwiseAbs2();
  return terms;
}

/// The coefficients c >= 0 with the largest likelihood of Gaussian errors of the variances v_i = sum over j of c_j
/// t_ij: the multiplicative updates of Fevotte and Idier, "Algorithms for Nonnegative Matrix Factorization with the
/// beta-Divergence" (2011, beta = 0), none of which lowers the likelihood. Errors far beyond all others count as four
/// times the typical. The constant is at least a hundredth of their mean.
std::vector<double> best_variance(std::vector<double> squared_errors, const std::vector<Eigen::RowVectorXd>& terms,
                                  Index count) {
  constexpr int kUpdates = 500;
  constexpr double kFar = 4 * 4;
  constexpr double kLeastConstant = 0.01;  // of the mean: of an item of the training, other terms may be near 0
  Eigen::VectorXd coefficients = Eigen::VectorXd::Zero(count);
  const auto rows = static_cast<Index>(squared_errors.size());
  Eigen::ArrayXd errors = Eigen::Map<const Eigen::ArrayXd>(squared_errors.data(), rows);
  if (rows == 0 || errors.maxCoeff() == 0) return {coefficients.begin(), coefficients.end()};  // a perfect fit
  errors = errors.min(kFar * errors.mean());
  Eigen::MatrixXd all(rows, count);
  for (Index i = 0; i < rows; ++i) all.row(i) = terms[static_cast<std::size_t>(i)];
  const double least = 1e-9 * errors.mean();
  for (Index j = 0; j < count; ++j)
    if (const double mean = all.col(j).mean(); mean > 0)
      coefficients[j] = errors.mean() / mean / static_cast<double>(count);
  for (int update = 0; update < kUpdates; ++update) {
    const Eigen::ArrayXd variances = (all * coefficients).array().max(least);
    const Eigen::ArrayXd inverse = 1 / variances, pulls = errors * inverse.square();
    for (Index j = 0; j < count; ++j) {
      const double down = (all.col(j).array() * inverse).sum();
      if (down > 0) coefficients[j] *= std::sqrt((all.col(j).array() * pulls).sum() / down);
    }
  }
  coefficients[0] = std::max(coefficients[0], kLeastConstant * errors.mean());
  return {coefficients.begin(), coefficients.end()};
}

double deviation_of(const Matrix& deviations, Index row, Index target) {
  constexpr double kSmallest = 1e-12;  // of models that agree, and of a perfect fit
  return deviations.size() == 0 ? 1.0 : std::max(static_cast<double>(deviations(row, target)), kSmallest);
}

/// The rank, from 1, of the score that holds at least the share `level` of one more item beside `count` others.
double rank_for(double level, std::size_t count) { return std::ceil(level * static_cast<double>(count + 1) - 1e-9); }

/// The score that at least the share `level` do not exceed.
double score_at(double level, const std::vector<float>& scores) {
  return scores[static_cast<std::size_t>(rank_for(level, scores.size())) - 1];
}

}  // namespace

Calibration Calibration::fit(const data::Labels& labels, const Matrix& predictions, const Matrix& deviations,
                             std::span<const graph::Node> validation, const Matrix& uncertainty_inputs) {
  Calibration made;
  const std::vector<graph::Node> items = known_items(labels, predictions, validation);
  if (items.empty()) return made;
  made.task_ = labels.task;
  made.items_ = items.size();
  if (labels.has_numbers())
    made.fit_variances(labels, predictions, deviations, uncertainty_inputs, items);
  else
    made.fit_temperatures(labels, predictions, items);
  Matrix calibrated = predictions, spread = deviations;
  made.apply(calibrated, &spread, uncertainty_inputs);
  // Scores are in deviations that were fitted to the other items: in those fitted to themselves they would be too
  // small.
  constexpr std::size_t kFolds = 5;
  for (std::size_t fold = 0; fold < kFolds && !made.variances_.empty(); ++fold) {
    std::vector<graph::Node> held, others;
    for (std::size_t i = 0; i < items.size(); ++i) (i % kFolds == fold ? held : others).push_back(items[i]);
    Calibration apart;
    apart.task_ = labels.task;
    apart.fit_variances(labels, predictions, deviations, uncertainty_inputs, others);
    if (apart.variances_.empty()) break;
    Matrix same = predictions, of_others = deviations;
    apart.apply(same, &of_others, uncertainty_inputs);
    for (const graph::Node item : held) spread.row(item) = of_others.row(item);
  }
  made.fit_scores(labels, calibrated, spread, items);
  return made;
}

void Calibration::fit_temperatures(const data::Labels& labels, const Matrix& predictions,
                                   std::span<const graph::Node> items) {
  if (task_.has_classes()) {
    temperatures_ = {best_temperature([&](double temperature) {
      double loss = 0;
      for (const graph::Node item : items)
        loss += class_loss(predictions, item, labels.classes[item], doubt_of(items.size()), temperature);
      return loss;
    })};
    return;
  }
  for (Index label = 0; label < predictions.cols(); ++label)
    temperatures_.push_back(best_temperature([&](double temperature) {
      double loss = 0;
      for (const graph::Node item : items) {
        const float truth = labels.targets(item, label);
        if (std::isnan(truth)) continue;
        const double x = logit(predictions(item, label)) / temperature, doubt = doubt_of(items.size()) / 2;
        const double positive = truth > 0.5F ? 1 - doubt : doubt;
        loss += std::log1p(std::exp(-std::abs(x))) + std::max(x, 0.0) - positive * x;
      }
      return loss;
    }));
}

void Calibration::fit_variances(const data::Labels& labels, const Matrix& predictions, const Matrix& deviations,
                                const Matrix& uncertainty_inputs, std::span<const graph::Node> items) {
  has_spread_ = deviations.size() > 0;
  const auto known = [&](Index target) {
    return std::ranges::count_if(items, [&](graph::Node item) { return !std::isnan(labels.targets(item, target)); });
  };
  std::size_t fewest = items.size();
  for (Index target = 0; target < predictions.cols(); ++target)
    fewest = std::min(fewest, static_cast<std::size_t>(known(target)));
  const Index used = fewest < kFewestForUncertainty ? 0 : uncertainty_inputs.cols();
  if (!has_spread_ && used == 0) return;
  for (Index target = 0; target < predictions.cols(); ++target) {
    std::vector<double> errors;  // squared
    std::vector<Eigen::RowVectorXd> terms;
    for (const graph::Node item : items) {
      const double error = labels.targets(item, target) - predictions(item, target);
      Eigen::RowVectorXd row = terms_of(deviations, uncertainty_inputs.leftCols(used), item, target);
      if (std::isnan(error) || row.array().isNaN().any()) continue;
      errors.push_back(error * error);
      terms.push_back(std::move(row));
    }
    variances_.push_back(best_variance(errors, terms, 1 + (has_spread_ ? 1 : 0) + used));
  }
}

void Calibration::fit_scores(const data::Labels& labels, const Matrix& predictions, const Matrix& deviations,
                             std::span<const graph::Node> items) {
  constexpr std::size_t kEnoughOfAClass = 50;
  const auto outputs = static_cast<std::size_t>(predictions.cols());
  std::vector<std::vector<float>> of_each(outputs);
  std::vector<float> all;
  for (const graph::Node item : items)
    for (std::size_t label = 0; label < outputs; ++label) {
      const auto column = static_cast<Index>(label);
      float score = kUnknownScore;
      if (task_.has_classes())
        score =
            labels.classes[item] == static_cast<std::int32_t>(label) ? 1 - predictions(item, column) : kUnknownScore;
      else if (task_.has_flags())
        score = std::abs(labels.targets(item, column) - predictions(item, column));
      else
        score = static_cast<float>(std::abs(labels.targets(item, column) - predictions(item, column)) /
                                   deviation_of(deviations, item, column));
      if (std::isnan(score)) continue;
      of_each[label].push_back(score);
      all.push_back(score);
    }
  const bool are_apart = !task_.has_classes() || std::ranges::all_of(of_each, [](const auto& scores) {
                           return scores.size() >= kEnoughOfAClass;
                         });
  if (!are_apart) of_each = {std::move(all)};
  const std::size_t most = std::clamp<std::size_t>(kMostScores / of_each.size(), 100, 1000);
  for (std::vector<float>& scores : of_each) scores_.push_back(thinned(std::move(scores), most));
}

bool Calibration::changes_predictions() const {
  return std::ranges::any_of(temperatures_, [](double temperature) { return temperature != 1; });
}

void Calibration::apply(Matrix& predictions, Matrix* deviations, const Matrix& uncertainty_inputs) const {
  if (task_.has_classes() && !temperatures_.empty() && temperatures_[0] != 1)
    for (Index row = 0; row < predictions.rows(); ++row)
      if (!std::isnan(predictions(row, 0))) temper(temperatures_[0], predictions.row(row));
  if (task_.has_flags())
    for (Index label = 0; label < predictions.cols() && !temperatures_.empty(); ++label) {
      const double temperature = temperatures_[static_cast<std::size_t>(label)];
      if (temperature == 1) continue;
      for (float& p : predictions.col(label))
        if (!std::isnan(p) && p != 0.5F)
          p = static_cast<float>((1 - kNeverSure) / (1 + std::exp(-logit(p) / temperature)) + kNeverSure / 2);
    }
  if (!task_.has_numbers() || deviations == nullptr || variances_.empty()) return;
  const auto used = static_cast<Index>(variances_[0].size()) - (has_spread_ ? 2 : 1);
  if (has_spread_ != (deviations->size() > 0) || uncertainty_inputs.cols() < used) return;  // nothing to calibrate
  Matrix made(predictions.rows(), predictions.cols());
  for (Index target = 0; target < made.cols(); ++target) {
    const std::vector<double>& variance = variances_[static_cast<std::size_t>(target)];
    const Eigen::Map<const Eigen::VectorXd> coefficients(variance.data(), std::ssize(variance));
    for (Index row = 0; row < made.rows(); ++row)
      made(row, target) = static_cast<float>(std::sqrt(
          terms_of(*deviations, uncertainty_inputs.leftCols(used), row, target).dot(coefficients.transpose())));
  }
  *deviations = std::move(made);
}

bool Calibration::can_give(double level) const {
  return !is_empty() && std::ranges::all_of(scores_, [&](const auto& scores) {
    return rank_for(level, scores.size()) <= static_cast<double>(scores.size());
  });
}

void Calibration::check_level(double level) const {
  if (!(level > 0 && level < 1))
    throw UsageError(fmt::format("{}: expected a share above 0 and below 1, got {}", setting("intervals"), level));
  if (is_empty())
    throw UsageError(fmt::format("{}: needs validation items in training, and the model had none",
                                 setting("intervals")));
  if (can_give(level)) return;
  std::size_t fewest = items_;
  for (const std::vector<float>& scores : scores_) fewest = std::min(fewest, scores.size());
  throw UsageError(fmt::format("{}: a level of {} needs {:.0f} validation items or more{}, but there were {}",
                               setting("intervals"), level, std::ceil(level / (1 - level) - 1e-9),
                               scores_.size() > 1 ? " of each class or target" : "", fewest));
}

Intervals Calibration::intervals(const Matrix& predictions, const Matrix& deviations, double level) const {
  check_level(level);
  Intervals made;
  const Index outputs = predictions.cols();
  std::vector<double> most;  // the largest score that belongs to the set
  for (std::size_t label = 0; label < static_cast<std::size_t>(outputs); ++label)
    most.push_back(score_at(level, scores_of(label)));
  if (task_.has_numbers()) {
    made.lower = made.upper = predictions;
    for (Index row = 0; row < predictions.rows(); ++row)
      for (Index target = 0; target < outputs; ++target) {
        const double width = most[static_cast<std::size_t>(target)] * deviation_of(deviations, row, target);
        made.lower(row, target) = std::max(static_cast<float>(predictions(row, target) - width), task_.least);
        made.upper(row, target) = static_cast<float>(predictions(row, target) + width);
      }
    return made;
  }
  const bool is_multilabel = task_.has_flags();
  made.sets.setZero(predictions.rows(), is_multilabel ? 2 * outputs : outputs);
  for (Index row = 0; row < predictions.rows(); ++row) {
    if (std::isnan(predictions(row, 0))) continue;
    for (Index label = 0; label < outputs; ++label) {
      const double p = predictions(row, label), limit = most[static_cast<std::size_t>(label)];
      if (!is_multilabel) {
        made.sets(row, label) = 1 - p <= limit ? 1 : 0;
        continue;
      }
      made.sets(row, 2 * label) = p <= limit || p < 0.5 ? 1 : 0;
      made.sets(row, 2 * label + 1) = 1 - p <= limit || p >= 0.5 ? 1 : 0;
    }
    Index best = 0;
    predictions.row(row).maxCoeff(&best);
    if (!is_multilabel) made.sets(row, best) = 1;
  }
  return made;
}

json::Value Calibration::to_json() const {
  json::Array scores;
  for (const std::vector<float>& one : scores_) scores.emplace_back(json::Array(one.begin(), one.end()));
  json::Array variances;
  for (const std::vector<double>& one : variances_) variances.emplace_back(json::Array(one.begin(), one.end()));
  return json::Object{{"items", static_cast<std::int64_t>(items_)},
                      {"temperatures", json::Array(temperatures_.begin(), temperatures_.end())},
                      {"has_spread", has_spread_},
                      {"variances", std::move(variances)},
                      {"scores", std::move(scores)}};
}

Calibration Calibration::from_json(const json::Value& value, const data::Task& task, std::size_t labels) {
  const auto numbers = [&](const json::Value& list, double least, std::initializer_list<std::size_t> counts) {
    std::vector<double> read;
    for (const json::Value& number : list.as_array())
      if (!(read.emplace_back(number.as_number()) >= least && std::isfinite(read.back())))
        throw ModelError(fmt::format("{}: expected finite numbers of at least {}", list.path(), least));
    if (std::ranges::count(counts, read.size()) == 0)
      throw ModelError(fmt::format("{}: {} numbers for {} labels", list.path(), read.size(), labels));
    return read;
  };
  Calibration made;
  made.task_ = task;
  const std::int64_t items = value.at("items").as_integer();
  if (items < 1) throw ModelError(fmt::format("{}: expected at least 1", value.at("items").path()));
  made.items_ = static_cast<std::size_t>(items);
  const bool is_regression = task.has_numbers();
  const std::size_t temperatures = is_regression ? 0 : task.has_classes() ? 1 : labels;
  made.temperatures_ = numbers(value.at("temperatures"), 1e-6, {temperatures});
  if (const json::Value* variances = value.find("variances")) {
    made.has_spread_ = value.at("has_spread").as_bool();
    const std::size_t spread = made.has_spread_ ? 2 : 1;
    for (const json::Value& one : variances->as_array())
      made.variances_.push_back(numbers(one, 0, {spread, spread + 1, spread + 2}));
  } else {  // of an earlier version: s and r of s^2 (r^2 + u^2)
    const std::vector<double> scale = numbers(value.at("scale"), 0, {std::size_t{0}, is_regression ? labels : 0});
    const std::vector<double> constant = numbers(value.at("constant"), 0, {scale.size()});
    made.has_spread_ = !scale.empty();
    for (std::size_t i = 0; i < scale.size(); ++i)
      made.variances_.push_back({std::pow(scale[i] * constant[i], 2), scale[i] * scale[i]});
  }
  const bool is_complete = made.variances_.empty() || (is_regression && made.variances_.size() == labels);
  if (!is_complete)
    throw ModelError(fmt::format("{}: {} variances for {} labels", value.path(), made.variances_.size(), labels));
  for (const std::vector<double>& one : made.variances_)
    if (one.size() != made.variances_[0].size())
      throw ModelError(fmt::format("{}: variances of different terms", value.path()));
  for (const json::Value& list : value.at("scores").as_array()) {
    std::vector<float>& scores = made.scores_.emplace_back();
    for (const json::Value& score : list.as_array()) scores.push_back(static_cast<float>(score.as_number()));
    if (!std::ranges::is_sorted(scores) || (!scores.empty() && !(scores.front() >= 0)))
      throw ModelError(fmt::format("{}: expected ascending numbers of at least 0", list.path()));
  }
  const bool is_one = task.has_classes() && made.scores_.size() == 1;
  if (!is_one && made.scores_.size() != labels)
    throw ModelError(fmt::format("{}: {} lists for {} labels", value.at("scores").path(), made.scores_.size(), labels));
  return made;
}

std::vector<Coverage> coverage(const data::Labels& labels, const Intervals& intervals,
                               std::span<const graph::Node> items) {
  const auto measure = [&](const auto& holds, const auto& size) {
    Coverage made;
    double known = 0;
    for (const graph::Node item : items) {
      const float held = holds(item);  // NaN if the truth is unknown
      if (std::isnan(held)) continue;
      ++known;
      made.share += held;
      made.size += size(item);
    }
    return Coverage{made.share / known, made.size / known};
  };
  if (labels.has_classes())
    return {measure(
        [&](graph::Node item) {
          return labels.classes[item] < 0 ? kUnknownScore : intervals.sets(item, labels.classes[item]);
        },
        [&](graph::Node item) { return intervals.sets.row(item).sum(); })};
  std::vector<Coverage> all;
  for (Index c = 0; c < labels.targets.cols(); ++c) {
    const auto truth = [&](graph::Node item) { return labels.targets(item, c); };
    if (labels.has_flags())
      all.push_back(measure(
          [&](graph::Node item) {
            return std::isnan(truth(item)) ? kUnknownScore : intervals.sets(item, 2 * c + (truth(item) > 0.5F ? 1 : 0));
          },
          [&](graph::Node item) { return intervals.sets(item, 2 * c) + intervals.sets(item, 2 * c + 1); }));
    else
      all.push_back(measure(
          [&](graph::Node item) {
            if (std::isnan(truth(item)) || std::isnan(intervals.lower(item, c))) return kUnknownScore;
            return truth(item) >= intervals.lower(item, c) && truth(item) <= intervals.upper(item, c) ? 1.0F : 0.0F;
          },
          [&](graph::Node item) { return intervals.upper(item, c) - intervals.lower(item, c); }));
  }
  return all;
}

double error_correlation(const data::Labels& labels, const Matrix& predictions, const Matrix& deviations,
                         std::span<const graph::Node> items, Eigen::Index target) {
  std::vector<double> errors, spreads;
  for (const graph::Node item : items) {
    const double error = std::abs(labels.targets(item, target) - predictions(item, target));
    if (std::isnan(error) || std::isnan(deviations(item, target))) continue;
    errors.push_back(error);
    spreads.push_back(deviations(item, target));
  }
  return rank_correlation(errors, spreads);
}

}  // namespace edgewise::train
