#include "edgewise/train/loop/text_metrics.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/json.hpp"

using namespace edgewise;
using Texts = std::vector<std::string>;

TEST_CASE("bleu equals sacreBLEU's", "[train][text_metrics]") {
  const json::Value cases = json::parse_file(EDGEWISE_SOURCE_DIR "/tests/golden/bleu.json");
  for (const json::Value& one : cases.as_array()) {
    std::vector<train::References> references;
    for (const json::Value& texts : one.at("references").as_array()) references.push_back(texts.as_strings());
    INFO(one.at("texts").as_strings().front());
    CHECK(train::bleu(one.at("texts").as_strings(), references) ==
          Approx(one.at("bleu").as_number()).epsilon(1e-12).margin(1e-12));
  }
}

TEST_CASE("punctuation is apart, but not within numbers", "[train][text_metrics]") {
  CHECK(train::bleu_tokens("Well, 1,000.5 (yes) - 20-year &amp; co.") ==
        Texts{"Well", ",", "1,000.5", "(", "yes", ")", "-", "20", "-", "year", "&", "co", "."});
}

TEST_CASE("any of several references is right", "[train][text_metrics]") {
  const Texts texts = {"K AE T", "N AY T", "X"};
  const std::vector<train::References> references = {{"K AA T", "K AE T"}, {"N AY T"}, {"Y"}};
  CHECK(train::sequence_accuracy(texts, references) == Approx(2.0 / 3));
}
