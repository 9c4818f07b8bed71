#include "edgewise/train/choose/choose.hpp"

#include <algorithm>
#include <chrono>
#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/train/choose/comparison.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/loop/checkpoint.hpp"
#include "edgewise/train/run/run_result.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

/// The structure planted in a graph of 400 nodes in two classes, with 6 edges per node.
struct Plant {
  double same;     ///< Probability that an edge leads to the same class.
  double feature;  ///< Distance of the classes in the first of four features, in deviations; 0: no features.
};

Dataset plant(const Plant& plant) {
  constexpr graph::Node kNodes = 400;
  Random random(3, Stream::generate);
  graph::EdgeList edges;
  for (graph::Node v = 0; v < kNodes; ++v)
    for (int k = 0; k < 6; ++k) {
      const graph::Node wanted = random.uniform() < plant.same ? v % 2 : 1 - v % 2;
      const graph::Node u = static_cast<graph::Node>(random.below(kNodes / 2)) * 2 + wanted;
      if (u == v) continue;
      edges.sources.push_back(u);
      edges.targets.push_back(v);
    }
  Dataset data;
  data.name = "planted";
  data.graph = graph::Graph(graph::NodeNames::numbered(kNodes), std::move(edges), {});
  data.labels.names = {"even", "odd"};
  for (graph::Node v = 0; v < kNodes; ++v) data.labels.classes.push_back(static_cast<std::int32_t>(v % 2));
  if (plant.feature > 0) {
    data.features.dense = Matrix::NullaryExpr(kNodes, 4, [&] { return static_cast<float>(random.normal()); });
    for (graph::Node v = 1; v < kNodes; v += 2) data.features.dense(v, 0) += static_cast<float>(plant.feature);
  }
  return data;
}

/// Rings of 3 to 8 nodes. The target is the number of nodes, with noise.
Dataset rings() {
  constexpr std::size_t kGraphs = 200;
  Random random(4, Stream::generate);
  graph::EdgeList edges;
  Dataset data;
  data.name = "rings";
  data.graphs.emplace();
  data.labels.task = data::Task::regression;
  data.labels.names = {"size"};
  data.labels.targets.resize(kGraphs, 1);
  graph::Node first = 0;
  for (std::size_t i = 0; i < kGraphs; ++i) {
    const auto size = static_cast<graph::Node>(3 + random.below(6));
    for (graph::Node v = 0; v < size; ++v) {
      edges.sources.push_back(first + v);
      edges.targets.push_back(first + (v + 1) % size);
    }
    first += size;
    data.graphs->offsets.push_back(first);
    data.labels.targets(static_cast<Eigen::Index>(i), 0) =
        static_cast<float>(size) + 3 * static_cast<float>(random.normal());
  }
  data.graphs->names = graph::NodeNames::numbered(kGraphs);
  data.graphs->problems.resize(kGraphs);
  data.graph = graph::Graph(graph::NodeNames::numbered(first), std::move(edges), {});
  data.features.dense = Matrix::NullaryExpr(first, 3, [&] { return static_cast<float>(random.normal()); });
  return data;
}

Config quick(const std::string& model = R"({"preset": "auto", "hidden": 16})") {
  Config config =
      parse_config(json::parse(R"({"training": {"epochs": 120, "learning_rate": 0.02, "patience": 40}})", "c"));
  config.model = json::parse(model, "m");
  config.correct_and_smooth = Smoothing::never;
  config.training.label_input = 0;
  return config;
}

const Candidate& candidate(const Choice& choice, const std::string& model) {
  const auto found = std::find_if(choice.candidates.begin(), choice.candidates.end(),
                                  [&](const Candidate& one) { return one.model == model; });
  REQUIRE(found != choice.candidates.end());
  return *found;
}

}  // namespace

TEST_CASE("the choice is the planted winner", "[train][choose]") {
  SECTION("friends are alike, features say little: a model that uses edges") {
    const Run run = run_job(quick(), plant({.same = 0.9, .feature = 0.5}), 0);
    CHECK(variant_named(run.choice->chosen).uses_graph());
    CHECK_THAT(run.choice->reason, Contains("the graph adds"));
    CHECK(metric(run.report.test, "accuracy") > 0.9);
  }
  SECTION("friends differ, features say little: also one, as differing neighbours are informative") {
    const Run run = run_job(quick(), plant({.same = 0.05, .feature = 0.5}), 0);
    CHECK(variant_named(run.choice->chosen).uses_graph());
    CHECK(metric(run.report.test, "accuracy") > 0.9);
  }
  SECTION("edges are random, features are informative: the model that ignores edges") {
    Config config = quick();
    config.split.train = 0.1;  // too little to learn to ignore the neighbours
    config.split.validation = 0.5;
    const Run run = run_job(config, plant({.same = 0.5, .feature = 3}), 0);
    CHECK(run.choice->chosen == "mlp");
    CHECK(candidate(*run.choice, "mlp").validation > candidate(*run.choice, "gcn").validation + 0.1);
    CHECK(candidate(*run.choice, "gcn").was_dropped);
    CHECK_THAT(run.choice->reason, Contains("mlp is kept"));
  }
  SECTION("no features, friends are alike: edges, and label propagation is as good") {
    const Run run = run_job(quick(), plant({.same = 0.9, .feature = 0}), 0);
    CHECK(variant_named(run.choice->chosen).uses_graph());
    CHECK(candidate(*run.choice, "label_propagation").is_baseline);
    CHECK_THAT(run.choice->reason, Contains("label_propagation, which leaves no model to keep"));
  }
}

TEST_CASE("the kept model equals the one trained alone", "[train][choose]") {
  const Dataset data = plant({.same = 0.9, .feature = 0.5});
  const Run run = run_job(quick(), data, 1);
  REQUIRE(run.trained);
  const Run alone = run_job(quick(json::dump(run.trained->training.model.json())), data, 1);
  CHECK(run.predictions == alone.predictions);
  CHECK(run.split == alone.split);
  CHECK(run.report.test == alone.report.test);
}

TEST_CASE("the test items do not affect the choice", "[train][choose]") {
  Dataset data = plant({.same = 0.8, .feature = 1});
  const Run run = run_job(quick(), data, 0);
  for (std::size_t v = 0; v < run.split.size(); ++v)
    if (run.split[v] == data::Role::test) data.labels.classes[v] = 1 - data.labels.classes[v];
  data.splits = {run.split};
  const Run other = run_job(quick(), data, 0);
  CHECK(other.choice->chosen == run.choice->chosen);
  CHECK(other.choice->reason == run.choice->reason);
  for (const Candidate& one : run.choice->candidates)
    CHECK(candidate(*other.choice, one.model).validation == one.validation);
}

TEST_CASE("candidates can be given", "[train][choose]") {
  const Dataset data = plant({.same = 0.9, .feature = 0.5});
  const Run run =
      run_job(quick(R"({"preset": "auto", "candidates": ["mlp", {"preset": "gcn", "hidden": 8}]})"), data, 0);
  std::vector<Candidate> tried = run.choice->candidates;
  std::erase_if(tried, [](const Candidate& one) { return variant_named(one.model).without_features; });
  REQUIRE(tried.size() == 6);  // including label propagation, trees, and gcn without edges
  CHECK(variant_named(run.choice->chosen).model == "gcn");
  CHECK(run.trained->training.model.json().at("hidden") == json::Value(8));
  CHECK_THROWS_WITH(run_job(quick(R"({"preset": "auto", "candidates": ["auto"]})"), data, 0), Contains("candidates"));
  CHECK_THROWS_WITH(run_job(quick(R"({"preset": "auto", "heads": 4})"), data, 0), Contains("\"heads\""));
}

TEST_CASE("candidates of one preset have names of their own", "[train][choose]") {
  const Dataset data = plant({.same = 0.9, .feature = 0.5});
  const Config config = quick(R"({"preset": "auto", "candidates": [{"preset": "gcn", "hidden": 8},
                                                                   {"preset": "gcn", "hidden": 32}]})");
  const Run run = run_job(config, data, 0);
  CHECK(std::ranges::count(run.choice->candidates, "gcn", &Candidate::model) == 1);
  CHECK(std::ranges::count(run.choice->candidates, "gcn (2)", &Candidate::model) == 1);
}

TEST_CASE("the best network is tried without edges if the best model uses them", "[train][choose]") {
  const Config config = quick(R"({"preset": "auto", "candidates": ["gcn"]})");
  const auto is_tried = [](const Run& run) {
    return std::ranges::count(run.choice->candidates, "gcn without edges", &Candidate::model) == 1;
  };
  const Run ties = run_job(config, plant({.same = 0.9, .feature = 0.5}), 0);
  REQUIRE(is_tried(ties));
  CHECK(candidate(*ties.choice, "gcn without edges").validation < candidate(*ties.choice, "gcn").validation - 0.1);
  CHECK_FALSE(candidate(*ties.choice, "gcn without edges").was_dropped);
  CHECK(variant_named(ties.choice->chosen).model == "gcn");
  CHECK_FALSE(is_tried(run_job(config, plant({.same = 0.5, .feature = 2}), 0)));
}

TEST_CASE("baselines are refused as candidates", "[train][choose]") {
  const Config config = quick(R"({"preset": "auto", "candidates": ["mlp", "label_propagation"]})");
  CHECK_THROWS_WITH(run_job(config, plant({.same = 0.9, .feature = 1}), 0),
                    Contains("\"label_propagation\" is tried in any case"));
}

TEST_CASE("complete models replace candidates of the same preset", "[train][choose]") {
  const Dataset data = plant({.same = 0.9, .feature = 0.5});
  const Run run = run_job(quick(R"({"preset": "auto", "candidates": ["mlp", "gcn"],
                                    "also": [{"preset": "gcn", "hidden": 24}, {"preset": "sage", "layers": 1}]})"),
                          data, 0);
  std::vector<Candidate> tried = run.choice->candidates;
  std::erase_if(tried, [](const Candidate& one) { return variant_named(one.model).without_features; });
  CHECK(tried.size() == 7);  // including label propagation, trees, and a network without edges
  CHECK(candidate(*run.choice, "sage").epochs > 0);
  if (run.choice->chosen == "gcn") CHECK(run.trained->training.model.json().at("hidden") == json::Value(24));
}

TEST_CASE("an ensemble uses the chosen model", "[train][choose]") {
  const Dataset data = plant({.same = 0.9, .feature = 0.5});
  Config config = quick(R"({"preset": "auto", "candidates": ["mlp", "gcn"]})");
  config.ensemble = 2;
  const Run run = run_job(config, data, 0);
  CHECK(variant_named(run.choice->chosen).model == "gcn");
  CHECK(run.trained->other_members.size() == 1);
}

TEST_CASE("models that validation cannot separate are averaged for whole graphs", "[train][choose]") {
  const Dataset data = rings();
  Config config = quick(R"({"preset": "auto", "candidates": ["sage", "gatv2"], "hidden": 16})");
  config.training.metric = "rmse";
  const Run run = run_job(config, data, 0);
  REQUIRE(run.choice->chosen == "average");
  CHECK_THAT(run.choice->reason, Contains(" is kept: 40 validation items are too few to tell them apart"));
  CHECK(candidate(*run.choice, "average").validation == metric(run.report.validation, "rmse"));
  const std::vector<const TrainedModel*> kinds = components_of(*run.trained);
  REQUIRE(kinds.size() > 1);
  Matrix sum = Matrix::Zero(run.predictions.rows(), run.predictions.cols());
  for (const TrainedModel* kind : kinds) {
    const ModelConfig model = model_of(*kind);
    CHECK(candidate(*run.choice, model.name()).is_averaged);
    sum += run_job(quick(json::dump(model.json())), data, 0).predictions;
  }
  CHECK(run.predictions.isApprox(sum / static_cast<float>(kinds.size()), 1e-6F));

  config.ensemble = 2;
  const Run ensemble = run_job(config, data, 0);
  for (const TrainedModel* kind : components_of(*ensemble.trained))
    CHECK(kind->other_members.size() == (model_of(*kind).is_baseline() ? 0 : 1));
}

TEST_CASE("a network and trees are averaged for nodes if that is best", "[train][choose]") {
  Dataset data = plant({.same = 0.8, .feature = 1});
  data.labels.task = data::Task::regression;  // a plane and a step: each kind is good at one of them
  data.labels.names = {"y"};
  data.labels.targets = Matrix(400, 1);
  for (Eigen::Index v = 0; v < 400; ++v)
    data.labels.targets(v, 0) = data.features.dense.row(v).sum() + (data.features.dense(v, 2) > 0.3F ? 2.0F : 0.0F);
  const Config config = quick();
  const Run run = run_job(config, data, 0);
  REQUIRE(run.choice->chosen == "average");
  CHECK_THAT(run.choice->reason, Contains("_trees is kept: the best on the 80 validation items"));
  const std::vector<const TrainedModel*> kinds = components_of(*run.trained);
  REQUIRE(kinds.size() == 2);
  CHECK_FALSE(model_of(*kinds[0]).is_baseline());
  CHECK(model_of(*kinds[1]).is_baseline());
  Matrix sum = Matrix::Zero(400, 1);
  for (const TrainedModel* kind : kinds) {
    const ModelConfig model = model_of(*kind);
    CHECK(candidate(*run.choice, model.name()).is_averaged);
    CHECK(candidate(*run.choice, model.name()).validation > candidate(*run.choice, "average").validation);
    Config alone = config;
    alone.model = model;
    sum += run_job(alone, data, 0).predictions;
  }
  CHECK(run.predictions.isApprox(sum / 2, 1e-6F));
  CHECK(candidate(*run.choice, "average").validation == metric(run.report.validation, run.choice->metric));
}

TEST_CASE("without validation items the default model is used", "[train][choose]") {
  Config config = quick();
  config.split.validation = 0;
  config.training.epochs = 3;
  const Run run = run_job(config, plant({.same = 0.9, .feature = 0.5}), 0);
  CHECK_FALSE(run.choice);
  CHECK_THAT(run.notes.back(), Contains("no validation items") && Contains("gat, is used"));
  CHECK(model_of(*run.trained).name() == "gat");

  config.model = json::Object{{"preset", "auto"}, {"candidates", json::Array{"mlp", "gcn"}}, {"hidden", 8}};
  const Run named = run_job(config, plant({.same = 0.9, .feature = 0.5}), 0);
  CHECK_THAT(named.notes.back(), Contains("mlp, is used"));
  CHECK(named.trained->training.model.json() == json::Value(json::Object{{"preset", "mlp"}, {"hidden", 8}}));
}

TEST_CASE("where the metric is not defined on the validation items the default model is used", "[train][choose]") {
  Config config = quick();
  config.training.epochs = 3;
  config.training.metric = "roc_auc";
  Dataset data = plant({.same = 0.9, .feature = 0.5});
  data.splits = {make_split(data, config.split, 0, 0)};
  for (const graph::Node item : data::nodes_with_role(data.splits.front(), data::Role::validation))
    data.labels.classes[item] = 0;
  const Run run = run_job(config, data, 0);
  CHECK_FALSE(run.choice);
  CHECK_THAT(run.notes.back(), Contains("roc_auc is not defined") && Contains("gat, is used"));
}

TEST_CASE("Correct and Smooth is kept if it pays", "[train][choose]") {
  const Dataset data = plant({.same = 0.9, .feature = 1});
  Config config = quick(R"({"preset": "auto", "candidates": ["mlp"]})");
  config.correct_and_smooth = Smoothing::automatic;
  const Run run = run_job(config, data, 0);
  CHECK(run.choice->chosen == "mlp + smooth");
  CHECK_THAT(run.choice->reason, Contains("the graph adds"));
  CHECK(candidate(*run.choice, "mlp + smooth").validation > candidate(*run.choice, "mlp").validation + 0.1);
  CHECK(candidate(*run.choice, "boosted_trees + smooth").validation >
        candidate(*run.choice, "boosted_trees").validation + 0.1);
  REQUIRE(run.trained->refinement);
  config.model = json::parse(R"({"preset": "mlp"})", "m");
  config.correct_and_smooth = Smoothing::always;
  CHECK(run_job(config, data, 0).predictions == run.predictions);
  config = quick(R"({"preset": "auto", "candidates": ["mlp"]})");
  config.correct_and_smooth = Smoothing::automatic;
  const Run random_ties = run_job(config, plant({.same = 0.5, .feature = 3}), 0);
  CHECK(candidate(*random_ties.choice, "mlp + smooth").seconds > 0);  // tried, but not kept
  CHECK_FALSE(random_ties.choice->chosen.ends_with("smooth"));
  CHECK_FALSE(random_ties.trained->refinement);
}

TEST_CASE("labels of neighbours are used as input if that pays", "[train][choose]") {
  const Dataset data = plant({.same = 0.9, .feature = 0.2});
  Config config = quick(R"({"preset": "auto", "candidates": ["mlp", "gcn"], "hidden": 16})");
  const double plain =
      metric(run_job(quick(R"({"preset": "gcn", "hidden": 16})"), data, 0).report.test, "accuracy");
  config.training.label_input = -1;
  const Run run = run_job(config, data, 0);
  CHECK(run.choice->chosen == "gcn + labels");
  CHECK(variant_named(run.choice->chosen).uses_graph());
  CHECK_FALSE(variant_named(run.choice->chosen).uses_attention());
  CHECK(metric(run.report.test, "accuracy") > plain + 0.05);
  CHECK(run.trained->label_input == 0.5);

  // Equal to training it alone; the same for an ensemble.
  Config alone = quick(R"({"preset": "gcn", "hidden": 16})");
  alone.training.label_input = 0.5;
  CHECK(run_job(alone, data, 0).predictions == run.predictions);
  config.ensemble = 2;
  CHECK(run_job(config, data, 0).trained->label_input == 0.5);

  // If edges are uninformative, labels are tried but not kept.
  config.ensemble = 1;
  const Run random_ties = run_job(config, plant({.same = 0.5, .feature = 3}), 0);
  CHECK(candidate(*random_ties.choice, "gcn + labels").epochs > 0);
  CHECK(random_ties.trained->label_input == 0);
}

TEST_CASE("a cheaper model that is as good is kept", "[train][choose]") {
  // Nothing to learn from the edges, and classes far apart: all models are right about nearly all nodes.
  const Run run = run_job(quick(R"({"preset": "auto", "candidates": ["gat", "mlp"], "hidden": 16})"),
                          plant({.same = 0.9, .feature = 7}), 0);
  CHECK_FALSE(variant_named(run.choice->chosen).uses_attention());
  CHECK(candidate(*run.choice, "gat").validation > 0.95);
}

TEST_CASE("a budget ends a choice with the best so far and says what is left out", "[train][choose]") {
  const Dataset data = plant({.same = 0.9, .feature = 0.5});
  Config config = quick();
  config.budget = "30s";
  JobHooks hooks;
  double seconds = 0;
  hooks.now = [&] {
    return std::chrono::steady_clock::time_point(std::chrono::milliseconds(std::llround(1e3 * seconds)));
  };
  hooks.on_epoch = [&](const EpochRecord&) { seconds += 0.5; };
  const Run run = run_job(config, data, 0, hooks);
  CHECK(seconds > 5);
  CHECK(seconds <= 30.5);
  CHECK_FALSE(run.report.was_stopped);
  REQUIRE(run.choice);
  CHECK(candidate(*run.choice, "mlp").epochs > 0);
  const bool is_said = std::ranges::any_of(
      run.notes, [](const std::string& note) { return note.starts_with("left out for lack of time: "); });
  CHECK(is_said);
}

TEST_CASE("one model within a budget keeps its best epoch", "[train][choose]") {
  Config config = quick(R"({"preset": "gcn", "hidden": 16})");
  config.budget = "10s";
  JobHooks hooks;
  int epochs = 0;
  hooks.now = [&] { return std::chrono::steady_clock::time_point(std::chrono::seconds(epochs)); };
  hooks.on_epoch = [&](const EpochRecord&) { ++epochs; };
  const Run run = run_job(config, plant({.same = 0.9, .feature = 0.5}), 0, hooks);
  CHECK(run.report.epochs == 10);
  CHECK_FALSE(run.report.was_stopped);
  CHECK_THAT(run.notes.back(), Contains("the budget ended after 10 epochs"));
}

TEST_CASE("a choice that is interrupted keeps the models tried before", "[train][choose][observer]") {
  const Dataset data = plant({.same = 0.9, .feature = 0.5});
  const Config config = quick(R"({"preset": "auto", "candidates": ["mlp", "gcn"]})");
  JobHooks hooks;
  std::string under_way;
  hooks.on_model = [&](const std::string& model) { under_way = model; };
  const Observed observed({.is_over = [&] { return under_way == "gcn"; }});
  const Run run = run_job(config, data, 0, hooks);
  CHECK(run.report.was_stopped);
  CHECK(run.choice->chosen == "mlp");
  CHECK_THAT(run.choice->reason, Contains("stopped while training gcn; of the models tried before, mlp is kept"));
  CHECK(run.choice->candidates.size() == 1);

  under_way = "gcn";
  CHECK_THROWS_AS(run_job(config, data, 0), Interrupted);  // before anything is finished
}

TEST_CASE("Correct and Smooth that is interrupted leaves the model as it was", "[train][choose][observer]") {
  const Dataset data = plant({.same = 0.9, .feature = 1});
  Config config = quick(R"({"preset": "mlp"})");
  const Run plain = run_job(config, data, 0);
  config.correct_and_smooth = Smoothing::always;
  bool is_smoothing = false;
  const Observed observed({.is_over = [&] { return is_smoothing; },
                           .on_step = [&](const WorkStep& step) {
                             is_smoothing = step.what == "Correct and Smooth" && step.done > 1;
                           }});
  const Run run = run_job(config, data, 0);
  CHECK(run.report.was_stopped);
  CHECK_FALSE(run.trained->refinement);
  CHECK(run.predictions == plain.predictions);
  CHECK_THAT(run.notes.back(), Contains("stopped during Correct and Smooth"));
}

TEST_CASE("columns that say nothing do not cost what the edges say", "[train][choose]") {
  // Cliques of ten: who is in which says all, the features nothing.
  Random random(9, Stream::generate);
  graph::EdgeList edges;
  constexpr graph::Node kNodes = 400, kClique = 10;
  for (graph::Node u = 0; u < kNodes; ++u)
    for (graph::Node v = u + 1; v < kNodes && v / kClique == u / kClique; ++v) {
      edges.sources.push_back(u);
      edges.targets.push_back(v);
    }
  Dataset data;
  data.name = "cliques";
  data.graph = graph::Graph(graph::NodeNames::numbered(kNodes), std::move(edges), {});
  data.labels.names = {"a", "b"};
  for (graph::Node v = 0; v < kNodes; ++v) data.labels.classes.push_back(v / kClique % 2 == 0 ? 0 : 1);
  data.features.dense = Matrix::NullaryExpr(kNodes, 2, [&] { return static_cast<float>(random.normal()); });
  const Run run = run_job(quick(R"({"preset": "auto", "candidates": ["gcn"], "hidden": 16})"), data, 0);
  CHECK(run.choice->chosen == "gcn without features");
  CHECK(run.trained->features.kind() == FeatureMap::Kind::identity);
  CHECK(metric(run.report.test, "accuracy") > 0.97);
  Config alone = quick(R"({"preset": "gcn", "hidden": 16})");
  alone.inputs = Inputs::identity;
  CHECK(run_job(alone, data, 0).predictions == run.predictions);
}

namespace {

/// What decides and what is kept, without times.
std::string without_times(Run& run) {
  for (Candidate& one : run.choice->candidates) one.seconds = 0;
  return json::dump(to_json(*run.choice));
}

/// Stops the choice within its training number `place`, and resumes it.
Run in_two_parts(const Config& config, const Dataset& data, int place, const std::string& checkpoint) {
  JobHooks hooks;
  int models = 0, epochs = 0;
  hooks.on_model = [&](const std::string&) {
    ++models;
    epochs = 0;
  };
  hooks.on_epoch = [&](const EpochRecord&) { ++epochs; };
  hooks.should_stop = [&] { return models == place && epochs >= 5; };
  hooks.checkpoint = checkpoint;
  Run stopped = run_job(config, data, 0, hooks);
  if (!stopped.report.was_stopped) return stopped;
  JobHooks resumed;
  resumed.resume = checkpoint;
  return run_job(config, data, 0, resumed);
}

}  // namespace

TEST_CASE("an interrupted choice goes on where it was, in the same bits", "[train][choose][resume]") {
  const test::TemporaryDirectory folder;
  const Dataset nodes = plant({.same = 0.9, .feature = 0.5}), graphs = rings();
  Config config = quick(R"({"preset": "auto", "candidates": ["mlp", "gcn", "gat"], "hidden": 8})");
  for (const Dataset* data : {&nodes, &graphs}) {
    if (data == &graphs)
      config.model = json::parse(R"({"preset": "auto", "candidates": ["gcn", "gatv2"], "hidden": 8})", "m");
    config.correct_and_smooth = data == &nodes ? Smoothing::automatic : Smoothing::never;
    Run whole = run_job(config, *data, 0);
    for (const int place : {1, 2, 3, 4}) {
      INFO("stopped in training " << place);
      Run parts = in_two_parts(config, *data, place, folder.path("c.ckpt"));
      CHECK(without_times(parts) == without_times(whole));
      CHECK(parts.predictions == whole.predictions);
      CHECK(parts.trained->training.model == whole.trained->training.model);
    }
  }
}

TEST_CASE("a checkpoint of one model or of other data does not resume a choice", "[train][choose][resume]") {
  const test::TemporaryDirectory folder;
  const Dataset data = plant({.same = 0.9, .feature = 0.5});
  JobHooks hooks;
  hooks.checkpoint = folder.path("one.ckpt");
  hooks.checkpoint_at_end = true;
  Config config = quick(R"({"preset": "mlp", "hidden": 8})");
  run_job(config, data, 0, hooks);
  JobHooks resumed;
  resumed.resume = hooks.checkpoint;
  CHECK_THROWS_WITH(run_job(quick(), data, 0, resumed), Contains("one.ckpt: the checkpoint is of one model"));
  hooks.checkpoint = folder.path("choice.ckpt");
  config.model = json::parse(R"({"preset": "auto", "candidates": ["mlp"], "hidden": 8})", "m");
  const std::string chosen = run_job(config, data, 0, hooks).choice->chosen;
  resumed.resume = hooks.checkpoint;
  CHECK(run_job(config, data, 0, resumed).choice->chosen == chosen);
  CHECK_THROWS_AS(run_job(quick(), rings(), 0, resumed), ModelError);
}
