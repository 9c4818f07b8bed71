#include "edgewise/data/split_file.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/data/splits.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::data;
using Catch::Matchers::Contains;

namespace {

graph::NodeNames names(std::initializer_list<const char*> list) {
  graph::NodeNames result;
  for (const char* name : list) result.add(name);
  return result;
}

}  // namespace

TEST_CASE("a split is restored from its file", "[data][split_file]") {
  const test::TemporaryDirectory folder;
  const graph::NodeNames people = names({"ada", "O'Neil, \"Bo\"", "# no comment", " blank ", "eva"});
  const Split split = {Role::train, Role::validation, Role::test, Role::train, Role::none};
  const std::string path = folder.path("split.csv");
  write_split(path, people, split);
  CHECK(read_splits(path, people) == std::vector<Split>{split});
  CHECK_THROWS_AS(write_split(path, people, Split(3)), DataError);
  CHECK_THROWS_AS(write_split(folder.path("no/such/folder.csv"), people, split), DataError);
}

TEST_CASE("roles have several spellings and nodes may lack one", "[data][split_file]") {
  const test::TemporaryDirectory folder;
  const graph::NodeNames people = names({"a", "b", "c", "d", "e"});
  const std::string path = folder.write("split.csv", "split,node\r\nval,c\r\nTrain,a\r\nvalid,b\r\n,e\r\n");
  CHECK(read_splits(path, people)[0] ==
        Split{Role::train, Role::validation, Role::validation, Role::none, Role::none});
}

TEST_CASE("an evaluation part is for validation beside a test part, else for testing", "[data][split_file]") {
  const test::TemporaryDirectory folder;
  const graph::NodeNames people = names({"a", "b", "c"});
  CHECK(read_splits(folder.write("two.csv", "node,split\na,training\nb,eval\nc,dev\n"), people)[0] ==
        Split{Role::train, Role::test, Role::validation});
  CHECK(read_splits(folder.write("three.csv", "node,split\na,train\nb,Eval\nc,testing\n"), people)[0] ==
        Split{Role::train, Role::validation, Role::test});
  const io::NodeTable table = io::read_node_table(folder.write("t.csv", "id,part\na,evaluation\nb,test\nc,train\n"));
  CHECK(split_from_column(table, "part") == Split{Role::validation, Role::test, Role::train});
}

TEST_CASE("splits are separated as other tables are", "[data][split_file]") {
  for (const char* separator : {"\t", ";", "|", " "}) {
    INFO('"' << separator << '"');
    const test::TemporaryDirectory folder;
    const std::string path = folder.write("s.csv", fmt::format("node{0}split\na{0}train\nb{0}test\n", separator));
    CHECK(read_splits(path, names({"a", "b"})) == std::vector<Split>{{Role::train, Role::test}});
  }
}

TEST_CASE("splits of nodes whose names begin like comments", "[data][split_file]") {
  const test::TemporaryDirectory folder;
  const graph::NodeNames tags = names({"#a", "%b", "c"});
  const Split split = {Role::train, Role::test, Role::train};
  for (const char* header : {"# by hand\nnode,split\nc,train\n", "#node,split\nc,train\n"})
    CHECK(read_splits(folder.write("s.csv", std::string(header) + "#a,train\n%b,test\n"), tags)[0] == split);
}

TEST_CASE("codes hold several splits", "[data][split_file]") {
  const test::TemporaryDirectory folder;
  const graph::NodeNames people = names({"0", "1", "2"});
  const std::vector<Split> splits = read_splits(folder.write("s.csv", "node,split_codes\n0,tv\n1,et\n2,-e\n"), people);
  REQUIRE(splits.size() == 2);
  CHECK(splits[0] == Split{Role::train, Role::test, Role::none});
  CHECK(splits[1] == Split{Role::validation, Role::train, Role::test});
}

TEST_CASE("bad split files are refused with the line", "[data][split_file]") {
  const test::TemporaryDirectory folder;
  const graph::NodeNames people = names({"0", "1", "2"});
  const auto message = [&](const std::string& text) {
    try {
      read_splits(folder.write("s.csv", text), people);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK_THAT(message("node,split\n0,train\n7,test\n"), Contains("s.csv:3: node \"7\" is not in the graph"));
  CHECK_THAT(message("node,split\n0,train\n0,test\n"), Contains("s.csv:3: node \"0\" has a role in line 2 already"));
  CHECK_THAT(message("node,split\n0,tran\n"), Contains("s.csv:2: expected train, validation"));
  CHECK_THAT(message("node,split\n0,test\n"), Contains("split 1 has no node to train on"));
  CHECK_THAT(message("node,split_codes\n0,te\n1,t\n"), Contains("s.csv:3: expected 2 codes, got 1"));
  CHECK_THAT(message("node,split_codes\n0,tx\n"), Contains("s.csv:2: expected codes t, v, e and -"));
  CHECK_THAT(message("node,split_codes\n0,te\n1,ee\n"), Contains("split 2 has no node to train on"));
  CHECK_THAT(message("node,part\n0,train\n"), Contains("s.csv:1: expected a column \"split\" or \"split_codes\""));
  CHECK_THAT(message("node,split,split\n0,train,test\n"), Contains("split"));
  CHECK_THAT(message("node,split\n"), Contains("no node has a role"));
  CHECK_THAT(message(""), Contains("s.csv"));
  CHECK_THAT(message("node,split\n0,tr\0in\n"), Contains("s.csv:2"));
  CHECK_THAT(message("node,split\n0\n"), Contains("s.csv:2"));
  CHECK_THROWS_AS(read_splits(folder.path("none.csv"), people), DataError);
}

TEST_CASE("a column of a table can be a split", "[data][split_file]") {
  const test::TemporaryDirectory folder;
  const io::NodeTable table =
      io::read_node_table(folder.write("people.csv", "id,split,age\na,train,1\nb,,2\nc,test,3\nd,NA,4\n"));
  CHECK(split_from_column(table, "split") == Split{Role::train, Role::none, Role::test, Role::none});
  CHECK_THROWS_WITH(split_from_column(table, "age"), Contains("people.csv:2: column \"age\": expected train"));
  CHECK_THROWS_WITH(split_from_column(table, "part"), Contains("part"));
  const io::NodeTable idle = io::read_node_table(folder.write("idle.csv", "id,split\na,test\n"));
  CHECK_THROWS_WITH(split_from_column(idle, "split"), Contains("no node to train on"));
}
