#include "edgewise/data/node_groups.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::data;
using Catch::Matchers::Contains;

namespace {

/// Rows of two sentences, interleaved and out of order.
constexpr const char* kWords =
    "sentence,position,word,head\n"
    "7,2,runs,0\n"
    "8,1,Stop,0\n"
    "7,1,Anna,2\n"
    "7,3,NA,2\n";

io::NodeTable read(const test::TemporaryDirectory& folder, const std::string& text) {
  return io::read_node_table(folder.write("t.csv", text), {.is_numbered = true, .verbatim = {"sentence", "word"}});
}

std::vector<std::string> texts(const io::Column& column) {
  std::vector<std::string> all;
  for (std::size_t row = 0; row < column.size(); ++row) all.push_back(column.text(row));
  return all;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("rows are grouped by graph and sorted", "[data][node_groups]") {
  const test::TemporaryDirectory folder;
  const NodeGroups groups = group_nodes(read(folder, kWords), {.graph = "sentence", .order = "position"});
  CHECK(groups.offsets == std::vector<graph::Node>{0, 3, 4});
  CHECK(groups.graphs[0] == "7");
  CHECK(texts(groups.nodes.at("word")) == Texts{"Anna", "runs", "NA", "Stop"});
  CHECK(groups.nodes.names[2] == "7:3");
  CHECK(groups.nodes.lines == std::vector<std::uint64_t>{4, 2, 5, 3});
  const NodeGroups as_read = group_nodes(read(folder, kWords), {.graph = "sentence"});
  CHECK(texts(as_read.nodes.at("word")) == Texts{"runs", "Anna", "NA", "Stop"});
}

TEST_CASE("a table of graphs gives the graphs and their order", "[data][node_groups]") {
  const test::TemporaryDirectory folder;
  graph::NodeNames known;
  for (const char* name : {"9", "8", "7"}) known.add(name);
  const NodeGroups groups = group_nodes(read(folder, kWords), {.graph = "sentence", .order = "position"}, &known);
  CHECK(groups.offsets == std::vector<graph::Node>{0, 0, 1, 4});
  graph::NodeNames other;
  other.add("7");
  CHECK_THROWS_WITH(group_nodes(read(folder, kWords), {.graph = "sentence"}, &other),
                    Contains("t.csv:3") && Contains("\"8\" is not in the table of graphs"));
}

TEST_CASE("heads are edges from the given places", "[data][node_groups]") {
  const test::TemporaryDirectory folder;
  const NodeGroups groups = group_nodes(read(folder, kWords), {.graph = "sentence", .order = "position"});
  const graph::EdgeList edges = head_edges(groups, "head");
  CHECK(edges.sources == std::vector<graph::Node>{1, 1});
  CHECK(edges.targets == std::vector<graph::Node>{0, 2});
  const NodeGroups far = group_nodes(read(folder, "sentence,position,word,head\n7,1,a,2\n"), {.graph = "sentence"});
  CHECK_THROWS_WITH(head_edges(far, "head"), Contains("t.csv:2") && Contains("has no place 2"));
  const NodeGroups large =
      group_nodes(read(folder, "sentence,word,head\n7,a,1\n7,b,20000000\n"), {.graph = "sentence"});
  CHECK_THROWS_WITH(head_edges(large, "head"), Contains("t.csv:3") && Contains("at most 16777216"));
  const NodeGroups texts = group_nodes(read(folder, "sentence,word,head\n7,a,1\n7,b,x\n"), {.graph = "sentence"});
  CHECK_THROWS_WITH(head_edges(texts, "head"), Contains("t.csv:3") && Contains("are numbers"));
  CHECK_THROWS_WITH(check_inside({{0}, {3}, {}, {}, {}}, groups, [](auto) { return TextLocation{"e.csv", 2, 0}; }),
                    Contains("e.csv:2: the edge from") && Contains("from one graph to another"));
}

TEST_CASE("heads may be at places that are no whole numbers", "[data][node_groups]") {
  const test::TemporaryDirectory folder;
  const NodeGroups groups =
      group_nodes(read(folder, "sentence,position,word,head\n7,0.1,a,0.7\n7,0.7,b,NA\n7,-1e5,c,0.1\n"),
                  {.graph = "sentence", .order = "position"});
  const graph::EdgeList edges = head_edges(groups, "head");
  CHECK(edges.sources == std::vector<graph::Node>{1, 2});
  CHECK(edges.targets == std::vector<graph::Node>{0, 1});
}

TEST_CASE("wide tables are joined and spread", "[data][node_groups]") {
  constexpr int kColumns = 400'000;  // it would take hours to search all columns for each
  io::NodeTable table;
  table.names.add("a");
  table.lines = {2};
  std::vector<std::string> names;
  for (int i = 0; i < kColumns; ++i) {
    io::Column& column = table.columns.emplace_back();
    column.name = "column of a wide table " + std::to_string(i);
    column.numbers = {1};
    names.push_back(column.name);
  }
  io::NodeTable joined = concatenate({table, table});
  CHECK(spread_rows(joined, names, 0).nodes.lines.size() == 2 * kColumns);
  CHECK(joined.columns.empty());
}

TEST_CASE("places are unique in a graph, and every row has a graph", "[data][node_groups]") {
  const test::TemporaryDirectory folder;
  CHECK_THROWS_WITH(
      group_nodes(read(folder, "sentence,position,word\n7,1,a\n7,1,b\n"), {.graph = "sentence", .order = "position"}),
      Contains("occurs twice"));
  CHECK_THROWS_WITH(group_nodes(read(folder, "sentence,position,word\n,1,a\n"), {.graph = "sentence"}),
                    Contains("t.csv:2") && Contains("expected a graph"));
}

TEST_CASE("places keep their digits and the way they are written", "[data][node_groups]") {
  const test::TemporaryDirectory folder;
  const auto group = [&](const std::string& rows) {
    const std::string path = folder.write("t.csv", "shop,time,v\n" + rows);
    return group_nodes(io::read_node_table(path, {.is_numbered = true, .categorical = {"time"}}),
                       {.graph = "shop", .order = "time"});
  };
  const NodeGroups seconds = group("A,1700000002,3\nA,1700000000,1\nA,1700000001,2\n");
  CHECK(seconds.nodes.at("v").numbers == std::vector<float>{1, 2, 3});
  CHECK(seconds.nodes.names[1] == "A:1700000001");
  CHECK(seconds.places == std::vector<double>{1700000000, 1700000001, 1700000002});
  CHECK(seconds.nodes.at("time").is_numeric);
  const NodeGroups written = group("A,1e3,3\nA,0.10,1\nA,007,2\n");
  CHECK(written.nodes.names[0] == "A:0.10");
  CHECK(written.nodes.names[1] == "A:007");
  CHECK(written.nodes.names[2] == "A:1e3");
  CHECK_THROWS_WITH(group("A,1,3\nA,1.0,1\n"), Contains("occurs twice"));
  CHECK_THROWS_WITH(group("A,1,3\nA,x,1\n"), Contains("t.csv:3") && Contains("a number to order by, got \"x\""));
}

TEST_CASE("texts become tokens: words or characters, empty and long lines", "[data][node_groups]") {
  const test::TemporaryDirectory folder;
  const std::string file = fmt::format("text,label\n\"a  b, c\t\",x\n,y\n\xc3\xa9t,x\n{},y\n", std::string(5000, 'w'));
  const auto table = [&] {
    return io::read_node_table(folder.write("t.csv", file), {.is_numbered = true, .verbatim = {"text"}});
  };
  io::NodeTable rows = table();
  const NodeGroups words = tokenise(rows, "text", TokenKind::words);
  CHECK(words.offsets == std::vector<graph::Node>{0, 3, 3, 4, 5});
  CHECK(words.nodes.at("token").text(1) == "b,");
  CHECK(rows.find("text") == nullptr);
  CHECK(rows.find("label") != nullptr);
  rows = table();
  const NodeGroups characters = tokenise(rows, "text", TokenKind::characters);
  CHECK(characters.offsets == std::vector<graph::Node>{0, 8, 8, 10, 5010});
  CHECK(characters.nodes.at("token").text(8) == "\xc3\xa9");
  rows = io::read_node_table(folder.write("lines.csv", "text\n\"a\nb\r\nc\"\n"), {.is_numbered = true});
  CHECK(tokenise(rows, "text", TokenKind::words).offsets == std::vector<graph::Node>{0, 3});
  folder.write("latin.csv", "text,label\n\xe9t,x\n");
  CHECK_THROWS_WITH(io::read_node_table(folder.path("latin.csv"), {.is_numbered = true}), Contains("not UTF-8"));
}

TEST_CASE("rows of a dense table become grids, with channels side by side", "[data][node_groups]") {
  const test::TemporaryDirectory folder;
  const auto table = [&] {
    return io::read_node_table(folder.write("t.csv", "a,b,c,d,digit\n1,2,3,4,x\n5,6,7,8,y\n"), {.is_numbered = true});
  };
  const std::vector<std::string> label = {"digit"};
  io::NodeTable rows = table();
  const std::vector<std::string> values = value_columns(rows, label);
  CHECK(values == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK_THROWS_WITH(value_columns(rows, std::vector<std::string>{"x"}), Contains("no column \"x\" to leave out"));
  const NodeGroups grid = spread_rows(rows, values, 4);
  CHECK(grid.offsets == std::vector<graph::Node>{0, 4, 8});
  CHECK(grid.nodes.at("value").numbers == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(grid.nodes.names[5] == "2:2");
  CHECK(rows.columns.size() == 1);
  rows = table();
  const NodeGroups channels = spread_rows(rows, values, 2);
  CHECK(channels.nodes.at("value 2").numbers == std::vector<float>{2, 4, 6, 8});
  rows = table();
  CHECK_THROWS_WITH(spread_rows(rows, values, 3), Contains("expected 3 columns of values, or a multiple, got 4"));
  rows = table();
  const NodeGroups reversed = spread_rows(rows, std::vector<std::string>{"d", "c", "b", "a"}, 4);
  CHECK(reversed.nodes.at("value").numbers == std::vector<float>{4, 3, 2, 1, 8, 7, 6, 5});
  rows = table();
  CHECK_THROWS_WITH(spread_rows(rows, label, 1), Contains("t.csv:2: column \"digit\": expected numbers"));
}

TEST_CASE("affixes and shapes of words", "[data][node_groups]") {
  const test::TemporaryDirectory folder;
  NodeGroups groups =
      group_nodes(read(folder, "sentence,position,word\n1,1,McD-22\n1,2,\xc3\xa9t\n"), {.graph = "sentence"});
  const Texts names = add_affixes(groups.nodes, "word", 2);
  CHECK(names == Texts{"word prefix 1", "word prefix 2", "word suffix 1", "word suffix 2", "word shape"});
  CHECK(texts(groups.nodes.at("word prefix 2")) == Texts{"Mc", "\xc3\xa9t"});
  CHECK(texts(groups.nodes.at("word suffix 1")) == Texts{"2", "t"});
  CHECK(texts(groups.nodes.at("word shape")) == Texts{"AaA.0", "a"});
}

TEST_CASE("several tables become one, with a column for the source", "[data][node_groups]") {
  const test::TemporaryDirectory folder;
  const auto part = [&](const std::string& text) {
    return io::read_node_table(folder.write("t.csv", text), {.is_numbered = true});
  };
  std::vector<io::NodeTable> tables;
  tables.push_back(part("word,n\nb,1\n"));
  tables.push_back(part("word,n\na,2\nb,3\n"));
  const Texts roles = {"train", "test"};
  const io::NodeTable all = concatenate(std::move(tables), roles);
  CHECK(texts(all.at("word")) == Texts{"b", "a", "b"});
  CHECK(all.at("n").numbers == std::vector<float>{1, 2, 3});
  CHECK(texts(all.at("split")) == Texts{"train", "test", "test"});
  CHECK(all.names[2] == "3");
}
