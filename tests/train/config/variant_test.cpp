#include "edgewise/train/config/variant.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using namespace edgewise::train;

TEST_CASE("a variant is found by its name", "[train][variant]") {
  const Variant all{.model = "gat",
                    .number = 2,
                    .with_labels = true,
                    .without_edges = true,
                    .without_features = true,
                    .with_words = true,
                    .is_smoothed = true};
  CHECK(all.name() == "gat (2) + labels without edges without features + words + smooth");
  const Variant variants[] = {all,
                              {.model = "gcn"},
                              {.model = "gcn", .with_labels = true},
                              {.model = "sage", .with_words = true},
                              {.model = "gat", .number = 3, .is_smoothed = true},
                              {.model = ""}};
  for (const Variant& variant : variants) CHECK(variant_named(variant.name()) == variant);
  CHECK(variant_named("gat (x)").model == "gat (x)");
}

TEST_CASE("what is left out or refined changes what a variant uses", "[train][variant]") {
  CHECK(variant_named("gat").uses_attention());
  CHECK_FALSE(variant_named("gat without edges").uses_attention());
  CHECK_FALSE(variant_named("gat without edges").uses_graph());
  CHECK(variant_named("mlp + smooth").uses_graph());
  CHECK_FALSE(variant_named("gcn without features").uses_features());
  CHECK(variant_named("label_propagation").only_spreads_labels());
  CHECK_FALSE(variant_named("gcn without features").only_spreads_labels());
}
