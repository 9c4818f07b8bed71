#include "edgewise/io/node_table.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "io/files.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using io::read_node_table;
using test::Files;

using Codes = std::vector<std::int32_t>;
using Names = std::vector<std::string>;

TEST_CASE("numbered rows report the column that may name them", "[io][node_table]") {
  const Files files;
  const std::string path = files.write("t.csv", "text,name\na,007\nb,NA\n");
  const auto read = [&](bool may_name) {
    return read_node_table(path, {.is_numbered = true, .may_name_rows = [=](const std::string&) { return may_name; }});
  };
  const io::NodeTable table = read(true);
  CHECK(table.usual_id == "name");
  CHECK(table.id_column.empty());
  CHECK(table.names[1] == "2");
  CHECK(table.at("name").text(0) == "007");
  CHECK(table.at("name").text(1) == "NA");
  CHECK(read(false).usual_id.empty());
  CHECK(read(false).at("name").is_numeric);
  CHECK(read_node_table(path, {.is_numbered = true}).usual_id.empty());
}

TEST_CASE("node table distinguishes numbers from categories", "[io][node_table]") {
  const Files files;
  const io::NodeTable table = read_node_table(
      files.write("people.csv",
                  "# exported\nid,age,city,\"likes, a "
                  "lot\",empty\nada,36,London,tea,\nbob,,Paris,,\ncid,1e1,London,\"a \"\"b\"\"\",NA\n"));
  REQUIRE(table.rows() == 3);
  CHECK(table.names[0] == "ada");
  CHECK(table.names.find("cid") == 2u);
  CHECK(table.lines == std::vector<std::uint64_t>{3, 4, 5});
  CHECK(to_string(table.where(2)).substr(to_string(table.where(2)).size() - 12) == "people.csv:5");
  REQUIRE(table.columns.size() == 4);

  const io::Column& age = table.at("age");
  CHECK(age.is_numeric);
  CHECK(age.numbers[0] == 36.0f);
  CHECK(age.is_missing(1));
  CHECK(age.numbers[2] == 10.0f);
  CHECK(age.missing == 1);
  CHECK(age.text(0) == "36");
  CHECK(age.text(1) == "");

  const io::Column& city = table.at("city");
  CHECK_FALSE(city.is_numeric);
  CHECK(city.categories == Names{"London", "Paris"});
  CHECK(city.codes == Codes{0, 1, 0});
  CHECK(city.text(1) == "Paris");

  CHECK(table.at("likes, a lot").codes == Codes{1, -1, 0});
  CHECK(table.at("likes, a lot").categories == Names{"a \"b\"", "tea"});
  CHECK(table.at("empty").is_numeric);
  CHECK(table.at("empty").missing == 3);
  CHECK_THROWS_WITH(table.at("agee"), Contains("no column \"agee\"; the columns are \"age\", \"city\""));
  CHECK_THROWS_WITH(table.at("likes"), Contains("no column \"likes\"") && EndsWith("quotes: '\"likes, a lot\"'"));
}

TEST_CASE("rows without names are numbered, and words are taken as written", "[io][node_table]") {
  const test::Files files;
  const std::string path = files.write("w.csv", "word,n\nNA,1\nNA,2\n,3\n?,NA\n");
  const io::NodeTable table = read_node_table(path, {.is_numbered = true, .verbatim = {"word"}});
  CHECK(table.rows() == 4);
  CHECK(table.names[3] == "4");
  CHECK(table.at("word").categories == Names{"?", "NA"});
  CHECK(table.at("word").missing == 1);
  CHECK(table.at("n").missing == 1);
  CHECK(read_node_table(path, {.is_numbered = true}).at("word").missing == 4);
}

TEST_CASE("node table reads again when numbers turn out to be text", "[io][node_table]") {
  const Files files;
  const std::string text = "id,x,y\na,1,?\nb,10,n.d.\nc,2,3\nd,tall,4\n";
  for (const std::string& path : {files.write("plain.csv", text), files.write_gzip("packed.csv.gz", text)}) {
    const io::NodeTable table = read_node_table(path);
    CHECK(table.at("x").categories == Names{"1", "10", "2", "tall"});
    CHECK(table.at("x").codes == Codes{0, 1, 2, 3});
    CHECK(table.at("y").categories == Names{"3", "4", "n.d."});
    CHECK(table.at("y").codes == Codes{-1, 2, 0, 1});
    CHECK(table.rows() == 4);
  }
}

TEST_CASE("node table follows the options", "[io][node_table]") {
  const Files files;
  const std::string path = files.write("p.csv", "who,class,postcode,x\nada,10,01234,1\nbob,9,99,-99\ncid,10,1234,2\n");
  const io::NodeTable table = read_node_table(
      path, {.id_column = "who", .columns = {"class", "x"}, .categorical = {"class"}, .missing = {"-99"}});
  REQUIRE(table.columns.size() == 2);
  CHECK(table.at("class").categories == Names{"9", "10"});  // sorted by value
  CHECK(table.at("class").codes == Codes{1, 0, 1});
  CHECK(table.at("x").is_missing(1));
  CHECK(read_node_table(path, {.categorical = {"postcode"}}).at("postcode").categories == Names{"99", "01234", "1234"});

  CHECK_THROWS_WITH(read_node_table(files.write("q.csv", "id,age\na,1\nb,tall\n"), {.numeric = {"age"}}),
                    Contains("q.csv:3: column \"age\": expected a number, got \"tall\""));
  CHECK_THROWS_WITH(read_node_table(path, {.categorical = {"klass"}}), Contains("p.csv: no column \"klass\""));
  CHECK_THROWS_WITH(read_node_table(path, {.id_column = "id"}), Contains("p.csv: no column \"id\""));
  CHECK_THROWS_AS(read_node_table(path, {.categorical = {"x"}, .numeric = {"x"}}), UsageError);
}

TEST_CASE("columns are read as texts if the table has them", "[io][node_table]") {
  const Files files;
  const std::string path = files.write("a.csv", "id,code,size\na,007,1\nb,NA,2\n");
  const io::NodeTable table = read_node_table(path, {.texts = {{"code", "elsewhere"}}});
  CHECK(table.at("code").text(0) == "007");
  CHECK(table.at("code").is_missing(1));
  CHECK(table.at("size").is_numeric);
  CHECK(table.number(table.at("code"), 0) == 7);
  const io::NodeTable all = read_node_table(path, {.texts = {.names = {}, .is_all = true}});
  CHECK_FALSE(all.at("size").is_numeric);
}

TEST_CASE("node table finds the id column", "[io][node_table]") {
  const Files files;
  CHECK(read_node_table(files.write("a", "x,Node\n1,a\n")).id_column == "Node");
  CHECK(read_node_table(files.write("b", "name,id\n1,a\n")).id_column == "id");
  CHECK(read_node_table(files.write("c", "x,name\n1,a\n")).id_column == "name");
  CHECK(read_node_table(files.write("d", "x,y\n1,a\n")).id_column == "x");
  CHECK(read_node_table(files.write("e", "id\na\nb\n")).columns.empty());
  CHECK(read_node_table(files.write("f", "id,x\n")).rows() == 0);
  CHECK(read_node_table(files.write("g", ",customer,id\n0,a,b\n"), {.preferred_id = "customer"}).id_column ==
        "customer");
  CHECK(read_node_table(files.write("h", ",customer,id\n0,a,b\n"), {.preferred_id = "client"}).id_column == "id");
}

TEST_CASE("node table has comments before its header only", "[io][node_table]") {
  const Files files;
  const auto columns_of = [&](std::string_view text, const io::NodeTableOptions& options = {}) {
    const io::NodeTable table = read_node_table(files.write("t", text), options);
    std::string found = table.id_column;
    for (const io::Column& column : table.columns) found += "," + column.name;
    return fmt::format("{}: {}", found, table.rows());
  };
  CHECK(columns_of("# comment\nid,x\n#12 alcohol,1\n%b,2\nc,3\n") == "id,x: 3");
  CHECK_THROWS_WITH(columns_of("id,x\na,1\n# the end\n"),
                    Contains("t:3: expected 2 fields separated by comma, found 1; comments may only stand before"));
  CHECK(columns_of("#node\tkind\tx\na\tp\t1\n#b\tq\t2\n") == "node,kind,x: 2");
  CHECK_THROWS_WITH(columns_of("#node\tkind\tx\n#a\tp\t1\nb\tq\t2\n"),
                    Contains("t:2: a comment that looks like a row"));
  CHECK(columns_of("# id,age,plan\na,1,x\nb,2,y\n") == "id,age,plan: 2");
  CHECK(columns_of("#gene name\tkind\nA\tp\nB\tq\n") == "gene name,kind: 2");
  CHECK(columns_of("#gene,kind\nA,p\nB,q\n") == "gene,kind: 2");
  CHECK(columns_of("# made by me, today\nid,kind\nA,p\n") == "id,kind: 1");
  CHECK(columns_of("# made by me, today\ngene,kind\nA,p\n") == "gene,kind: 1");
  CHECK(columns_of("# three small words\ngene kind x\nA p 1\n") == "gene,kind,x: 1");
  CHECK(columns_of("# gene,kind\nA,p\n", {.id_column = "gene"}) == "gene,kind: 1");
  CHECK(columns_of("# 1,2\ngene,kind\nA,p\n") == "gene,kind: 1");
}

TEST_CASE("node table reports the position of hostile input", "[io][node_table]") {
  const Files files;
  const auto read = [&](std::string_view text) { return read_node_table(files.write("bad.csv", text)); };
  CHECK_THROWS_WITH(read(""), Contains("bad.csv: holds no rows"));
  CHECK_THROWS_WITH(read("id,x\na,1\n\nb,2\na,3\n"), Contains("bad.csv:5: node \"a\" is in line 2 already"));
  CHECK_THROWS_WITH(read("id,x\n,1\n"), Contains("bad.csv:2: column \"id\": expected a node"));
  CHECK_THROWS_WITH(read("id,x\na,1\nb\n"), Contains("bad.csv:3: expected 2 fields"));
  CHECK_THROWS_WITH(read("id,x,x\na,1,2\n"), Contains("bad.csv:1: columns 2 and 3 are both called \"x\""));
  CHECK_THROWS_WITH(read("id,x\na,1\nb,1e99\n"), Contains("bad.csv:3: column \"x\": expected a number below"));
  CHECK_THROWS_WITH(read("id,x\na,\"1\nb,1\n"), Contains("bad.csv:2: a quote is opened"));
  CHECK_THROWS_WITH(read("id,x\r\na,\xe9\r\n"), Contains("bad.csv:2:3"));
  CHECK(read("id,x\r\na,inf\r\n").at("x").categories == Names{"inf"});
  CHECK_THROWS_AS(read_node_table(files.path("missing")), DataError);
  CHECK_THROWS_AS(read_node_table(files.path("")), DataError);

  const io::NodeTable first = read_node_table(files.write("twice.csv", "id,x\na,1\nb,2\na,3\n"),
                                              {.duplicates = io::DuplicateRows::keep_first});
  CHECK(first.rows() == 2);
  CHECK(first.duplicates_dropped == 1);
  CHECK(first.at("x").numbers == std::vector<float>{1, 2});
}

TEST_CASE("node tables of the public data sets have their counts", "[io][node_table][data]") {
  const auto count = [](const io::Column& column, const std::string& category) {
    const auto code =
        std::find(column.categories.begin(), column.categories.end(), category) - column.categories.begin();
    return std::count(column.codes.begin(), column.codes.end(), static_cast<std::int32_t>(code));
  };
  if (const auto folder = test::dataset("musae-facebook")) {
    const io::NodeTable table = read_node_table(*folder + "/facebook_target.csv.gz");
    CHECK(table.rows() == 22470);
    CHECK(table.id_column == "id");
    CHECK(count(table.at("page_type"), "government") == 6880);
    CHECK(count(table.at("page_type"), "tvshow") == 3327);
  }
  if (const auto folder = test::dataset("musae-github")) {
    const io::NodeTable table = read_node_table(*folder + "/git_target.csv.gz", {.categorical = {"ml_target"}});
    CHECK(table.rows() == 37700);
    CHECK(count(table.at("ml_target"), "0") == 27961);
    CHECK(count(table.at("ml_target"), "1") == 9739);
  }
  if (const auto folder = test::dataset("twitch/FR")) {
    const std::string path = *folder + "/FR_target.csv.gz";
    CHECK_THROWS_WITH(read_node_table(path, {.id_column = "new_id"}), Contains("is in line"));
    const auto table =
        read_node_table(path, {.id_column = "new_id", .duplicates = io::DuplicateRows::keep_first});
    CHECK(table.rows() == 6549);
    CHECK(table.duplicates_dropped == 2);
    CHECK(table.at("mature").categories == Names{"False", "True"});
  }
  if (const auto folder = test::dataset("wikipedia-chameleon")) {
    const io::NodeTable table = read_node_table(*folder + "/chameleon_target.csv");
    CHECK(table.rows() == 2277);
    CHECK(table.at("target").is_numeric);
  }
  if (const auto folder = test::dataset("citeseer")) {
    const io::NodeTable labels =
        read_node_table(*folder + "/labels.csv", {.categorical = {"label"}, .missing = {"-1"}});
    CHECK(labels.rows() == 3327);
    CHECK(labels.at("label").missing == 15);
    CHECK(count(labels.at("label"), "3") == 701);
    CHECK(read_node_table(*folder + "/split.csv").at("split").categories == Names{"none", "test", "train", "val"});
    const io::NodeTable splits =
        read_node_table(*folder + "/splits_geomgcn.csv.gz", {.categorical = {"split_codes"}});
    CHECK(splits.rows() == 3327);
  }
  if (const auto folder = test::dataset("freesolv")) {  // Windows line ends, commas in quoted names
    CHECK(read_node_table(*folder + "/SAMPL.csv", {.id_column = "smiles"}).at("expt").is_numeric);
  }
}

TEST_CASE("nodes of neo4j are named by their ids", "[io][node_table]") {
  const Files files;
  for (const char* id : {":ID", ":ID(Person)", "person:ID(Person)"}) {
    const io::NodeTable table =
        read_node_table(files.write("a.csv", "name,age:int," + std::string(id) + ",:LABEL\nAda,36,p0,Person\n"));
    CHECK(table.names[0] == "p0");
    CHECK(table.at("age").numbers[0] == 36);
    CHECK(table.at(":LABEL").text(0) == "Person");
    CHECK_FALSE(table.is_id_guessed);
  }
}

TEST_CASE("A row of a table is a table", "[io][node_table]") {
  const Files files;
  const io::NodeTable table = read_node_table(files.write("people.csv", "id,age,town\na,20,Bonn\nb,,\nc,30,Kiel\n"));
  const io::NodeTable one = io::row_of(table, 2), empty = io::row_of(table, 1);
  CHECK(one.rows() == 1);
  CHECK(one.names[0] == "c");
  CHECK(one.at("age").numbers == std::vector<float>{30});
  CHECK(one.at("town").text(0) == "Kiel");
  CHECK(one.where(0).line == 4);
  CHECK(empty.at("age").is_missing(0));
  CHECK(empty.at("town").is_missing(0));
  CHECK(empty.at("town").missing == 1);
}

TEST_CASE("nodes of several files", "[io][node_table]") {
  const Files files;
  const std::string a = files.write("a.csv", "id,age,city\nada,3,x\nbob,4,y\n");
  const std::string b = files.write("b.csv", "city,id,age\nz,cid,tall\n");
  const io::NodeTable table = io::read_node_table(FileList({a, b}));
  REQUIRE(table.rows() == 3);
  CHECK(table.at("city").categories == std::vector<std::string>{"x", "y", "z"});
  CHECK(table.at("age").text(2) == "tall");  // the files were read twice
  CHECK(to_string(table.where(1)) == a + ":3");
  CHECK(to_string(table.where(2)) == b + ":2");
  CHECK(table.place_of(2) == "line 2 of " + b);
  const std::string again = files.write("c.csv", "id,age,city\ndan,1,x\nbob,4,y\n");
  CHECK_THROWS_WITH(io::read_node_table(FileList({a, again})),
                    Contains("c.csv:3: node \"bob\" is in line 3 of " + a + " already"));
  CHECK_THROWS_WITH(io::read_node_table(FileList({a, files.write("d.csv", "id,age\neve,1\n")})),
                    Contains("d.csv:1: expected the columns of"));
}

TEST_CASE("a table without a header is recognised", "[io][node_table]") {
  const Files files;
  const auto read = [&](const std::string& text) { return io::read_node_table(files.write("t.txt", text)); };
  const std::string message = "the first row looks like data: give the table a header";
  CHECK_THROWS_WITH(read("31336\t0\t0\t1\tTheory\n1061127\t0\t1\t0\tRules\n"), Contains(message));
  CHECK_THROWS_WITH(read("17 3\n21 4\n"), Contains(message));
  CHECK_THROWS_WITH(read("17,Theory\n21,Rules\n"), Contains(message));
  CHECK(read("0,1,2\n17,3,4\n18,5,6\n").rows() == 2);  // as pandas names columns
  CHECK(read("country,2019,2020\nfr,3,4\n").rows() == 1);
  CHECK(read("2019,id,2020\n3,fr,4\n").rows() == 1);
}

TEST_CASE("columns are found by their positions", "[io][node_table]") {
  const Files files;
  const io::NodeTable table = io::read_node_table(files.write("t.csv", ",id,7,age\n0,a,1,2\n1,b,3,4\n"));
  CHECK(table.name_of("1") == "column 1");
  CHECK(table.name_of("2") == "id");
  CHECK(table.name_of("4") == "age");
  CHECK(table.name_of("7") == "7");
  CHECK(table.name_of("5") == "5");
  CHECK(table.name_of("age") == "age");
}

TEST_CASE("an unnamed column of row numbers", "[io][node_table]") {
  const auto column = [](const std::string& name, std::vector<float> numbers) {
    io::Column made;
    made.name = name;
    made.numbers = std::move(numbers);
    return made;
  };
  CHECK(io::is_unnamed_index(column("column 1", {0, 1, 2})));
  CHECK(io::is_unnamed_index(column("column 1", {7, 3, 12})));  // of a table that was filtered or shuffled
  CHECK(!io::is_unnamed_index(column("column 1", {7, 3, 7})));
  CHECK(!io::is_unnamed_index(column("column 1", {0.5, 1, 2})));
  CHECK(!io::is_unnamed_index(column("age", {0, 1, 2})));
  std::vector<float> joined;
  for (int file = 0; file < 3; ++file)
    for (int row = 0; row < 20; ++row) joined.push_back(static_cast<float>(row));
  CHECK(io::counts_rows(column("index", joined)));
  CHECK(io::is_unnamed_index(column("column 1", joined)));
  CHECK(!io::counts_rows(column("zeros", std::vector<float>(20, 0))));
}
