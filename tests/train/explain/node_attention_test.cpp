#include "edgewise/train/explain/node_attention.hpp"

#include <catch2/catch.hpp>

#include "train/explain/explained_models.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

TEST_CASE("a model says whom the nodes attend to, and what it predicts", "[train][node_attention]") {
  test::FriendFiles files;
  ModelData loaded = test::trained_on_friends(files, json::Object{{"preset", "gat"}, {"hidden", 8}});
  const NodeAttention answer = attention_of_nodes("m", loaded, test::ignore_note);
  REQUIRE(answer.records.size() == 2);
  const graph::FrozenGraph& mask = answer.batches->mask("edges");
  for (const nn::AttentionRecord& record : answer.records) {
    REQUIRE(record.weights.rows() == static_cast<Eigen::Index>(mask.slot_count()));
    const Eigen::Index first = static_cast<Eigen::Index>(mask.incoming.offsets[1]);
    CHECK(record.weights.topRows(first).colwise().sum().isOnes(1e-5F));
  }
  CHECK(answer.predictions == predict(loaded.trained, loaded.data, loaded.inputs));
}

TEST_CASE("a model without attention says which has it", "[train][node_attention]") {
  test::FriendFiles files;
  ModelData loaded = test::trained_on_friends(files, json::Object{{"preset", "mlp"}, {"hidden", 8}});
  CHECK_THROWS_WITH(attention_of_nodes("m", loaded, test::ignore_note),
                    Contains("m: the model has no attention layer; train model.preset gat makes one that does"));
}
