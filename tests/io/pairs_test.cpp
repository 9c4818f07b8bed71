#include "edgewise/io/pairs.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "io/files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;
using Texts = std::vector<std::string>;

TEST_CASE("a pair a line, source TAB target", "[io][pairs]") {
  const Files files;
  const io::TextPairs pairs = io::read_pairs(files.write_gzip("a.tsv.gz", "cat\tK AE T\n knight \tN AY T\r\ncat\tkat"));
  CHECK(pairs.sources == Texts{"cat", "knight", "cat"});
  CHECK(pairs.targets == Texts{"K AE T", "N AY T", "kat"});
  CHECK(pairs.lines == std::vector<std::uint64_t>{1, 2, 3});
  CHECK(io::read_pairs(files.write("b.txt", "cat\ndog\n"), io::Targets::optional).targets.empty());
}

TEST_CASE("a line that is no pair is refused by its number", "[io][pairs]") {
  const Files files;
  const auto check = [&](const char* text, const char* message, io::Targets targets = io::Targets::required) {
    CHECK_THROWS_WITH(io::read_pairs(files.write("bad.tsv", text), targets), Contains(message));
  };
  check("a\tb\na\n", "bad.tsv:2: expected source TAB target, got no tab");
  check("a\tb\n\nc\td\n", "bad.tsv:2: expected source TAB target, got no tab");
  check("a\tb\n\tc\n", "bad.tsv:2: expected a source, got nothing");
  check("a\tb\na\t \n", "bad.tsv:2: expected a target, got nothing");
  check("a\tb\tc\n", "bad.tsv:1: expected one tab, got more");
  check("a\nb\tc\n", "bad.tsv:2: a target, but earlier lines have none", io::Targets::optional);
  check("a\tb\nc\n", "bad.tsv:2: expected source TAB target", io::Targets::optional);
  check("a\n\nb\n", "bad.tsv:2: expected a source, got nothing", io::Targets::optional);
  check("a\tb\nc\xff\td\n", "bad.tsv:2");
  check("", "bad.tsv: expected at least one pair, got none");
  CHECK_THROWS_AS(io::read_pairs(files.path("missing.tsv")), DataError);
}

TEST_CASE("pairs from two files need as many lines in both", "[io][pairs]") {
  const Files files;
  const std::string two = files.write("a.en", "a dog\na cat\n");
  CHECK(io::read_pairs(two, files.write("a.de", "ein hund\neine katze")).targets == Texts{"ein hund", "eine katze"});
  CHECK_THROWS_WITH(io::read_pairs(two, files.write("b.de", "ein hund\n")),
                    Contains("a.en:2: ") && Contains("b.de ends"));
  CHECK_THROWS_WITH(io::read_pairs(two, files.write("b.de", "x\ny\nz\n")),
                    Contains("b.de:3: ") && Contains("a.en ends"));
  CHECK_THROWS_WITH(io::read_pairs(two, files.write("b.de", "x\n\n")), Contains("b.de:2: expected a target"));
}

TEST_CASE("a pronouncing dictionary has its words several times", "[io][pairs]") {
  const Files files;
  const io::TextPairs pairs = io::read_pronunciations(
      files.write("a.dict", "a AH0\na(2) EY1\naalborg AO1 L B AO0 R G # place, danish\n"));
  CHECK(pairs.sources == Texts{"a", "a", "aalborg"});
  CHECK(pairs.targets == Texts{"AH0", "EY1", "AO1 L B AO0 R G"});
  CHECK_THROWS_WITH(io::read_pronunciations(files.write("b.dict", "a AH0\nb\n")),
                    Contains("b.dict:2: expected a word"));
}
