#include "edgewise/train/model/calibration.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

struct Predicted {
  data::Labels labels;
  Matrix predictions;
  Matrix deviations = {};
  std::vector<graph::Node> first, second;  ///< Two halves, which are exchangeable.
};

void halve(std::size_t items, Predicted& made) {
  for (graph::Node item = 0; item < items; ++item) (item % 2 == 0 ? made.first : made.second).push_back(item);
}

/// Three classes with probabilities that are right; shown as softmax(sharpness * logits).
Predicted classes(std::size_t items, double sharpness) {
  Random random(5, Stream::generate);
  Predicted made;
  made.labels.names = {"a", "b", "c"};
  made.predictions.resize(static_cast<Eigen::Index>(items), 3);
  for (std::size_t item = 0; item < items; ++item) {
    Eigen::Array3d logits;
    for (double& logit : logits) logit = 1.5 * random.normal();
    const Eigen::Array3d truth = logits.exp() / logits.exp().sum();
    const Eigen::Array3d shown = (sharpness * logits).exp() / (sharpness * logits).exp().sum();
    const double drawn = random.uniform();
    made.labels.classes.push_back(drawn < truth[0] ? 0 : drawn < truth[0] + truth[1] ? 1 : 2);
    made.predictions.row(static_cast<Eigen::Index>(item)) = shown.cast<float>().matrix();
  }
  halve(items, made);
  return made;
}

/// Values with errors of deviation `1 + spread`, where the spread of an ensemble shows a tenth of it.
Predicted values(std::size_t items) {
  Random random(6, Stream::generate);
  Predicted made;
  made.labels.task = data::Task::regression;
  made.labels.names = {"y"};
  const auto rows = static_cast<Eigen::Index>(items);
  made.predictions.resize(rows, 1);
  made.deviations.resize(rows, 1);
  made.labels.targets.resize(rows, 1);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const double spread = 4 * random.uniform();
    made.predictions(row, 0) = static_cast<float>(10 * random.normal());
    made.deviations(row, 0) = static_cast<float>(0.1 * spread);
    made.labels.targets(row, 0) =
        made.predictions(row, 0) + static_cast<float>(std::sqrt(1 + spread * spread) * random.normal());
  }
  halve(items, made);
  return made;
}

double log_loss(const Predicted& made, const Matrix& predictions) {
  double loss = 0;
  for (const graph::Node item : made.second) loss -= std::log(predictions(item, made.labels.classes[item]));
  return loss / static_cast<double>(made.second.size());
}

}  // namespace

TEST_CASE("a temperature makes probabilities come true and keeps their order", "[train][calibration]") {
  for (const double sharpness : {0.3, 3.0}) {
    const Predicted made = classes(4000, sharpness);
    const Calibration calibration = Calibration::fit(made.labels, made.predictions, {}, made.first);
    CHECK(calibration.items() == made.first.size());
    Matrix calibrated = made.predictions;
    calibration.apply(calibrated, nullptr);
    CHECK(log_loss(made, calibrated) < log_loss(made, made.predictions) - 0.02);
    CHECK(log_loss(made, calibrated) == Approx(log_loss(made, classes(4000, 1).predictions)).margin(0.01));
    for (Eigen::Index row = 0; row < calibrated.rows(); ++row) {
      Eigen::Index before = 0, after = 0;
      made.predictions.row(row).maxCoeff(&before);
      calibrated.row(row).maxCoeff(&after);
      CHECK(before == after);
      CHECK(calibrated.row(row).sum() == Approx(1));
    }
  }
}

TEST_CASE("probabilities that are right, or that few items contradict, stay as they are", "[train][calibration]") {
  for (const auto& [items, sharpness] : {std::pair(std::size_t{4000}, 1.0), std::pair(std::size_t{8}, 1.2)}) {
    const Predicted made = classes(items, sharpness);
    Matrix calibrated = made.predictions;
    Calibration::fit(made.labels, made.predictions, {}, made.first).apply(calibrated, nullptr);
    CHECK(calibrated.isApprox(made.predictions, 0.05F));
  }
  CHECK(Calibration::fit(classes(10, 1).labels, classes(10, 1).predictions, {}, {}).is_empty());
}

TEST_CASE("sets hold the share of truths that is asked for", "[train][calibration]") {
  const Predicted made = classes(6000, 2);
  const Calibration calibration = Calibration::fit(made.labels, made.predictions, {}, made.first);
  Matrix calibrated = made.predictions;
  calibration.apply(calibrated, nullptr);
  for (const double level : {0.8, 0.9, 0.95}) {
    const Coverage held = coverage(made.labels, calibration.intervals(calibrated, {}, level), made.second).front();
    CHECK(held.share == Approx(level).margin(0.025));
    CHECK(held.size > 1);
    CHECK(held.size < 3);
  }
}

TEST_CASE("deviations are scaled and intervals hold the share that is asked for", "[train][calibration]") {
  Predicted made = values(6000);
  const Calibration calibration = Calibration::fit(made.labels, made.predictions, made.deviations, made.first);
  calibration.apply(made.predictions, &made.deviations);
  std::size_t within = 0;
  for (const graph::Node item : made.second)
    within += std::abs(made.labels.targets(item, 0) - made.predictions(item, 0)) < 2 * made.deviations(item, 0) ? 1 : 0;
  CHECK(static_cast<double>(within) / static_cast<double>(made.second.size()) == Approx(0.954).margin(0.02));
  CHECK(error_correlation(made.labels, made.predictions, made.deviations, made.second, 0) > 0.2);
  const Coverage scaled =
      coverage(made.labels, calibration.intervals(made.predictions, made.deviations, 0.9), made.second).front();
  CHECK(scaled.share == Approx(0.9).margin(0.02));
  const Predicted plain = values(6000);
  const Calibration constant = Calibration::fit(plain.labels, plain.predictions, {}, plain.first);
  const Coverage wide = coverage(plain.labels, constant.intervals(plain.predictions, {}, 0.9), plain.second).front();
  CHECK(wide.share == Approx(0.9).margin(0.02));
  CHECK(scaled.size < wide.size);  // where the spread says something, intervals are tighter
}

TEST_CASE("uncertainty inputs make deviations where they tell how far predictions err", "[train][calibration]") {
  Predicted made = values(6000);
  const Matrix inputs = 10 * made.deviations;  // the spread that the errors have
  const Calibration calibration = Calibration::fit(made.labels, made.predictions, {}, made.first, inputs);
  Matrix deviations;
  calibration.apply(made.predictions, &deviations, inputs);
  REQUIRE(deviations.rows() == 6000);
  for (Eigen::Index row = 0; row < 6000; row += 100)
    CHECK(deviations(row, 0) == Approx(std::sqrt(1 + inputs(row, 0) * inputs(row, 0))).epsilon(0.15));
  CHECK(error_correlation(made.labels, made.predictions, deviations, made.second, 0) > 0.2);

  Matrix noise = inputs;
  Random random(8, Stream::generate);
  for (float& value : noise.reshaped()) value = static_cast<float>(random.uniform());
  Matrix both(6000, 2), found = made.deviations;
  both << noise, inputs;
  const Calibration all = Calibration::fit(made.labels, made.predictions, made.deviations, made.first, both);
  all.apply(made.predictions, &found, both);
  CHECK((found - deviations).cwiseAbs().mean() < 0.1F);  // of three sources those that tell
  const Coverage held = coverage(made.labels, all.intervals(made.predictions, found, 0.9), made.second).front();
  CHECK(held.share == Approx(0.9).margin(0.02));

  Matrix again = made.deviations;
  Calibration::from_json(all.to_json(), data::Task::regression, 1).apply(made.predictions, &again, both);
  CHECK(again == found);
}

TEST_CASE("uncertainty inputs of few items say nothing", "[train][calibration]") {
  Predicted made = values(40);
  const Matrix inputs = 10 * made.deviations;
  Matrix deviations;
  Calibration::fit(made.labels, made.predictions, {}, made.first, inputs).apply(made.predictions, &deviations, inputs);
  CHECK(deviations.size() == 0);
}

TEST_CASE("calibrations of an earlier version are read", "[train][calibration]") {
  const json::Value value = json::parse(
      R"({"items": 20, "temperatures": [], "scale": [2], "constant": [3], "scores": [[0.5, 1]]})", "file");
  Matrix predictions = Matrix::Zero(2, 1), deviations(2, 1);
  deviations << 0, 4;
  Calibration::from_json(value, data::Task::regression, 1).apply(predictions, &deviations);
  CHECK(deviations(0, 0) == Approx(6));
  CHECK(deviations(1, 0) == Approx(10));
  json::Value wrong = Calibration::from_json(value, data::Task::regression, 1).to_json();
  wrong.set("variances", json::Array{json::Array{1, -1}});
  CHECK_THROWS_AS(Calibration::from_json(wrong, data::Task::regression, 1), ModelError);
  wrong.set("variances", json::Array{json::Array{1, 1}, json::Array{1, 1}});
  CHECK_THROWS_AS(Calibration::from_json(wrong, data::Task::regression, 1), ModelError);
}

TEST_CASE("each label has its own temperature and its own sets", "[train][calibration]") {
  Random random(7, Stream::generate);
  data::Labels labels{.task = data::Task::multilabel, .names = {"x", "y"}, .classes = {}, .targets = {}};
  Matrix predictions(4000, 2);
  labels.targets.resize(4000, 2);
  std::vector<graph::Node> first, second;
  for (graph::Node row = 0; row < 4000; ++row) {
    (row % 2 == 0 ? first : second).push_back(row);
    for (Eigen::Index label = 0; label < 2; ++label) {
      const double x = 2 * random.normal(), sharpness = label == 0 ? 3 : 1;
      labels.targets(row, label) = random.uniform() < 1 / (1 + std::exp(-x)) ? 1 : 0;
      predictions(row, label) = static_cast<float>(1 / (1 + std::exp(-sharpness * x)));
    }
  }
  labels.targets(4, 1) = kNone;
  const Calibration calibration = Calibration::fit(labels, predictions, {}, first);
  Matrix calibrated = predictions;
  calibration.apply(calibrated, nullptr);
  CHECK(calibrated.col(1) == predictions.col(1));
  CHECK(calibrated.col(0).maxCoeff() < predictions.col(0).maxCoeff());
  for (Eigen::Index row = 0; row < 4000; ++row) CHECK((calibrated(row, 0) > 0.5F) == (predictions(row, 0) > 0.5F));
  for (const Coverage& held : coverage(labels, calibration.intervals(calibrated, {}, 0.9), second)) {
    CHECK(held.share == Approx(0.9).margin(0.025));
    CHECK(held.size > 1);
  }
}

TEST_CASE("a level that the validation items cannot give is refused", "[train][calibration]") {
  const Predicted made = classes(40, 1);
  const Calibration calibration = Calibration::fit(made.labels, made.predictions, {}, made.first);
  CHECK_NOTHROW(calibration.intervals(made.predictions, {}, 0.95));
  CHECK_THROWS_WITH(calibration.intervals(made.predictions, {}, 0.99),
                    Contains("a level of 0.99 needs 99 validation items or more, but there were 20"));
  for (const double level : {0.0, 1.0, -1.0, 2.0, std::nan("")})
    CHECK_THROWS_AS(calibration.intervals(made.predictions, {}, level), UsageError);
  CHECK_THROWS_WITH(Calibration().intervals(made.predictions, {}, 0.9), Contains("needs validation items"));
}

TEST_CASE("rows without a prediction have no interval", "[train][calibration]") {
  Predicted made = values(100);
  made.predictions(1, 0) = made.deviations(1, 0) = kNone;
  const Calibration calibration = Calibration::fit(made.labels, made.predictions, made.deviations, made.first);
  calibration.apply(made.predictions, &made.deviations);
  const Intervals intervals = calibration.intervals(made.predictions, made.deviations, 0.9);
  CHECK(std::isnan(intervals.lower(1, 0)));
  CHECK(intervals.lower(0, 0) < intervals.upper(0, 0));
}

TEST_CASE("a calibration is restored from JSON, and damage is refused", "[train][calibration]") {
  const Predicted made = classes(3000, 2);
  const Calibration calibration = Calibration::fit(made.labels, made.predictions, {}, made.first);
  const json::Value saved = calibration.to_json();
  const Calibration restored = Calibration::from_json(saved, data::Task::classification, 3);
  CHECK(json::dump(restored.to_json()) == json::dump(saved));
  CHECK(restored.intervals(made.predictions, {}, 0.9).sets == calibration.intervals(made.predictions, {}, 0.9).sets);
  CHECK_THROWS_AS(Calibration::from_json(saved, data::Task::multilabel, 2), ModelError);
  for (const char* damage : {R"({"items": 0})", R"({"temperatures": [-1]})", R"({"temperatures": [1, 1]})",
                             R"({"scores": [[3, 2]]})", R"({"scores": [[-1]]})", R"({"scores": []})"}) {
    json::Value bad = saved;
    const json::Value change = json::parse(damage, "damage");
    for (const auto& [name, value] : change.as_object()) bad.set(name, value);
    CHECK_THROWS_AS(Calibration::from_json(bad, data::Task::classification, 3), Error);
  }
}

TEST_CASE("models that agree everywhere, and a perfect fit, still have intervals", "[train][calibration]") {
  Predicted made = values(100);
  made.deviations.setZero();
  for (const bool is_perfect : {false, true}) {
    if (is_perfect) made.labels.targets = made.predictions;
    const Calibration calibration = Calibration::fit(made.labels, made.predictions, made.deviations, made.first);
    const Calibration restored =
        Calibration::from_json(json::parse(json::dump(calibration.to_json()), "c"), data::Task::regression, 1);
    Matrix deviations = made.deviations;
    restored.apply(made.predictions, &deviations);
    const Intervals intervals = restored.intervals(made.predictions, deviations, 0.9);
    const Coverage held = coverage(made.labels, intervals, made.second).front();
    CHECK(held.share >= 0.8);
    CHECK(std::isfinite(held.size));
  }
}

TEST_CASE("no probability that is changed becomes certain", "[train][calibration]") {
  data::Labels labels{.task = data::Task::multilabel, .names = {"x"}, .classes = {}, .targets = Matrix(200, 1)};
  Matrix predictions(200, 1);
  std::vector<graph::Node> items(200);
  std::iota(items.begin(), items.end(), graph::Node{0});
  for (Eigen::Index row = 0; row < 200; ++row) {
    labels.targets(row, 0) = row % 2 == 0 ? 1 : 0;
    predictions(row, 0) = row == 0 ? 1 : row % 2 == 0 ? 0.6F : 0.4F;
  }
  const Calibration calibration = Calibration::fit(labels, predictions, {}, items);
  REQUIRE(calibration.changes_predictions());
  calibration.apply(predictions, nullptr);
  CHECK(predictions.maxCoeff() < 1);
  CHECK(predictions.minCoeff() > 0);
}
