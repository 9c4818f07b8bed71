#include "edgewise/train/source/column_facts.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace edgewise;

TEST_CASE("columns are summarised", "[train][column_facts]") {
  const float unknown = std::numeric_limits<float>::quiet_NaN();
  io::Column age;
  age.numbers = {20, 40, unknown};
  age.missing = 1;
  const train::ColumnFacts facts = train::column_facts(age);
  CHECK(facts.mean == 30);
  CHECK(facts.smallest == 20);
  CHECK(facts.missing == 1);
  CHECK_FALSE(facts.is_constant);
  CHECK_FALSE(facts.is_empty);
  io::Column empty;
  empty.numbers = {unknown, unknown, unknown};
  empty.missing = 3;
  CHECK(train::column_facts(empty).is_empty);
}

TEST_CASE("numbers are reported as written", "[train][column_facts]") {
  io::Column column;
  column.numbers = {33.1F, 33.1F, 12.7F};
  const train::ColumnFacts facts = train::column_facts(column);
  CHECK(facts.largest == 33.1);
  CHECK(facts.smallest == 12.7);
  column.numbers = {33.1F};
  CHECK(train::column_facts(column).mean == 33.1);
}
