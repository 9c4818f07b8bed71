#include "edgewise/train/run/average.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/model/model_input.hpp"
#include "edgewise/train/run/run_model.hpp"
#include "edgewise/train/targets/evaluate.hpp"
#include "edgewise/train/use/selection.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_job.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

Dataset toy(data::Task task = data::Task::classification) {
  const data::NodeData made = test::two_groups(task);
  Dataset data;
  data.name = "toy";
  data.graph = made.graph;
  data.features = made.features;
  data.labels = made.labels;
  data.splits = made.splits;
  return data;
}

Run run_of(const Dataset& data, const std::string& preset, double label_input = 0) {
  Config config = parse_config(json::parse(R"({"split": {"kind": "given"}, "training": {"epochs": 8}})", "config"));
  config.model = json::Object{{"preset", preset}, {"hidden", 4}};
  config.training.label_input = label_input;
  config.correct_and_smooth = Smoothing::never;
  return run_model(config, data, 0);
}

/// Runs of models that see a node's features, its neighbours, and the labels of its neighbours.
std::vector<Run> three_runs(const Dataset& data) {
  std::vector<Run> runs;
  runs.push_back(run_of(data, "mlp"));
  runs.push_back(run_of(data, "gcn"));
  runs.push_back(run_of(data, "sage", 0.5));
  return runs;
}

}  // namespace

TEST_CASE("an average is the mean of its models' predictions, and is evaluated as such", "[train][average]") {
  const Dataset data = toy(GENERATE(data::Task::classification, data::Task::multilabel, data::Task::regression));
  std::vector<Run> runs = three_runs(data);
  const Matrix mean = (runs[0].predictions + runs[1].predictions + runs[2].predictions) / 3;
  Matrix squares = Matrix::Zero(mean.rows(), mean.cols());
  for (const Run& run : runs) squares += (run.predictions - mean).cwiseAbs2();
  const std::size_t parameters = runs[0].parameters + runs[1].parameters + runs[2].parameters;
  const Run all = average(std::move(runs), data);
  CHECK(all.predictions.isApprox(mean, 1e-6F));
  CHECK(all.deviations.isApprox(Matrix((squares / 2).cwiseSqrt()), 1e-4F));
  CHECK(all.parameters == parameters);
  CHECK(all.report.epochs == 24);
  const std::vector<graph::Node> test = data::nodes_with_role(all.split, data::Role::test);
  CHECK(all.report.test == evaluate(data.labels, all.predictions, test, all.report.scaler.deviation()));
  CHECK(all.trained->other_components.size() == 2);
}

TEST_CASE("the average of one run is that run", "[train][average]") {
  const Dataset data = toy();
  std::vector<Run> runs;
  runs.push_back(run_of(data, "gcn"));
  const Matrix predictions = runs[0].predictions;
  const Run run = average(std::move(runs), data);
  CHECK(run.predictions == predictions);
  CHECK(run.deviations.size() == 0);
  CHECK(run.report.best_epoch > 0);
  CHECK(run.trained->other_components.empty());
}

TEST_CASE("a saved average gives the same predictions", "[train][average]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("m.safetensors");
  const Dataset data = toy(GENERATE(data::Task::classification, data::Task::regression));
  Run run = average(three_runs(data), data);
  save_trained_model(path, *run.trained);
  TrainedModel trained = load_trained_model(path);
  REQUIRE(trained.other_components.size() == 2);
  CHECK(trained.other_components[0].training.model.name() == "gcn");
  CHECK(trained.other_components[1].label_input == 0.5);

  const std::vector<ModelInput> inputs = make_inputs(trained, data, {.split = trained.split});
  Matrix deviations;
  CHECK(predict(trained, data, inputs, &deviations) == run.predictions);
  CHECK(deviations == run.deviations);
  const std::vector<graph::Node> some = {7, 3};
  const SelectedPredictions selected = predict_selection(trained, inputs, {}, some);
  CHECK(selected.values == Matrix(run.predictions(some, Eigen::all)));
  CHECK(selected.deviations == Matrix(run.deviations(some, Eigen::all)));
}

TEST_CASE("a damaged average is refused", "[train][average]") {
  const Dataset data = toy();
  Run run = average(three_runs(data), data);
  const io::Safetensors whole = to_safetensors(*run.trained);
  const auto check_refused = [](const io::Safetensors& content, const std::string& message) {
    INFO(message);
    CHECK_THROWS_AS(from_safetensors("m", content), ModelError);
    CHECK_THROWS_WITH(from_safetensors("m", content), Contains("m: ") && Contains(message) && !Contains("\n"));
  };
  SECTION("a tensor of the second model is missing") {
    io::Safetensors content = whole;
    std::erase_if(content.tensors, [](const io::Tensor& one) { return one.name == "average.1.blocks.0.weight"; });
    REQUIRE(content.tensors.size() + 1 == whole.tensors.size());
    check_refused(content, "elements are more than there are");
  }
  SECTION("a gap in the numbering") {
    io::Safetensors content = whole;
    for (auto& [name, text] : content.metadata)
      if (name.starts_with("average.2.")) name.replace(0, 10, "average.3.");
    check_refused(content, "average.2.");
  }
  SECTION("a model with other labels") {
    run.trained->other_components[0].label_names = {"yes", "no"};
    run.trained->other_components[0].training.positive_class = "no";
    check_refused(to_safetensors(*run.trained), "the models of an average predict different things");
  }
  SECTION("an average within an average") {
    std::vector<Run> one;
    one.push_back(run_of(data, "mlp"));
    one.push_back(average(three_runs(data), data));
    io::Safetensors inner = to_safetensors(*one[1].trained);
    io::Safetensors content = to_safetensors(*one[0].trained);
    for (auto& [name, text] : inner.metadata) content.metadata.emplace_back("average.1." + name, text);
    for (io::Tensor& tensor : inner.tensors) {
      tensor.name.insert(0, "average.1.");
      content.tensors.push_back(tensor);
    }
    check_refused(content, "is not part of the model");
  }
}

TEST_CASE("no model of an average sees hidden labels", "[train][average][label_input]") {
  Dataset data = toy();
  std::vector<Run> runs;
  runs.push_back(run_of(data, "mlp"));
  runs.push_back(run_of(data, "sage", 0.5));
  Run run = average(std::move(runs), data);
  std::vector<ModelInput> inputs = make_inputs(*run.trained, data, {.split = run.trained->split});
  REQUIRE(inputs.size() == 2);
  const Eigen::Index shown = inputs[1].features.dense.rightCols(2).cwiseAbs().rowwise().sum().count();
  CHECK(shown == 24);  // those known in training
  const std::vector<graph::Node> train = data::nodes_with_role(run.split, data::Role::train);
  hide_labels(*run.trained, train, inputs);
  CHECK(inputs[1].features.dense.rightCols(2).isZero());
  CHECK(inputs[0].features.dense == data.features.dense);
}
