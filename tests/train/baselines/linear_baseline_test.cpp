#include "edgewise/train/baselines/linear_baseline.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "support/features.hpp"
#include "support/range.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;
using data::Features;
using data::Labels;
using data::Task;
using graph::Node;
using test::dense_features;
using test::range;
using test::sparse_features;

namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

Matrix matrix_from(const json::Value& value) {
  const json::Array& lines = value.as_array();
  Matrix matrix(static_cast<Eigen::Index>(lines.size()), static_cast<Eigen::Index>(lines.at(0).as_array().size()));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      const json::Value& entry = lines[static_cast<std::size_t>(i)].as_array()[static_cast<std::size_t>(j)];
      matrix(i, j) = entry.is_null() ? kMissing : static_cast<float>(entry.as_number());
    }
  return matrix;
}

/// The prediction of the saved weights for raw features.
Matrix predicted_by(const LinearBaseline& fitted, const Matrix& values, const Labels& labels) {
  const Eigen::Index columns = values.cols();
  Eigen::MatrixXd outputs = values.cast<double>() * fitted.weights.topRows(columns);
  outputs.rowwise() += fitted.weights.row(columns);
  if (labels.task == Task::multilabel) outputs = 1 / (1 + (-outputs.array()).exp());
  if (labels.task == Task::classification) {
    outputs = outputs.array().exp();
    outputs.array().colwise() /= outputs.rowwise().sum().array().eval();
  }
  return outputs.cast<float>();
}

Labels targets(Task task, Matrix values) {
  Labels labels;
  labels.task = task;
  for (Eigen::Index i = 0; i < values.cols(); ++i) labels.names.push_back(fmt::format("t{}", i));
  labels.targets = std::move(values);
  return labels;
}

Labels classes(std::vector<std::int32_t> values, std::size_t count) {
  Labels labels;
  for (std::size_t i = 0; i < count; ++i) labels.names.push_back(fmt::format("c{}", i));
  labels.classes = std::move(values);
  return labels;
}

/// y = 3 x0 - 2 x1 + 5 with noise; 30 rows, 4 columns, the last of them constant.
struct Line {
  Features features;
  Labels labels;
};
Line noisy_line(double noise) {
  Random random(5, Stream::generate);
  Matrix x(30, 4), y(30, 1);
  for (Eigen::Index i = 0; i < 30; ++i) {
    for (Eigen::Index j = 0; j < 3; ++j) x(i, j) = static_cast<float>(random.normal() * (j == 1 ? 100 : 1));
    x(i, 3) = 7;
    y(i, 0) = static_cast<float>(3 * x(i, 0) - 2 * x(i, 1) + 5 + noise * random.normal());
  }
  return {dense_features(x), targets(Task::regression, y)};
}

}  // namespace

TEST_CASE("Linear baselines equal scikit-learn's", "[train][linear_baseline]") {
  const json::Value golden = json::parse_file(std::string(EDGEWISE_SOURCE_DIR) + "/tests/golden/linear_baseline.json");
  const std::vector<Node> train = range(0, static_cast<Node>(golden.at("train").as_integer()));
  const std::vector<double> penalties = golden.at("penalties").as_numbers();
  for (const char* name : {"ridge", "ridge_dual", "binary", "softmax", "multilabel"}) {
    const json::Value& entry = golden.at(name);
    const Matrix values = matrix_from(entry.at("features"));
    Labels labels;
    if (const json::Value* known = entry.find("classes")) {
      std::vector<std::int32_t> indices;
      for (const double c : known->as_numbers()) indices.push_back(static_cast<std::int32_t>(c));
      labels = classes(std::move(indices), std::string(name) == "binary" ? 2 : 4);
    } else {
      labels = targets(std::string(name) == "multilabel" ? Task::multilabel : Task::regression,
                       matrix_from(entry.at("targets")));
    }
    for (std::size_t i = 0; i < penalties.size(); ++i)
      for (const Features& features : {dense_features(values), sparse_features(values)}) {
        CAPTURE(name, penalties[i], features.is_sparse);
        const LinearBaseline fitted =
            fit_linear_baseline(features, labels, train, {}, {.penalties = {penalties[i]}, .standardise = false});
        const Matrix expected = matrix_from(entry.at("predictions").as_array()[i]);
        REQUIRE(fitted.predictions.cols() == expected.cols());
        const float tolerance = labels.task == Task::regression ? 2e-6F * expected.cwiseAbs().maxCoeff() : 2e-5F;
        CHECK((fitted.predictions - expected).cwiseAbs().maxCoeff() < tolerance);
        CHECK(fitted.penalty == penalties[i]);
        CHECK(std::isnan(fitted.validation_loss));
        for (const bool standardise : {false, true}) {
          const LinearBaseline kept = fit_linear_baseline(
              features, labels, train, {}, {.penalties = {penalties[i]}, .standardise = standardise});
          CHECK((predicted_by(kept, values, labels) - kept.predictions).cwiseAbs().maxCoeff() < 10 * tolerance);
        }
      }
  }
}

TEST_CASE("Ridge on one column, by hand", "[train][linear_baseline]") {
  // x = -1, 0, 1 and y = 1, 2, 6: the slope is 5 / (2 + penalty), the mean 3. The last row is not used for training.
  Matrix x(4, 1), y(4, 1);
  x << -1, 0, 1, 10;
  y << 1, 2, 6, 1000;
  const LinearBaseline fitted = fit_linear_baseline(dense_features(x), targets(Task::regression, y), range(0, 3), {},
                                                    {.penalties = {3}, .standardise = false});
  CHECK(fitted.predictions(0, 0) == Approx(2));
  CHECK(fitted.predictions(3, 0) == Approx(13));
  // Standardised columns have sums of squares 3: 5 / sqrt(2/3) / (3 + 3) for (x / sqrt(2/3)).
  const LinearBaseline scaled =
      fit_linear_baseline(dense_features(x), targets(Task::regression, y), range(0, 3), {}, {.penalties = {3}});
  CHECK(scaled.predictions(3, 0) == Approx(3 + 10 * 5 / (2.0 / 3) / 6));
}

TEST_CASE("A column's units do not matter when it is standardised", "[train][linear_baseline]") {
  const Line line = noisy_line(1);
  Matrix moved = line.features.dense;
  moved.col(0) = moved.col(0) * 1000;
  for (const auto& form : {dense_features, +[](Matrix values) { return sparse_features(values); }}) {
    const auto fit = [&](const Matrix& values) {
      return fit_linear_baseline(form(values), line.labels, range(0, 20), range(20, 30), {.penalties = {2}})
          .predictions;
    };
    CHECK((fit(moved) - fit(line.features.dense)).cwiseAbs().maxCoeff() < 1e-2F);
  }
}

TEST_CASE("The penalty is chosen on the validation rows", "[train][linear_baseline]") {
  const Line clean = noisy_line(0), noise = noisy_line(3000);
  const LinearBaselineOptions grid{.penalties = {1e-6, 1, 1e6}};
  const LinearBaseline weak = fit_linear_baseline(clean.features, clean.labels, range(0, 15), range(15, 25), grid);
  CHECK(weak.penalty == 1e-6);
  CHECK(weak.validation_loss < 1e-6);
  CHECK((weak.predictions - clean.labels.targets).cwiseAbs().maxCoeff() < 1e-2F);
  CHECK(fit_linear_baseline(noise.features, noise.labels, range(0, 15), range(15, 25), grid).penalty == 1e6);
  // Without an informative column all penalties are equal: the strongest is taken.
  Features nothing = dense_features(Matrix::Ones(30, 2));
  CHECK(fit_linear_baseline(nothing, clean.labels, range(0, 15), range(15, 25), grid).penalty == 1e6);
}

TEST_CASE("Separable classes, and one that is never seen", "[train][linear_baseline]") {
  Matrix x(40, 1);
  std::vector<std::int32_t> truth;
  for (int i = 0; i < 40; ++i) {
    x(i, 0) = static_cast<float>(i);
    truth.push_back(i < 20 ? 0 : 2);
  }
  for (const std::size_t count : {std::size_t{3}, std::size_t{4}}) {
    const LinearBaseline fitted =
        fit_linear_baseline(dense_features(x), classes(truth, count), range(0, 40), range(10, 30),
                            {.penalties = {1e-3, 1}});
    CHECK(fitted.predictions.allFinite());
    CHECK((fitted.predictions.rowwise().sum().array() - 1).abs().maxCoeff() < 1e-5F);
    CHECK(fitted.predictions(0, 0) > 0.99F);
    CHECK(fitted.predictions(39, 2) > 0.99F);
    CHECK(fitted.predictions.col(1).maxCoeff() < 1e-3F);
    CHECK(fitted.penalty == 1e-3);
  }
}

TEST_CASE("Linear baselines have the same bits at one and two threads", "[train][linear_baseline]") {
  const Line line = noisy_line(2);
  std::vector<std::int32_t> signs;
  for (Eigen::Index i = 0; i < 30; ++i) signs.push_back(line.labels.targets(i, 0) > 0);
  const int before = threads();
  for (const Labels& labels : {line.labels, classes(signs, 2), classes(signs, 3)}) {
    set_threads(1);
    const LinearBaseline one = fit_linear_baseline(line.features, labels, range(0, 20), range(20, 30));
    set_threads(2);
    const LinearBaseline two = fit_linear_baseline(line.features, labels, range(0, 20), range(20, 30));
    CHECK(one.predictions == two.predictions);
    CHECK(one.penalty == two.penalty);
  }
  set_threads(before);
}

TEST_CASE("Linear baselines end when their observer wants them to", "[train][linear_baseline][observer]") {
  const auto rows = static_cast<Eigen::Index>(200);
  Features features;
  features.dense = Matrix::NullaryExpr(rows, 3, [](Eigen::Index row, Eigen::Index column) {
    return static_cast<float>((row * (column + 3)) % 17);
  });
  Labels labels;
  labels.names = {"a", "b", "c"};
  std::vector<Node> train, validation;
  for (Node row = 0; row < 200; ++row) {
    labels.classes.push_back(static_cast<std::int32_t>(row % 3));
    (row % 4 == 0 ? validation : train).push_back(row);
  }
  const auto is_interrupted = [&](bool is_over) {
    const Observed observed({.is_over = [&] { return is_over; }});
    try {
      fit_linear_baseline(features, labels, train, validation);
    } catch (const Interrupted&) {
      return true;
    }
    return false;
  };
  CHECK(is_interrupted(true));
  CHECK_FALSE(is_interrupted(false));
}

TEST_CASE("Linear baselines refuse data that cannot be fitted", "[train][linear_baseline]") {
  Line line = noisy_line(1);
  const auto fit = [&](std::vector<Node> train, std::vector<Node> validation, std::vector<double> penalties) {
    return fit_linear_baseline(line.features, line.labels, train, validation, {.penalties = std::move(penalties)});
  };
  CHECK_THROWS_WITH(fit(range(0, 20), {}, {1, 2}),
                    Contains("chooses one of 2 penalties by validation items, but none has a label"));
  CHECK_THROWS_AS(fit(range(0, 20), {}, {}), UsageError);
  CHECK_THROWS_WITH(fit(range(0, 20), {}, {0}), Contains("expected a penalty above 0, got 0"));
  CHECK_THROWS_WITH(fit(range(0, 31), {}, {1}), Contains("row 30, but there are 30"));
  CHECK_THROWS_WITH(fit({}, {}, {1}), Contains("no training row has a value of \"t0\""));
  line.labels.targets.setConstant(kMissing);
  CHECK_THROWS_AS(fit(range(0, 20), {}, {1}), DataError);
  line.labels.targets.setZero(31, 1);
  CHECK_THROWS_WITH(fit(range(0, 3), {}, {1}), Contains("30 rows of features, but 31 of labels"));
  line.labels.targets.setZero(3, 1);
  CHECK_THROWS_WITH(fit(range(0, 4), {}, {1}), Contains("row 3, but there are 3"));
}
