#include "edgewise/train/loop/curves.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/train/targets/metrics.hpp"

using namespace edgewise;
using namespace edgewise::train;

namespace {

constexpr float kUnknownValue = std::numeric_limits<float>::quiet_NaN();

json::Value golden_file(const std::string& name) {
  return json::parse_file(EDGEWISE_SOURCE_DIR "/tests/golden/" + name);
}

Matrix numbers_of(const json::Value& rows) {
  const json::Array& all = rows.as_array();
  Matrix result(static_cast<Eigen::Index>(all.size()), static_cast<Eigen::Index>(all.front().as_array().size()));
  for (Eigen::Index i = 0; i < result.rows(); ++i) {
    const std::vector<double> row = all[static_cast<std::size_t>(i)].as_numbers();
    for (Eigen::Index j = 0; j < result.cols(); ++j)
      result(i, j) = static_cast<float>(row[static_cast<std::size_t>(j)]);
  }
  return result;
}

std::vector<graph::Node> first_items(std::size_t count) {
  std::vector<graph::Node> items(count);
  std::iota(items.begin(), items.end(), graph::Node{0});
  return items;
}

data::Labels classes_of(std::vector<std::int32_t> truth, std::size_t classes) {
  data::Labels labels;
  labels.classes = std::move(truth);
  for (std::size_t i = 0; i < classes; ++i) labels.names.push_back("class " + std::to_string(i));
  return labels;
}

data::Labels multilabels_of(Matrix truth) {
  data::Labels labels;
  labels.task = data::Task::multilabel;
  for (Eigen::Index i = 0; i < truth.cols(); ++i) labels.names.push_back("label " + std::to_string(i));
  labels.targets = std::move(truth);
  return labels;
}

void check_rankings(const data::Labels& labels, const Matrix& predictions, const json::Value& expected) {
  const auto items = first_items(static_cast<std::size_t>(predictions.rows()));
  for (std::size_t column = 0; column < labels.names.size(); ++column) {
    CAPTURE(column);
    const json::Value& one = expected.as_array()[column];
    const RankingCurve curve = ranking_curve(labels, predictions, column, items);
    if (one.is_null()) {
      CHECK(curve.points.empty());
      CHECK(std::isnan(curve.roc_auc));
      continue;
    }
    const std::vector<double> recall = one.at("recall").as_numbers(), precision = one.at("precision").as_numbers();
    const std::vector<double> rate = one.at("false_positive_rate").as_numbers();
    REQUIRE(curve.points.size() == recall.size());
    CHECK(curve.roc_auc == Approx(one.at("roc_auc").as_number()));
    CHECK(curve.average_precision == Approx(one.at("average_precision").as_number()));
    for (std::size_t i = 0; i < recall.size(); ++i) {
      CHECK(curve.points[i].recall == Approx(recall[i]));
      CHECK(curve.points[i].false_positive_rate == Approx(rate[i]).margin(1e-12));
      CHECK(curve.points[i].precision == Approx(precision[i]).margin(1e-12));
    }
  }
}

void check_reliability(const Reliability& found, const json::Value& expected) {
  CHECK(found.expected_error == Approx(expected.at("expected_error").as_number()).epsilon(1e-6));
  const std::vector<double> counts = expected.at("decisions").as_numbers();
  const std::vector<double> accuracy = expected.at("accuracy").as_numbers();
  const std::vector<double> confidence = expected.at("confidence").as_numbers();
  REQUIRE(found.bins.size() == counts.size());
  std::size_t known = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    CAPTURE(i);
    CHECK(found.bins[i].decisions == static_cast<std::int64_t>(counts[i]));
    CHECK(std::isnan(found.bins[i].accuracy) == (counts[i] == 0));
    if (counts[i] == 0) continue;
    CHECK(found.bins[i].accuracy == Approx(accuracy[known]));
    CHECK(found.bins[i].confidence == Approx(confidence[known]).epsilon(1e-6));
    ++known;
  }
}

}  // namespace

TEST_CASE("curves of classes agree with scikit-learn", "[train][curves]") {
  const json::Value given = golden_file("metrics.json"), expected = golden_file("curves.json");
  const json::Array& cases = given.at("classification").as_array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    const Matrix predictions = numbers_of(cases[i].at("probabilities"));
    std::vector<std::int32_t> truth;
    for (const double label : cases[i].at("truth").as_numbers()) truth.push_back(static_cast<std::int32_t>(label));
    const data::Labels labels = classes_of(truth, static_cast<std::size_t>(predictions.cols()));
    const json::Value& one = expected.at("classification").as_array()[i];
    check_rankings(labels, predictions, one.at("rankings"));
    check_reliability(reliability(labels, predictions, first_items(truth.size())), one.at("reliability"));
  }
}

TEST_CASE("curves of labels agree with scikit-learn", "[train][curves]") {
  const json::Value given = golden_file("metrics.json").at("multilabel");
  const json::Value expected = golden_file("curves.json").at("multilabel");
  const Matrix predictions = numbers_of(given.at("probabilities"));
  const data::Labels labels = multilabels_of(numbers_of(given.at("truth")));
  check_rankings(labels, predictions, expected.at("rankings"));
  check_reliability(reliability(labels, predictions, first_items(40)), expected.at("reliability"));
}

TEST_CASE("a ranking curve by hand", "[train][curves]") {
  // Scores 0.9 (positive), 0.5 (positive and negative), 0.1 (negative); the last item is unknown.
  const data::Labels labels = classes_of({1, 1, 0, 0, -1}, 2);
  Matrix predictions(5, 2);
  predictions << 0.1F, 0.9F, 0.5F, 0.5F, 0.5F, 0.5F, 0.9F, 0.1F, 0.0F, 1.0F;
  const RankingCurve curve = ranking_curve(labels, predictions, 1, first_items(5));
  CHECK(curve.positives == 2);
  CHECK(curve.negatives == 2);
  REQUIRE(curve.points.size() == 3);
  CHECK(curve.points[0].recall == 0.5);
  CHECK(curve.points[0].false_positive_rate == 0);
  CHECK(curve.points[0].precision == 1);
  CHECK(curve.points[1].recall == 1);
  CHECK(curve.points[1].false_positive_rate == 0.5);
  CHECK(curve.points[1].precision == Approx(2.0 / 3));
  CHECK(curve.points[2].false_positive_rate == 1);
  CHECK(positive_counts(labels, first_items(5)) == std::vector<std::int64_t>{2, 2});
}

TEST_CASE("curves without both sides, and of scores that are not numbers, have no points", "[train][curves]") {
  Matrix predictions(2, 2);
  predictions << 0.4F, 0.6F, 0.3F, 0.7F;
  CHECK(ranking_curve(classes_of({1, 1}, 2), predictions, 1, first_items(2)).points.empty());
  CHECK(ranking_curve(classes_of({-1, -1}, 2), predictions, 1, first_items(2)).points.empty());
  const Reliability nothing = reliability(classes_of({-1, -1}, 2), predictions, first_items(2));
  CHECK(std::isnan(nothing.expected_error));
  CHECK(nothing.bins.front().decisions == 0);
  predictions(1, 0) = kUnknownValue;
  const data::Labels both = classes_of({1, 0}, 2);
  CHECK(ranking_curve(both, predictions, 0, first_items(2)).points.empty());
  CHECK(std::isnan(reliability(both, predictions, first_items(2)).expected_error));
}

TEST_CASE("labels and predictions of curves must fit", "[train][curves]") {
  const data::Labels labels = classes_of({1, 0}, 2);
  const Matrix narrow = Matrix::Constant(2, 1, 0.5F), fine = Matrix::Constant(2, 2, 0.5F);
  CHECK_THROWS_AS(ranking_curve(labels, narrow, 0, first_items(2)), UsageError);
  CHECK_THROWS_AS(reliability(labels, narrow, first_items(2)), UsageError);
  CHECK_THROWS_AS(reliability(labels, fine, first_items(3)), UsageError);
  data::Labels numbers = multilabels_of(Matrix::Constant(2, 2, 0.5F));
  numbers.task = data::Task::regression;
  CHECK_THROWS_AS(reliability(numbers, fine, first_items(2)), UsageError);
}

TEST_CASE("the ends of a histogram belong to it", "[train][curves]") {
  const std::vector<float> values = {0, 0.24F, 0.25F, 1, 1.5F, -1, kUnknownValue};
  CHECK(histogram(values, 0, 1, 4) == std::vector<std::int64_t>{2, 1, 0, 1});
  CHECK(histogram(std::vector<float>{3, 3}, 3, 3, 2) == std::vector<std::int64_t>{2, 0});
}
