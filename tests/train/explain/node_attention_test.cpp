#include "edgewise/train/explain/node_attention.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/source/job_data.hpp"
#include "train/friend_files.hpp"
#include "train/notes.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

ModelData trained_on_friends(test::FriendFiles& files, const char* preset) {
  files.config.training.epochs = 2;
  files.config.model = json::Object{{"preset", preset}, {"hidden", 8}};
  Run run = run_job(files.config, load_job_data(files.config.data), 0);
  return load_model_data(open_model(std::move(*run.trained), {"m"}), Needs::features, test::ignore_note);
}

}  // namespace

TEST_CASE("a model says whom the nodes attend to, and what it predicts", "[train][node_attention]") {
  test::FriendFiles files;
  ModelData loaded = trained_on_friends(files, "gat");
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
  ModelData loaded = trained_on_friends(files, "mlp");
  CHECK_THROWS_WITH(attention_of_nodes("m", loaded, test::ignore_note),
                    Contains("m: the model has no attention layer; train --model gat makes one that does"));
}
