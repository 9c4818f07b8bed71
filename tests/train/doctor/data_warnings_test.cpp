#include "edgewise/train/doctor/data_warnings.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <limits>

#include "edgewise/train/source/column_warnings.hpp"
#include "support/graph_of.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::graph_of;

namespace {

std::string all(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) text += warning + "\n";
  return text;
}

}  // namespace

TEST_CASE("edges that may be mistakes are warned of", "[train][data_warnings]") {
  // 0-1 twice and once reversed, 1-2, a self loop at 2 twice, 3-4; 5 is isolated.
  const graph::Graph graph = graph_of(6, {0, 0, 1, 1, 2, 2, 3}, {1, 1, 0, 2, 2, 2, 4});
  const std::string warnings = all(train::edge_warnings(graph, train::edge_facts(graph)));
  CHECK_THAT(warnings, Contains("1 pair of nodes (33.3 %) has edges in both directions"));
  CHECK_THAT(warnings, Contains("2 edges are listed more than once"));
  CHECK_THAT(warnings, Contains("2 edges are self loops"));
  CHECK_THAT(warnings, Contains("1 node (16.7 %) has no edge"));
}

TEST_CASE("negative weights of edges are warned of", "[train][data_warnings]") {
  const graph::Graph graph = graph_of(3, {0, 1}, {1, 2}, graph::Direction::undirected, {0.5F, -1.5F});
  CHECK_THAT(all(train::edge_warnings(graph, train::edge_facts(graph))), Contains("negative (down to -1.5)"));
}

TEST_CASE("nodes that no edge leads to are warned of", "[train][data_warnings]") {
  // 0, 1 and 2 point at 3, and 3 points at 4.
  const graph::Graph star = graph_of(5, {0, 1, 2, 3}, {3, 3, 3, 4}, graph::Direction::directed);
  const train::EdgeFacts facts = train::edge_facts(star);
  CHECK(facts.without_incoming == 3);
  CHECK_THAT(all(train::edge_warnings(star, facts)),
             Contains("3 nodes (60.0 %) have no incoming edge") && Contains("data.directed=false") &&
                 Contains("data.component largest"));
  const graph::Graph both = graph_of(5, {0, 1, 2, 3}, {3, 3, 3, 4});
  CHECK(train::edge_facts(both).without_incoming == 0);
}

TEST_CASE("warnings about how an undirected graph is stored", "[train][data_warnings]") {
  const graph::Graph once = graph_of(3, {0, 1}, {1, 2}, graph::Direction::directed);
  CHECK_THAT(all(train::edge_warnings(once, train::edge_facts(once))), Contains("each edge stored once"));
  const graph::Graph twice = graph_of(3, {0, 1, 1, 2}, {1, 0, 2, 1});
  CHECK_THAT(all(train::edge_warnings(twice, train::edge_facts(twice))), Contains("each edge stored twice"));
  const graph::Graph right = graph_of(3, {0, 1}, {1, 2});
  CHECK(train::edge_warnings(right, train::edge_facts(right)).empty());
  const graph::Graph none = graph_of(2, {}, {});
  CHECK_THAT(all(train::edge_warnings(none, train::edge_facts(none))), Contains("there are no edges"));
}

TEST_CASE("columns and labels that say little are warned of", "[train][data_warnings]") {
  const float unknown = std::numeric_limits<float>::quiet_NaN();
  io::Column age;
  age.name = "age";
  age.numbers = {20, 40, unknown};
  age.missing = 1;
  io::Column planet;
  planet.name = "planet";
  planet.is_numeric = false;
  planet.codes = {0, 0, 0};
  planet.categories = {"Earth"};
  io::Column empty;
  empty.name = "empty";
  empty.numbers = {unknown, unknown, unknown};
  empty.missing = 3;
  const std::vector<train::ColumnFacts> columns = {train::column_facts(age), train::column_facts(planet),
                                                   train::column_facts(empty)};
  const std::string warnings = all(train::column_warnings(columns, 3));
  CHECK_THAT(warnings, !Contains("age"));
  CHECK_THAT(warnings, Contains("\"planet\" has the same value"));
  CHECK_THAT(warnings, Contains("\"empty\" is empty and not used"));
  CHECK(train::column_warnings({train::column_facts(io::Column{})}, 0).empty());

  data::Labels labels;
  labels.names = {"no", "yes"};
  labels.classes.assign(100, 0);
  labels.classes[0] = 1;
  labels.classes[1] = -1;
  CHECK_THAT(all(train::label_warnings(labels)), Contains("unbalanced (1 to 98 items)"));
}

TEST_CASE("warnings about decimal commas, dates and numbers taken as classes", "[train][data_warnings]") {
  const auto warnings = [](std::vector<std::string> categories) {
    io::Column column{
        .name = "x", .is_numeric = false, .numbers = {}, .codes = {}, .categories = std::move(categories)};
    for (std::size_t i = 0; i < column.categories.size(); ++i) column.codes.push_back(static_cast<std::int32_t>(i));
    return all(train::column_warnings({train::column_facts(column)}, column.codes.size()));
  };
  CHECK_THAT(warnings({"3,14", "2,7", "-1,5e3", "4"}), Contains("decimal comma"));
  CHECK_THAT(warnings({"2024-03-31", "2024-04-01T10:00", "1.4.2024", "4/1/2024"}), Contains("look like dates"));
  CHECK_THAT(warnings({"1,500", "-12,345,678.5", "900"}), Contains("numbers with commas between thousands"));
  CHECK_THAT(warnings({"1,500", "2,25"}), Contains("decimal comma"));
  CHECK_THAT(warnings({"0,500", "-0,125", "1,250"}), Contains("decimal comma"));
  CHECK(warnings({"1,2345", "1,,234", ",500", "1,5a0"}).find("thousands") == std::string::npos);
  CHECK(warnings({"1,2,3", "a,b"}).find("decimal") == std::string::npos);
  CHECK(warnings({"10.0.0.1", "1-2-3", "2024"}).find("dates") == std::string::npos);
  train::Dataset data;
  data.labels.names = {"1", "2", "3", "4", "5", "6"};
  for (int i = 0; i < 60; ++i) data.labels.classes.push_back(i % 6);
  CHECK_THAT(all(train::label_warnings(data)), Contains("6 classes: the labels are the integers 1 to 6"));
  for (const char* set : {"digits", ""}) {
    data.reading.dataset = set;
    data.reading.task = data.reading.dataset.empty() ? "classification" : "auto";
    CHECK(train::label_warnings(data).empty());
  }
  data.reading.task = "auto";
  data.labels.names[0] = "one";
  CHECK(train::label_warnings(data).empty());
}

TEST_CASE("of many rare labels the first are warned of", "[train][data_warnings]") {
  data::Labels labels;
  for (int i = 0; i < 40; ++i) labels.names.push_back(fmt::format("c{}", i));
  for (int i = 0; i < 200; ++i) labels.classes.push_back(i < 30 ? i : 30 + i % 10);
  const std::vector<std::string> warnings = train::label_warnings(labels);
  CHECK_THAT(all(warnings), Contains("label \"c9\": only 1 item has it") && !Contains("\"c10\"") &&
                                Contains("and 20 more labels: fewer than 5 items each"));
}

TEST_CASE("labels that differ only in case or blanks are warned of", "[train][data_warnings]") {
  data::Labels labels;
  labels.names = {"Ham", "SPAM", "Spam", "ham ", "none", "spam"};
  labels.classes = {0, 1, 2, 3, 4, 5};
  const std::string warnings = all(train::spelling_warnings(labels));
  CHECK_THAT(warnings, Contains("the labels \"Ham\", \"ham \" differ only in case or blanks") &&
                           Contains("\"SPAM\", \"Spam\", \"spam\"") && !Contains("none"));
  labels.names = {"-1", "1", "a", "b"};
  CHECK(train::spelling_warnings(labels).empty());
}

TEST_CASE("a column to be learnt is not to be left out", "[train][data_warnings]") {
  io::Column ids{.name = "y", .is_numeric = false, .numbers = {}, .codes = {}, .categories = {}};
  for (int i = 0; i < 30; ++i) {
    ids.codes.push_back(i);
    ids.categories.push_back("text " + std::to_string(i));
  }
  train::Dataset data;
  data.table.columns = {ids};
  CHECK_THAT(train::column_type_warning(train::facts_of_columns(data, data.table)[0], 30), Contains("data.ignore y"));
  data.reading.label = {"y"};
  CHECK(train::column_type_warning(train::facts_of_columns(data, data.table)[0], 30).empty());
}
