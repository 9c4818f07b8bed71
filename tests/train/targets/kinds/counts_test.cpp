#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/train/targets/evaluate.hpp"
#include "edgewise/train/targets/targets.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

const Target& counts() { return *find_target("counts"); }

data::Labels labels_of(std::initializer_list<float> values) {
  data::Labels labels{.task = counts().task(), .names = {"visits"}, .classes = {}, .targets = {}};
  labels.targets = Eigen::Map<const Matrix>(values.begin(), static_cast<Eigen::Index>(values.size()), 1);
  return labels;
}

}  // namespace

TEST_CASE("outputs of counts are the logarithms of rates in units of the mean", "[train][counts]") {
  const data::Labels labels = labels_of({1, 0, std::numeric_limits<float>::quiet_NaN(), 8});
  const data::TargetScaler scaler = counts().fit_scaler(labels, std::vector<graph::Node>{0, 1, 2, 3});
  CHECK(scaler.transform(labels.targets)(3, 0) == Approx(8 / 3.0));
  Matrix outputs(3, 1);
  outputs << 0, std::log(2.0F), -1000;
  Matrix rates = counts().predictions(outputs, scaler);
  CHECK(rates(0, 0) == Approx(3));
  CHECK(rates(1, 0) == Approx(6));
  CHECK(counts().deviations(outputs, scaler)(1, 0) == Approx(std::sqrt(6)));
  counts().clamp_predictions(rates);
  CHECK(rates(2, 0) > 0);
  const data::Labels zeros = labels_of({0, 0});
  CHECK(counts().predictions(outputs, counts().fit_scaler(zeros, std::vector<graph::Node>{0, 1}))(0, 0) == 1);
}

TEST_CASE("the deviance of counts is that of scikit-learn", "[train][counts]") {
  const json::Value golden = json::parse_file(EDGEWISE_SOURCE_DIR "/tests/golden/counts.json");
  const json::Array& rows = golden.at("counts").as_array();
  const auto size = static_cast<Eigen::Index>(rows.size());
  data::Labels labels{.task = counts().task(), .names = {"a", "b"}, .classes = {}, .targets = {}};
  labels.targets.resize(size, 2);
  Matrix rates(size, 2);
  std::vector<graph::Node> items;
  for (Eigen::Index row = 0; row < size; ++row) {
    const auto i = static_cast<std::size_t>(row);
    for (Eigen::Index column = 0; column < 2; ++column) {
      const auto c = static_cast<std::size_t>(column);
      labels.targets(row, column) = static_cast<float>(rows[i].as_numbers()[c]);
      rates(row, column) = std::exp(static_cast<float>(golden.at("logs").as_array()[i].as_numbers()[c]));
    }
    items.push_back(static_cast<graph::Node>(row));
  }
  const std::vector<double> expected = golden.at("deviance").as_numbers();
  const std::vector<TargetMetrics> found = evaluate_targets(labels, rates, items);
  CHECK(metric(found[0].metrics, "deviance") == Approx(expected[0]));
  CHECK(metric(found[1].metrics, "deviance") == Approx(expected[1]));
  const Metrics of_both = evaluate(labels, rates, items);
  CHECK(metric(of_both, "deviance") == Approx((expected[0] + expected[1]) / 2));
  CHECK(of_both.size() == 4);
  CHECK(std::isnan(metric(evaluate(labels, rates, {}), "deviance")));
  CHECK(metric(evaluate(labels, labels.targets, items), "deviance") == Approx(0).margin(1e-9));
  CHECK(counts().default_metric(labels) == "deviance");
}

TEST_CASE("counts refuse options of other tasks", "[train][counts]") {
  const data::Labels labels = labels_of({1, 2});
  const std::vector<graph::Node> known = {0, 1};
  CHECK_THROWS_WITH(counts().make_loss(labels, known, {.loss = "huber"}), Contains("for regression, not for counts"));
  CHECK_THROWS_WITH(counts().make_loss(labels, known, {.label_smoothing = 0.1}), Contains("is for classes"));
  CHECK_THROWS_WITH(counts().make_loss(labels, known, {.class_weights = {ClassWeights::Kind::balanced, {}}}),
                    Contains("counts have no classes"));
  CHECK_NOTHROW(counts().make_loss(labels, known, {}));
}

TEST_CASE("many zeros among counts are noted", "[train][counts]") {
  data::Labels labels = labels_of({1});
  labels.targets = Matrix::Zero(100, 1);
  for (Eigen::Index row = 0; row < 30; ++row) labels.targets(row, 0) = 10;
  REQUIRE(counts().notes(labels).size() == 1);  // mean 3, variance 21: gamma rates of shape 1/2
  CHECK_THAT(counts().notes(labels)[0], Contains("\"visits\" is 0 in 70 % of the items") && Contains("are 0 in 38 %"));
  for (Eigen::Index row = 0; row < 100; ++row) labels.targets(row, 0) = static_cast<float>(row % 5);
  CHECK(counts().notes(labels).empty());  // 20 % zeros of mean 2
}
