#include "edgewise/train/loop/objective.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using train::ClassWeights;
using train::Objective;
using train::TrainOptions;

namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

data::Labels classes(std::vector<std::int32_t> values) {
  data::Labels labels;
  labels.names = {"no", "yes"};
  labels.classes = std::move(values);
  return labels;
}

double loss_of(const Objective& objective, const Matrix& outputs, std::vector<graph::Node> nodes) {
  autograd::Tape tape(false);
  return objective.loss(tape.constant(outputs), nodes).value()(0, 0);
}

TrainOptions weighted(ClassWeights weights) {
  TrainOptions options;
  options.class_weights = std::move(weights);
  return options;
}

}  // namespace

TEST_CASE("classification: cross-entropy, balanced weights, accuracy", "[train][objective]") {
  const data::Labels labels = classes({0, 0, 0, 1, -1});
  const std::vector<graph::Node> all = {0, 1, 2, 3, 4};
  Matrix outputs(5, 2);
  outputs << 0, 0, 0, 0, 0, 0, 0, 0, 9, -9;
  const Objective plain(labels, all, {});
  CHECK(loss_of(plain, outputs, all) == Approx(std::log(2)));
  outputs.row(3) << 1, 0;
  const double wrong = std::log(1 + std::exp(1));
  CHECK(loss_of(plain, outputs, all) == Approx((3 * std::log(2) + wrong) / 4));
  // Balanced: 4 / (2 * 3) for each "no", 4 / (2 * 1) for "yes": both classes have the same weight.
  const Objective balanced(labels, all, weighted({ClassWeights::Kind::balanced, {}}));
  CHECK(loss_of(balanced, outputs, all) == Approx(0.5 * std::log(2) + 0.5 * wrong));
  CHECK(plain.metric() == "accuracy");
  CHECK(plain.score(outputs, all) == 0.75);
  CHECK(std::isnan(plain.score(outputs, std::vector<graph::Node>{4})));
}

TEST_CASE("multi-label: unknown labels count neither in the weights nor in the loss", "[train][objective]") {
  data::Labels labels;
  labels.task = data::Task::multilabel;
  labels.names = {"a", "b"};
  labels.targets.resize(4, 2);
  labels.targets << 1, 0, 0, kUnknown, 0, 1, kUnknown, kUnknown;
  const std::vector<graph::Node> all = {0, 1, 2, 3};
  CHECK(train::labelled(labels, all) == std::vector<graph::Node>{0, 1, 2});
  const Matrix outputs = Matrix::Zero(4, 2);
  CHECK(loss_of(Objective(labels, all, {}), outputs, all) == Approx(std::log(2)));
  // Label a has 1 positive and 2 negatives, b has one of each: weights 2 and 1, with 5 known entries.
  const Objective balanced(labels, all, weighted({ClassWeights::Kind::balanced, {}}));
  CHECK(loss_of(balanced, outputs, all) == Approx(6 * std::log(2) / 5));
  CHECK(balanced.metric() == "macro_f1");
}

TEST_CASE("regression: the loss uses scaled targets, the metric the original units", "[train][objective]") {
  data::Labels labels;
  labels.task = data::Task::regression;
  labels.names = {"views"};
  labels.targets.resize(4, 1);
  labels.targets << 10, 30, kUnknown, 50;
  const std::vector<graph::Node> train_nodes = {0, 1, 2};
  const Objective objective(labels, train_nodes, {});
  Matrix outputs(4, 1);
  outputs << -1, 1, 7, 3;  // mean 20, deviation 10
  CHECK(loss_of(objective, outputs, train_nodes) == Approx(0).margin(1e-9));
  CHECK(objective.metric() == "rmse");
  CHECK(objective.score(outputs, train_nodes) == Approx(0).margin(1e-5));
  outputs(0, 0) = 0;
  CHECK(objective.metric_of(objective.score(outputs, std::vector<graph::Node>{0})) == Approx(10));
  CHECK(objective.score(outputs, std::vector<graph::Node>{0}) < 0);
}

TEST_CASE("an objective refuses labels and options that do not fit its task", "[train][objective]") {
  const data::Labels labels = classes({0, 1, -1});
  const std::vector<graph::Node> unknown = {2};
  const std::vector<graph::Node> known = {0, 1};
  CHECK_THROWS_AS(Objective(labels, unknown, {}), DataError);
  CHECK_THROWS_WITH(Objective(labels, known, weighted({ClassWeights::Kind::given, {1, 2, 3}})),
                    Contains("expected 2 numbers, one for each of no, yes, got 3"));
  TrainOptions options;
  options.metric = "rmse";
  CHECK_THROWS_WITH(Objective(labels, known, options), Contains("expected one of accuracy"));
  data::Labels views;
  views.task = data::Task::regression;
  views.names = {"views"};
  views.targets = Matrix::Ones(3, 1);
  CHECK_THROWS_AS(Objective(views, known, weighted({ClassWeights::Kind::balanced, {}})), UsageError);
}

TEST_CASE("the default metric fits the labels", "[train][objective]") {
  data::Labels labels;
  labels.names = {"no", "yes"};
  labels.classes = {0, 1, 0, 1};
  CHECK(train::default_metric(labels) == "accuracy");
  labels.classes.resize(100, 0);
  CHECK(train::default_metric(labels) == "roc_auc");
  labels.task = data::Task::multilabel;
  labels.targets = Matrix::Identity(2, 2);
  CHECK(train::default_metric(labels) == "macro_f1");
  labels.targets = Matrix::Identity(40, 2);
  CHECK(train::default_metric(labels) == "roc_auc");
  labels.task = data::Task::regression;
  CHECK(train::default_metric(labels) == "relative_rmse");
  labels.names = {"one"};
  CHECK(train::default_metric(labels) == "rmse");
}

TEST_CASE("rows, targets and large errors count as they are told to", "[train][objective]") {
  data::Labels labels;
  labels.task = data::Task::regression;
  labels.names = {"a", "b"};
  labels.targets.resize(4, 2);
  labels.targets << -1, -1, 1, 1, -1, -1, 1, 1;  // mean 0, deviation 1
  const std::vector<graph::Node> all = {0, 1, 2, 3}, last = {2, 3};
  Matrix outputs = labels.targets;
  outputs(0, 0) += 3;
  outputs(3, 1) += 0.5F;
  CHECK(loss_of(Objective(labels, all, {}), outputs, all) == Approx((9 + 0.25) / 8));
  CHECK(loss_of(Objective(labels, all, {.loss = "huber"}), outputs, all) == Approx((5 + 0.25) / 8));
  CHECK(loss_of(Objective(labels, all, {.target_weights = {{"b", 3}}}), outputs, all) == Approx((9 + 3 * 0.25) / 16));
  Matrix with_variances = Matrix::Zero(4, 4);
  with_variances.leftCols(2) = outputs;
  CHECK(loss_of(Objective(labels, all, {.loss = "gaussian"}), with_variances, all) == Approx((9 + 0.25) / 16));
  labels.weights = {0, 1, 1, 2};
  const Objective weighted_rows(labels, all, {});
  CHECK(loss_of(weighted_rows, outputs, all) == Approx(2 * 0.25 / 8));
  train::BatchLabels batch;
  autograd::Tape tape(false);
  const Matrix of_last = outputs.bottomRows(2);
  CHECK(weighted_rows.loss(tape.constant(of_last), last, batch).value()(0, 0) == Approx(2 * 0.25 / 6));

  CHECK_THROWS_WITH(Objective(labels, all, {.target_weights = {{"c", 1}}}), Contains("no target \"c\""));
  CHECK_THROWS_WITH(Objective(labels, all, {.target_weights = {{"a", 0}, {"b", 0}}}), Contains("that counts"));
  CHECK_THROWS_WITH(Objective(classes({0, 1}), std::vector<graph::Node>{0, 1}, {.loss = "huber"}),
                    Contains("training.loss"));
  CHECK_THROWS_WITH(Objective(classes({0, 1}), std::vector<graph::Node>{0, 1}, {.target_weights = {{"no", 2}}}),
                    Contains("class_weights"));
}

TEST_CASE("classes of items that are ranked are judged by roc_auc", "[train][objective]") {
  data::Labels labels = classes({0, 1, 0, 1, 1});
  CHECK(train::default_metric(labels) == "accuracy");
  labels.are_ranked = true;
  CHECK(train::default_metric(labels) == "roc_auc");
  CHECK(train::checked_metric("accuracy", labels) == "accuracy");
  labels.task = data::Task::regression;
  labels.targets = Matrix::Zero(5, 1);
  labels.names = {"y"};
  CHECK(train::default_metric(labels) == "rmse");
}
