#include "edgewise/train/doctor/column_information.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "edgewise/core/random.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t kVoters = 600;

io::Column numeric_column(const std::string& name, const std::function<double(std::size_t)>& of) {
  io::Column column{.name = name, .numbers = {}, .codes = {}, .categories = {}};
  for (std::size_t row = 0; row < kVoters; ++row) column.numbers.push_back(static_cast<float>(of(row)));
  return column;
}

io::Column category_column(const std::string& name, std::size_t count,
                           const std::function<std::size_t(std::size_t)>& of) {
  io::Column column{.name = name, .is_numeric = false, .numbers = {}, .codes = {}, .categories = {}};
  for (std::size_t i = 0; i < count; ++i) column.categories.push_back(name + std::to_string(100 + i));
  for (std::size_t row = 0; row < kVoters; ++row) column.codes.push_back(static_cast<std::int32_t>(of(row)));
  return column;
}

/// Two classes, and columns that know them in different ways, or not at all.
Dataset voters() {
  Random random(5, Stream::generate);
  Dataset data;
  data.graph = graph::Graph(graph::NodeNames::numbered(kVoters), {}, {});
  data.table.names = graph::NodeNames::numbered(kVoters);
  data.labels.names = {"l", "r"};
  for (std::size_t row = 0; row < kVoters; ++row)
    data.labels.classes.push_back(row % 5 == 0 ? -1 : static_cast<std::int32_t>(row % 2));
  const auto party = [](std::size_t row) { return row % 2; };
  data.table.columns = {
      numeric_column("shifted",
                     [&](std::size_t row) { return random.normal() + 0.8 * static_cast<double>(party(row)); }),
      numeric_column("spread",
                     [&](std::size_t row) { return random.normal() * (1 + 2 * static_cast<double>(party(row))); }),
      numeric_column("noise", [&](std::size_t) { return random.normal(); }),
      category_column(
          "town", 30,
          [&](std::size_t row) { return random.below(15) * 2 + (random.below(3) > 0 ? party(row) : random.below(2)); }),
      category_column("list", 40, [&](std::size_t) { return random.below(40); }),
      category_column("name", kVoters, [](std::size_t row) { return row; }),
  };
  return data;
}

}  // namespace

TEST_CASE("columns that say nothing about the classes are found", "[train][column_information]") {
  Dataset data = voters();
  CHECK(columns_without_information(data) == std::vector<std::string>{"noise", "list"});
  data.reading.ignore = {"list"};
  CHECK(columns_without_information(data) == std::vector<std::string>{"noise"});
  CHECK_THAT(information_warning({"noise"}),
             Contains("1 column says no more about the label than chance would: \"noise\"; data.ignore"));
  CHECK(information_warning({}).empty());
}

TEST_CASE("columns that say nothing about a number are found", "[train][column_information]") {
  Dataset data = voters();
  data.labels = {.task = data::Task::regression, .names = {"age"}, .classes = {}, .targets = {}};
  data.labels.targets.resize(kVoters, 1);
  Random random(6, Stream::generate);
  for (std::size_t row = 0; row < kVoters; ++row)
    data.labels.targets(static_cast<Eigen::Index>(row), 0) =
        std::abs(data.table.columns[0].numbers[row]) + static_cast<float>(random.normal() / 2);
  const std::vector<std::string> columns = columns_without_information(data);
  CHECK(std::ranges::count(columns, "noise") == 1);
  CHECK(std::ranges::count(columns, "list") == 1);
  CHECK(std::ranges::count(columns, "shifted") == 0);
}

TEST_CASE("few labels say nothing about columns", "[train][column_information]") {
  Dataset data = voters();
  for (std::size_t row = 90; row < kVoters; ++row) data.labels.classes[row] = -1;
  CHECK(columns_without_information(data).empty());
}
