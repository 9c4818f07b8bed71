#include "edgewise/data/odd_cells.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/data/node_labels.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::data;
using Catch::Matchers::Contains;

namespace {

/// A column of the values 0.25, 1.25, ... with `odd` in its fourth row.
std::vector<std::string> amounts_with(const std::string& odd) {
  std::vector<std::string> cells;
  for (int i = 0; i < 12; ++i) cells.push_back(i == 3 ? odd : std::to_string(i) + ".25");
  return cells;
}

io::NodeTable table_of(const std::vector<std::string>& cells) {
  std::string text = "id;y\n";
  for (std::size_t i = 0; i < cells.size(); ++i) text += fmt::format("n{};{}\n", i, cells[i]);
  const test::TemporaryDirectory folder;
  return io::read_node_table(folder.write("t.csv", text));
}

std::vector<std::string> texts(int count, const std::string& before, int different) {
  std::vector<std::string> result;
  for (int i = 0; i < count; ++i) result.push_back(before + std::to_string(i % different));
  return result;
}

}  // namespace

TEST_CASE("cells that are meant as numbers are told from others", "[data][odd_cells]") {
  const std::vector<std::pair<CellKind, std::vector<std::string>>> cases = {
      {CellKind::number, {"5", "-0.5", "1e-3", " 2.5", "0.1"}},
      {CellKind::bound, {">5", "< 0.1", ">=3", "<=-4.5", "~7", ">>1", "≥2", "≤2,5", "≈ 3"}},
      {CellKind::infinite, {"inf", "-inf", "Infinity", "+INF", "∞"}},
      {CellKind::decimal_comma, {"3,14", "-0,5"}},
      {CellKind::thousands, {"1,500", "12,345,678.9"}},
      {CellKind::unit, {"1.2 mM", "95%", "37 °C", "5 ug/mL", "1,5 mM", "25nM", "0.1uM", "2.5kcal"}},
      {CellKind::deviation, {"0.5 ± 0.1", "3±1", "0.5 +/- 0.1"}},
      {CellKind::range, {"0.5-1.2", "3.5 – 4", "1.5 to 2"}},
      {CellKind::other,
       {"", "None", "n/a", "-", "5x", "007", "1-2", "a 5", "10 - 20", "12A", ">", ">x", "2 3", "infinite"}},
  };
  for (const auto& [kind, cells] : cases)
    for (const std::string& cell : cells) {
      INFO(cell);
      CHECK(kind_of_cell(cell) == kind);
    }
}

TEST_CASE("one odd cell among amounts is refused with its line and advice", "[data][odd_cells]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {">5", "which is a bound"},     {"inf", "which cannot be learnt"}, {"3,5", "use a decimal point"},
      {"1,500", "between thousands"}, {"1.2 mM", "which has a unit"},    {"failed", "data.missing_labels"},
      {"n.d.", "data.missing_labels"}};
  for (const auto& [cell, advice] : cases) {
    INFO(cell);
    CHECK_THROWS_WITH(read_labels(table_of(amounts_with(cell)), {.columns = {"y"}}),
                      Contains("t.csv:5: column \"y\": expected a number as in 11 of 12 cells, got \"" + cell +
                               "\"") &&
                          Contains(advice) && Contains("data.task classification"));
    CHECK_THROWS_WITH(read_labels(table_of(amounts_with(cell)), {.columns = {"y"}, .task = Task::regression}),
                      Contains("t.csv:5: column \"y\": expected a number, got \"" + cell + "\"") && Contains(advice));
  }
  CHECK_THROWS_AS(read_labels(table_of(amounts_with("x")), {.columns = {"y"}}), DataError);
  CHECK(read_labels(table_of(amounts_with("x")), {.columns = {"y"}, .task = Task::classification}).names.size() == 12);
  CHECK(read_labels(table_of(amounts_with("x")), {.columns = {"y"}, .are_categories = true}).names.size() == 12);
  CHECK(read_labels(table_of(amounts_with("x")), {.columns = {"y"}, .allows_any = true}).names.size() == 12);
}

TEST_CASE("units and decimal commas everywhere are refused, too", "[data][odd_cells]") {
  std::vector<std::string> with_units, with_commas;
  for (int i = 0; i < 12; ++i) {
    with_units.push_back(std::to_string(i) + ".5 mM");
    with_commas.push_back(std::to_string(i) + ",5");
  }
  CHECK_THROWS_WITH(read_labels(table_of(with_units), {.columns = {"y"}}),
                    Contains("t.csv:2") && Contains("expected a number, got \"0.5 mM\""));
  CHECK_THROWS_WITH(read_labels(table_of(with_commas), {.columns = {"y"}}), Contains("decimal comma"));
}

TEST_CASE("columns of classes stay classes", "[data][odd_cells]") {
  std::vector<std::string> grades = texts(40, "", 6), codes = texts(40, "00", 40), words = texts(40, "class ", 30);
  grades.push_back("none");
  std::vector<std::string> half = texts(20, "", 20);
  for (int i = 0; i < 30; ++i) half.push_back("word");
  for (const std::vector<std::string>& cells : {grades, codes, words, half, {"0.5", "1.5", "none", "none"}}) {
    INFO(cells.front());
    CHECK(!find_odd_cells(table_of(cells).columns.front()));
  }
}

TEST_CASE("cells of blanks mean that a label is unknown", "[data][odd_cells]") {
  io::NodeTable table = table_of(amounts_with("  "));
  prepare_label_columns({"y"}, {}, table);
  CHECK(table.columns.front().is_numeric);
  CHECK(table.columns.front().missing == 1);
}

TEST_CASE("of bounds and another odd cell it is the other one that is refused", "[data][odd_cells]") {
  std::vector<std::string> cells = amounts_with("4.5±0.1");
  cells.front() = ">5";
  CHECK_THROWS_WITH(read_labels(table_of(cells), {.columns = {"y"}}),
                    Contains("t.csv:5") && Contains("got \"4.5±0.1\", which has a deviation"));
  CHECK_THROWS_WITH(read_labels(table_of(cells), {.columns = {"y"}, .task = Task::regression}),
                    Contains("t.csv:5") && Contains("got \"4.5±0.1\""));
}
