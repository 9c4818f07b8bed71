#include "edgewise/io/byte_source.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <thread>

#include "edgewise/core/error.hpp"
#include "files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using io::ByteSource;

namespace {

/// All of it, in pieces of `capacity` bytes.
std::string all_of(ByteSource& source, std::size_t capacity) {
  std::string all, piece(capacity, '\0');
  while (const std::size_t count = source.read(piece.data(), capacity)) all.append(piece, 0, count);
  return all;
}

std::string all_of(const std::string& path, std::size_t capacity = 1000) {
  ByteSource source(path);
  return all_of(source, capacity);
}

/// Of more bytes than a source reads at a time.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919 % 100'003) + "\n";
  return text;
}

}  // namespace

TEST_CASE("a source gives the bytes of a file, packed or not, in pieces of any size", "[io][byte_source]") {
  const test::Files files;
  for (const std::string& text : {std::string(), std::string("x"), std::string("a\0b\r\n", 5), long_text()}) {
    for (const std::string& path : {files.write("plain", text), files.write_gzip("packed", text)}) {
      CAPTURE(path, text.size());
      CHECK(all_of(path, std::size_t{1} << 20) == text);
      CHECK(all_of(path, 4099) == text);
      if (text.size() < 10) CHECK(all_of(path, 1) == text);
    }
  }
}

TEST_CASE("a source knows how much of a file it has read", "[io][byte_source]") {
  const test::Files files;
  const std::string path = files.write_gzip("packed", long_text());
  ByteSource source(path);
  CHECK(source.path() == path);
  CHECK(source.size() == std::filesystem::file_size(path));
  CHECK(source.raw_bytes() == 0);
  all_of(source, 1000);
  CHECK(source.raw_bytes() == source.size());
  char byte;
  CHECK(source.read(&byte, 1) == 0);  // and stays at the end
}

TEST_CASE("members of gzip are one text, and zeros may follow them", "[io][byte_source]") {
  const test::Files files;
  files.write_gzip("a.gz", "first\n");
  files.write_gzip("a.gz", "", "ab");
  CHECK(all_of(files.write_gzip("a.gz", "second\n", "ab")) == "first\nsecond\n");
  const std::string packed = test::slurp(files.path("a.gz"));
  CHECK(all_of(files.write("padded.gz", packed + std::string(500, '\0'))) == "first\nsecond\n");
  CHECK_THROWS_WITH(all_of(files.write("more.gz", packed + "text")),
                    Contains("more.gz: damaged gzip data: other bytes"));
}

TEST_CASE("gzip data that is cut short or changed is refused", "[io][byte_source]") {
  const test::Files files;
  const std::string packed = test::slurp(files.write_gzip("good.gz", long_text()));
  for (const std::size_t size : {std::size_t{3}, std::size_t{10}, packed.size() / 2, packed.size() - 1})
    CHECK_THROWS_WITH(all_of(files.write("short.gz", packed.substr(0, size))), Contains("the file is cut short"));
  for (const std::size_t place : {packed.size() / 2, packed.size() - 6}) {
    std::string changed = packed;
    changed[place] ^= 0x10;
    CHECK_THROWS_AS(all_of(files.write("changed.gz", changed)), DataError);
  }
}

TEST_CASE("a pipe is read as a file", "[io][byte_source]") {
  const test::Files files;
  const std::string path = files.path("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const std::string text = long_text();
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << text; });
  ByteSource source(path);
  CHECK(all_of(source, 1000) == text);
  writer.join();
  CHECK(source.size() == 0);
}

TEST_CASE("what is no text is refused by its first bytes, with what to type", "[io][byte_source]") {
  const test::Files files;
  CHECK_THROWS_WITH(all_of(files.path("none.csv")), Contains("none.csv: cannot be read"));
  CHECK_THROWS_WITH(all_of(files.path(".")), Contains("is a directory, expected a file"));
  CHECK_THROWS_WITH(all_of(files.write("a.zip", "PK\x03\x04 and more")), Contains("try: unzip"));
  CHECK_THROWS_WITH(all_of(files.write("a.npz", "PK\x03\x04 and more")), Contains("scipy.sparse.load_npz"));
  CHECK_THROWS_WITH(all_of(files.write("a.csv.xz", std::string("\xfd" "7zXZ\0 and more", 15))), Contains("xz file"));
  CHECK_THROWS_WITH(all_of(files.write("a b.parquet", "PAR1 and more")), Contains("pandas.read_parquet('FILE')"));
  CHECK_THROWS_WITH(all_of(files.write("a.bz2", "BZh91AY&SY and more")), Contains("bunzip2"));
  CHECK(all_of(files.write("names.txt", "BZhang,1\n")) == "BZhang,1\n");
  CHECK(all_of(files.write("short.txt", "PA")) == "PA");
}
