#include "edgewise/train/config/model_traits.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using namespace edgewise::train;

TEST_CASE("models are known by what they use", "[train][model_traits]") {
  CHECK_FALSE(traits_of("descriptors").uses_graph);
  CHECK_FALSE(traits_of("mlp").uses_graph);
  CHECK_FALSE(traits_of("boosted_trees").uses_graph);
  CHECK(traits_of("neighbour_trees").uses_graph);
  CHECK_FALSE(traits_of("neighbour_trees").is_network);
  CHECK_FALSE(traits_of("label_propagation").uses_features);
  CHECK(traits_of("gcn").uses_graph);
  CHECK_FALSE(traits_of("gcn").uses_attention);
  CHECK(traits_of("transformer").uses_attention);
}
