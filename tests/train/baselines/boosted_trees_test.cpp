#include "edgewise/train/baselines/boosted_trees.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "support/range.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;
using Eigen::Index;
using graph::Node;
using test::range;

namespace {

constexpr Index kSquareRows = 400;
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

const std::vector<Node> kTrainRows = range(0, 250), kValidationRows = range(250, 320);

/// Three columns of numbers between 0 and 1. A third of the entries of the last column are missing.
SparseMatrix random_features() {
  Random random(11, Stream::generate);
  SparseMatrix features(kSquareRows, 3);
  for (Index row = 0; row < kSquareRows; ++row) {
    features.startVec(row);
    for (Index column = 0; column < 3; ++column)
      if (column < 2 || random.below(3) > 0) features.insertBack(row, column) = static_cast<float>(random.uniform());
  }
  features.finalize();
  return features;
}

bool is_missing(const SparseMatrix& features, Index row) { return features.row(row).nonZeros() == 2; }

/// XOR of the first two columns, which no linear model can learn.
bool is_odd(const SparseMatrix& features, Index row) {
  return (features.coeff(row, 0) < 0.5F) != (features.coeff(row, 1) < 0.5F);
}

template <class Of>
data::Labels labels_of(data::Task task, std::vector<std::string> names, const Of& of) {
  data::Labels labels{.task = task, .names = std::move(names), .classes = {}, .targets = {}};
  labels.targets.resize(kSquareRows, static_cast<Index>(labels.names.size()));
  for (Index row = 0; row < kSquareRows; ++row)
    for (Index output = 0; output < labels.targets.cols(); ++output) labels.targets(row, output) = of(row, output);
  return labels;
}

template <class Of>
data::Labels classes_of(std::vector<std::string> names, const Of& of) {
  data::Labels labels{.task = data::Task::classification, .names = std::move(names), .classes = {}, .targets = {}};
  for (Index row = 0; row < kSquareRows; ++row) labels.classes.push_back(of(row));
  return labels;
}

/// The share of the test rows (those after training and validation) for which `is_right`.
template <class IsRight>
double share_of_test(const IsRight& is_right) {
  Index right = 0;
  for (Index row = 320; row < kSquareRows; ++row) right += is_right(row);
  return static_cast<double>(right) / (kSquareRows - 320);
}

/// One column with two values, one per label.
struct Halves {
  SparseMatrix features{8, 1};
  std::vector<Node> rows = range(0, 8);

  Halves() {
    for (Index row = 0; row < 8; ++row) features.insert(row, 0) = row < 4 ? 0.0F : 1.0F;
    features.makeCompressed();
  }
};

const BoostedTreesOptions kOneTree = {
    .unjudged_rounds = 1, .learning_rate = 1, .depth = 1, .row_share = 1, .column_share = 1};

}  // namespace

TEST_CASE("leaf values follow the paper of XGBoost", "[train][boosted_trees]") {
  const Halves halves;
  data::Labels labels{.task = data::Task::regression, .names = {"y"}, .classes = {}, .targets = Matrix(8, 1)};
  labels.targets << 100, 100, 100, 100, 104, 104, 104, 104;
  // Equation 5 with lambda = 1: the sum of the four residuals of 1 deviation, divided by 4 + 1.
  const Matrix values = fit_boosted_trees(halves.features, labels, halves.rows, {}, kOneTree).apply(halves.features);
  CHECK(values(0, 0) == Approx(102 - 2 * 4.0 / 5));
  CHECK(values(7, 0) == Approx(102 + 2 * 4.0 / 5));

  data::Labels classes{
      .task = data::Task::classification, .names = {"no", "yes"}, .classes = {0, 0, 0, 0, 1, 1, 1, 1}, .targets = {}};
  // Gradients are 1/2, second derivatives 1/4.
  const Matrix logits = fit_boosted_trees(halves.features, classes, halves.rows, {}, kOneTree).apply(halves.features);
  CHECK(logits.col(0).isZero());
  CHECK(logits(0, 1) == Approx(-4 * 0.5 / (4 * 0.25 + 1)));
  CHECK(logits(7, 1) == Approx(4 * 0.5 / (4 * 0.25 + 1)));
}

TEST_CASE("a forest gives the mean of the rows in its leaves", "[train][boosted_trees]") {
  const Halves halves;
  const BoostedTreesOptions forest = {.forest = 20, .depth = 3, .row_share = 1, .column_share = 1};
  data::Labels labels{.task = data::Task::regression, .names = {"y"}, .classes = {}, .targets = Matrix(8, 1)};
  labels.targets << 100, 101, 100, 101, 104, 104, 104, 104;
  const Matrix values = fit_boosted_trees(halves.features, labels, halves.rows, {}, forest).apply(halves.features);
  CHECK(values(0, 0) == Approx(100.5));
  CHECK(values(7, 0) == Approx(104));

  data::Labels classes{
      .task = data::Task::classification, .names = {"no", "yes"}, .classes = {0, 0, 0, 1, 0, 1, 1, 1}, .targets = {}};
  const Matrix logits = fit_boosted_trees(halves.features, classes, halves.rows, {}, forest).apply(halves.features);
  CHECK(logits.col(0).isZero());
  CHECK(logits(0, 1) == Approx((0.25 - 0.5) / 0.25));  // to first order around one half
  CHECK(logits(7, 1) == Approx((0.75 - 0.5) / 0.25));

  data::Labels three{.task = data::Task::classification,
                     .names = {"a", "b", "c"},
                     .classes = {0, 0, 0, 1, 2, 2, 2, 1},
                     .targets = {}};
  const Matrix of_three = fit_boosted_trees(halves.features, three, halves.rows, {}, forest).apply(halves.features);
  Eigen::Index first = 0, last = 0;
  of_three.row(0).maxCoeff(&first);
  of_three.row(7).maxCoeff(&last);
  CHECK(first == 0);
  CHECK(last == 2);
  CHECK(of_three(0, 1) == Approx(of_three(7, 1)));
}

TEST_CASE("a forest learns what linear models cannot", "[train][boosted_trees]") {
  const SparseMatrix features = random_features();
  const data::Labels labels = labels_of(data::Task::regression, {"a"}, [&](Index row, Index) {
    return is_odd(features, row) ? 30.0F : -10.0F;
  });
  const BoostedTreesOptions forest = {.forest = 100, .depth = 24, .row_share = 0.632};
  const Matrix values = fit_boosted_trees(features, labels, kTrainRows, {}, forest).apply(features);
  CHECK(share_of_test([&](Index row) { return (values(row, 0) > 10) == (labels.targets(row, 0) > 10); }) > 0.8);
}

TEST_CASE("without trees the shares of the classes are predicted", "[train][boosted_trees]") {
  const Halves halves;
  data::Labels classes{
      .task = data::Task::classification, .names = {"no", "yes"}, .classes = {0, 0, 0, 1, 0, 0, 0, 1}, .targets = {}};
  const Matrix logits =
      fit_boosted_trees(halves.features, classes, halves.rows, {}, {.unjudged_rounds = 0}).apply(halves.features);
  CHECK(logits(0, 1) == Approx(std::log(2.5 / 6.5)));
}

TEST_CASE("boosted trees learn what linear models cannot", "[train][boosted_trees]") {
  const SparseMatrix features = random_features();
  SECTION("values") {
    const data::Labels labels = labels_of(data::Task::regression, {"a", "b"}, [&](Index row, Index output) {
      return output == 0 ? (is_odd(features, row) ? 30.0F : -10.0F) : (is_missing(features, row) ? 1e6F : 2e6F);
    });
    const Matrix values = fit_boosted_trees(features, labels, kTrainRows, kValidationRows).apply(features);
    CHECK(share_of_test([&](Index row) { return std::abs(values(row, 0) - labels.targets(row, 0)) < 10; }) > 0.85);
    CHECK(share_of_test([&](Index row) { return std::abs(values(row, 1) - labels.targets(row, 1)) < 1e4F; }) > 0.95);
  }
  SECTION("three classes") {
    const data::Labels labels = classes_of({"a", "b", "c"}, [&](Index row) {
      return is_missing(features, row) ? 2 : is_odd(features, row) ? 1 : 0;
    });
    const Matrix logits = fit_boosted_trees(features, labels, kTrainRows, kValidationRows).apply(features);
    CHECK(share_of_test([&](Index row) {
            Index most = 0;
            logits.row(row).maxCoeff(&most);
            return most == labels.classes[static_cast<std::size_t>(row)];
          }) > 0.9);
  }
  SECTION("partly unknown labels") {
    const data::Labels labels = labels_of(data::Task::multilabel, {"odd", "there"}, [&](Index row, Index output) {
      if (row % 5 == output) return kUnknown;
      return static_cast<float>(output == 0 ? is_odd(features, row) : !is_missing(features, row));
    });
    const Matrix logits = fit_boosted_trees(features, labels, kTrainRows, kValidationRows).apply(features);
    CHECK(share_of_test([&](Index row) { return (logits(row, 0) > 0) == is_odd(features, row); }) > 0.9);
    CHECK(share_of_test([&](Index row) { return (logits(row, 1) > 0) != is_missing(features, row); }) == 1);
  }
}

TEST_CASE("trees that do not help on the validation rows are dropped", "[train][boosted_trees]") {
  const SparseMatrix features = random_features();
  Random random(1, Stream::generate);
  const data::Labels noise =
      labels_of(data::Task::regression, {"y"}, [&](Index, Index) { return static_cast<float>(random.uniform()); });
  const auto spread = [&](std::span<const Node> validation) {
    const Matrix values = fit_boosted_trees(features, noise, kTrainRows, validation).apply(features);
    return values.maxCoeff() - values.minCoeff();
  };
  CHECK(spread(kValidationRows) < 0.5F * spread({}));
}

TEST_CASE("boosted trees are the same at any number of threads", "[train][boosted_trees]") {
  const SparseMatrix features = random_features();
  const data::Labels labels = labels_of(data::Task::regression, {"a", "b", "c"}, [&](Index row, Index output) {
    return features.coeff(row, output) + static_cast<float>(is_odd(features, row));
  });
  const int before = threads();
  set_threads(1);
  const Matrix one = fit_boosted_trees(features, labels, kTrainRows, kValidationRows).apply(features);
  set_threads(3);
  CHECK(fit_boosted_trees(features, labels, kTrainRows, kValidationRows).apply(features) == one);
  set_threads(before);
}

TEST_CASE("boosted trees stop at their limits", "[train][boosted_trees]") {
  const Halves halves;
  data::Labels labels{.task = data::Task::regression, .names = {"y"}, .classes = {}, .targets = Matrix(8, 1)};
  labels.targets << 0, 0, 0, 0, 1, 1, 1, 1;
  const auto rounds = [&](BoostedTreesOptions options) {
    int asked = 0;
    options.should_stop = [&asked, stop = std::move(options.should_stop)] { return ++asked > 0 && stop && stop(); };
    fit_boosted_trees(halves.features, labels, halves.rows, {}, options);
    return asked;
  };
  CHECK(rounds({.unjudged_rounds = 70}) == 70);
  CHECK(rounds({.max_entries = 8 * 60, .unjudged_rounds = 70}) == 60);
  CHECK(rounds({.max_entries = 8, .unjudged_rounds = 70}) == 50);
  int left = 3;
  CHECK(rounds({.unjudged_rounds = 70, .should_stop = [&] { return --left == 0; }}) == 3);
}

TEST_CASE("trees rank the first of rows that compete", "[train][boosted_trees]") {
  constexpr std::size_t kCompeting = 5;
  Random random(3, Stream::generate);
  // The first of five rows has the least in column 1; column 0 tells groups apart.
  SparseMatrix features(kSquareRows, 2);
  float of_group = 0;
  for (Index row = 0; row < kSquareRows; ++row) {
    const bool is_first = row % kCompeting == 0;
    if (is_first) of_group = static_cast<float>(random.uniform());
    features.startVec(row);
    features.insertBack(row, 0) = of_group;
    features.insertBack(row, 1) = static_cast<float>(random.uniform() / 2 + (is_first ? 0 : 0.5));
  }
  features.finalize();
  const data::Labels labels =
      labels_of(data::Task::multilabel, {"tie"}, [](Index, Index) { return 0; });  // not looked at
  const TreeMap map = fit_boosted_trees(features, labels, kTrainRows, kValidationRows,
                                        {.min_columns = 2, .competing_rows = kCompeting});
  const Matrix outputs = map.apply(features);
  for (Index first = 320; first < kSquareRows; first += kCompeting) {
    Index place = 0;
    outputs.middleRows(first, kCompeting).col(0).maxCoeff(&place);
    CHECK(place == 0);
  }
}

TEST_CASE("boosted trees refuse invalid data", "[train][boosted_trees]") {
  const SparseMatrix features = random_features();
  const data::Labels labels = labels_of(data::Task::regression, {"y"}, [](Index, Index) { return 1.0F; });
  CHECK_THROWS_WITH(fit_boosted_trees(features, labels, range(300, 401), {}), Contains("row 400, but there are 400"));
  CHECK_THROWS_WITH(fit_boosted_trees(SparseMatrix(3, 2), labels, range(0, 3), {}),
                    Contains("3 rows of features, but 400 of labels"));
  CHECK_THROWS_AS(fit_boosted_trees(features, labels, {}, kValidationRows), DataError);
  CHECK((fit_boosted_trees(features, labels, kTrainRows, kValidationRows).apply(features).array() == 1).all());
}
