#include "edgewise/train/explain/faithfulness.hpp"

#include <catch2/catch.hpp>

#include "train/explain/explained_models.hpp"

using namespace edgewise;
using namespace edgewise::train;

TEST_CASE("without what deletion names, predictions move further than at random", "[train][faithfulness]") {
  ModelData loaded = test::trained_on_molecules(test::small_gatv2("mean"));
  const std::vector<graph::Node> items = {0, 3, 4, 5, 8};  // CO has too few atoms
  const FaithfulnessResult result = faithfulness(loaded, items);
  CHECK(result.items == 4);
  CHECK(result.parts == Approx((3 + 4 + 6 + 3) / 4.0));
  REQUIRE(result.ways.size() == 3);
  CHECK(result.ways[1].by == "attention");
  CHECK(result.ways[0].change >= result.ways[1].change);  // one atom each: the largest effect
  CHECK(result.ways[0].change > result.ways[2].change);
  CHECK(faithfulness(loaded, items).ways[2].change == result.ways[2].change);
}

TEST_CASE("a model without attention is measured without it", "[train][faithfulness]") {
  ModelData loaded = test::trained_on_molecules(json::Object{{"preset", "sage"}, {"hidden", 8}, {"readout", "mean"}});
  const std::vector<graph::Node> items = {0, 3};
  CHECK(faithfulness(loaded, items).ways.size() == 2);
  test::FriendFiles files;
  ModelData friends = test::trained_on_friends(files, json::Object{{"preset", "gat"}, {"hidden", 8}});
  CHECK(faithfulness(friends, items).ways.size() == 3);
  CHECK(faithfulness(friends, {}).items == 0);
}
