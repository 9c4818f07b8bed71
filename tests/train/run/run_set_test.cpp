#include "edgewise/train/run/run_set.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/io/categorical_column.hpp"
#include "edgewise/train/choose/job.hpp"
#include "support/command.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_job.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

struct ThreeRuns {
  Config config = parse_config(json::parse(
      R"({"model": {"preset": "mlp", "hidden": 4}, "training": {"epochs": 5, "runs": 3}})", "config"));
  Dataset data = test::two_groups_job(data::Task::multilabel);
  RunSet set;
  test::TemporaryDirectory directory;
  std::string path = directory.path("c");

  ThreeRuns() {
    for (std::int64_t run = 0; run < 3; ++run) set.add(data, run_job(config, data, run));
  }

  /// The runs restored from a checkpoint.
  RunSet restored(const Config& with) {
    save_checkpoint(path, set.to_note(config, data));
    return RunSet::from_note(path, read_checkpoint(path).note, with, data);
  }

  void check_refused(const std::function<void(CheckpointNote&)>& damage, const std::string& message) {
    CheckpointNote note = set.to_note(config, data);
    damage(note);
    INFO(message);
    CHECK_THROWS_AS(RunSet::from_note(path, note, config, data), ModelError);
    CHECK_THROWS_WITH(RunSet::from_note(path, note, config, data), Contains(path) && Contains(message));
  }
};

}  // namespace

TEST_CASE("finished runs are restored from a checkpoint", "[train][run_set][checkpoint]") {
  ThreeRuns job;
  RunSet set = job.restored(job.config);
  REQUIRE(set.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const RunResult &before = job.set.results()[i], &after = set.results()[i];
    CHECK(after.report.test == before.report.test);
    CHECK(after.report.validation == before.report.validation);
    CHECK(after.report.best_epoch == before.report.best_epoch);
    CHECK(after.split == before.split);
    REQUIRE(after.test_targets.size() == 2);
    CHECK(after.test_targets[1].metrics == before.test_targets[1].metrics);
    CHECK(after.parameters == before.parameters);
  }
  CHECK(set.best().predictions == job.set.best().predictions);
  CHECK(set.best().report.validation == job.set.best().report.validation);
  REQUIRE(set.best().trained);
  save_trained_model(job.directory.path("before"), *job.set.best().trained);
  save_trained_model(job.directory.path("after"), *set.best().trained);
  CHECK(test::slurp(job.directory.path("after")) == test::slurp(job.directory.path("before")));

  Config more = job.config;
  more.runs = 5;
  CHECK(job.restored(more).size() == 3);
  more.runs = 2;
  CHECK_THROWS_WITH(job.restored(more), Contains("3 runs have ended, but only 2 are requested"));
  Config other = job.config;
  other.training.learning_rate = 0.5;
  CHECK_THROWS_WITH(job.restored(other), Contains("another configuration.training.learning_rate"));
}

TEST_CASE("a run that was interrupted goes on with the same data, split and model only", "[train][run_set]") {
  ThreeRuns job;
  job.set = RunSet();
  CHECK(job.restored(job.config).empty());
  Config longer = job.config;
  longer.training.epochs = 50;
  CHECK(job.restored(longer).empty());
  Config other = job.config;
  other.split.seed = 7;
  CHECK_THROWS_WITH(job.restored(other), Contains("another configuration.split.seed"));
  other = job.config;
  other.data.directed = true;
  CHECK_THROWS_WITH(job.restored(other), Contains("another configuration.data.directed"));
}

TEST_CASE("undefined metrics are restored as undefined", "[train][run_set]") {
  ThreeRuns job;
  Run run = run_job(job.config, job.data, 0);
  run.report.test.front().second = std::numeric_limits<double>::quiet_NaN();
  job.set = RunSet();
  job.set.add(job.data, std::move(run));
  CHECK(std::isnan(job.restored(job.config).results()[0].report.test.front().second));
  CHECK(RunSet::from_note("c", RunSet().to_note(job.config, job.data), job.config, job.data).empty());
}

TEST_CASE("a run with an undefined metric is not the best", "[train][run_set]") {
  ThreeRuns job;
  Run undefined = run_job(job.config, job.data, 0), good = run_job(job.config, job.data, 1);
  for (auto& [name, value] : undefined.report.validation) value = std::nan("");
  RunSet set;
  CHECK(set.add(job.data, std::move(undefined)));
  CHECK(set.add(job.data, std::move(good)));
  CHECK_FALSE(std::isnan(set.best().report.validation.front().second));
}

TEST_CASE("a checkpoint belongs to its data", "[train][run_set]") {
  ThreeRuns job;
  const CheckpointNote note = job.set.to_note(job.config, job.data), none = RunSet().to_note(job.config, job.data);
  const auto check_refused = [&](const Dataset& other) {
    for (const CheckpointNote& one : {note, none})
      CHECK_THROWS_WITH(RunSet::from_note("c", one, job.config, other), Contains("made with other data"));
  };
  Dataset other = job.data;
  other.features.dense(3, 0) += 1;
  check_refused(other);
  other = job.data;
  other.labels.targets(5, 1) = 1 - other.labels.targets(5, 1);
  check_refused(other);
  other = job.data;
  graph::EdgeList edges = job.data.graph.edges();
  edges.targets[0] = (edges.targets[0] + 1) % 60;
  other.graph = graph::Graph(job.data.graph.names(), std::move(edges));
  check_refused(other);
  other = job.data;
  const std::string texts[] = {"a", "b"};
  other.table.columns.push_back(io::categorical_column("more", texts));
  check_refused(other);
  CHECK(RunSet::from_note("c", note, job.config, job.data).size() == 3);
}

TEST_CASE("numbers that no run leaves are refused", "[train][run_set]") {
  ThreeRuns job;
  for (const float number : {NAN, INFINITY, -0.5F, 7.0F})
    job.check_refused([&](CheckpointNote& note) { note.tensors[0].values[5] = number; }, "expected probabilities");
  const auto check = [&](const std::string& path, const json::Value& value, const std::string& message) {
    INFO(path);
    const auto damage = [&](CheckpointNote& note) {
      json::Value text = note.value;
      json::Array runs = text.at("runs").as_array();
      json::set_at(runs[1], path, value);
      text.set("runs", runs);
      note.value = json::parse(json::dump(text), "note");
    };
    job.check_refused(damage, message);
  };
  for (const char* part : {"train", "validation", "test"})
    check(std::string("report.") + part + ".accuracy", 7, "accuracy: expected a share in [0, 1], got 7");
  check("report.epochs", -1, "epochs");
  check("report.best_epoch", 6, "an epoch of the run");
  check("report.epoch_ms", -1, "epoch_ms");
  check("report.seconds", -1, "seconds");
  check("report.metric", "rmse", "expected \"macro_f1\"");
  check("parameters", -1, "parameters");
  check("inputs", "many", "inputs");
  check("order", "auto", "order");
  check("order", "sorted", "reorder");
  check("test_targets", json::Array{json::Object{}}, "expected 2 targets, got 1");
  check("choice", json::Object{{"metric", "rmse"}}, "expected \"macro_f1\"");
}

TEST_CASE("a deviation below 0 and a model of other labels are refused", "[train][run_set]") {
  ThreeRuns job;
  job.set.best().deviations = Matrix::Constant(60, 2, 0.25F);
  CHECK(job.restored(job.config).best().deviations(3, 1) == 0.25F);
  job.set.best().deviations(3, 1) = -1;
  job.check_refused([](CheckpointNote&) {}, "expected finite numbers of at least 0");
  job.set.best().deviations(3, 1) = 0;
  job.set.best().trained->label_names[0] = "another";
  job.check_refused([](CheckpointNote&) {}, "predicts other labels");
}

TEST_CASE("damaged runs of a checkpoint are refused", "[train][run_set]") {
  ThreeRuns job;
  const auto without = [](const std::string& name) {
    return [name](CheckpointNote& note) {
      std::erase_if(note.tensors, [&](const io::Tensor& tensor) { return tensor.name == name; });
    };
  };
  job.check_refused(without("predictions"), "the predictions of the best run are missing");
  job.check_refused([](CheckpointNote& note) { note.tensors[0].shape = {2, 60}; }, "do not have 60 items and 2 labels");
  job.check_refused(without(job.set.to_note(job.config, job.data).tensors.back().name), "are more than there are");
  const auto best = [](std::int64_t run) {
    return [run](CheckpointNote& note) { note.value.set("best", json::Object{{"run", run}}); };
  };
  job.check_refused(best(3), "best run 3 of 3");
  job.check_refused(best(-1), "best run -1 of 3");
  job.check_refused([](CheckpointNote& note) { note.value.set("runs", 3); }, "runs are damaged");
  job.check_refused([](CheckpointNote& note) { note.value.set("runs", json::Array{json::Object{}}); },
                    "runs are damaged");
  for (const char* mark : {"data_mark", "split_mark"})
    job.check_refused([&](CheckpointNote& note) { note.value.set(mark, 3); }, "expected a string");
  job.data.graph = graph::Graph(graph::NodeNames::numbered(61), {}, {});
  job.data.labels.targets.conservativeResize(61, 2);
  job.check_refused([](CheckpointNote&) {}, "made with other data");
}
