#include "edgewise/train/source/pretraining.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/run/transfer.hpp"
#include "edgewise/train/source/collection_data.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

/// Chains in which every third atom is oxygen: a hidden atom follows from its neighbours. The last row is not a
/// molecule.
std::string chains() {
  std::string text = "smiles,y\n";
  for (int n = 3; n < 43; ++n) {
    for (int i = 0; i < n; ++i) text += i % 3 == 1 ? 'O' : 'C';
    text += ",1\n";
  }
  return text + "nothing,2\n";
}

Config pretraining(const std::string& path) {
  Config config = parse_config(json::parse(R"({
      "split": {"train": 0.6, "validation": 0.2},
      "model": {"preset": "gatv2", "hidden": 16, "heads": 2, "layers": 2, "edge_value": true, "readout": "mean"},
      "training": {"epochs": 20, "learning_rate": 0.01, "batch_size": 8}})",
                                           "c"));
  config.data.molecules = path;
  config.data.task = kMaskedAtoms;
  return config;
}

}  // namespace

TEST_CASE("a baseline cannot be pretrained", "[train][masked_atoms]") {
  const test::TemporaryDirectory directory;
  Config config = pretraining(directory.write("m.csv", chains()));
  const Dataset data = read_dataset(config.data);
  for (const std::string& name : baseline_names()) {
    INFO(name);
    config.model = json::Object{{"preset", name}};
    CHECK_THROWS_WITH(run_job(config, data, 0), Contains("model: masked_atoms trains layers") && Contains(name));
  }
}

TEST_CASE("atoms become items with their elements as classes", "[train][masked_atoms]") {
  const test::TemporaryDirectory directory;
  DataConfig config;
  config.molecules = directory.write("m.csv", "smiles,y\nCCO,1\nnothing,2\nc1ccncc1,3\n");
  config.task = kMaskedAtoms;
  const Dataset data = read_dataset(config);
  REQUIRE(data.labels.classes.size() == 9);
  const auto name = [&](std::size_t atom) {
    return data.labels.names[static_cast<std::size_t>(data.labels.classes[atom])];
  };
  CHECK(name(0) == "C");
  CHECK(name(2) == "O");
  CHECK(name(6) == "N");
  CHECK(data.collection->offsets == std::vector<graph::Node>{0, 3, 3, 9});
  CHECK_FALSE(data.graphs);

  config.label = {"y"};
  CHECK_THROWS_WITH(read_dataset(config), Contains("data.label"));
  config.label.clear();
  config.descriptors = {"rdkit"};
  CHECK_THROWS_WITH(read_dataset(config), Contains("without descriptors"));
  DataConfig nodes;
  nodes.edges = directory.write("e.csv", "a,b\nb,c\n");
  nodes.task = kMaskedAtoms;
  CHECK_THROWS_AS(read_dataset(nodes), UsageError);
}

TEST_CASE("tokens become items with the most frequent ones as classes", "[train][masked_tokens]") {
  const test::TemporaryDirectory directory;
  DataConfig config;
  config.texts = directory.write("t.csv", "text,mood,split\nso it is so,1,train\nit was so,0,test\n");
  config.task = kMaskedTokens;
  const Dataset data = read_dataset(config);
  CHECK(data.labels.names == std::vector<std::string>{"so", "it"});  // thrice, twice; "is" and "was" once
  CHECK(data.labels.classes == std::vector<std::int32_t>{0, 1, -1, 0, 1, -1, 0});
  CHECK(data.collection->offsets == std::vector<graph::Node>{0, 4, 7});
  CHECK_FALSE(data.graphs);
  REQUIRE(data.splits.size() == 1);
  CHECK(data.splits[0][3] == data::Role::train);
  CHECK(data.splits[0][4] == data::Role::test);

  config.label = {"mood"};
  CHECK_THROWS_WITH(read_dataset(config), Contains("data.label: masked_tokens"));
  config.label.clear();
  std::string many = "text\n";
  for (int i = 0; i < 1500; ++i) many += fmt::format("w{0} w{0}\n", i);
  config.texts = directory.write("m.csv", many);
  CHECK(read_dataset(config).labels.names.size() == kMaxMaskedTokens);
}

TEST_CASE("a random split of texts is the same with and without their labels", "[train][masked_tokens]") {
  const test::TemporaryDirectory directory;
  std::string texts = "text,mood\n";
  for (int i = 0; i < 50; ++i) texts += fmt::format("{} it is so,{}\n", i % 45, i % 2);  // five are there twice
  DataConfig config;
  config.texts = directory.write("t.csv", texts);
  config.label = {"mood"};
  SplitConfig random;
  random.kind = SplitKind::random;
  const Dataset labelled = read_dataset(config);
  const data::Split graphs = make_split(labelled, random, 3, 0);
  config.label.clear();
  config.task = kMaskedTokens;
  CHECK(make_split(read_dataset(config), random, 3, 0) == spread_over_nodes(graphs, labelled.offsets()));
}

TEST_CASE("hidden words follow from their neighbours, at any number of threads", "[train][masked_tokens]") {
  const test::TemporaryDirectory directory;
  std::string texts = "text\n";
  for (int i = 0; i < 60; ++i) texts += fmt::format("{} {}\n", i, i % 2 == 0 ? "red apple falls" : "blue sea rises");
  Config config = parse_config(json::parse(R"({
      "split": {"train": 0.6, "validation": 0.2},
      "model": {"preset": "attention", "hidden": 16, "heads": 2, "layers": 1, "dropout": 0},
      "training": {"epochs": 30, "learning_rate": 0.01, "batch_size": 8}})", "c"));
  config.data.texts = directory.write("t.csv", texts);
  config.data.task = kMaskedTokens;
  const Dataset data = read_dataset(config.data);
  const int before = threads();
  set_threads(1);
  const Run run = run_job(config, data, 0);
  set_threads(3);
  const Run same = run_job(config, data, 0);
  set_threads(before);
  CHECK(metric(run.report.validation, "accuracy") > 0.95);  // a constant would have a sixth
  CHECK(run.report.validation == same.report.validation);
  CHECK(run.report.train.empty());
  CHECK(run.predictions.size() == 0);
}

TEST_CASE("some of the validation atoms are masked, the same ones each time", "[train][masked_atoms]") {
  data::Split split(1000, data::Role::validation);
  std::fill(split.begin() + 600, split.end(), data::Role::train);
  const data::Split masked = masked_split(split);
  const auto validation = std::count(masked.begin(), masked.end(), data::Role::validation);
  CHECK((validation > 60 && validation < 120));
  CHECK(std::count(masked.begin(), masked.end(), data::Role::train) == 400);
  CHECK(masked_split(split) == masked);
}

TEST_CASE("a pretrained model has the body of the model for molecules", "[train][masked_atoms]") {
  const json::Value body =
      without_readout(json::parse(R"({"preset": "sage", "layers": 3, "hidden": 8, "readout": "sum_mean_max"})", "m"));
  nn::Model model(body, {.inputs = 4, .outputs = 5}, 1);
  CHECK_FALSE(model.is_graph_level());
  CHECK(model.parameters().back()->name.starts_with(model.output_prefix()));
  CHECK(model.parameters().back()->value.cols() == 5);
  CHECK_THROWS_WITH(without_readout(json::parse(R"({"blocks": [{"type": "linear", "width": "outputs"}]})", "m")),
                    Contains("readout"));
}

TEST_CASE("hidden atoms follow from their neighbours, and training starts from the model", "[train][masked_atoms]") {
  const test::TemporaryDirectory directory;
  Config config = pretraining(directory.write("m.csv", chains()));
  const Dataset data = read_dataset(config.data);
  const int before = threads();
  set_threads(1);
  Run run = run_job(config, data, 0);
  set_threads(2);
  Run same = run_job(config, data, 0);
  set_threads(before);
  CHECK(metric(run.report.validation, "accuracy") > 0.95);  // two thirds are carbon
  CHECK(run.report.validation == same.report.validation);
  CHECK(run.predictions.size() == 0);
  const std::string path = (directory.path() / "p.safetensors").string();
  save_trained_model(path, *run.trained);
  CHECK(model_of(*load_source(path)) == config.model);

  config.data.task = "regression";
  config.data.label = {"y"};
  config.from = path;
  config.training.epochs = 1;
  const Run tuned = run_job(config, read_dataset(config.data), 0);
  const auto line = std::find_if(tuned.notes.begin(), tuned.notes.end(), [](const std::string& note) {
    return note.find("tensors from") != std::string::npos;
  });
  REQUIRE(line != tuned.notes.end());
  // The linear map for hidden atoms is replaced by a readout, its norm, and two maps.
  CHECK_THAT(*line, Contains("16 of 22 tensors from " + path));

  config = pretraining(config.data.molecules);
  config.model = json::parse(R"({"preset": "auto"})", "m");
  CHECK_THROWS_WITH(run_job(config, data, 0), Contains("masked_atoms trains one model"));
}
