#include "edgewise/io/predictions.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <sstream>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/io/node_table.hpp"
#include "io/files.hpp"

using namespace edgewise;
using io::PredictionKind;
using test::Files;

namespace {

graph::NodeNames quoted_people() {
  graph::NodeNames names;
  for (const char* name : {"ada", "Doe, \"J\"", "#3"}) names.add(name);
  return names;
}

io::Predictions buys() {
  io::Predictions predictions;
  predictions.columns = {"no", "yes, twice"};
  predictions.values.resize(3, 2);
  predictions.values << 0.1f, 0.9f, 0.5f, 0.5f, std::numeric_limits<float>::quiet_NaN(), 1.0f;
  return predictions;
}

}  // namespace

TEST_CASE("predicted classes can be read back", "[io][predictions]") {
  const Files files;
  io::write_predictions(files.path("a.csv"), quoted_people(), buys());
  CHECK(test::slurp(files.path("a.csv")) ==
        "node,predicted,p_no,\"p_yes, twice\"\nada,\"yes, twice\",0.1,0.9\n\"Doe, \"\"J\"\"\",no,0.5,0.5\n"
        "\"#3\",\"yes, twice\",,1\n");
  const io::NodeTable table = io::read_node_table(files.path("a.csv"));
  REQUIRE(table.rows() == 3);
  CHECK(table.names[1] == "Doe, \"J\"");
  CHECK(table.at("predicted").text(0) == "yes, twice");
  CHECK(table.at("p_no").numbers[0] == 0.1f);
  CHECK(table.at("p_no").is_missing(2));

  io::write_predictions(files.path("a.jsonl"), quoted_people(), buys());
  std::istringstream lines(test::slurp(files.path("a.jsonl")));
  std::string line;
  std::getline(lines, line);
  CHECK(line == R"({"node":"ada","predicted":"yes, twice","probabilities":{"no":0.1,"yes, twice":0.9}})");
  std::getline(lines, line);
  std::getline(lines, line);
  CHECK(json::parse(line, "line").at("probabilities").at("no").is_null());
}

TEST_CASE("predicted labels, numbers and chosen nodes", "[io][predictions]") {
  const Files files;
  io::Predictions predictions = buys();
  predictions.kind = PredictionKind::labels;
  predictions.columns = {"a", "b"};
  predictions.nodes = {2, 0, 1};
  io::write_predictions(files.path("a.csv"), quoted_people(), predictions);
  CHECK(test::slurp(files.path("a.csv")) ==
        "node,predicted,p_a,p_b\n\"#3\",b,0.1,0.9\nada,\"a;b\",0.5,0.5\n\"Doe, \"\"J\"\"\",b,,1\n");
  predictions.threshold = 2.0f;
  io::write_predictions(files.path("a.jsonl"), quoted_people(), predictions);
  CHECK(test::slurp(files.path("a.jsonl")).substr(0, 30) == R"({"node":"#3","predicted":[],"p)");

  predictions.kind = PredictionKind::numbers;
  io::write_predictions(files.path("b.csv"), quoted_people(), predictions);
  CHECK(test::slurp(files.path("b.csv")).substr(0, 20) == "node,a,b\n\"#3\",0.1,0.");
  io::write_predictions(files.path("b.jsonl"), quoted_people(), predictions);
  CHECK(test::slurp(files.path("b.jsonl")).substr(0, 44) == R"({"node":"#3","predicted":{"a":0.1,"b":0.9}})" "\n");
}

TEST_CASE("numbers beside predictions are numbers in JSON", "[io][predictions]") {
  const Files files;
  graph::NodeNames rows;
  for (const char* name : {"1", "2"}) rows.add(name);
  Matrix bounds(2, 1);
  bounds << -0.5f, std::numeric_limits<float>::quiet_NaN();
  const io::Predictions predictions{.kind = PredictionKind::numbers,
                                    .columns = {"y"},
                                    .values = Matrix::Ones(2, 1),
                                    .key = "row",
                                    .before = {{.name = "dose", .values = {"+.50", "12"}, .is_numeric = true},
                                               {.name = "code", .values = {"007", "8"}}},
                                    .after = {io::number_column("lower_y", bounds, 0),
                                              {.name = "known", .values = {">5", "1e3"}, .is_numeric = true}}};
  io::write_predictions(files.path("a.jsonl"), rows, predictions);
  CHECK(test::slurp(files.path("a.jsonl")) ==
        R"({"row":1,"dose":0.5,"code":"007","predicted":{"y":1},"lower_y":-0.5,"known":">5"})" "\n"
        R"({"row":2,"dose":12,"code":"8","predicted":{"y":1},"known":1000})" "\n");
  io::write_predictions(files.path("a.csv"), rows, predictions);
  CHECK(test::slurp(files.path("a.csv")) == "row,dose,code,y,lower_y,known\n1,+.50,007,1,-0.5,>5\n2,12,8,1,,1e3\n");
}

TEST_CASE("predictions that do not fit are refused", "[io][predictions]") {
  const Files files;
  io::Predictions predictions = buys();
  CHECK_THROWS_AS(io::write_predictions(files.path("a.dot"), quoted_people(), predictions), UsageError);
  CHECK_THROWS_AS(io::write_predictions(files.path("a.csv"), graph::NodeNames(), predictions), UsageError);
  predictions.nodes = {0, 1, 7};
  CHECK_THROWS_AS(io::write_predictions(files.path("a.csv"), quoted_people(), predictions), UsageError);
  io::write_predictions(files.path("empty.csv"), graph::NodeNames(), {.columns = {}, .values = {}, .nodes = {}});
  CHECK(test::slurp(files.path("empty.csv")) == "node,predicted\n");
  io::write_predictions(files.path("empty.csv"), graph::NodeNames(),
                        {.columns = {"a", "b"}, .values = Matrix(0, 2), .deviations = Matrix(0, 2)});
  CHECK(test::slurp(files.path("empty.csv")) == "node,predicted,p_a,p_b,std_a,std_b\n");
}
