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
  check("a\tb\n\nc\td\n", "bad.tsv:2: expected a pair, got an empty line: take it out");
  check("a\tb\n\tc\n", "bad.tsv:2: expected a source, got nothing");
  check("a\tb\na\t \n", "bad.tsv:2: expected a target, got nothing");
  check("a\tb\na\tb\tc\n",
        "bad.tsv:2: expected 2 columns as in the lines before, got 3; to keep the first two: cut -f1,2");
  check("1\thi\t2\tsalut\n3\tyes\t4\toui\n", "of which some are numbers; try: cut -f2,4 FILE");
  check("hi,salut\n", "got no tab; of comma-separated values: python3 -c");
  check("hi ||| salut\n", "got no tab; try: sed 's/ *||| */\\t/' FILE");
  check("a\nb\tc\n", "bad.tsv:2: a target, but earlier lines have none", io::Targets::optional);
  check("a\tb\nc\n", "bad.tsv:2: expected source TAB target", io::Targets::optional);
  check("a\n\nb\n", "bad.tsv:2: expected a pair, got an empty line", io::Targets::optional);
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

TEST_CASE("what is beside the pairs of a file is left out with a note", "[io][pairs]") {
  const Files files;
  Texts notes;
  const auto read = [&](const char* text) {
    notes.clear();
    return io::read_pairs(files.write("a.tsv", text), io::Targets::required, &notes);
  };
  io::TextPairs pairs = read("hi\tsalut\tCC-BY 2.0 (France)\nno\tnon\tCC-BY 2.0 (France)\n");
  CHECK(pairs.targets == Texts{"salut", "non"});
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0],
             Contains("a.tsv: the first two of 3 columns are read; the third, such as \"CC-BY 2.0 (France)\""));
  CHECK(read("hi\tsalut\t\nno\tnon\t\n").targets == Texts{"salut", "non"});
  CHECK(notes.empty());
  pairs = read("english\tfrench\nhi\tsalut\n");
  CHECK(pairs.sources == Texts{"hi"});
  CHECK(pairs.lines == std::vector<std::uint64_t>{2});
  CHECK_THAT(notes.at(0), Contains("line 1 names the columns (english, french), so it is not read as a pair"));
  CHECK(read("cat\tchat\nenglish\tfrench\n").sources.size() == 2);
  pairs = read("\"a \"\"dog\"\"\"\t\"un chien\"\n\"a cat\"\t\"un chat\"\n");
  CHECK(pairs.sources == Texts{"a \"dog\"", "a cat"});
  CHECK(pairs.targets == Texts{"un chien", "un chat"});
  CHECK_THAT(notes.at(0), Contains("the quotes around every field are taken off"));
  CHECK(read("\"hi\"\tsalut\nno\tnon\n").sources[0] == "\"hi\"");
  CHECK(read("hi\tsalut\n\n \n").sources == Texts{"hi"});
  CHECK(io::read_pairs(files.write("x", "a\n\n"), files.write("y", "b\n\n")).targets == Texts{"b"});
}

TEST_CASE("pairs in other formats are refused with what converts them", "[io][pairs]") {
  const Files files;
  const auto check = [&](const char* text, const char* what, const char* command) {
    CHECK_THROWS_WITH(io::read_pairs(files.write("a.txt", text)), Contains(what) && Contains(command));
  };
  check("<?xml version=\"1.0\"?>\n<tmx version=\"1.4\"><body/></tmx>", "this is TMX", "'seg'");
  check("<xliff version=\"1.2\">\n</xliff>\n", "this is XLIFF", "('source', 'target')");
  check("{\"id\": 1, \"en\": \"hi\", \"fr\": \"salut\"}\n", "a JSON object a line", "json.loads(line)[name]");
  check("{\"en\": \"hi\", \"fr\": \"salut\"}\n", "a JSON object a line", "in ('en', 'fr')");
  check("{\"$(id)\": \"hi\", \"fr\": \"salut\"}\n", "a JSON object a line", "in ('SOURCE', 'TARGET')");
  check("{\"translation\": {\"en\": \"hi\", \"fr\": \"salut\"}}\n", "a JSON object",
        "json.loads(line)['translation'][name]");
  CHECK(io::read_pairs(files.write("b.tsv", "{a}\tb\n")).sources[0] == "{a}");
}
