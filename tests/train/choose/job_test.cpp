#include "edgewise/train/choose/job.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "edgewise/train/source/job_data.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

Matrix ask(train::TrainedModel& trained, const train::JobData& data) {
  const data::Features features = trained.features.apply(data);
  const graph::FrozenGraph frozen = graph::freeze(data.graph, trained.model.graph_options());
  return train::predict(trained.model, features, frozen, trained.task, trained.scaler);
}

}  // namespace

TEST_CASE("a job runs from files, and its saved model gives the same predictions", "[train][job]") {
  test::FriendFiles files;
  const train::JobData data = train::load_job_data(files.config.data);
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
  CHECK(loaded.training.at("seed").as_integer() == 0);
  CHECK(loaded.data.nodes == files.config.data.nodes);
  CHECK(ask(loaded, data) == run.predictions);
}

TEST_CASE("runs draw their own splits and seeds, the same each time", "[train][job]") {
  test::FriendFiles files;
  files.config.training.epochs = 3;
  const train::JobData data = train::load_job_data(files.config.data);
  const train::Run first = train::run_job(files.config, data, 0);
  const train::Run second = train::run_job(files.config, data, 1);
  CHECK(first.split != second.split);
  CHECK(train::run_job(files.config, data, 1).predictions == second.predictions);
}

TEST_CASE("a model reports a missing column", "[train][job][feature_map]") {
  test::FriendFiles files;
  files.config.training.epochs = 2;
  train::Run run = train::run_job(files.config, train::load_job_data(files.config.data), 0);
  files.write("people.csv", "id,age,buys\np0,30,yes\np1,40,no\n");
  files.write("friends.csv", "source,target,weight\np0,p1,1\n");
  const train::JobData other = train::load_job_data(files.config.data);
  CHECK_THROWS_AS(run.trained->features.apply(other), ModelError);
  CHECK_THROWS_WITH(run.trained->features.apply(other), Contains("city"));
  train::DataConfig bare = files.config.data;
  bare.nodes.clear();
  bare.label.clear();
  const train::JobData none = train::load_job_data(bare, {.needs_labels = false});
  CHECK_THROWS_WITH(run.trained->features.apply(none), Contains("--nodes"));
}

TEST_CASE("without features each node is its own feature", "[train][job][feature_map]") {
  test::FriendFiles files;
  files.write("people.csv", "id,buys\np0,yes\np1,no\np2,yes\np3,no\np4,yes\np5,no\np6,yes\np7,no\np8,yes\np9,no\n");
  files.write("friends.csv", "source,target\np0,p2\np1,p3\np2,p4\np3,p5\n");
  files.config.training.epochs = 2;
  const train::JobData data = train::load_job_data(files.config.data);
  train::Run run = train::run_job(files.config, data, 0);
  CHECK(run.inputs == 11);
  const auto again = train::FeatureMap::from_json(json::parse(json::dump(run.trained->features.to_json()), "m"));
  CHECK(again.kind() == train::FeatureMap::Kind::identity);
  const Matrix features(again.apply(data).sparse);
  CHECK(features.leftCols(10).isIdentity());
  CHECK(features(2, 10) == Approx(std::log(3)));  // two neighbours
  CHECK(features(9, 10) == 0);
  files.config.data.encodings.degree = true;
  CHECK(train::run_job(files.config, train::load_job_data(files.config.data), 0).inputs == 11);  // not added twice
}

TEST_CASE("label propagation is a model without training", "[train][job]") {
  test::FriendFiles files;
  files.config.model = json::parse(R"({"preset": "label_propagation"})", "model");
  const train::Run run = train::run_job(files.config, train::load_job_data(files.config.data), 0);
  CHECK(!run.trained);
  CHECK(train::metric(run.report.test, "accuracy") > 0.6);
}

TEST_CASE("a part of the split with only one class is noted", "[train][job]") {
  test::FriendFiles files;
  files.write("people.csv",
              "id,x,buys,split\np0,1,yes,train\np1,2,no,train\np2,3,yes,val\np3,4,no,test\np4,5,no,test\n");
  files.write("friends.csv", "source,target\np0,p2\np1,p3\n");
  files.config.training.epochs = 1;
  const train::Run run = train::run_job(files.config, train::load_job_data(files.config.data), 0);
  REQUIRE(run.notes.size() >= 2);
  CHECK(run.notes[0] == "the validation part has 1 item of only one class, \"yes\"");
  CHECK(run.notes[1] == "the test part has 2 items of only one class, \"no\"");
}

TEST_CASE("few dense columns of nodes are not dropped", "[train][job]") {
  const test::FriendFiles files;
  const train::JobData data = train::load_job_data(files.config.data, {});
  const auto input_dropout = [&](const char* model, const data::Features& features) {
    return train::complete_model(json::parse(model, "model"), data, features).get("input_dropout", -1.0);
  };
  const auto dense = [](Eigen::Index columns) {
    data::Features features;
    features.dense = Matrix::Ones(3, columns);
    return features;
  };
  CHECK(input_dropout(R"({"preset": "mlp"})", dense(32)) == 0);
  CHECK(input_dropout(R"({"preset": "mlp"})", dense(33)) == -1);
  CHECK(input_dropout(R"({"preset": "mlp", "dropout": 0.5})", dense(2)) == -1);
  CHECK(input_dropout(R"({"preset": "mlp", "input_dropout": 0.1})", dense(2)) == 0.1);
  data::Features sparse;
  sparse.is_sparse = true;
  sparse.sparse.resize(3, 2);
  CHECK(input_dropout(R"({"preset": "mlp"})", sparse) == -1);
}

TEST_CASE("weights are features of the edges, scaled", "[train][job]") {
  const test::FriendFiles files;
  files.write("friends.csv", "source,target,weight\na,b,10\nb,c,1000\nc,a,100000\n");
  files.write("people.csv", "id,age,buys\na,30,yes\nb,40,no\nc,50,yes\n");
  const train::JobData data = train::load_job_data(files.config.data, {});
  const auto frozen = [&](const char* model) {
    const json::Value complete = train::complete_model(json::parse(model, "model"), data, data.features);
    CHECK(train::complete_model(complete, data, data.features) == complete);
    return graph::freeze(data.graph, nn::graph_options_of(complete));
  };
  const Matrix scaled = frozen(R"({"preset": "gatv2"})").edge_features;
  REQUIRE(scaled.cols() == 1);
  CHECK(scaled.minCoeff() == Approx(-1.2247).epsilon(0.01));
  CHECK(scaled.maxCoeff() == Approx(1.2247).epsilon(0.01));
  // A block that multiplies by the weight gets it unscaled, and so does anyone who requests it.
  CHECK(frozen(R"({"preset": "gcn", "edge_weights": true})").edge_features.maxCoeff() == 100000);
  CHECK(frozen(R"({"preset": "gat", "graph": {"weight_as_feature": true}})").edge_features.maxCoeff() == 100000);
  CHECK(frozen(R"({"preset": "gat", "graph": {"weight_as_feature": false}})").edge_features.size() == 0);
}

TEST_CASE("numeric edge features are scaled as in training", "[train][job]") {
  test::FriendFiles files;
  files.write("friends.csv", "source,target,since,kind\na,b,1990,x\nb,c,2000,y\nc,a,2010,x\n");
  files.write("people.csv", "id,age,buys\na,30,yes\nb,40,no\nc,50,yes\n");
  files.config.data.edge_features = {"kind", "since"};
  const train::JobData trained = train::load_job_data(files.config.data, {});
  const Matrix& features = trained.graph.edges().features;
  REQUIRE(features.cols() == 3);
  CHECK(features(0, 2) == Approx(-1.2247).epsilon(0.01));
  CHECK(features(1, 2) == Approx(0).margin(0.01));
  CHECK(features.leftCols(2).sum() == 3);  // categories stay 0 and 1
  files.write("friends.csv", "source,target,since,kind\na,b,2010,x\n");
  train::LoadOptions of_model;
  of_model.known_task = "classification";
  const train::JobData other = train::load_job_data(trained.config, of_model);
  CHECK(other.graph.edges().features(0, 2) == features(2, 2));
}

TEST_CASE("the passes of GRAND must agree, those of other models only if told to", "[train][job][consistency]") {
  test::FriendFiles files;
  files.config.training.epochs = 3;
  const train::JobData data = train::load_job_data(files.config.data);
  const auto passes_of = [&](const std::string& preset) {
    files.config.model = json::parse(R"({"preset": ")" + preset + R"(", "hidden": 8})", "model");
    const train::Run run = train::run_job(files.config, data, 0);
    return run.trained->training.at("options").at("consistency").at("passes").as_integer();
  };
  CHECK(passes_of("grand") == 2);
  CHECK(passes_of("gcn") == 0);
  files.config.training.consistency.passes = 3;
  CHECK(passes_of("gcn") == 3);
  CHECK(passes_of("grand") == 3);
  files.config.training.label_input = 0.5;
  CHECK_THROWS_WITH(passes_of("gcn"), Contains("training.consistency: makes passes agree") &&
                                          Contains("known labels are input (training.label_input)"));
  files.config.training.consistency.passes = -1;
  CHECK(passes_of("grand") == 0);
  files.config.training.label_input = 0;
  files.config.data.label = {"age"};
  files.config.data.task = "regression";
  const train::JobData numbers = train::load_job_data(files.config.data);
  files.config.training.consistency.passes = 2;
  for (const char* preset : {"gcn", "auto"}) {
    files.config.model = json::Object{{"preset", preset}};
    CHECK_THROWS_WITH(train::run_job(files.config, numbers, 0), Contains("the labels of friends.csv are not classes"));
  }
}
