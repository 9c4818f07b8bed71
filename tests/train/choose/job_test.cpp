#include "edgewise/train/choose/job.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

Matrix ask(train::TrainedModel& trained, const train::Dataset& data) {
  const data::Features features = trained.features.apply(data);
  const graph::FrozenGraph frozen = graph::freeze(data.graph, trained.model.graph_options());
  Matrix predictions = train::predict(trained.model, features, frozen, trained.task, trained.scaler);
  trained.calibration.apply(predictions, nullptr);
  return predictions;
}

}  // namespace

TEST_CASE("a job runs from files, and its saved model gives the same predictions", "[train][job]") {
  test::FriendFiles files;
  const train::Dataset data = train::read_dataset(files.config.data);
  CHECK(data.graph.node_count() == 80);
  CHECK(data.labels.names == std::vector<std::string>{"no", "yes"});
  train::Run run = train::run_job(files.config, data, 0);
  CHECK(train::metric(run.report.test, "accuracy") > 0.7);
  CHECK(run.parameters > 0);
  REQUIRE(run.trained);
  // Edge weights are a feature unless configured otherwise.
  CHECK(run.trained->model.shape().edge_features == 1);

  const std::string path = files.path("m.safetensors");
  train::save_trained_model(path, *run.trained);
  train::TrainedModel loaded = train::load_trained_model(path);
  CHECK(loaded.label_names == data.labels.names);
  CHECK(loaded.training.seed == 0);
  CHECK(loaded.data.nodes == files.config.data.nodes);
  CHECK(ask(loaded, data) == run.predictions);
}

TEST_CASE("a run that is only measured computes nothing for the use of its model", "[train][job]") {
  test::FriendFiles files;
  files.config.training.epochs = 3;
  const train::Dataset data = train::read_dataset(files.config.data);
  const train::Run kept = train::run_job(files.config, data, 0);
  train::JobHooks hooks;
  hooks.keeps_model = false;
  const train::Run measured = train::run_job(files.config, data, 0, hooks);
  CHECK(!kept.trained->applicability_domain.is_empty());
  CHECK(measured.trained->applicability_domain.is_empty());
  CHECK(measured.report.test == kept.report.test);
}

TEST_CASE("runs draw their own splits and seeds, the same each time", "[train][job]") {
  test::FriendFiles files;
  files.config.training.epochs = 3;
  const train::Dataset data = train::read_dataset(files.config.data);
  const train::Run first = train::run_job(files.config, data, 0);
  const train::Run second = train::run_job(files.config, data, 1);
  CHECK(first.split != second.split);
  CHECK(train::run_job(files.config, data, 1).predictions == second.predictions);
}

TEST_CASE("a model reports a missing column", "[train][job][feature_map]") {
  test::FriendFiles files;
  files.config.training.epochs = 2;
  train::Run run = train::run_job(files.config, train::read_dataset(files.config.data), 0);
  files.write("people.csv", "id,age,buys\np0,30,yes\np1,40,no\n");
  files.write("friends.csv", "source,target,weight\np0,p1,1\n");
  const train::Dataset other = train::read_dataset(files.config.data);
  CHECK_THROWS_AS(run.trained->features.apply(other), ModelError);
  CHECK_THROWS_WITH(run.trained->features.apply(other), Contains("city"));
  train::DataConfig bare = files.config.data;
  bare.nodes = {};
  bare.label.clear();
  const train::Dataset none = train::read_dataset(bare, {.needs_labels = false});
  CHECK_THROWS_WITH(run.trained->features.apply(none), Contains("data.nodes"));
}

TEST_CASE("without features each node is its own feature", "[train][job][feature_map]") {
  test::FriendFiles files;
  files.write("people.csv", "id,buys\np0,yes\np1,no\np2,yes\np3,no\np4,yes\np5,no\np6,yes\np7,no\np8,yes\np9,no\n");
  files.write("friends.csv", "source,target\np0,p2\np1,p3\np2,p4\np3,p5\n");
  files.config.training.epochs = 2;
  const train::Dataset data = train::read_dataset(files.config.data);
  train::Run run = train::run_job(files.config, data, 0);
  CHECK(run.inputs == 11);
  const auto again = train::FeatureMap::from_json(json::parse(json::dump(run.trained->features.to_json()), "m"));
  CHECK(again.kind() == train::FeatureMap::Kind::identity);
  const Matrix features(again.apply(data).sparse);
  CHECK(features.leftCols(10).isIdentity());
  CHECK(features(2, 10) == Approx(std::log(3)));  // two neighbours
  CHECK(features(9, 10) == 0);
  files.config.data.encodings.degree = true;
  CHECK(train::run_job(files.config, train::read_dataset(files.config.data), 0).inputs == 11);  // not added twice
}

TEST_CASE("label propagation is a model without training", "[train][job]") {
  test::FriendFiles files;
  files.config.model = json::parse(R"({"preset": "label_propagation"})", "model");
  const train::Run run = train::run_job(files.config, train::read_dataset(files.config.data), 0);
  CHECK(!run.trained);
  CHECK(train::metric(run.report.test, "accuracy") > 0.6);
}
