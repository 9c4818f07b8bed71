#include "edgewise/train/doctor/leaks.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>
#include <limits>

#include "edgewise/core/random.hpp"
#include "edgewise/io/categorical_column.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t kRows = 200;

io::Column numbers(std::string name, const std::function<double(std::size_t)>& of) {
  io::Column column;
  column.name = std::move(name);
  for (std::size_t row = 0; row < kRows; ++row) {
    column.numbers.push_back(static_cast<float>(of(row)));
    column.missing += std::isnan(column.numbers.back()) ? 1 : 0;
  }
  return column;
}

io::Column texts(std::string name, const std::function<std::string(std::size_t)>& of) {
  std::vector<std::string> values;
  for (std::size_t row = 0; row < kRows; ++row) values.push_back(of(row));
  return io::categorical_column(std::move(name), values);
}

/// Independent of the row's number.
double noise(std::size_t row, std::uint64_t key) {
  return random_bits(random_key(key, Stream::generate), static_cast<std::uint32_t>(row)) / 4294967296.0;
}

/// Classes of 4, in no order, or as many numbers.
train::Dataset data_with(std::vector<io::Column> columns, data::Task task) {
  train::Dataset data;
  data.reading.label = {"y"};
  data.table.columns = std::move(columns);
  for (std::size_t row = 0; row < kRows; ++row) data.table.names.add(std::to_string(row));
  data.labels.task = task;
  data.labels.names = task == data::Task::classification ? std::vector<std::string>{"a", "b", "c", "d"}
                                                         : std::vector<std::string>{"y"};
  data.labels.targets.resize(kRows, task == data::Task::classification ? 0 : 1);
  for (std::size_t row = 0; row < kRows; ++row) {
    const double value = noise(row, 1);
    if (task == data::Task::classification) data.labels.classes.push_back(static_cast<std::int32_t>(4 * value));
    if (task == data::Task::regression)
      data.labels.targets(static_cast<Eigen::Index>(row), 0) = static_cast<float>(value);
    if (task == data::Task::multilabel) data.labels.targets(static_cast<Eigen::Index>(row), 0) = value < 0.2 ? 1 : 0;
  }
  return data;
}

int class_of(std::size_t row) { return static_cast<int>(4 * noise(row, 1)); }

/// The first words of all lines.
std::string leaks(std::vector<io::Column> columns, data::Task task = data::Task::classification) {
  std::string names;
  for (const std::string& line : train::leak_warnings(data_with(std::move(columns), task))) {
    const std::size_t begin = line.find("column \"") + 8;
    names += line.substr(begin, line.find('"', begin) - begin) + " ";
  }
  return names;
}

}  // namespace

TEST_CASE("columns that tell the class are named", "[train][leaks]") {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  CHECK(
      leaks({numbers("id", [](std::size_t row) { return 10.0 * class_of(row); }),
             texts("code", [](std::size_t row) { return fmt::format("{}{}", class_of(row), row % 7); }),
             numbers("score", [](std::size_t row) { return class_of(row) + 0.5 * noise(row, 2); }),
             texts("closed", [](std::size_t row) { return row % 100 == 0 ? "?" : fmt::format("c{}", class_of(row)); }),
             numbers("weak", [](std::size_t row) { return class_of(row) + 2 * noise(row, 3); }),
             texts("name", [](std::size_t row) { return fmt::format("n{}", row); }),
             texts("other", [](std::size_t row) { return fmt::format("{}", static_cast<int>(9 * noise(row, 4))); }),
             numbers("same", [](std::size_t) { return 0.0; }),
             numbers("random", [](std::size_t row) { return noise(row, 5); })}) == "id code score closed ");
  const auto lines = train::leak_warnings(data_with(
      {numbers("my id", [](std::size_t row) { return row < 2 ? 9.0 : class_of(row); })}, data::Task::classification));
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Contains("column \"my id\" alone tells \"y\" for ") &&
                           Contains("is it known before \"y\" is?") && Contains("data.ignore \"my id\""));
  const auto absent = train::leak_warnings(
      data_with({numbers("end", [&](std::size_t row) { return noise(row, 1) < 0.2 ? noise(row, 6) : unknown; })},
                data::Task::multilabel));
  REQUIRE(absent.size() == 1);
  CHECK_THAT(absent[0], Contains("whether column \"end\" has a value tells \"y\" for 100.0 %"));
}

TEST_CASE("a column that tells the class where it has a value is named", "[train][leaks]") {
  const auto closed_as = [](double share) {
    return texts("closed_as", [share](std::size_t row) {
      return noise(row, 7) < share ? "" : fmt::format("closed {}", static_cast<int>(4 * noise(row, 1)));
    });
  };
  const auto lines = [&](double missing) {
    return train::leak_warnings(data_with({closed_as(missing)}, data::Task::classification));
  };
  REQUIRE(lines(0.15).size() == 1);
  CHECK_THAT(lines(0.15)[0], Contains("alone tells \"y\" for 100.0 % of the rows that have a value"));
  CHECK(lines(0.8).empty());
}

TEST_CASE("columns in the order of the rows tell nothing by equal values", "[train][leaks]") {
  train::Dataset data = data_with({numbers("flag", [](std::size_t row) { return row % 2 == 0 ? 1.0 : 0.0; })},
                                  data::Task::classification);
  for (std::size_t row = 0; row < kRows; ++row) data.labels.classes[row] = static_cast<std::int32_t>(row / 50);
  CHECK(train::leak_warnings(data).empty());
}

TEST_CASE("columns that tell a number are named", "[train][leaks]") {
  CHECK(leaks({numbers("percent", [](std::size_t row) { return 100 * noise(row, 1); }),
               numbers("log", [](std::size_t row) { return -std::log(noise(row, 1)); }),
               numbers("close", [](std::size_t row) { return noise(row, 1) + 0.3 * noise(row, 2); }),
               texts("level", [](std::size_t row) { return fmt::format("{}", static_cast<int>(20 * noise(row, 1))); }),
               texts("half", [](std::size_t row) { return noise(row, 1) < 0.5 ? "low" : "high"; })},
              data::Task::regression) == "percent log level ");
}

TEST_CASE("columns that are no features are not named as leaks", "[train][leaks]") {
  const auto copy = [](std::size_t row) { return fmt::format("c{}", class_of(row)); };
  train::Dataset data = data_with({texts("y", copy), texts("split", copy), texts("fold", copy), texts("z", copy)},
                                  data::Task::classification);
  data.reading.ignore = {"z"};
  CHECK(train::leak_warnings(data, {"fold"}).empty());
  CHECK(train::leak_warnings(data).size() == 1);
  data.features.dense.resize(kRows, 1);
  CHECK(train::leak_warnings(data).empty());
}

TEST_CASE("columns that tell the class of a graph are named", "[train][leaks]") {
  train::Dataset data = data_with({}, data::Task::classification);
  data.graphs.emplace();
  data.collection.emplace();
  io::Column kind = numbers("kind", class_of), same = numbers("varied", class_of);
  for (std::size_t row = 0; row < kRows; ++row) {
    data.graphs->offsets.push_back(static_cast<graph::Node>(2 * row + 2));
    kind.numbers.insert(kind.numbers.begin() + static_cast<std::ptrdiff_t>(2 * row), kind.numbers[2 * row]);
    same.numbers.insert(same.numbers.begin() + static_cast<std::ptrdiff_t>(2 * row), static_cast<float>(row % 3));
  }
  data.collection->nodes.columns = {kind, same};
  const auto lines = train::leak_warnings(data);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Contains("column \"kind\" alone"));
}
