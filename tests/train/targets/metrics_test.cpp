#include "edgewise/train/targets/metrics.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/train/targets/evaluate.hpp"

using namespace edgewise;
using namespace edgewise::train;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

json::Value golden() { return json::parse_file(EDGEWISE_SOURCE_DIR "/tests/golden/metrics.json"); }

Matrix matrix_of(const json::Value& rows) {
  Matrix result(static_cast<Eigen::Index>(rows.as_array().size()),
                static_cast<Eigen::Index>(rows.as_array()[0].as_array().size()));
  for (Eigen::Index i = 0; i < result.rows(); ++i)
    for (Eigen::Index j = 0; j < result.cols(); ++j)
      result(i, j) = static_cast<float>(
          rows.as_array()[static_cast<std::size_t>(i)].as_array()[static_cast<std::size_t>(j)].as_number());
  return result;
}

std::vector<graph::Node> all_nodes(std::size_t count) {
  std::vector<graph::Node> nodes(count);
  std::iota(nodes.begin(), nodes.end(), graph::Node{0});
  return nodes;
}

std::vector<std::string> class_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("class " + std::to_string(i));
  return names;
}

void check_against(const Metrics& metrics, const json::Value& expected) {
  for (const auto& [name, value] : metrics) {
    INFO(name);
    CHECK(value == Approx(expected.at(name).as_number()).epsilon(1e-6));
  }
}

}  // namespace

TEST_CASE("metrics of classes agree with scikit-learn", "[train][metrics]") {
  const json::Value all = golden();
  for (const json::Value& expected : all.at("classification").as_array()) {
    const Matrix probabilities = matrix_of(expected.at("probabilities"));
    data::Labels labels;
    labels.names = class_names(static_cast<std::size_t>(probabilities.cols()));
    for (const double label : expected.at("truth").as_numbers())
      labels.classes.push_back(static_cast<std::int32_t>(label));
    const auto nodes = all_nodes(labels.classes.size());
    check_against(evaluate(labels, probabilities, nodes), expected);

    const ConfusionMatrix confusion =
        confusion_matrix(labels.classes, predicted_classes(probabilities), labels.names.size(), nodes);
    CHECK(confusion.cast<float>() == matrix_of(expected.at("confusion")));
    const std::vector<ClassReport> reports = class_reports(
        class_counts(labels.classes, predicted_classes(probabilities), labels.names.size(), nodes));
    for (std::size_t c = 0; c < reports.size(); ++c) {
      CHECK(reports[c].precision == Approx(expected.at("precision").as_numbers()[c]));
      CHECK(reports[c].recall == Approx(expected.at("recall").as_numbers()[c]));
      CHECK(reports[c].f1 == Approx(expected.at("f1").as_numbers()[c]));
      CHECK(reports[c].support == static_cast<std::int64_t>(expected.at("support").as_numbers()[c]));
    }
  }
}

TEST_CASE("metrics of several labels and of numbers agree with scikit-learn", "[train][metrics]") {
  const json::Value all = golden();
  const json::Value& several = all.at("multilabel");
  data::Labels labels{.task = data::Task::multilabel, .names = class_names(3), .classes = {}, .targets = {}};
  labels.targets = matrix_of(several.at("truth"));
  check_against(evaluate(labels, matrix_of(several.at("probabilities")), all_nodes(40)), several);

  const json::Value& numbers = all.at("regression");
  data::Labels targets{.task = data::Task::regression, .names = class_names(2), .classes = {}, .targets = {}};
  targets.targets = matrix_of(numbers.at("truth"));
  check_against(evaluate(targets, matrix_of(numbers.at("predicted")), all_nodes(25)), numbers);
}

TEST_CASE("metrics of each target agree with scikit-learn", "[train][metrics]") {
  const json::Value all = golden();
  const auto check = [](const data::Labels& labels, const Matrix& predictions, const json::Value& expected) {
    const std::vector<TargetMetrics> targets =
        evaluate_targets(labels, predictions, all_nodes(static_cast<std::size_t>(predictions.rows())));
    const json::Array& rows = expected.at("targets").as_array();
    REQUIRE(targets.size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CHECK(targets[i].target == labels.names[i]);
      CHECK(targets[i].metrics.size() == rows[i].as_object().size());
      check_against(targets[i].metrics, rows[i]);
    }
  };
  data::Labels labels;
  labels.task = data::Task::multilabel;
  labels.targets = matrix_of(all.at("multilabel").at("truth"));
  labels.names = class_names(3);
  check(labels, matrix_of(all.at("multilabel").at("probabilities")), all.at("multilabel"));
  const json::Value& numbers = all.at("regression");
  labels.task = data::Task::regression;
  labels.targets = matrix_of(numbers.at("truth"));
  labels.names = class_names(2);
  const Matrix predicted = matrix_of(numbers.at("predicted"));
  check(labels, predicted, numbers);
  const Metrics metrics = evaluate(labels, predicted, all_nodes(25), numbers.at("deviations").as_numbers());
  CHECK(metric(metrics, "relative_rmse") == Approx(numbers.at("relative_rmse").as_number()).epsilon(1e-6));
  CHECK_THROWS_AS(metric(evaluate(labels, predicted, all_nodes(25)), "relative_rmse"), UsageError);
  labels.task = data::Task::classification;
  CHECK(evaluate_targets(labels, predicted, {}).empty());
}

TEST_CASE("a class is rare below a tenth of what is known", "[train][metrics]") {
  data::Labels labels;
  labels.names = {"no", "yes"};
  labels.classes = std::vector<std::int32_t>(100, 0);
  std::fill_n(labels.classes.begin(), 10, 1);
  CHECK_FALSE(has_rare_classes(labels));
  labels.classes[0] = 0;
  CHECK(has_rare_classes(labels));
  std::fill_n(labels.classes.begin() + 50, 50, -1);
  CHECK_FALSE(has_rare_classes(labels));
  for (std::int32_t& one : labels.classes)
    if (one >= 0) one = 1 - one;
  labels.classes[1] = labels.classes[2] = labels.classes[3] = labels.classes[4] = labels.classes[5] = 1;
  CHECK(has_rare_classes(labels));  // the other class is rare
  CHECK(positive_class(labels) == 0);
  labels.names.emplace_back("perhaps");
  CHECK_FALSE(has_rare_classes(labels));
  labels = {};
  labels.task = data::Task::multilabel;
  labels.names = {"a", "b"};
  labels.targets = Matrix::Zero(40, 2);
  labels.targets.col(0).head(20).setOnes();
  labels.targets.col(1).head(3).setOnes();
  CHECK(has_rare_classes(labels));
  labels.targets.col(1).tail(20).setConstant(kNaN);
  CHECK_FALSE(has_rare_classes(labels));
}

TEST_CASE("the class to rank is the rarer one unless it is given", "[train][metrics]") {
  data::Labels labels;
  labels.names = {"no", "yes"};
  labels.classes = {0, 1, 1, 1, -1};
  CHECK(positive_class(labels) == 0);
  Matrix scores(5, 2);
  scores << 0.6F, 0.4F, 0.7F, 0.3F, 0.2F, 0.8F, 0.1F, 0.9F, 0.5F, 0.5F;
  CHECK(metric(evaluate(labels, scores, all_nodes(5)), "average_precision") == Approx(0.5));
  labels.positive = 1;
  CHECK(metric(evaluate(labels, scores, all_nodes(5)), "average_precision") == Approx((1 + 1 + 0.75) / 3));
}

TEST_CASE("classes that are never predicted are reported", "[train][metrics]") {
  data::Labels labels;
  labels.names = {"no", "yes", "perhaps"};
  labels.classes = {0, 0, 1, -1};
  const Matrix all_no = Matrix::Identity(1, 3).replicate(4, 1);
  CHECK(never_predicted(labels, all_no, all_nodes(4)) == std::vector<std::string>{"yes"});
  CHECK(never_predicted(labels, all_no, all_nodes(2)).empty());
  labels.task = data::Task::multilabel;
  labels.targets = Matrix::Zero(4, 3);
  labels.targets(3, 2) = 1;
  CHECK(never_predicted(labels, Matrix::Constant(4, 3, 0.4F), all_nodes(4)) == std::vector<std::string>{"perhaps"});
  CHECK(never_predicted(labels, Matrix::Constant(4, 3, 0.5F), all_nodes(4)).empty());
  CHECK(metric(evaluate(labels, Matrix::Constant(4, 3, 0.5F), all_nodes(4)), "accuracy") == Approx(1.0 / 12));
}

TEST_CASE("area under the curve by hand", "[train][metrics]") {
  const std::vector<float> scores = {0.9F, 0.5F, 0.5F, 0.1F};
  // Pairs (positive, negative): 0.9 > 0.5, 0.9 > 0.1, 0.5 = 0.5, 0.5 > 0.1: 3.5 of 4.
  CHECK(roc_auc(scores, std::vector<std::uint8_t>{1, 1, 0, 0}) == 3.5 / 4);
  CHECK(roc_auc(scores, std::vector<std::uint8_t>{0, 0, 1, 1}) == 0.5 / 4);
  // Thresholds 0.9 (1 of 1) and 0.5 (2 of 3): 1/2 * 1 + 1/2 * 2/3.
  CHECK(average_precision(scores, std::vector<std::uint8_t>{1, 1, 0, 0}) == Approx(5.0 / 6));
  CHECK(roc_auc(std::vector<float>(6, 0.3F), std::vector<std::uint8_t>{1, 0, 1, 0, 0, 0}) == 0.5);
  CHECK(std::isnan(roc_auc(scores, std::vector<std::uint8_t>{1, 1, 1, 1})));
  CHECK(std::isnan(roc_auc(scores, std::vector<std::uint8_t>{0, 0, 0, 0})));
  CHECK(std::isnan(average_precision(scores, std::vector<std::uint8_t>{0, 0, 0, 0})));
  CHECK(std::isnan(roc_auc({}, {})));
  CHECK(std::isnan(roc_auc(std::vector<float>{kNaN, 1}, std::vector<std::uint8_t>{1, 0})));
}

TEST_CASE("metrics ignore unknown labels and other items", "[train][metrics]") {
  data::Labels labels;
  labels.names = {"no", "yes"};
  labels.classes = {0, 1, -1, 1, 0};
  Matrix probabilities(5, 2);
  probabilities << 0.8F, 0.2F, 0.4F, 0.6F, 0.1F, 0.9F, 0.3F, 0.7F, 0, 1;
  const std::vector<graph::Node> nodes = {0, 1, 2, 3};  // wrong node 4 is not included; node 2 has no label
  const Metrics metrics = evaluate(labels, probabilities, nodes);
  CHECK(metric(metrics, "accuracy") == 1);
  CHECK(metric(metrics, "roc_auc") == 1);
  CHECK_THROWS_WITH(metric(metrics, "acuracy"), Catch::Matchers::Contains("accuracy, macro_f1"));
  for (const auto& [name, value] : evaluate(labels, probabilities, {})) {
    INFO(name);
    CHECK(std::isnan(value));
  }
  CHECK_THROWS_AS(evaluate(labels, Matrix::Zero(5, 3), nodes), UsageError);

  data::Labels targets{.task = data::Task::regression, .names = {"a", "b"}, .classes = {}, .targets = Matrix(3, 2)};
  targets.targets << 1, kNaN, 3, kNaN, kNaN, 5;
  Matrix values(3, 2);
  values << 2, 0, 3, 0, 0, 8;
  const Metrics errors = evaluate(targets, values, all_nodes(3));
  CHECK(metric(errors, "mae") == Approx((0.5 + 3) / 2));
  CHECK(metric(errors, "r2") == Approx(1 - 1.0 / 2));  // undefined for the second column, with only one value
}

TEST_CASE("metrics refuse lengths and rows that do not fit", "[train][metrics]") {
  data::Labels labels;
  labels.names = {"no", "yes"};
  labels.classes = {0, 1, 1};
  const std::vector<graph::Node> beyond = {0, 3};
  const auto says = [](const char* text) { return Catch::Matchers::Contains(text); };
  CHECK_THROWS_WITH(evaluate(labels, Matrix::Zero(3, 2), beyond), says("row 3, but there are 3"));
  labels.task = data::Task::multilabel;
  labels.targets = Matrix::Zero(3, 2);
  CHECK_THROWS_WITH(evaluate(labels, Matrix::Zero(3, 2), beyond), says("row 3, but there are 3"));
  labels.task = data::Task::regression;
  CHECK_THROWS_WITH(evaluate(labels, Matrix::Zero(3, 2), beyond), says("row 3, but there are 3"));
  CHECK_THROWS_WITH(evaluate(labels, Matrix::Zero(3, 2), all_nodes(3), std::vector<double>{1, 2, 3}),
                    says("3 deviations of 2 targets"));
  CHECK_THROWS_AS(r_squared(labels.targets, Matrix::Zero(2, 2), all_nodes(3)), UsageError);
  CHECK_THROWS_AS(confusion_matrix(std::vector<std::int32_t>{0, 1}, labels.classes, 2, all_nodes(2)), UsageError);
  CHECK_THROWS_WITH(confusion_matrix(labels.classes, std::vector<std::int32_t>{0, 1, 2}, 2, all_nodes(3)),
                    says("the prediction 2 is not one of 2 classes"));
  CHECK_THROWS_WITH(confusion_matrix(labels.classes, std::vector<std::int32_t>{0, 1, -1}, 2, all_nodes(3)),
                    says("the prediction -1 is not one of 2 classes"));
  CHECK_THROWS_WITH(confusion_matrix(std::vector<std::int32_t>{0, 1, 2}, labels.classes, 2, all_nodes(3)),
                    says("the truth 2 is not one of 2 classes"));
  labels.names.emplace_back("more");
  CHECK_THROWS_WITH(evaluate(labels, Matrix::Zero(3, 3), all_nodes(3)), says("evaluate: the labels have 2 columns"));
  labels.names.pop_back();
  labels.task = data::Task::classification;
  labels.positive = 2;
  CHECK_THROWS_WITH(evaluate(labels, Matrix::Zero(3, 2), all_nodes(3)), says("evaluate: the positive class 2"));
  labels.classes[1] = 2;
  CHECK_THROWS_WITH(evaluate(labels, Matrix::Zero(3, 2), all_nodes(3)), says("evaluate: class 2 is not one of 2"));
  CHECK_THROWS_AS(never_predicted(labels, Matrix::Zero(3, 2), all_nodes(3)), UsageError);
  const std::vector<std::uint8_t> positives = {1, 0};
  CHECK_THROWS_WITH(roc_auc(std::vector<float>(3), positives), says("roc_auc: 3 scores, but 2 say"));
  CHECK_THROWS_AS(average_precision(std::vector<float>(1), positives), UsageError);
}

TEST_CASE("the first of equal scores is predicted", "[train][metrics]") {
  Matrix scores(2, 3);
  scores << 1, 1, 0, 0, 2, 2;
  CHECK(predicted_classes(scores) == std::vector<std::int32_t>{0, 1});
}
