#include "edgewise/train/doctor/odd_values.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cmath>

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

/// 50 values from 0 to 100, and others.
std::vector<float> spread(std::initializer_list<float> others, float from = 0) {
  std::vector<float> values(others);
  for (int i = 0; i < 50; ++i) values.push_back(from + static_cast<float>(i * 37 % 101));
  return values;
}

std::string found(const std::vector<float>& numbers) {
  std::string text;
  for (const train::Sentinel& sentinel : train::find_sentinels(numbers))
    text += fmt::format("{}x{} ", sentinel.value, sentinel.rows);
  return text;
}

}  // namespace

TEST_CASE("marks for missing values are found among numbers", "[train][odd_values]") {
  CHECK(found(spread({-9999})) == "-9999x1 ");
  CHECK(found(spread({999, 999})) == "999x2 ");
  CHECK(found(spread({-999, -9999, -999})) == "-9999x1 -999x2 ");
  CHECK(found(spread({-1, -1}, 16)) == "-1x2 ");
  CHECK(found(spread({5555, 5555})) == "5555x2 ");
  CHECK(found(spread({})).empty());
  CHECK(found(spread({-1, -1})).empty());        // counts or scores
  CHECK(found(spread({5555})).empty());          // an outlier
  CHECK(found(spread({99, -99})).empty());
  CHECK(found(spread({999}, 598)) == "999x1 ");  // more than three widths above the highest, 698
  CHECK(found(spread({999}, 599)).empty());
  CHECK(found(spread({999, 999}, 798)) == "999x2 ");  // more than one width
  CHECK(found(spread({999, 999}, 799)).empty());
  CHECK(found(spread({1101, 1101})) == "1101x2 ");  // no usual mark: more than ten widths
  CHECK(found(spread({1100, 1100})).empty());
  CHECK(found({-1, 0, 1, 1, 0, -1, 0}).empty());  // too few different values
  CHECK(found({}).empty());
  CHECK(found(std::vector<float>(9, std::nanf(""))).empty());
}

TEST_CASE("odd values of targets and features have a remark", "[train][odd_values]") {
  train::Dataset data;
  data.labels.task = data::Task::regression;
  data.labels.names = {"y"};
  const std::vector<float> values = spread({-9999, 500});
  data.labels.targets = Eigen::Map<const Eigen::VectorXf>(values.data(), static_cast<Eigen::Index>(values.size()));
  io::Column age;
  age.name = "age";
  age.numbers = spread({999, 999});
  data.table.columns = {age};
  const std::vector<std::string> lines = train::odd_value_warnings(data);
  REQUIRE(lines.size() == 3);
  CHECK_THAT(lines[0], Contains("column \"y\": -9999 in 1 row, far from all other values (0 to 500)") &&
                           Contains("data.missing_labels=-9999"));
  CHECK_THAT(lines[1], Contains("column \"y\": 1 value is far from all others (0 to 100), such as 500"));
  CHECK_THAT(lines[2], Contains("column \"age\": 999 in 2 rows") && Contains("leave these cells empty"));
  data.reading.ignore = {"age"};
  CHECK(train::odd_value_warnings(data).size() == 2);
  const auto count_with = [&](float target) {
    const std::vector<float> targets = spread({target});
    data.labels.targets = Eigen::Map<const Eigen::VectorXf>(targets.data(), static_cast<Eigen::Index>(targets.size()));
    return train::odd_value_warnings(data).size();
  };
  CHECK(count_with(401) == 1);  // more than three widths above the highest
  CHECK(count_with(400) == 0);
}

namespace {

/// Targets that take these values in turn.
train::Dataset targets_of(const std::vector<std::vector<float>>& values, std::size_t rows = 30) {
  train::Dataset data;
  data.labels.task = data::Task::regression;
  data.labels.targets.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(values.size()));
  for (std::size_t target = 0; target < values.size(); ++target) {
    data.labels.names.push_back(fmt::format("t{}", target + 1));
    for (std::size_t row = 0; row < rows; ++row)
      data.labels.targets(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(target)) =
          values[target][row % values[target].size()];
  }
  return data;
}

/// Classes that as many rows have.
train::Dataset classes_of(const std::vector<std::string>& names, int rows = 5) {
  train::Dataset data;
  data.labels.task = data::Task::classification;
  data.labels.names = names;
  for (std::size_t of = 0; of < names.size(); ++of)
    for (int row = 0; row < rows; ++row) data.labels.classes.push_back(static_cast<std::int32_t>(of));
  return data;
}

}  // namespace

TEST_CASE("a value among labels that may mean unknown has a remark", "[train][odd_values]") {
  const auto only = [](const train::Dataset& data) {
    const std::vector<std::string> lines = train::odd_value_warnings(data);
    REQUIRE(lines.size() == 1);
    return lines[0];
  };
  CHECK_THAT(only(targets_of({{1, 0, -1}, {0, 1, -1}})),
             Contains("2 targets (t1, t2) have the values -1, 0 and 1 only") &&
                 Contains("use data.missing_labels=-1; if 0 does"));
  CHECK_THAT(only(targets_of({{1, 0}, {0, 1, 999}})), Contains("1 target (t2)") && Contains("data.missing_labels=999"));
  CHECK_THAT(only(targets_of({{1, 0, -9}})), Contains("data.missing_labels=-9"));
  CHECK_THAT(only(targets_of({{1, -1}, {-1, 1}})), Contains("write 0 for -1"));
  CHECK_THAT(only(targets_of({{-1, -1, 1.5F, 5.1F, 6, 6.6F, 7.2F, 7.9F, 8.3F}})),
             Contains("column \"t1\": -1 in ") && Contains("no other value below 0 (1.5 to 8.3)"));
  CHECK_THAT(only(classes_of({"-1", "0", "1"})),
             Contains("the classes are -1, 0 and 1: does -1 mark") &&
                 Contains("data.missing_labels=-1; if 0 does, data.missing_labels=0"));
  CHECK_THAT(only(classes_of({"-1", "0", "1", "2", "3"})), Contains("data.missing_labels=-1"));
  CHECK_THAT(only(classes_of({"0", "1", "99"})), Contains("data.missing_labels=99"));
  CHECK_THAT(only(classes_of({"0", "1", "9999"})), Contains("data.missing_labels=9999"));
  CHECK_THAT(only(classes_of({"0", "1", "9"})), Contains("the classes are 0, 1 and 9: does 9 mark"));
  CHECK_THAT(only(targets_of({{1, 0, 9}, {0, 1, 9}})), Contains("2 targets (t1, t2)") && Contains("missing_labels=9"));
  for (const char* word : {"unknown", "Unk", "Not tested", "n.d.", "-", "N.A.", "#DIV/0!"})
    CHECK_THAT(only(classes_of({"no", "yes", word})),
               Contains(fmt::format("\"{}\" is learnt as a class of its own", word)) &&
                   Contains("use data.missing_labels="));
}

TEST_CASE("ordinary labels have no remark", "[train][odd_values]") {
  const auto has_none = [](const train::Dataset& data) { CHECK(train::odd_value_warnings(data).empty()); };
  has_none(targets_of({{0, 1}, {1, 0}}));
  has_none(targets_of({{-2, -1, 0, 1, 2}}));
  has_none(targets_of({{-1, -1, -0.5F, 0.3F, 1, 2.2F, 3.4F, 1.7F}}));
  has_none(targets_of({{1, 2, 3}}));
  has_none(classes_of({"-1", "1"}));
  has_none(classes_of({"-2", "-1", "0", "1", "2"}));
  has_none(classes_of({"0", "1", "2", "3"}));
  has_none(classes_of({"1", "2", "3", "8", "9"}));
  has_none(classes_of({"known", "unknown"}));
  has_none(classes_of({"no", "yes", "-1"}));
  has_none(classes_of({"1", "10", "100", "1000"}));
}
