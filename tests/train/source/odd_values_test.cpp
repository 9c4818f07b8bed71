#include "edgewise/train/source/odd_values.hpp"

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
