#include "edgewise/train/targets/link_metrics.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"

using namespace edgewise;
using namespace edgewise::train;

namespace {

constexpr float kNobody = std::numeric_limits<float>::quiet_NaN();

/// Predictions with many equal ones; a few candidates are missing, and some ends have none.
Matrix random_predictions(Eigen::Index ties, Eigen::Index count) {
  Random random(4, Stream::generate);
  Matrix predictions(ties, 1 + 2 * count);
  for (Eigen::Index i = 0; i < ties; ++i)
    for (Eigen::Index j = 0; j < predictions.cols(); ++j) {
      predictions(i, j) = static_cast<float>(random.below(8)) / 8;
      if (j > 0 && random.uniform() < 0.1) predictions(i, j) = kNobody;
      if (j > count && i % 6 == 0) predictions(i, j) = kNobody;
    }
  return predictions;
}

struct Sums {
  double mrr = 0, hits_1 = 0, hits_3 = 0, hits_10 = 0, ends = 0;
};

/// A naive rank: the mean of the first and the last place that a tie could have among equals.
void add_end(const Matrix& predictions, Eigen::Index row, Eigen::Index begin, Eigen::Index end, Sums& sums) {
  double first = 1, last = 1;
  int all = 0;
  for (Eigen::Index j = begin; j < end; ++j) {
    if (predictions(row, j) > predictions(row, 0)) ++first;
    if (predictions(row, j) >= predictions(row, 0)) ++last;
    if (!std::isnan(predictions(row, j))) ++all;
  }
  if (all == 0) return;
  const double rank = (first + last) / 2;
  sums.mrr += 1 / rank;
  sums.hits_1 += rank <= 1.5;
  sums.hits_3 += rank <= 3.5;
  sums.hits_10 += rank <= 10.5;
  ++sums.ends;
}

/// The share of pairs of a tie and a first candidate in the right order.
double naive_auc(const Matrix& predictions, const std::vector<graph::Node>& ties) {
  double right = 0, pairs = 0;
  for (const graph::Node tie : ties)
    for (const graph::Node other : ties)
      for (const Eigen::Index column : {Eigen::Index{1}, 1 + predictions.cols() / 2}) {
        const float candidate = predictions(other, column), score = predictions(tie, 0);
        if (std::isnan(candidate)) continue;
        right += score > candidate ? 1 : score == candidate ? 0.5 : 0;
        ++pairs;
      }
  return right / pairs;
}

}  // namespace

TEST_CASE("Metrics of ties agree with naive counts", "[train][link_metrics]") {
  constexpr Eigen::Index kTies = 60;
  for (const Eigen::Index count : {1, 4, 30}) {
    const Matrix predictions = random_predictions(kTies, count);
    std::vector<graph::Node> ties;
    for (graph::Node tie = 0; tie < kTies; tie += 2) ties.push_back(tie);
    Sums sums;
    for (const graph::Node tie : ties) {
      add_end(predictions, tie, 1, 1 + count, sums);
      add_end(predictions, tie, 1 + count, 1 + 2 * count, sums);
    }
    const Metrics found = link_metrics(predictions, ties);
    CHECK(metric(found, "mrr") == Approx(sums.mrr / sums.ends));
    CHECK(metric(found, "hits_at_1") == Approx(sums.hits_1 / sums.ends));
    CHECK(metric(found, "hits_at_3") == Approx(sums.hits_3 / sums.ends));
    CHECK(metric(found, "hits_at_10") == Approx(sums.hits_10 / sums.ends));
    CHECK(metric(found, "roc_auc") == Approx(naive_auc(predictions, ties)));
  }
}

TEST_CASE("Metrics of ties, by hand", "[train][link_metrics]") {
  Matrix predictions(2, 5);
  predictions << 0.5F, 0.5F, 0.1F, 0.9F, 0.8F,  // ranks 1.5 and 3
      0.7F, kNobody, 0.2F, kNobody, kNobody;          // rank 1, and an end that does not count
  const Metrics found = link_metrics(predictions, std::vector<graph::Node>{0, 1});
  CHECK(metric(found, "mrr") == Approx((1 / 1.5 + 1 / 3.0 + 1) / 3));
  CHECK(metric(found, "hits_at_1") == Approx(2 / 3.0));
  CHECK(metric(found, "hits_at_3") == 1);
  // Ties 0.7 and 0.5 against the candidates 0.9 and 0.5.
  CHECK(metric(found, "roc_auc") == Approx(1.5 / 4));
  CHECK(metric(found, "average_precision") == Approx(0.5 * 0.5 + 0.5 * 0.5));
}

TEST_CASE("Ties without candidates and without predictions have no metrics", "[train][link_metrics]") {
  Matrix predictions(2, 3);
  predictions << 0.5F, kNobody, kNobody, kNobody, 0.2F, 0.1F;
  for (const graph::Node tie : {0, 1})
    for (const auto& [name, value] : link_metrics(predictions, std::vector<graph::Node>{tie})) {
      INFO(name << " of tie " << tie);
      CHECK(std::isnan(value));
    }
  for (const auto& [name, value] : link_metrics(Matrix::Ones(1, 1), std::vector<graph::Node>{0}))
    CHECK(std::isnan(value));
  for (const auto& [name, value] : link_metrics(predictions, {})) CHECK(std::isnan(value));
  CHECK_THROWS_AS(link_metrics(Matrix::Ones(1, 2), {}), UsageError);
  CHECK_THROWS_AS(link_metrics(predictions, std::vector<graph::Node>{2}), UsageError);
}
