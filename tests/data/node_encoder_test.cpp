#include "edgewise/data/node_encoder.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::data;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kPeople =
    "id,age,city,income,same,plan,label\n"
    "a,20,Faro,10,5,x,yes\n"
    "b,40,Cork,,5,x,no\n"
    "c,30,Faro,30,5,,yes\n"
    "d,900,Hanko,50,7,y,no\n";  // not a training row

const std::vector<graph::Node> kTrain = {0, 1, 2};

io::NodeTable table_of(const test::TemporaryDirectory& folder, const std::string& text) {
  return io::read_node_table(folder.write("people.csv", text));
}

}  // namespace

TEST_CASE("wide tables are encoded", "[data][node_encoder]") {
  constexpr int kColumns = 400'000;  // it would take hours to search all columns for each
  io::NodeTable table;
  for (const char* name : {"a", "b"}) table.names.add(name);
  table.lines = {2, 3};
  for (int i = 0; i < kColumns; ++i) {
    io::Column& column = table.columns.emplace_back();
    column.name = "column of a wide table " + std::to_string(i);
    column.numbers = {0, 1};
  }
  const std::vector<graph::Node> rows = {0, 1};
  const NodeEncoder encoder = NodeEncoder::fit(table, rows, {});
  CHECK(encoder.encode(table).dense.cols() == kColumns);
}

TEST_CASE("encoder is fitted on the training rows only", "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  const io::NodeTable table = table_of(folder, kPeople);
  const NodeEncoder encoder = NodeEncoder::fit(table, kTrain, {.excluded = {"label"}});
  REQUIRE(encoder.notes().size() == 1);
  CHECK(encoder.notes()[0] == "column \"same\" is always 5 in the training rows: left out");

  EncodingReport report;
  const Features features = encoder.encode(table, &report);
  CHECK(features.names == std::vector<std::string>{"age", "city = Cork", "city = Faro", "income", "income is missing",
                                                   "plan = x", "plan is missing"});
  const float age = std::sqrt(200.0F / 3);  // mean 30
  Matrix expected(4, 7);
  expected << -10 / age, 0, 1, -1, 0, 1, 0,  // income: mean 20, deviation 10
      10 / age, 1, 0, 0, 1, 1, 0,            //
      0, 0, 1, 1, 0, 0, 1,                   //
      870 / age, 0, 0, 3, 0, 0, 0;           // Hanko and y were never seen
  CHECK(features.dense.isApprox(expected, 1e-6F));
  CHECK(report.unseen == std::vector<std::pair<std::string, std::size_t>>{{"city", 1}, {"plan", 1}});
}

TEST_CASE("encoder is restored from JSON", "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  const io::NodeTable table = table_of(folder, kPeople);
  const NodeEncoder encoder = NodeEncoder::fit(table, kTrain, {.excluded = {"label"}});
  const NodeEncoder again = NodeEncoder::from_json(json::parse(json::dump(encoder.to_json()), "m"));
  CHECK(again.encode(table).names == encoder.encode(table).names);
  CHECK(again.encode(table).dense == encoder.encode(table).dense);
  for (
      const char* text :
      {"[]", "{}", R"({"columns": 1})", R"({"columns": [{"column": "a"}]})",
       R"({"columns": [{"column": "a", "numeric": true, "missing": false, "value": true, "mean": 0, "deviation": 0}]})",
       R"({"columns": [{"column": "a", "numeric": true, "missing": false, "value": true, "mean": 0, "deviation": 1,
                         "logarithm": {"median": 0, "spread": 0, "mean": 0, "deviation": 1}}]})",
       R"({"columns": [{"column": "a", "numeric": false, "missing": false, "categories": [1]}]})"})
    CHECK_THROWS_AS(NodeEncoder::from_json(json::parse(text, "m")), ModelError);
}

TEST_CASE("encoder is applied to other tables", "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  const NodeEncoder encoder = NodeEncoder::fit(table_of(folder, kPeople), kTrain, {.excluded = {"label"}});
  SECTION("other columns and another order are fine") {
    const io::NodeTable other = table_of(folder, "id,plan,height,income,city,age\nz,x,1.8,20,Cork,30\n");
    Matrix expected(1, 7);
    expected << 0, 1, 0, 0, 0, 1, 0;
    CHECK(encoder.encode(other).dense == expected);
  }
  SECTION("a missing column is reported") {
    CHECK_THROWS_WITH(encoder.encode(table_of(folder, "id,age,income,plan\nz,1,2,x\n")),
                      Contains("people.csv: column \"city\" is missing; the model was trained with it"));
    CHECK_THROWS_AS(encoder.encode(table_of(folder, "id,age,income,plan\nz,1,2,x\n")), ModelError);
  }
  SECTION("a text among the numbers is reported with its line") {
    CHECK_THROWS_WITH(encoder.encode(table_of(folder, "id,age,income,plan,city\ny,3,2,x,Cork\nz,tall,2,x,Cork\n")),
                      Contains("people.csv:3: column \"age\": expected a number, got \"tall\""));
  }
  SECTION("only missing values") {
    EncodingReport report;
    const Features features = encoder.encode(table_of(folder, "id,age,income,plan,city\nz,,,,\n"), &report);
    Matrix expected(1, 7);
    expected << 0, 0, 0, 0, 1, 0, 1;
    CHECK(features.dense == expected);
    CHECK(report.unseen.empty());
    CHECK(report.missing == std::vector<std::pair<std::string, std::size_t>>{{"age", 1}, {"city", 1}});
  }
  SECTION("no rows") { CHECK(encoder.encode(table_of(folder, "id,age,income,plan,city\n")).dense.rows() == 0); }
}

TEST_CASE("encoder knows categories in other spellings", "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  const std::vector<graph::Node> rows = {0, 1, 2};
  const io::NodeTable table =
      io::read_node_table(folder.write("t.csv", "id,vip,code,mix\na,True,10,yes\nb,False,20,no\nc,True,20,YES\n"),
                          {.categorical = {"code"}});
  const NodeEncoder encoder = NodeEncoder::fit(table, rows);
  CHECK(encoder.encode(table).names == std::vector<std::string>{"vip = False", "vip = True", "code = 10", "code = 20",
                                                                "mix = no", "mix = yes"});
  Matrix expected(3, 6);
  expected << 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1;
  for (const char* text : {"id,vip,code,mix\nx,TRUE,10.0,Yes\ny,false,2e1,No\nz,true,+20,yes\n",
                           "id,vip,code,mix\nx,1,10.0,1\ny,0,20.0,0\nz,1,20,1\n"}) {
    CHECK(encoder.encode(io::read_node_table(folder.write("n.csv", text), {.texts = {encoder.text_columns()}})).dense ==
          expected);
    CHECK(encoder.encode(io::read_node_table(folder.write("n.csv", text))).dense == expected);
  }
}

TEST_CASE("encoder reads truth values where it knows 0 and 1", "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  const std::vector<graph::Node> rows = {0, 1, 2, 3, 4, 5, 6, 7};
  const NodeEncoder encoder =
      NodeEncoder::fit(table_of(folder, "id,vip\na,0\nb,1\nc,0\nd,1\ne,0\nf,1\ng,0\nh,1\n"), rows);
  CHECK(encoder.encode(table_of(folder, "id,vip\nx,true\ny,False\nz,\n")).dense ==
        encoder.encode(table_of(folder, "id,vip\nx,1\ny,0\nz,\n")).dense);
}

TEST_CASE("encoder refuses a column of which it knows nothing", "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  const NodeEncoder encoder = NodeEncoder::fit(table_of(folder, kPeople), kTrain, {.excluded = {"label"}});
  CHECK_THROWS_WITH(encoder.encode(table_of(folder, "id,age,income,plan,city\ny,3,2,x,cork\nz,3,2,x,faro\n")),
                    Contains("people.csv: column \"city\": none of its values was seen in training: found \"cork\", "
                             "\"faro\", expected \"Cork\", \"Faro\""));
  EncodingReport report;
  encoder.encode(table_of(folder, "id,age,income,plan,city\ny,3,2,x,Cork\nz,3,2,x,faro\n"), &report);
  CHECK(report.unseen == std::vector<std::pair<std::string, std::size_t>>{{"city", 1}});
}

TEST_CASE("encoder reports numbers far from those in training", "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  std::string text = "id,age\n";
  for (int i = 0; i < 30; ++i) text += fmt::format("n{},{}\n", i, 16 + 74 * i / 29);
  std::vector<graph::Node> rows(30);
  std::iota(rows.begin(), rows.end(), graph::Node{0});
  const NodeEncoder fitted = NodeEncoder::fit(table_of(folder, text), rows);
  json::Value saved = fitted.to_json();
  const io::NodeTable table = table_of(folder, "id,age\na,20\nb,200\nc,3000\nd,\n");
  EncodingReport report;
  NodeEncoder::from_json(saved).encode(table, &report);
  REQUIRE(report.far.size() == 1);
  CHECK(report.far[0].column == "age");
  CHECK((report.far[0].range.smallest == 16 && report.far[0].range.largest == 90));
  CHECK((report.far[0].values.rows == 2 && report.far[0].values.row == 2 && report.far[0].values.extreme == 3000));
}

TEST_CASE("a column with heavy tails gets its logarithm as well", "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  std::string text = "id,even,far,flag\n";
  for (int i = 0; i < 40; ++i)
    text += fmt::format("n{},{},{},{}\n", i, i, i == 39 ? 1e6 : i, i == 39 ? 1 : 0);
  const io::NodeTable table = table_of(folder, text + "z,0,,0\n");
  std::vector<graph::Node> rows(40);
  std::iota(rows.begin(), rows.end(), 0U);
  const NodeEncoder encoder = NodeEncoder::fit(table, rows);
  CHECK(encoder.encode(table).names == std::vector<std::string>{"even", "far", "log of far", "flag"});
  REQUIRE(encoder.notes().size() == 1);
  CHECK_THAT(encoder.notes()[0], Contains("column \"far\" has a few values far from all others"));
  EncodingReport report;
  const Matrix encoded = encoder.encode(table, &report).dense;
  CHECK(report.missing == std::vector<std::pair<std::string, std::size_t>>{{"far", 1}});
  CHECK(encoded(40, 2) == 0);
  const auto logs = encoded.col(2).head(40);
  CHECK(logs.mean() == Approx(0).margin(1e-6));
  CHECK(logs.squaredNorm() == Approx(40));
  CHECK(encoded(10, 1) == Approx(encoded(0, 1)).epsilon(1e-3));
  CHECK(logs(10) - logs(0) > 0.1);
  const auto raw = [](double value) {
    return value < 20 ? -std::log1p((20 - value) / 20) : std::log1p((value - 20) / 20);
  };
  CHECK((logs(39) - logs(20)) / (logs(20) - logs(0)) == Approx((raw(1e6) - raw(20)) / (raw(20) - raw(0))));
  const NodeEncoder again = NodeEncoder::from_json(json::parse(json::dump(encoder.to_json()), "m"));
  CHECK(again.encode(table).dense == encoded);
}

TEST_CASE("the logarithm tells small from large where most values are the same", "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  std::string text = "id,paid\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("n{},{}\n", i, i < 32 ? 0 : std::pow(10, i - 30));
  const io::NodeTable table = table_of(folder, text);
  std::vector<graph::Node> rows(40);
  std::iota(rows.begin(), rows.end(), 0U);
  const auto logs = NodeEncoder::fit(table, rows).encode(table).dense.col(1).eval();
  CHECK(logs(36) - logs(0) > 0.1);
  CHECK(logs(39) - logs(36) < 30 * (logs(36) - logs(0)));
}

TEST_CASE("encoder leaves out uninformative columns", "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  const io::NodeTable table = table_of(folder, "id,empty,nick,sex\na,,x1,f\nb,,x2,f\nc,,x3,f\n");
  const NodeEncoder encoder = NodeEncoder::fit(table, kTrain, {.maximal_categories = 2});
  CHECK(encoder.columns() == 0);
  CHECK(encoder.notes().size() == 3);
  CHECK(encoder.encode(table).dense.rows() == 3);
  CHECK_THROWS_AS(NodeEncoder::fit(table, {}), DataError);
  CHECK_THROWS_WITH(NodeEncoder::fit(table, kTrain, {.excluded = {"buys"}}), Contains("\"buys\""));
}

TEST_CASE("encoder leaves out an unnamed column that numbers the rows", "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  std::string text = ",id,x,column row\n", shuffled = ",id,x,column row\n";
  for (int i = 0; i < 12; ++i) {
    text += std::to_string(i) + ",n" + std::to_string(i) + "," + std::to_string(i * i % 5) + "," +
            std::to_string(i + 1) + "\n";
    shuffled += std::to_string(i * 5 % 12) + ",n" + std::to_string(i) + ",1,2\n";
  }
  const NodeEncoder encoder = NodeEncoder::fit(table_of(folder, text), kTrain);
  CHECK(encoder.table_columns() == std::vector<std::string>{"x", "column row"});  // a named one may be meaningful
  REQUIRE(encoder.notes().size() == 1);
  CHECK_THAT(encoder.notes()[0], Contains("\"column 1\" has no name and numbers the rows"));
  CHECK(NodeEncoder::fit(table_of(folder, shuffled), kTrain).table_columns().empty());  // the rest is constant
}

TEST_CASE("rows of a bag of words sum to 1", "[data][node_encoder]") {
  Features words;
  words.is_sparse = true;
  words.sparse.resize(3, 4);
  words.sparse.insert(0, 1) = 1;
  words.sparse.insert(0, 3) = 3;
  words.sparse.insert(2, 0) = 5;
  words.sparse.makeCompressed();
  Features dense;
  dense.dense = Matrix(words.sparse);
  normalise_rows(words);
  normalise_rows(dense);
  CHECK(words.sparse.coeff(0, 3) == 0.75F);
  CHECK(words.sparse.coeff(2, 0) == 1);
  CHECK(Matrix(words.sparse) == dense.dense);
}

TEST_CASE("tokens have a vocabulary: tokens that occur once are unknown and share a column",
          "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  const io::NodeTable table = table_of(folder, "id,word,x\na,the,1\nb,cat,2\nc,the,3\nd,,4\ne,dog,5\nf,dog,5\n");
  const std::vector<graph::Node> train = {0, 1, 2, 3, 4};  // "dog" once
  const NodeEncoder encoder = NodeEncoder::fit(table, train, {.tokens = {"word"}});
  REQUIRE(encoder.is_sparse());
  const Features features = encoder.encode(table);
  REQUIRE(features.is_sparse);
  CHECK(features.names == std::vector<std::string>{"word is unknown", "word = the", "x"});
  const Matrix dense = Matrix(features.sparse);
  CHECK(dense.col(0) == (Matrix(6, 1) << 0, 1, 0, 1, 1, 1).finished());
  CHECK(dense.col(1) == (Matrix(6, 1) << 1, 0, 1, 0, 0, 0).finished());
  CHECK(dense(0, 2) < 0);
  const NodeEncoder again = NodeEncoder::from_json(json::parse(json::dump(encoder.to_json()), "test"));
  CHECK(Matrix(again.encode(table).sparse) == dense);
  CHECK(again.columns() == 3);
}

TEST_CASE("encoder refuses fitting rows beyond the last", "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  const std::vector<graph::Node> beyond = {0, 4};
  CHECK_THROWS_WITH(NodeEncoder::fit(table_of(folder, kPeople), beyond),
                    "node encoder: rows contains 4, expected less than 4");
}

TEST_CASE("cells unlike those of the fitting rows are found, with reasons", "[data][node_encoder]") {
  const test::TemporaryDirectory folder;
  std::string known = "id,age,city,plan\n";
  for (int i = 0; i < 10; ++i)
    known += fmt::format("n{},{},{},{}\n", i, 20 + i, i % 2 ? "Faro" : "Cork", i < 2 ? "" : i < 5 ? "x" : "y");
  std::vector<graph::Node> rows(10);
  std::iota(rows.begin(), rows.end(), graph::Node{0});
  const io::NodeTable table = table_of(folder, known);
  const NodeEncoder encoder = NodeEncoder::fit(table, rows, {});
  std::vector<std::string> found;
  const auto note = [&](std::size_t row, const std::string& reason) {
    found.push_back(fmt::format("{}: {}", row, reason));
  };
  encoder.find_unlike(table, note);
  CHECK(found.empty());
  encoder.find_unlike(table_of(folder, "id,age,city,plan\na,25,Oslo,\nb,99,Cork,z\nc,,Faro,x\nd,33,,y\n"), note);
  CHECK(found == std::vector<std::string>{"1: age 99, in training 20 to 29", "2: no age", "0: city \"Oslo\" is new",
                                          "3: no city", "1: plan \"z\" is new"});
}
