#include "edgewise/data/byte_pairs.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/json.hpp"
#include "edgewise/core/text.hpp"
#include "io/files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using data::BytePairs;
using Texts = std::vector<std::string>;

namespace {

/// By the definition: after each merge all pairs of all words are counted again.
std::vector<BytePairs::Merge> learnt_slowly(const Texts& texts, std::size_t count) {
  std::vector<BytePairs::Merge> merges;
  while (merges.size() < count) {
    const BytePairs so_far(merges);
    std::map<BytePairs::Merge, int> counts;
    for (const std::string& text : texts)
      for (const std::string_view word : words_of(text)) {
        const Texts pieces = so_far.split(word);
        for (std::size_t i = 0; i + 1 < pieces.size(); ++i) ++counts[{pieces[i], pieces[i + 1]}];
      }
    BytePairs::Merge best;
    int most = 1;
    for (const auto& [pair, times] : counts)
      if (times > most) std::tie(best, most) = std::pair(pair, times);
    if (most < 2) break;
    merges.push_back(best);
  }
  return merges;
}

}  // namespace

TEST_CASE("byte pairs are those of the paper's example", "[data][byte_pairs]") {
  // Sennrich et al. 2016, figure 1: low 5, lower 2, newest 6, widest 3
  const Texts texts = {"low low low low low lower lower",
                       "newest newest newest newest newest newest widest widest widest"};
  const BytePairs pairs = BytePairs::learn(texts, 3);
  CHECK(pairs.merges() == std::vector<BytePairs::Merge>{{"e", "s"}, {"es", "t</w>"}, {"l", "o"}});
  CHECK(pairs.split("lowest") == Texts{"lo", "w", "est</w>"});
  CHECK(pairs.split("é") == Texts{"é</w>"});
}

TEST_CASE("byte pairs are learnt as by counting all again", "[data][byte_pairs]") {
  const Texts texts = {"aaa aaaa abab ababab", "banana bananas ananas", "aa abc abcabc cba"};
  CHECK(BytePairs::learn(texts, 100).merges() == learnt_slowly(texts, 100));
  CHECK(BytePairs::learn(texts, 4).merges() == learnt_slowly(texts, 4));
}

TEST_CASE("byte pairs come from a file of subword-nmt, too", "[data][byte_pairs]") {
  const test::Files files;
  const BytePairs pairs = BytePairs::read(files.write("codes", "#version: 0.2\ne s\nes t</w>\n"));
  CHECK(pairs.split("nest") == Texts{"n", "est</w>"});
  CHECK(BytePairs::read(files.write("named", "#version: 0.2 - from a corpus\ne s\n")).merges().size() == 1);
  CHECK(BytePairs::read(files.write("unnamed", "e s\nes t</w>\n")).split("nest") == Texts{"n", "est</w>"});
  CHECK_THROWS_WITH(BytePairs::read(files.write("bad", "a b\nc\n")), Contains("bad:2: expected the two pieces"));
}

TEST_CASE("byte pairs of other versions, which split words otherwise, are refused", "[data][byte_pairs]") {
  const test::Files files;
  for (const char* head : {"#version: 0.1", "#version: 0.3", "#version: 0.20", "#version", "#version:0.2"})
    CHECK_THROWS_WITH(BytePairs::read(files.write("codes", std::string(head) + "\ne s\n")),
                      Contains(std::string("codes:1: expected merges of \"#version: 0.2\", got \"") + head + "\""));
  // Without a version, subword-nmt takes a file for one of 0.1.
  CHECK_THROWS_WITH(BytePairs::read(files.write("old", "e s\nt </w>\n")), Contains("old:2: expected merges of"));
}

// tests/golden/make_byte_pairs.py
TEST_CASE("byte pairs are learnt and split as by subword-nmt", "[data][byte_pairs][golden]") {
  const json::Value golden = json::parse_file(EDGEWISE_SOURCE_DIR "/tests/golden/byte_pairs.json");
  const test::Files files;
  const BytePairs pairs = BytePairs::read(files.write("codes", golden.at("codes").as_string()));
  for (const auto& [word, expected] : golden.at("words").as_object()) {
    Texts pieces = pairs.split(word);
    REQUIRE(pieces.back().ends_with(data::kWordEnd));
    pieces.back().resize(pieces.back().size() - data::kWordEnd.size());
    CHECK(pieces == expected.as_strings());
  }
  const auto certain = static_cast<std::size_t>(golden.get("certain", 0));
  REQUIRE(certain > 20);
  const BytePairs learnt = BytePairs::learn(golden.at("texts").as_strings(), certain);
  CHECK(learnt.merges() ==
        std::vector<BytePairs::Merge>(pairs.merges().begin(), pairs.merges().begin() + golden.get("certain", 0)));
}

TEST_CASE("merges and vocabularies of other programs are refused", "[data][byte_pairs]") {
  const test::Files files;
  const auto check = [&](const char* text, const char* message) {
    CHECK_THROWS_WITH(BytePairs::read(files.write("other", text)),
                      Contains(message) && Contains("subword-nmt learn-bpe"));
  };
  check("<unk>\t0\n<s>\t0\n\u2581the\t-2.1\ne\t-2.2\n", "SentencePiece");
  check("the\t-2.1\ne\t-2.2\n", "a vocabulary");
  check("the 120\nha@@ 7\n", "a vocabulary");
  check("#version: 0.2\n\u0120 t\nh e\n\u0120t he\n", "of bytes");
  check("\u2581 t\n\u2581t he\n", "SentencePiece");
  check("{\"version\": \"1.0\", \"model\": {\"merges\": []}}\n", "Hugging Face");
  CHECK(BytePairs::read(files.write("digits", "1 2\n12 3\n")).merges().size() == 2);
  CHECK(BytePairs::read(files.write("maltese", "\u0120 e\n\u0120e r</w>\n")).merges().size() == 2);
}
