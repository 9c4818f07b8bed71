#include "edgewise/data/splits.hpp"

#include <catch2/catch.hpp>
#include <array>
#include <limits>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using namespace edgewise::data;

namespace {

/// 50 of class a, 30 of b, 20 of c; every tenth label is unknown.
Labels labels() {
  Labels result;
  result.names = {"a", "b", "c"};
  for (std::int32_t i = 0; i < 100; ++i) result.classes.push_back(i % 10 == 9 ? -1 : i < 50 ? 0 : i < 80 ? 1 : 2);
  return result;
}

/// counts[class][role]
std::array<std::array<int, 4>, 3> counts(const Labels& labels, const Split& split) {
  std::array<std::array<int, 4>, 3> result{};
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (labels.classes[i] < 0)
      CHECK(split[i] == Role::none);
    else
      ++result[static_cast<std::size_t>(labels.classes[i])][static_cast<std::size_t>(split[i])];
  }
  return result;
}

std::size_t size(const Split& split, Role role) { return nodes_with_role(split, role).size(); }

}  // namespace

TEST_CASE("roles have names", "[data][splits]") {
  CHECK(parse_role("val") == Role::validation);
  CHECK(parse_role("Valid") == Role::validation);
  CHECK(parse_role("TEST") == Role::test);
  for (const char* word : {"Training set", "train_set", "TRAINSET"}) CHECK(parse_role(word) == Role::train);
  CHECK_FALSE(parse_role("set"));
  for (const char* word : {"dev", "development"}) CHECK(parse_role(word) == Role::validation);
  CHECK(parse_role("Training") == Role::train);
  for (const char* word : {"testing", "Holdout", "hold-out", "eval", "Evaluation"})
    CHECK(parse_role(word) == Role::test);
  CHECK(parse_role("") == Role::none);
  CHECK_FALSE(parse_role("tset").has_value());
  for (const Role role : {Role::none, Role::train, Role::validation, Role::test})
    CHECK(parse_role(role_name(role)) == role);
}

TEST_CASE("random split gives the shares to labelled nodes", "[data][splits]") {
  const Split split = random_split(labels(), {}, 1);
  CHECK(size(split, Role::train) == 54);
  CHECK(size(split, Role::validation) == 18);
  CHECK(size(split, Role::test) == 18);
  counts(labels(), split);
  CHECK(split == random_split(labels(), {}, 1));
  CHECK(split != random_split(labels(), {}, 2));
  CHECK(size(random_split(labels(), {.train = 0.1, .validation = 0, .test = 0.1}, 1), Role::none) == 82);
  CHECK_THROWS_AS(random_split(labels(), {.train = 0.9, .validation = 0.2, .test = 0}, 1), UsageError);
  CHECK_THROWS_AS(random_split(labels(), {.train = -1, .validation = 0.2, .test = 0}, 1), UsageError);
  CHECK_THROWS_AS(random_split(labels(), {.train = 0, .validation = 0.5, .test = 0.5}, 1), DataError);
  CHECK_THROWS_AS(random_split(Labels(), {}, 1), DataError);
}

TEST_CASE("a random split of a few items has all parts that are asked for", "[data][splits]") {
  const auto sizes = [](std::size_t count, const SplitShares& shares) {
    Labels few;
    few.names = {"a"};
    few.classes.assign(count, 0);
    const Split split = random_split(few, shares, 3);
    return std::array{size(split, Role::train), size(split, Role::validation), size(split, Role::test)};
  };
  const SplitShares of_ties = {.train = 0.85, .validation = 0.05, .test = 0.1};
  for (const std::size_t count : {5, 7, 10})
    CHECK(sizes(count, of_ties) == std::array<std::size_t, 3>{count - 2, 1, 1});
  CHECK(sizes(3, of_ties) == std::array<std::size_t, 3>{1, 1, 1});
  CHECK(sizes(2, of_ties) == std::array<std::size_t, 3>{2, 0, 0});
  CHECK(sizes(12, of_ties) == std::array<std::size_t, 3>{10, 1, 1});
  CHECK(sizes(6, {.train = 0.9, .validation = 0, .test = 0.1}) == std::array<std::size_t, 3>{5, 0, 1});
  CHECK(sizes(3, {.train = 0.1, .validation = 0.1, .test = 0.1}) == std::array<std::size_t, 3>{1, 1, 1});
}

TEST_CASE("stratified split has rare classes in every part and leaves nothing out", "[data][splits]") {
  Labels rare;
  rare.names = {"common", "rare", "lonely"};
  for (std::int32_t i = 0; i < 245; ++i) rare.classes.push_back(i < 232 ? 0 : i < 243 ? 1 : 2);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto by_class = counts(rare, stratified_split(rare, {.train = 0.8, .validation = 0.1, .test = 0.1}, seed));
    for (int role = 1; role <= 3; ++role) CHECK(by_class[1][role] > 0);
    for (int c = 0; c < 3; ++c) CHECK(by_class[c][0] == 0);
    CHECK(std::abs(by_class[0][1] - 186) <= 1);
  }
  const auto without_test = counts(rare, stratified_split(rare, {.train = 0.7, .validation = 0.3, .test = 0}, 1));
  for (int c = 0; c < 3; ++c) CHECK(without_test[c][3] == 0);
  Labels threes;
  threes.names = {"a", "b", "c"};
  for (std::int32_t i = 0; i < 9; ++i) threes.classes.push_back(i / 3);
  for (const std::array<int, 4>& roles : counts(threes, stratified_split(threes, {}, 1)))
    CHECK(roles == std::array<int, 4>{0, 1, 1, 1});
}

TEST_CASE("stratified split gives the shares within each class", "[data][splits]") {
  const auto by_class = counts(labels(), stratified_split(labels(), {}, 3));  // of 45, 27 and 18
  CHECK(by_class[0] == std::array<int, 4>{0, 27, 9, 9});
  CHECK(by_class[1][1] + by_class[2][1] == 27);
  CHECK(std::abs(by_class[1][1] - 16) <= 1);
  CHECK(by_class[1][0] + by_class[2][0] <= 1);
  Labels numbers;
  numbers.task = Task::regression;
  CHECK_THROWS_AS(stratified_split(numbers, {}, 1), UsageError);
}

TEST_CASE("per-class split has the requested counts", "[data][splits]") {
  const Split split = per_class_split(labels(), {.train_per_class = 5, .validation = 20, .test = 30}, 4);
  const auto by_class = counts(labels(), split);
  int validation = 0, test = 0;
  for (const auto& roles : by_class) {
    CHECK(roles[1] == 5);
    validation += roles[2];
    test += roles[3];
  }
  CHECK(validation == 20);
  CHECK(test == 30);
  CHECK_THROWS_WITH(per_class_split(labels(), {.train_per_class = 20, .validation = 1, .test = 1}, 4),
                    Catch::Matchers::Contains("class \"c\" has 18 nodes"));
  CHECK_THROWS_WITH(per_class_split(labels(), {.train_per_class = 5, .validation = 70, .test = 6}, 4),
                    Catch::Matchers::Contains("75 nodes remain"));
}

TEST_CASE("k folds test each labelled node once", "[data][splits]") {
  std::vector<Split> splits;
  for (std::size_t fold = 0; fold < 5; ++fold) splits.push_back(k_fold_split(labels(), 5, fold, 6));
  REQUIRE(splits.size() == 5);
  std::vector<int> tested(100, 0), validated(100, 0);
  for (const Split& split : splits) {
    const auto by_class = counts(labels(), split);
    CHECK(by_class[0][3] == 9);
    for (std::size_t i = 0; i < 100; ++i) {
      tested[i] += split[i] == Role::test;
      validated[i] += split[i] == Role::validation;
    }
  }
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK(tested[i] == (labels().classes[i] >= 0 ? 1 : 0));
    CHECK(validated[i] == tested[i]);
  }
  CHECK_THROWS_AS(k_fold_split(labels(), 2, 0, 1), UsageError);
  CHECK_THROWS_AS(k_fold_split(labels(), 5, 5, 1), UsageError);
  CHECK_THROWS_AS(k_fold_split(labels(), 91, 0, 1), DataError);
}

TEST_CASE("a split must leave training items", "[data][splits]") {
  Labels known;
  known.names = {"a", "b"};
  known.classes = {0, -1, 1};
  CHECK_NOTHROW(check_split({Role::train, Role::none, Role::test}, known));
  CHECK_THROWS_WITH(check_split({Role::test, Role::train, Role::test}, known),
                    Catch::Matchers::Contains("no node of the train part has a label"));
  CHECK_THROWS_AS(check_split({Role::train}, known), DataError);

  Labels targets;
  targets.task = Task::regression;
  targets.names = {"x", "y"};
  const float nan = std::numeric_limits<float>::quiet_NaN();
  targets.targets = Matrix(3, 2);
  targets.targets << nan, nan, nan, 1, 2, 3;
  CHECK(labelled_nodes(targets) == std::vector<graph::Node>{1, 2});
}

namespace {

Labels targets(std::size_t rows) {
  Labels result;
  result.task = Task::regression;
  result.names = {"y"};
  result.targets = Matrix::Zero(static_cast<Eigen::Index>(rows), 1);
  return result;
}

void check_groups_stay_together(const std::vector<std::string>& scaffolds, const Split& split) {
  for (std::size_t i = 0; i < scaffolds.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (scaffolds[i] == scaffolds[j]) CHECK(split[i] == split[j]);
}

}  // namespace

TEST_CASE("scaffold split fills from the largest group as DeepChem does", "[data][splits]") {
  // Groups: a 0 3 6 7 9 (5), b 1 4 (2), c 2 5 (2), d 8 (1). Of 10 rows, 6 are for training, then 2 and 2. a (5): train.
  // b and c are too large for train; c has the later first row: validation (5 + 2 <= 8). b: test (7 + 2 > 8). d: train
  // (6).
  const std::vector<std::string> scaffolds = {"a", "b", "c", "a", "b", "c", "a", "a", "d", "a"};
  const SplitShares shares{.train = 0.6, .validation = 0.2, .test = 0.2};
  const Split split = scaffold_split(scaffolds, targets(10), shares);
  using R = Role;
  CHECK(split == Split{R::train, R::test, R::validation, R::train, R::test, R::validation, R::train, R::train,
                       R::train, R::train});
  check_groups_stay_together(scaffolds, split);

  Labels known = targets(10);
  known.targets(8, 0) = std::numeric_limits<float>::quiet_NaN();
  CHECK(scaffold_split(scaffolds, known, shares)[8] == R::none);
  const std::vector<std::string> one(10, "c1ccccc1");
  CHECK_THROWS_AS(scaffold_split(one, targets(10), shares), DataError);
  CHECK_THROWS_AS(scaffold_split(one, targets(9), shares), DataError);
  CHECK_THROWS_AS(scaffold_split(one, targets(10), {.train = 2, .validation = 0, .test = 0}), UsageError);
  CHECK(size(scaffold_split(scaffolds, targets(10), {.train = 0.5, .validation = 0, .test = 0}), R::none) == 5);
}

TEST_CASE("balanced scaffold splits differ by seed, and no scaffold is in two parts", "[data][splits]") {
  std::vector<std::string> scaffolds;
  for (std::size_t i = 0; i < 400; ++i) scaffolds.push_back(std::to_string(i % 7 == 0 ? 0 : i * i % 97));
  const Labels labels = targets(scaffolds.size());
  const Split first = balanced_scaffold_split(scaffolds, labels, kMoleculeShares, 1);
  CHECK(first == balanced_scaffold_split(scaffolds, labels, kMoleculeShares, 1));
  CHECK(first != balanced_scaffold_split(scaffolds, labels, kMoleculeShares, 2));
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Split split = balanced_scaffold_split(scaffolds, labels, kMoleculeShares, seed);
    check_groups_stay_together(scaffolds, split);
    CHECK(split[0] == Role::train);  // the largest group
    CHECK(size(split, Role::train) <= 320);
    CHECK(size(split, Role::train) > 300);
    CHECK(size(split, Role::validation) > 30);
    CHECK(size(split, Role::validation) <= 40);
    CHECK(size(split, Role::none) == 0);
  }
  check_groups_stay_together(scaffolds, scaffold_split(scaffolds, labels));
}

TEST_CASE("a split per class refuses a class without a name", "[data][splits]") {
  Labels unnamed = labels();
  unnamed.classes[3] = 3;
  CHECK_THROWS_AS(per_class_split(unnamed, {.train_per_class = 5, .validation = 5, .test = 5}, 1), UsageError);
}
