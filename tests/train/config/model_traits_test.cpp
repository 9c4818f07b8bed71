#include "edgewise/train/config/model_traits.hpp"

#include <catch2/catch.hpp>

#include "edgewise/nn/model.hpp"
#include "edgewise/nn/presets.hpp"
#include "edgewise/train/loop/pair_batches.hpp"

using namespace edgewise;
using namespace edgewise::train;

TEST_CASE("models are known by what they use", "[train][model_traits]") {
  CHECK_FALSE(traits_of("descriptors").uses_graph);
  CHECK_FALSE(traits_of("mlp").uses_graph);
  CHECK_FALSE(traits_of("boosted_trees").uses_graph);
  CHECK(traits_of("random_forest").weighs_rows);
  CHECK(traits_of("gatv2").weighs_rows);
  CHECK_FALSE(traits_of("sum_features").weighs_rows);
  CHECK(traits_of("neighbour_trees").uses_graph);
  CHECK_FALSE(traits_of("neighbour_trees").is_network);
  CHECK_FALSE(traits_of("label_propagation").uses_features);
  CHECK(traits_of("gcn").uses_graph);
  CHECK_FALSE(traits_of("gcn").uses_attention);
  CHECK(traits_of("transformer").uses_attention);
}

TEST_CASE("every preset has its traits, and nothing else uses attention", "[train][model_traits]") {
  for (const std::string& preset : nn::preset_names()) {
    CAPTURE(preset);
    CHECK(traits_of(preset).is_known);
    CHECK(traits_of(preset).is_network);
    const nn::ModelShape of_nodes{.inputs = 3, .outputs = 2};
    const nn::Model model(json::Object{{"preset", preset}},
                          traits_of(preset).writes ? pair_shape({.columns = 3}, {.columns = 2}) : of_nodes, /*seed=*/1);
    CHECK(traits_of(preset).uses_attention == model.uses_attention());
  }
  CHECK_FALSE(traits_of("blocks").is_known);
  CHECK_FALSE(traits_of("blocks").uses_attention);
}
