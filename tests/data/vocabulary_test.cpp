#include "edgewise/data/vocabulary.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using data::Tokens;
using data::Vocabulary;
using Numbers = std::vector<std::int32_t>;
using Texts = std::vector<std::string>;

TEST_CASE("a vocabulary has the most frequent tokens first, after the mark and the unknown one", "[data][vocabulary]") {
  const Texts texts = {"a dog", "a cat a", "cat"};
  const Vocabulary words = Vocabulary::learn(texts, {.tokens = Tokens::words});
  CHECK(words.names() == Texts{"</s>", "<unk>", "a", "cat", "dog"});
  CHECK(words.encode(" a  bird ") == Numbers{2, 1});
  CHECK(words.decode(words.encode("dog a")) == "dog a");
  CHECK(Vocabulary::learn(texts, {.tokens = Tokens::words, .least_count = 2}).names() ==
        Texts{"</s>", "<unk>", "a", "cat"});
}

TEST_CASE("characters are those of UTF-8, blanks too", "[data][vocabulary]") {
  const Vocabulary characters = Vocabulary::learn(Texts{"né e"}, {.tokens = Tokens::characters});
  CHECK(characters.size() == 6);
  CHECK(characters.encode("né").size() == 2);
  CHECK(characters.decode(characters.encode("né e")) == "né e");
}

TEST_CASE("pieces spell every word of known characters, and come back from JSON", "[data][vocabulary]") {
  const Texts texts = {"low lower lowest", "low newer newest", "wider"};
  const Vocabulary pieces = Vocabulary::learn(texts, {.tokens = Tokens::pieces, .pieces = 10});
  CHECK(pieces.decode(pieces.encode("lower widest")) == "lower widest");
  const Vocabulary again = Vocabulary::from_json(pieces.to_json());
  CHECK(again.names() == pieces.names());
  CHECK(again.encode("newest low") == pieces.encode("newest low"));
  CHECK_THROWS_AS(Vocabulary::from_json(json::parse(R"({"kind": "words", "tokens": ["a"]})", "test")), Error);
  CHECK_THROWS_AS(
      Vocabulary::from_json(json::parse(R"({"kind": "pieces", "tokens": ["a", "b"], "merges": ["a"]})", "test")),
      Error);
}
