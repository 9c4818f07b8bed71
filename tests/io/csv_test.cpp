#include "edgewise/io/csv.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "io/files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

namespace {

using Record = std::vector<std::string>;
using Table = std::vector<Record>;

Table read(const std::string& path) {
  io::CsvReader reader(path);
  Table table;
  while (reader.next()) table.emplace_back(reader.fields().begin(), reader.fields().end());
  return table;
}

}  // namespace

TEST_CASE("csv splits by the detected delimiter", "[io][csv]") {
  const Files files;
  CHECK(read(files.write("a", "a,b\n1,2\n")) == Table{{"a", "b"}, {"1", "2"}});
  CHECK(read(files.write("b", "a\tb c\r\n1\t\r\n")) == Table{{"a", "b c"}, {"1", ""}});
  CHECK(read(files.write("c", "a;b\n1,5;2\n")) == Table{{"a", "b"}, {"1,5", "2"}});
  CHECK(read(files.write("d", "  a   b\t\n1 \t 2\n")) == Table{{"a", "b"}, {"1", "2"}});
  CHECK(read(files.write("e", "1, 2\n 3 ,4 \n")) == Table{{"1", "2"}, {"3", "4"}});
  CHECK(read(files.write("f", "a\nb\n")) == Table{{"a"}, {"b"}});
  CHECK(read(files.write("h", "\"a,b\"\tc\n")) == Table{{"a,b", "c"}});
  CHECK(read(files.write("i", "")).empty());
  CHECK(read(files.write("j", "\n \n# only a comment\n")).empty());
}

TEST_CASE("csv knows the first line in which Excel names the separator", "[io][csv]") {
  const Files files;
  CHECK(read(files.write("a", "sep=;\r\na;b,c,d\r\n1;2\r\n")) == Table{{"a", "b,c,d"}, {"1", "2"}});
  CHECK(read(files.write("b", "SEP=,\na,b\n")) == Table{{"a", "b"}});
  CHECK(read(files.write("d", "a=1,2\nsep=,\n")) == Table{{"a=1", "2"}, {"sep=", ""}});
  CHECK_THROWS_WITH(read(files.write("e", "sep=/\na/b\n")), Contains("e:1: fields are separated by \"/\"; expected"));
}

TEST_CASE("fields may be separated by vertical bars", "[io][csv]") {
  const Files files;
  CHECK(read(files.write("a", "1|24|M\n2||a, b;c\n")) == Table{{"1", "24", "M"}, {"2", "", "a, b;c"}});
  CHECK(read(files.write("b", "sep=|\na|b,c\n")) == Table{{"a", "b,c"}});
  CHECK(read(files.write("c", "a|b,c\n")) == Table{{"a|b", "c"}});  // a list of two in a cell
  CHECK(read(files.write("d", "CCO |c:1|\n")) == Table{{"CCO", "|c:1|"}});
}

TEST_CASE("csv reads quoted fields as in RFC 4180", "[io][csv]") {
  const Files files;
  CHECK(read(files.write("a", "x,\"a, \"\"b\"\"\nc\" ,\"\"\nlast,5\" disk,z\n")) ==
        Table{{"x", "a, \"b\"\nc", ""}, {"last", "5\" disk", "z"}});
  CHECK(read(files.write("b", "\"#1\",\" a \"\n")) == Table{{"#1", " a "}});
  CHECK(read(files.write("c", "\"a b\"  c \"\"\n")) == Table{{"a b", "c", ""}});
  CHECK(read(files.write("d", "a,b\r\n\"x\r\ny\",2\r\n")) == Table{{"a", "b"}, {"x\ny", "2"}});
  CHECK(read(files.write("e", "\"a\",\n")) == Table{{"a", ""}});
  CHECK(read(files.write("f", "\"a\"\t\"b\"\n\t\"c\"\n")) == Table{{"a", "b"}, {"", "c"}});
}

TEST_CASE("csv keeps the line that a record starts on, and leading comments", "[io][csv]") {
  const Files files;
  io::CsvReader reader(files.write("a", "# nodes=3\n%second\n\na,\"b\n\n\"\n# skipped\nc,d\n"));
  reader.set_comments(io::Comments::anywhere);
  REQUIRE(reader.next());
  CHECK(reader.comments() == std::vector<std::string>{" nodes=3", "second"});
  CHECK(reader.line() == 4);
  reader.hold();
  REQUIRE(reader.next());
  CHECK(reader.fields()[0] == "a");
  REQUIRE(reader.next());
  CHECK(reader.line() == 8);
  CHECK(reader.comments().size() == 2);
  CHECK_FALSE(reader.next());
}

TEST_CASE("csv takes lines for rows or comments by the place they have", "[io][csv]") {
  const Files files;
  const std::string path = files.write("a", "# x\na,b\n#c,d\n# e\n%f,g\n");
  const auto names = [&](io::Comments comments) {
    io::CsvReader reader(path);
    reader.set_comments(comments);
    std::string found;
    while (reader.next()) found += reader.fields()[0];
    return fmt::format("{} {} {}", found, reader.commented_rows().count, reader.commented_rows().first_line);
  };
  CHECK_THROWS_WITH(names(io::Comments::leading), Contains("a:4: expected 2 fields separated by comma, found 1; comm"));
  CHECK(names(io::Comments::unless_fitting) == "a#c%f 1 4");
  CHECK(names(io::Comments::anywhere) == "a 3 3");
  io::CsvReader tags(files.write("b", "# of tags\n #t1\nt2\n"));
  tags.set_row_test([](std::string_view line) { return line == "#t1"; });
  REQUIRE(tags.next());
  CHECK(tags.fields()[0] == "#t1");
}

TEST_CASE("csv finds comments that have as many fields as records", "[io][csv]") {
  const Files files;
  io::CsvReader reader(files.write("a", "# one\n#a b\n# c d\n#1 2\n#e e\n#\n3 4\n"));
  REQUIRE(reader.next());
  std::string found;
  for (const io::CommentedRecord& record : reader.commented_records())
    found += fmt::format("{}:{}{}{} ", record.line, record.fields[0], record.could_be_header ? "h" : "",
                         record.may_be_prose ? "p" : "");
  CHECK(found == "2:ah 3:chp 4:1 5:e ");
}

TEST_CASE("csv reports the line of malformed input", "[io][csv]") {
  const Files files;
  CHECK_THROWS_WITH(read(files.write("a.csv", "a,b\n1,2\n\n1,2,3\n")),
                    Contains("a.csv:4: expected 2 fields separated by comma, found 3"));
  CHECK_THROWS_WITH(read(files.write("b.csv", "a,b\n1\n")), Contains("b.csv:2: expected 2 fields"));
  CHECK_THROWS_WITH(read(files.write("c.csv", "a,b\n\"x,2\n3,4\n")), Contains("c.csv:2: a quote is opened"));
  CHECK_THROWS_WITH(read(files.write("d.csv", "a,b\n\"x\"y,2\n")),
                    Contains("d.csv:2: expected a comma after a closing quote, found \"y,2\""));
}

TEST_CASE("csv headers of neo4j lose their types", "[io][csv]") {
  const auto names = [](std::vector<std::string_view> fields) { return io::header_names(fields, {"a.csv", 1, 0}); };
  CHECK(names({":START_ID(Person)", "since:int", ":END_ID(City)", ":TYPE", "tags:string[]"}) ==
        Record{":START_ID", "since", ":END_ID", ":TYPE", "tags"});
  CHECK(names({"person:ID(Person)", "name", "age:int", "url:a:b", ":LABEL"}) ==
        Record{"person:ID", "name", "age", "url:a:b", ":LABEL"});
  CHECK(names({"id", "since:int"}) == Record{"id", "since:int"});  // not of Neo4j
  CHECK_THROWS_AS(names({":ID", "age", "age:int"}), DataError);
}

TEST_CASE("csv headers have unique names", "[io][csv]") {
  const Files files;
  io::CsvReader twice(files.write("a.csv", "# x\nid,age,id\n"));
  REQUIRE(twice.next());
  CHECK_THROWS_WITH(io::header_names(twice.fields(), twice.where()),
                    Contains("a.csv:2: columns 1 and 3 are both called \"id\""));
  io::CsvReader unnamed(files.write("b.csv", ",age\n"));
  REQUIRE(unnamed.next());
  CHECK(io::header_names(unnamed.fields(), unnamed.where()) == Record{"column 1", "age"});

  const Record header = {"id", "age", "1"};
  CHECK(io::column_index(header, "age", "p.csv") == 1);
  CHECK(io::column_index(header, "2", "p.csv") == 1);
  CHECK(io::column_index(header, "1", "p.csv") == 2);  // names take precedence
  for (const char* wanted : {"Age", "0", "4", "-1", ""})
    CHECK_THROWS_WITH(io::column_index(header, wanted, "p.csv"), Contains("the columns are \"id\", \"age\", \"1\""));
}

TEST_CASE("csv refuses quotes that enclose rows", "[io][csv]") {
  const Files files;
  const auto rows = [](const char* form, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format(fmt::runtime(form), i);
    return text;
  };
  const std::string header = "smiles,y,comment\nC,0,fine\n";
  CHECK_THROWS_WITH(
      read(files.write("a.csv", header + "CC,1,\"great\n" + rows("CO,{},fine\n", 8) + "CN,2,awesome\"\nC,3,fine\n")),
      Contains("a.csv:3: the quote that opens here is closed in line 12 only, and 8 lines in between look like rows"));
  CHECK_THROWS_WITH(read(files.write("b.csv", "name,city\n\"ann,Rome\n" + rows("bob{},Oslo\n", 3) + "eve\",Kiel\n")),
                    Contains("b.csv:2: the quote that opens here is closed in line 6 only, and 3 lines"));
  CHECK_THROWS_WITH(read(files.write("c.tsv", "id\tx\ty\n1\t\"2\t3\n" + rows("{0}\t{0}\t5\n", 4) + "7\t8\"\t9\n")),
                    Contains("c.tsv:2: the quote"));
  CHECK_THROWS_WITH(read(files.write("d.csv", header + "C,1,\"a\n" + rows("CO,{},fine\n", 8) + "C,2,b\"c\n")),
                    Contains("d.csv:12: expected a comma after a closing quote (it opens in line 3), found \"c\""));
}

TEST_CASE("csv takes texts of many lines as they are", "[io][csv]") {
  const Files files;
  const auto count = [&](const std::string& text) { return read(files.write("a.csv", text)).size(); };
  CHECK(count("id,text\n1,\"Dear Ann,\nit rains, and\nI wait, as\never, for\nyou, Bob\"\n") == 2);
  CHECK(count("id,text,y\n1,\"one, two, three\nfour, five, six\na, b, c\nd, e, f\ng, h, i\",2\n") == 2);
  CHECK(count("id,matrix,kind\n7,\"1,2,3\n4,5,6\n7,8,9\n1,2,3\n4,5,6\",a\n") == 2);
  CHECK(count("text\n\"a\nb\nc\nd\ne\nf\"\n") == 2);
  CHECK(count("name note\nann \"a b\nc d\ne f\ng h\ni j\"\n") == 2);
}

TEST_CASE("several files are one table", "[io][csv]") {
  const Files files;
  const auto read = [](const std::vector<std::string>& paths) {
    io::CsvReader reader(paths);
    std::string text;
    for (const std::string& name : io::read_header(reader, {}, "a table")) text += name + " ";
    while (reader.next()) {
      text += fmt::format("| {}:{} ", reader.file(), reader.line());
      for (const std::string_view field : reader.fields()) text += std::string(field) + " ";
    }
    CHECK(!reader.next());
    return text;
  };
  const std::string a = files.write("a.csv", "id,x\n1,2\n");
  const std::string turned = files.write("b.tsv", "# more\nx\tid\n4\t3\n\n6\t5\n");
  const std::string packed = files.write_gzip("c.csv.gz", "id,x\n7,8\n");
  const std::string commented = files.write("d.csv", "#id,x\n9,10\n");
  const std::string header = files.write("e.csv", "id,x\n");
  CHECK(read({a, turned, packed, header, commented}) == "id x | 0:2 1 2 | 1:3 3 4 | 1:5 5 6 | 2:2 7 8 | 4:2 9 10 ");
  CHECK(read({header, a}) == "id x | 1:2 1 2 ");
  CHECK_THROWS_WITH(read({a, files.write("f.csv", "id,y\n1,2\n")}),
                    Contains("f.csv:1: expected the columns of") && Contains("\"id\", \"x\", found \"id\", \"y\""));
  CHECK_THROWS_WITH(read({a, files.write("f.csv", "1,2\n3,4\n")}), Contains("f.csv:1: expected the columns of"));
  CHECK_THROWS_WITH(read({a, files.write("f.csv", "id,x,y\n1,2,3\n")}), Contains("f.csv:1: expected the columns of"));
  CHECK_THROWS_WITH(read({a, files.write("f.csv", "id,x\n1,2\n3\n")}), Contains("f.csv:3: expected 2 fields"));
  CHECK_THROWS_WITH(read({a, files.write("f.csv", "")}), Contains("f.csv: holds no rows"));
  CHECK_THROWS_WITH(read({a, files.path("none.csv")}), Contains("none.csv: cannot be read"));
}
