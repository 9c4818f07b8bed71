#include "edgewise/train/run/transfer.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "edgewise/core/parallel.hpp"
#include "edgewise/train/choose/job.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_job.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

Dataset groups(data::Task task = data::Task::classification) {
  data::NodeData nodes = test::two_groups(task);
  Dataset data;
  data.name = "groups";
  data.graph = std::move(nodes.graph);
  data.features = std::move(nodes.features);
  data.labels = std::move(nodes.labels);
  data.splits = std::move(nodes.splits);
  return data;
}

Config transfer_job(const json::Value& model = test::small_gat()) {
  Config config = parse_config(json::parse(R"({"training": {"epochs": 8, "learning_rate": 0.02}})", "c"));
  config.model = model;
  return config;
}

/// A file with a model trained on `groups` for some epochs.
struct StartFile {
  test::TemporaryDirectory directory;
  std::string path = (directory.path() / "source.safetensors").string();
  Run run;

  explicit StartFile(const Config& config = transfer_job(), const Dataset& data = groups())
      : run(run_job(config, data, 0)) {
    save_trained_model(path, *run.trained);
  }
};

std::map<std::string, Matrix> tensors(nn::Model& model) {
  std::map<std::string, Matrix> all;
  for (const autograd::Parameter* parameter : model.parameters()) all[parameter->name] = parameter->value;
  for (const auto& [name, matrix] : model.state()) all[name] = *matrix;
  return all;
}

Config from(const StartFile& source, Config config = transfer_job()) {
  config.from = source.path;
  config.training.seed = 5;
  return config;
}

}  // namespace

TEST_CASE("all tensors are taken if the labels are the same, and training continues", "[train][transfer]") {
  StartFile source;
  Config config = from(source);
  config.training.epochs = 1;
  config.training.learning_rate = 0;
  config.training.schedule.warmup = 0;
  Run run = run_job(config, groups(), 0);
  auto before = tensors(source.run.trained->model), after = tensors(run.trained->model);
  for (auto& [name, value] : before)
    if (name.find("running") == std::string::npos) CHECK(after.at(name) == value);
  CHECK_THAT(run.notes.back(), Contains("12 of 12 tensors from " + source.path) && !Contains("afresh"));
}

TEST_CASE("the output layers are reinitialised for other labels", "[train][transfer]") {
  StartFile source;
  Dataset other = groups();
  SECTION("other names") { other.labels.names = {"left", "right"}; }
  SECTION("another number") { other.labels.names = {"even", "odd", "none"}; }
  SECTION("another task") { other = groups(data::Task::regression); }
  Config config = from(source);
  config.freeze = true;
  config.training.epochs = 3;
  Run run = run_job(config, other, 0);
  const std::string outputs = run.trained->model.output_prefix();
  CHECK_THAT(run.notes.back(),
             Contains("8 of 12 tensors from") && Contains("; " + outputs) && Contains("start afresh"));
  auto before = tensors(source.run.trained->model), after = tensors(run.trained->model);
  for (auto& [name, value] : before) {
    INFO(name);
    if (name.starts_with(outputs))
      CHECK((after.at(name).size() != value.size() || after.at(name) != value));
    else
      CHECK(after.at(name) == value);  // running moments as well
  }
}

TEST_CASE("without --freeze the tensors taken are trained as well", "[train][transfer]") {
  StartFile source;
  Dataset other = groups(data::Task::regression);
  Run run = run_job(from(source), other, 0);
  auto before = tensors(source.run.trained->model), after = tensors(run.trained->model);
  CHECK(after.at("blocks.0.weight") != before.at("blocks.0.weight"));
  CHECK(run.report.validation.size() > 0);
}

TEST_CASE("frozen training has the same bits at any number of threads, and across a resume", "[train][transfer]") {
  const StartFile source;
  const Dataset other = groups(data::Task::multilabel);
  Config config = from(source);
  config.freeze = true;
  const int before = threads();
  set_threads(1);
  const Matrix one = run_job(config, other, 0).predictions;
  set_threads(2);
  CHECK(run_job(config, other, 0).predictions == one);
  set_threads(before);

  const std::string checkpoint = (source.directory.path() / "checkpoint").string();
  JobHooks hooks;
  hooks.checkpoint = checkpoint;
  int left = 3;
  hooks.should_stop = [&] { return --left == 0; };
  CHECK(run_job(config, other, 0, hooks).report.was_stopped);
  JobHooks resumed;
  resumed.resume = checkpoint;
  CHECK(run_job(config, other, 0, resumed).predictions == one);
}

TEST_CASE("members of an ensemble start from the members of another", "[train][transfer]") {
  Config pair = transfer_job();
  pair.ensemble = 2;
  StartFile source(pair);
  Config config = from(source, pair);
  config.training.epochs = 1;
  config.training.learning_rate = 0;
  Run run = run_job(config, groups(), 0);
  CHECK(tensors(run.trained->other_members[0]).at("blocks.0.weight") ==
        tensors(source.run.trained->other_members[0]).at("blocks.0.weight"));
  CHECK(tensors(run.trained->model).at("blocks.0.weight") !=
        tensors(run.trained->other_members[0]).at("blocks.0.weight"));
}

TEST_CASE("unusable model files are refused", "[train][transfer]") {
  const StartFile source;
  const Dataset data = groups();
  const auto fails = [&](Config config, const std::string& with) {
    CHECK_THROWS_WITH(run_job(config, data, 0), Contains(with));
  };
  fails(from(source, transfer_job(json::parse(R"({"blocks": [{"type": "linear", "width": "outputs"}]})", "m"))),
        "none of its tensors has the name and shape");
  Config frozen = from(source);
  frozen.freeze = true;
  fails(frozen, "nothing is left to train");
  fails(from(source, transfer_job(json::parse(R"({"preset": "auto"})", "m"))), "\"auto\" is a choice");
  fails(from(source, transfer_job(json::parse(R"({"preset": "label_propagation"})", "m"))), "is a baseline");
  Config missing = transfer_job();
  missing.from = "nowhere.safetensors";
  fails(missing, "nowhere.safetensors");
  CHECK_THROWS_WITH(parse_config(json::parse(R"({"training": {"freeze": true}})", "c")), Contains("training.freeze"));
}

TEST_CASE("a model file gives its layers and how it reads data", "[train][transfer]") {
  const StartFile source;
  CHECK(model_of(*load_source(source.path)) == test::small_gat());
  CHECK(reading_of(*load_source(source.path)).at("atom_features") == json::Value("standard/2"));
  Dataset data = groups();
  data.reading.reaction_mode = data::ReactionMode::prod_diff;
  const StartFile of_products(transfer_job(), data);
  CHECK(reading_of(*load_source(of_products.path)).at("reaction_mode") == json::Value("prod_diff"));
}
