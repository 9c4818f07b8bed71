#include "edgewise/attention/options.hpp"

#include <catch2/catch.hpp>

#include "edgewise/attention/score_entry.hpp"

using namespace edgewise;
using namespace edgewise::attention;

TEST_CASE("scores and normalisers are found by their names", "[attention][options]") {
  CHECK(name(Score::gat) == "gat");
  CHECK(name(Score::gatv2) == "gatv2");
  CHECK(name(Score::bahdanau) == "bahdanau");
  CHECK(name(Score::dot_product) == "dot_product");
  CHECK(name(Normaliser::softmax) == "softmax");
  CHECK(name(Normaliser::relu) == "relu");
  CHECK(name(Normaliser::none) == "none");
  for (const std::string& text : score_names()) CHECK(name(score_named(text)) == text);
  for (const std::string& text : normaliser_names()) CHECK(name(normaliser_named(text)) == text);
}

TEST_CASE("an unknown name is reported with the known ones", "[attention][options]") {
  CHECK_THROWS_WITH(score_named("linear"),
                    "attention: unknown score \"linear\", expected bahdanau, dot_product, gat, gatv2");
  CHECK_THROWS_WITH(normaliser_named("tanh"), "attention: unknown normaliser \"tanh\", expected none, relu, softmax");
}

TEST_CASE("the entry of a score describes its tables", "[attention][options]") {
  CHECK(score_entry(Score::gat).is_per_head);
  CHECK(score_entry(Score::gat).columns(4, 16) == 4);
  CHECK(score_entry(Score::bahdanau).has_vector);
  CHECK(score_entry(Score::bahdanau).columns(4, 16) == 64);
  CHECK(score_entry(Score::gatv2).value_is_key);
  CHECK(AnyScore(Score::dot_product)->name == "dot_product");
}
