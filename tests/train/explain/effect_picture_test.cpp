#include "edgewise/train/explain/effect_picture.hpp"

#include <catch2/catch.hpp>

#include "train/explain/explained_models.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

TEST_CASE("a molecule is drawn with its effects on one scale for all", "[train][effect_picture]") {
  ModelData loaded = test::trained_on_molecules(test::small_gatv2("mean"));
  const std::string picture = draw(loaded, effects_of(loaded, 0), {"row 1, <CCO>"});
  CHECK_THAT(picture, Contains("row 1, &lt;CCO&gt;") && Contains("effect of atoms and bonds on y"));
  CHECK_THAT(picture, Contains("raises it by ") && Contains("lowers it by "));
  CHECK(full_colour(loaded.trained, 0) == 0.5 * loaded.trained.scaler.deviation()[0]);
}

TEST_CASE("an effect as large as the scale has the full colour", "[train][effect_picture]") {
  ModelData loaded = test::trained_on_molecules(test::small_gatv2("mean"));
  Effects effects = effects_of(loaded, 0);
  for (PartEffect& part : effects.parts) part.effect = part.kind == "atom" ? full_colour(loaded.trained, 0) : 0;
  CHECK_THAT(draw(loaded, effects, {}), Contains("#FF7319") || Contains("#FF7219"));
  for (PartEffect& part : effects.parts) part.effect = -part.effect;
  CHECK_THAT(draw(loaded, effects, {}), Contains("#1973FF") || Contains("#1A73FF"));
}

TEST_CASE("a node is drawn with its neighbours", "[train][effect_picture]") {
  test::FriendFiles files;
  ModelData loaded = test::trained_on_friends(files, json::Object{{"preset", "gat"}, {"hidden", 8}});
  CHECK(can_be_drawn(loaded));
  const graph::Node p3 = *loaded.data.graph.names().find("p3");
  CHECK_THAT(draw(loaded, effects_of(loaded, p3), {"p3"}), Contains("effect of neighbours and features"));
}
