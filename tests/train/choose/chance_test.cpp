#include "edgewise/train/choose/chance.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "edgewise/core/random.hpp"
#include "edgewise/train/targets/metrics.hpp"

using namespace edgewise;
using namespace edgewise::train;

namespace {

std::vector<graph::Node> first(std::size_t count) {
  std::vector<graph::Node> items(count);
  std::iota(items.begin(), items.end(), graph::Node{0});
  return items;
}

}  // namespace

TEST_CASE("a sample knows the heavy tails of its targets", "[train][chance]") {
  data::Labels labels;
  labels.task = data::Task::regression;
  labels.names = {"even", "far"};
  labels.targets = Matrix::Zero(101, 2);
  labels.targets(7, 1) = 5;
  labels.targets.row(100).setConstant(std::numeric_limits<float>::quiet_NaN());
  CHECK(sample_of(labels, first(101)).items == 100);
  CHECK(sample_of(labels, first(101)).kurtosis == Approx(98.0101));
  CHECK(sample_of(labels, first(5)).kurtosis == 0);
}

TEST_CASE("a sample counts positives and negatives", "[train][chance]") {
  data::Labels labels;
  labels.names = {"no", "yes"};
  labels.classes = {0, 1, 0, -1, 1, 0};
  const Sample two = sample_of(labels, first(6));
  CHECK(two.items == 5);
  REQUIRE(two.labels.size() == 1);
  CHECK(two.labels[0].positives == 2);
  CHECK(two.labels[0].negatives == 3);

  labels.names = {"a", "b", "c", "d"};  // no item has class d, and one has class c
  labels.classes = {0, 1, 0, 2, 1, 0};
  const Sample four = sample_of(labels, first(6));
  REQUIRE(four.labels.size() == 3);
  CHECK(four.labels[2].positives == 1);
  CHECK(four.labels[2].negatives == 5);

  data::Labels many;
  many.task = data::Task::multilabel;
  many.names = {"x", "y"};
  many.targets.resize(4, 2);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  many.targets << 1, 1, 0, 1, nan, nan, 0, nan;
  const Sample some = sample_of(many, first(4));
  CHECK(some.items == 3);
  REQUIRE(some.labels.size() == 1);
  CHECK(some.labels[0].positives == 1);
  CHECK(some.labels[0].negatives == 2);

  many.task = data::Task::regression;
  CHECK(sample_of(many, first(4)).labels.empty());
}

TEST_CASE("chance is two standard errors", "[train][chance]") {
  CHECK(chance("rmse", 0.8, {200}) == Approx(0.08));
  CHECK(chance("rmse", 0.8, {.items = 200, .kurtosis = 9}) == Approx(0.08));
  CHECK(chance("rmse", 0.8, {.items = 200, .kurtosis = 51}) == Approx(0.4));
  CHECK(chance("r2", 0.2, {200}) == Approx(0.08));
  CHECK(chance("accuracy", 0.5, {400}) == Approx(0.05).epsilon(0.01));
  CHECK(chance("accuracy", 1.0, {10}) > 0.1);
  // Hanley and McNeil 1982, table II: an area of 0.893 with 51 abnormal and 58 normal images, standard error 0.032.
  CHECK(chance("roc_auc", 0.893, {109, {{51, 58}}}) / 2 == Approx(0.032).margin(0.002));
  CHECK(chance("roc_auc", 0.8, {4000, {{100, 3900}}}) > 3 * chance("roc_auc", 0.8, {4000, {{2000, 2000}}}));
  CHECK(chance("roc_auc", 0.8, {200, {{100, 100}, {100, 100}}}) ==
        Approx(chance("roc_auc", 0.8, {200, {{100, 100}}}) / std::sqrt(2)));
  CHECK(chance("average_precision", 0.5, {1000, {{100, 900}}}) == Approx(0.1).epsilon(0.02));
}

TEST_CASE("a lead is positive if the metric is better", "[train][chance]") {
  CHECK(lead("accuracy", 0.75, 0.5) == 0.25);
  CHECK(lead("rmse", 0.75, 0.5) == -0.25);
}

TEST_CASE("the spread of areas over samples agrees with chance()", "[train][chance]") {
  // Scores from two normal distributions 1.19 deviations apart, which gives an area of 0.8.
  constexpr int kSamples = 400;
  const Sample::Sides sides{.positives = 20, .negatives = 180};
  Random random(6, Stream::generate);
  double sum = 0, squares = 0;
  for (int i = 0; i < kSamples; ++i) {
    std::vector<float> scores;
    std::vector<std::uint8_t> positives;
    for (std::size_t k = 0; k < sides.positives + sides.negatives; ++k) {
      positives.push_back(k < sides.positives ? 1 : 0);
      scores.push_back(static_cast<float>(random.normal() + 1.19 * positives.back()));
    }
    const double area = roc_auc(scores, positives);
    sum += area;
    squares += area * area;
  }
  const double mean = sum / kSamples;
  const double deviation = std::sqrt(squares / kSamples - mean * mean);
  CHECK(mean == Approx(0.8).margin(0.01));
  const double error = chance("roc_auc", mean, {200, {sides}}) / 2;
  CHECK(error > deviation);  // the formula assumes exponential scores
  CHECK(error < 1.5 * deviation);
}
