#include "edgewise/train/loop/checkpoint.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "edgewise/core/error.hpp"
#include "edgewise/io/safetensors.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_job.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using train::TrainingState;
using train::TrainOptions;

namespace {

struct Saved {
  test::TemporaryDirectory directory;
  std::string path = (directory.path() / "c.safetensors").string();
  data::NodeData data = test::two_groups(data::Task::classification);
  nn::Model model = test::make_model(data);
  TrainOptions options;

  Saved() {
    TrainingState state(model, options);
    state.epoch = 7;
    state.adam.set_steps(7);
    state.stopping.observe(5, 0.5, 0.75);
    state.kept.copy_from(model);
    const train::CheckpointNote note{json::Object{{"run", 3}}, {{"best", {2}, {1, 2}}}};
    train::save_checkpoint(path, state, options, note);
  }

  void load(const TrainOptions& with) {
    nn::Model fresh = test::make_model(data, 99);
    TrainingState state(fresh, with);
    train::load_checkpoint(path, state, with);
    CHECK(state.epoch == 7);
    CHECK(state.adam.steps() == 7);
    CHECK(state.stopping.best_epoch() == 5);
    CHECK(state.kept.is_set());
    CHECK(fresh.parameters()[0]->value == model.parameters()[0]->value);
  }
};

}  // namespace

TEST_CASE("a checkpoint restores the saved state and its note", "[train][checkpoint]") {
  Saved saved;
  saved.load(saved.options);
  const train::CheckpointContent content = train::read_checkpoint(saved.path);
  CHECK(content.note.value.get("run", 0) == 3);
  CHECK(content.epoch == 7);
  REQUIRE(content.note.tensors.size() == 1);
  CHECK(content.note.tensors[0].name == "best");
  CHECK(content.note.tensors[0].values == std::vector<float>{1, 2});
  TrainOptions longer = saved.options;
  longer.epochs = 5000;
  longer.stopping.patience = 7;
  saved.load(longer);
}

TEST_CASE("a checkpoint of a model with rows in bfloat16 is resumed in float32", "[train][checkpoint]") {
  Saved saved;
  io::Safetensors content = io::read_safetensors(saved.path);
  std::string& about = content.metadata.front().second;
  about.insert(about.find(R"("type")"), R"("storage":"bfloat16",)");
  io::write_safetensors(saved.path, content);
  saved.load(saved.options);
}

TEST_CASE("a checkpoint between two runs is a note without a state", "[train][checkpoint]") {
  Saved saved;
  train::save_checkpoint(saved.path, {json::Object{{"run", 4}}, {}});
  const train::CheckpointContent content = train::read_checkpoint(saved.path);
  CHECK(content.note.value.get("run", 0) == 4);
  CHECK_FALSE(content.epoch);
  CHECK_THROWS_AS(saved.load(saved.options), ModelError);
}

TEST_CASE("a checkpoint of another job is refused with the difference", "[train][checkpoint]") {
  Saved saved;
  TrainOptions other = saved.options;
  other.learning_rate = 0.5;
  CHECK_THROWS_WITH(saved.load(other), Contains("another training.learning_rate: 0.005 there, 0.5 here"));
  nn::Model mlp(json::parse(R"({"preset": "mlp", "hidden": 8})", "model"), {.inputs = 5, .outputs = 2}, 1);
  TrainingState state(mlp, saved.options);
  CHECK_THROWS_AS(train::load_checkpoint(saved.path, state, saved.options), ModelError);
}

TEST_CASE("a damaged checkpoint is refused", "[train][checkpoint]") {
  Saved saved;
  const auto rewrite = [&](auto&& change) {
    io::Safetensors content = io::read_safetensors(saved.path);
    change(content);
    io::write_safetensors(saved.path, content);
  };
  SECTION("not a checkpoint") {
    rewrite([](io::Safetensors& content) { content.metadata.clear(); });
    CHECK_THROWS_WITH(saved.load(saved.options), Contains("not a checkpoint"));
  }
  SECTION("a tensor is missing") {
    rewrite([](io::Safetensors& content) { content.tensors.erase(content.tensors.begin()); });
    CHECK_THROWS_WITH(saved.load(saved.options), Contains("is missing"));
  }
  SECTION("a tensor has another shape") {
    rewrite([](io::Safetensors& content) {
      content.tensors[0].shape = {1, static_cast<std::int64_t>(content.tensors[0].values.size())};
    });
    CHECK_THROWS_WITH(saved.load(saved.options), Contains("has shape"));
  }
  SECTION("the description is nonsense") {
    rewrite([](io::Safetensors& content) { content.metadata[0].second = R"({"format": "edgewise.checkpoint/1"})"; });
    CHECK_THROWS_AS(saved.load(saved.options), ModelError);
    rewrite([](io::Safetensors& content) { content.metadata[0].second.assign(1, '{'); });
    CHECK_THROWS_AS(saved.load(saved.options), ModelError);
  }
  SECTION("the file is truncated") {
    std::ofstream(saved.path, std::ios::trunc) << "abc";
    CHECK_THROWS_AS(saved.load(saved.options), ModelError);
  }
}
