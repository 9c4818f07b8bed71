#include "edgewise/io/text_writer.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/text_reader.hpp"
#include "io/files.hpp"

using namespace edgewise;
using test::Files;

TEST_CASE("text is written plain or compressed, completely or not at all", "[io][text_writer]") {
  const Files files;
  const auto hello = [](std::ostream& out) { out << "hello\n"; };
  io::write_text(files.path("a.csv"), hello);
  io::write_text(files.path("a.csv.gz"), hello);
  CHECK(test::slurp(files.path("a.csv")) == "hello\n");
  CHECK(test::slurp(files.path("a.csv.gz")).substr(0, 2) == "\x1f\x8b");
  CHECK(io::read_text(files.path("a.csv.gz")) == "hello\n");
  std::string much;
  for (int i = 0; i < 100000; ++i) much += std::to_string(i * 7919) + "\n";
  io::write_text(files.path("much.csv.gz"), [&](std::ostream& out) { out << much; });
  CHECK(io::read_text(files.path("much.csv.gz")) == much);
  for (const char* name : {"a.csv", "a.csv.gz"})
    CHECK_THROWS_AS(io::write_text(files.path(name),
                                   [](std::ostream& out) {
                                     out << "half";
                                     throw DataError("stop");
                                   }),
                    DataError);
  CHECK(test::slurp(files.path("a.csv")) == "hello\n");
  CHECK(io::read_text(files.path("a.csv.gz")) == "hello\n");
  CHECK_THROWS_AS(io::write_text(files.path("none/a.csv"), hello), DataError);
}

TEST_CASE("formats are chosen by file name extension", "[io][text_writer]") {
  CHECK(io::result_format("a.csv") == io::ResultFormat::csv);
  CHECK(io::result_format("a.jsonl.gz") == io::ResultFormat::json_lines);
  CHECK(io::result_format("a.graphml") == io::ResultFormat::graphml);
  CHECK(io::result_format("a.gv") == io::ResultFormat::dot);
  CHECK_THROWS_AS(io::result_format("a.txt"), UsageError);
  CHECK_THROWS_AS(io::result_format("csv"), UsageError);
}

TEST_CASE("fields are read back as written", "[io][text_writer]") {
  const Files files;
  const std::vector<std::string> fields = {"a",  "",  " b ",  "c,d",   "say \"x\"", "two\nlines",
                                           "#5", "%", "中国", "\ttab", "a;b;c",     "a\tb\tc"};
  for (const std::string& field : fields) {
    CAPTURE(field);
    io::CsvReader reader(files.write("a.csv", io::csv_field(field) + "," + io::csv_field(field) + "\n"));
    REQUIRE(reader.next());
    CHECK(reader.fields()[0] == field);
    CHECK(reader.fields()[1] == field);
  }
  CHECK(io::json_string("a\"\n") == "\"a\\\"\\n\"");
  CHECK(io::number_text(0.1f) == "0.1");
  CHECK(io::number_text(std::numeric_limits<float>::quiet_NaN(), "null") == "null");
}
