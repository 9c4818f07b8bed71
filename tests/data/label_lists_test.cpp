#include "edgewise/data/label_lists.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/temporary_directory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

io::NodeTable table_of(const std::string& text) {
  const test::TemporaryDirectory directory;
  directory.write("t.csv", text);
  return io::read_node_table((directory.path() / "t.csv").string());
}

}  // namespace

TEST_CASE("a cell with several labels becomes a column for each", "[data][label_lists]") {
  io::NodeTable table = table_of("id,topics,age\na,x; y,1\nb,,2\nc,;,3\nd,y;y;,4\n");
  CHECK(data::split_label_lists("topics", ";", {}, table) == std::vector<std::string>{"x", "y"});
  CHECK(table.find("topics") == nullptr);
  CHECK(table.find("age") != nullptr);
  const io::Column &x = table.at("x"), &y = table.at("y");
  CHECK(x.numbers[0] == 1);
  CHECK(y.numbers[0] == 1);
  CHECK(std::isnan(x.numbers[1]));  // unknown
  CHECK(x.missing == 1);
  CHECK(x.numbers[2] == 0);  // none
  CHECK(y.numbers[2] == 0);
  CHECK(x.numbers[3] == 0);
  CHECK(y.numbers[3] == 1);
}

TEST_CASE("lists are read as programs write them", "[data][label_lists]") {
  io::NodeTable table = table_of("id;topics\na;\"[\"\"x\"\", \"\"y\"\"]\"\nb;['y', 'z w']\nc;[]\n");
  CHECK(data::split_label_lists("topics", ",", {}, table) == std::vector<std::string>{"x", "y", "z w"});
  CHECK(table.at("y").numbers == std::vector<float>{1, 1, 0});
}

TEST_CASE("a model's labels decide which columns there are", "[data][label_lists]") {
  const std::vector<std::string> known = {"z", "x"};
  io::NodeTable table = table_of("id,topics\na,x\nb,x||z\n");
  CHECK(data::split_label_lists("topics", "||", known, table) == known);
  CHECK(table.at("z").numbers == std::vector<float>{0, 1});
  io::NodeTable other = table_of("id,topics\na,x\nb,x||w\n");
  CHECK_THROWS_WITH(data::split_label_lists("topics", "||", known, other),
                    Contains("t.csv:3: column \"topics\": \"w\" is not one of the model's labels (z, x)"));
  CHECK(other.find("topics") != nullptr);  // the table stays as it is
  CHECK(other.find("x") == nullptr);
}

TEST_CASE("a label with the name of another column is refused", "[data][label_lists]") {
  io::NodeTable table = table_of("id,topics,age\na,x;age,1\nb,x,2\n");
  CHECK_THROWS_WITH(data::split_label_lists("topics", ";", {}, table),
                    Contains("the label \"age\" has the name of another column"));
}
