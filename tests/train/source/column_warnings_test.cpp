#include "edgewise/train/source/column_warnings.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

std::string all_of(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) text += warning + "\n";
  return text;
}

}  // namespace

TEST_CASE("cells that look like lists of labels are warned of", "[train][column_warnings]") {
  train::ColumnFacts facts;
  facts.name = "genre";
  facts.is_numeric = false;
  facts.categories = 4;
  facts.lists = train::ValueLists{'|', "rock|pop", {"rock", "pop"}};
  facts.is_label = true;
  CHECK_THAT(train::column_type_warning(facts, 100),
             Contains("such as \"rock|pop\", and each different list is a class of its own; data.task multilabel "
                      "data.separator '|' makes a label of each entry (rock, pop)"));
  facts.is_label = false;
  CHECK_THAT(train::column_type_warning(facts, 100), Contains("a category of its own") && !Contains("data.label"));
}

TEST_CASE("numbers that differ in digits that are not kept are warned of", "[train][column_warnings]") {
  train::ColumnFacts column;
  column.name = "time";
  column.is_numeric = true;
  column.rounded = "1700000001";
  column.smallest = 1.7e9;
  column.largest = 1.7e9 + 3600;
  CHECK_THAT(all_of(train::column_warnings({column}, 100)), Contains("such as 1700000001, differ in digits beyond"));
  column.smallest = 0;
  CHECK(train::column_warnings({column}, 100).empty());
}

TEST_CASE("a column that is left out is not called one to leave out", "[train][column_warnings]") {
  train::ColumnFacts facts;
  facts.name = "number";
  facts.counts_rows = true;
  CHECK_THAT(train::column_type_warning(facts, 30), Contains("data.ignore number"));
  facts.name = "row number";
  CHECK_THAT(train::column_type_warning(facts, 30), Contains("data.ignore \"row number\""));
  facts.name = "column 1";
  facts.is_unnamed_index = true;
  CHECK(train::column_type_warning(facts, 30).empty());
  CHECK_THAT(all_of(train::column_warnings({facts}, 30)),
             Contains("\"column 1\" has no name and numbers the rows: it is left out"));
}

TEST_CASE("cells that are numbers in another writing, and lists of numbers, are warned of",
          "[train][column_warnings]") {
  train::ColumnFacts facts;
  facts.name = "price";
  facts.is_numeric = false;
  facts.categories = 30;
  facts.written = train::WrittenNumbers{"\"$\"", "$5", "5"};
  CHECK(train::column_type_warning(facts, 30) ==
        "column \"price\" is taken as categories: its values look like numbers with \"$\", such as \"$5\"; write plain "
        "numbers, as 5");
  facts.number_lists = train::NumberLists{3, "1, 2, 3"};
  CHECK_THAT(train::column_type_warning(facts, 30), Contains("its cells are lists of 3 numbers, such as \"1, 2, 3\""));
}
