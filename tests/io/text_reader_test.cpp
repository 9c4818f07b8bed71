#include "edgewise/io/text_reader.hpp"

#include <catch2/catch.hpp>

#include "io/files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  io::TextReader reader(path);
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("text reader splits lines at any line end", "[io][text_reader]") {
  const Files files;
  CHECK(lines_of(files.write("a", "one\ntwo\n")) == Lines{"one", "two"});
  CHECK(lines_of(files.write("b", "one\r\n\r\ntwo")) == Lines{"one", "", "two"});
  CHECK(lines_of(files.write("c", "\xef\xbb\xbf" "one\n")) == Lines{"one"});
  CHECK(lines_of(files.write("d", "")).empty());
  CHECK(lines_of(files.write("e", "\n")) == Lines{""});
  CHECK(lines_of(files.write("f", "\xef\xbb\xbf")).empty());
  CHECK(lines_of(files.write("g", "中国好声音\n")) == Lines{"中国好声音"});
}

TEST_CASE("text reader knows whether a line has an end", "[io][text_reader]") {
  const Files files;
  io::TextReader reader(files.write("a", "one\ntwo"));
  std::string_view line;
  REQUIRE(reader.next(line));
  CHECK(reader.is_terminated());
  REQUIRE(reader.next(line));
  CHECK_FALSE(reader.is_terminated());
}

TEST_CASE("text reader joins lines across its buffer", "[io][text_reader]") {
  const Files files;
  std::string text;
  Lines expected;
  for (int i = 0; i < 300; ++i) {
    expected.push_back(std::string(static_cast<std::size_t>(i * 37), 'x') + "é");
    text += expected.back() + "\r\n";
  }
  expected.emplace_back(5'000'000, 'y');
  text += expected.back();
  CHECK(lines_of(files.write("plain", text)) == expected);
  CHECK(lines_of(files.write_gzip("packed", text)) == expected);
}

TEST_CASE("text reader unpacks gzip by its content", "[io][text_reader]") {
  const Files files;
  CHECK(lines_of(files.write_gzip("named.csv", "one\ntwo\n")) == Lines{"one", "two"});
  CHECK(lines_of(files.write("plain.gz", "one\n")) == Lines{"one"});
  CHECK(lines_of(files.write_gzip("empty.gz", "")).empty());

  files.write_gzip("members.gz", "one\n");
  const std::string two_members = files.write_gzip("members.gz", "two\n", "ab");
  CHECK(lines_of(two_members) == Lines{"one", "two"});
  CHECK(lines_of(files.write("padded.gz", test::slurp(two_members) + std::string(512, '\0'))) == Lines{"one", "two"});
}

TEST_CASE("many gzip members of a byte each are read", "[io][text_reader]") {
  constexpr int kDoublings = 20;  // it would take hours to copy the rest of the file for each
  const Files files;
  std::string packed = test::slurp(files.write_gzip("one.gz", "x"));
  for (int i = 0; i < kDoublings; ++i) packed += packed;
  const std::string path = files.write("many.gz", packed);
  const Lines expected = {std::string(std::size_t{1} << kDoublings, 'x')};
  CHECK(lines_of(path) == expected);
}

TEST_CASE("text reader names other compressions", "[io][text_reader]") {
  const Files files;
  const auto read = [&](std::string_view text) { return lines_of(files.write("a.csv", text)); };
  CHECK_THROWS_WITH(read({"\xfd" "7zXZ\0x", 7}), Contains("a.csv: is an xz file; only gzip is unpacked"));
  CHECK_THROWS_WITH(read("BZh91AY&SYx"), Contains("is a bzip2 file"));
  CHECK_THROWS_WITH(read("PK\x03\x04"), Contains("is a zip file or a spreadsheet"));
  CHECK_THROWS_WITH(read("PAR1\x15"), Contains("is a Parquet file; only text is read; try: python -c \"import pandas; "
                                               "pandas.read_parquet('") &&
                                          Contains(".to_csv('"));
  const std::pair<std::string, const char*> binaries[] = {
      {"ARROW1", "an Arrow file"},         {"FEA1", "a Feather file"},
      {"\x89HDF\r\n\x1a\n", "an HDF5 file"}, {"\x93NUMPY\x01", "a NumPy array"},
      {"SQLite format 3", "an SQLite database"}, {"\x80\x04\x95", "a pickle"},
      {"\xd0\xcf\x11\xe0", "a spreadsheet of an old kind"}, {"\x28\xb5\x2f\xfd", "a zstd file"}};
  for (const auto& [start, name] : binaries) CHECK_THROWS_WITH(read(start), Contains(std::string("is ") + name));
  std::string_view ignored;
  CHECK_THROWS_WITH(io::TextReader(files.write("a'b.xlsx", "PK\x03\x04")).next(ignored),
                    Contains("is a spreadsheet") && Contains("read_excel('FILE')"));
  CHECK_NOTHROW(read("BZh,ada\n"));
  CHECK_THROWS_WITH(read("\x28\xb5\x2f\xfdx"), Contains("is a zstd file"));
  CHECK(read("BZh9,b\n") == Lines{"BZh9,b"});
}

TEST_CASE("text reader refuses damaged gzip", "[io][text_reader]") {
  const Files files;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string packed = test::slurp(files.write_gzip("good.gz", text));
  CHECK_THROWS_WITH(lines_of(files.write("cut.gz", packed.substr(0, packed.size() / 2))), Contains("cut short"));
  CHECK_THROWS_WITH(lines_of(files.write("cut8.gz", packed.substr(0, packed.size() - 8))), Contains("cut short"));
  CHECK_THROWS_WITH(lines_of(files.write("cut2.gz", packed.substr(0, 2))), Contains("cut short"));
  CHECK_THROWS_WITH(lines_of(files.write("more.gz", packed + "junk")), Contains("damaged gzip"));
  std::string flipped = packed;
  flipped[packed.size() - 6] ^= 1;  // in the checksum
  CHECK_THROWS_WITH(lines_of(files.write("flipped.gz", flipped)), Contains("damaged gzip"));
  flipped = packed;
  for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 50; ++i) flipped[i] = '\xff';
  CHECK_THROWS_AS(lines_of(files.write("noise.gz", flipped)), DataError);
}

TEST_CASE("text reader reports the line that is not UTF-8", "[io][text_reader]") {
  const Files files;
  const auto bad = [&](std::string_view text) { return lines_of(files.write("bad.csv", text)); };
  CHECK_THROWS_WITH(bad("a\nb\xff" "c\n"), Contains("bad.csv:2:2: line 2 is not UTF-8 (byte 0xff)"));
  CHECK_THROWS_WITH(bad("Jos\xe9\n"), Contains("bad.csv:1:4"));
  CHECK_THROWS_AS(bad("\xc0\xaf"), DataError);          // overlong encoding
  CHECK_THROWS_AS(bad("\xed\xa0\x80"), DataError);      // surrogate
  CHECK_THROWS_AS(bad("\xf4\x90\x80\x80"), DataError);  // beyond the last code point
  CHECK_THROWS_AS(bad("\xe4\xb8"), DataError);          // truncated
  CHECK_THROWS_WITH(bad(std::string_view("a\nb\0c\n", 6)), Contains("bad.csv:2:2: a NUL byte"));
  CHECK_THROWS_WITH(bad(std::string_view("\xff\xfe" "a\0", 4)), Contains("this is UTF-16"));
  CHECK_THROWS_WITH(bad(std::string_view("\xfe\xff\0a", 4)), Contains("this is UTF-16"));
}

TEST_CASE("text reader refuses lines that end with carriage returns only", "[io][text_reader]") {
  const Files files;
  const auto read = [&](std::string_view text) { return lines_of(files.write("a.csv", text)); };
  for (const char* text : {"a,b\r1,2\r3,4\r", "a,b\r1,2\r\n", "\"a\",b\r1,2"})
    CHECK_THROWS_WITH(read(text), Contains("a.csv: lines end with carriage returns only"));
  std::string rows = "a,b\r";
  for (int i = 0; i < 23; ++i) rows += rows;
  CHECK_THROWS_WITH(read(rows), Contains("carriage returns only"));
  CHECK(read("a\r") == Lines{"a"});
  CHECK(read("a\r\r\nb\rc\n") == Lines{"a\r", "b\rc"});
  CHECK(read("\"a\rb\"\n") == Lines{"\"a\rb\""});
}

TEST_CASE("text reader says why a file cannot be read", "[io][text_reader]") {
  const Files files;
  CHECK_THROWS_WITH(lines_of(files.path("missing.csv")), Contains("missing.csv: cannot be read: No such file"));
  CHECK_THROWS_WITH(lines_of(files.path("")), Contains("is a directory"));
}

TEST_CASE("quote keeps messages on one short line", "[io][text_reader]") {
  CHECK(io::quote("a\nb\xff") == "\"a\\x0ab\\xff\"");
  CHECK(io::quote(std::string(100, 'x')) == "\"" + std::string(40, 'x') + "...\"");
  CHECK(io::quote("é") == "\"é\"");
}
