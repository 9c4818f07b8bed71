#include "edgewise/train/loop/fit.hpp"

#include <catch2/catch.hpp>

#include "edgewise/autograd/consistency.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_job.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using train::FitHooks;
using train::TrainOptions;

namespace {

struct NodeToy {
  explicit NodeToy(data::Task task = data::Task::classification) : data(test::two_groups(task)) {}

  data::NodeData data;
  nn::Model model = test::make_model(data);
  graph::FrozenGraph frozen = graph::freeze(data.graph, model.graph_options());

  train::Report fit(const TrainOptions& options, const FitHooks& hooks = {}) {
    return train::fit(model, data, frozen, data.splits[0], options, hooks);
  }
};

TrainOptions quick(std::int64_t epochs = 60) {
  TrainOptions options;
  options.epochs = epochs;
  options.learning_rate = 0.02;
  options.seed = 3;
  return options;
}

std::vector<Matrix> weights(nn::Model& model) {
  std::vector<Matrix> all;
  for (autograd::Parameter* parameter : model.parameters()) all.push_back(parameter->value);
  for (const auto& [name, matrix] : model.state()) all.push_back(*matrix);
  return all;
}

}  // namespace

TEST_CASE("fit learns every task", "[train][fit]") {
  NodeToy classes;
  const train::Report report = classes.fit(quick());
  CHECK(report.metric == "accuracy");
  CHECK(train::metric(report.test, "accuracy") > 0.8);
  CHECK(report.epochs == 60);
  CHECK(report.best_epoch >= 1);
  CHECK(report.epoch_ms >= 0);
  CHECK(report.seconds >= 0);
  CHECK(!report.was_stopped);
  CHECK(train::metric(NodeToy(data::Task::multilabel).fit(quick()).test, "macro_f1") > 0.8);
  NodeToy numbers(data::Task::regression);
  const train::Report regression = numbers.fit(quick(150));
  CHECK(regression.metric == "relative_rmse");
  CHECK(train::metric(regression.test, "rmse") < 4);  // the mean alone gives 5 in the first column
  CHECK(regression.scaler.columns() == 2);
}

TEST_CASE("fit gives the same bits at 1 and 3 threads", "[train][fit]") {
  const int passes = GENERATE(0, 2);
  const auto run = [&](int thread_count) {
    const int before = threads();
    set_threads(thread_count);
    NodeToy toy;
    TrainOptions options = quick(12);
    options.clip_norm = 0.5;
    options.consistency.passes = passes;
    toy.fit(options);
    set_threads(before);
    return weights(toy.model);
  };
  CHECK(run(1) == run(3));
}

TEST_CASE("passes without dropout train like one", "[train][fit][consistency]") {
  const auto run = [](std::int64_t passes) {
    NodeToy toy;
    toy.model = nn::Model(json::parse(R"({"preset": "gcn", "hidden": 8, "dropout": 0})", "model"),
                          {.inputs = 5, .outputs = 2}, 1);
    TrainOptions options = quick(12);
    options.consistency = {.passes = passes, .weight = 0};
    toy.fit(options);
    return weights(toy.model);
  };
  CHECK(run(2) == run(0));
}

TEST_CASE("consistency brings passes together", "[train][fit][consistency]") {
  const auto distance = [](double weight) {
    NodeToy toy;
    TrainOptions options = quick(60);
    options.stopping.rule = train::StoppingRule::none;
    options.consistency = {.passes = 2, .weight = weight};
    toy.fit(options);
    train::NodeBatches batches(toy.data.features, toy.frozen);
    autograd::Tape tape(false);
    std::vector<autograd::Variable> passes;
    for (std::uint64_t step = 0; step < 8; ++step)
      passes.push_back(batches.forward(toy.model, {.tape = tape, .is_training = true, .seed = 1, .step = step}, {}));
    return autograd::consistency(passes, 1).value()(0, 0);
  };
  CHECK(distance(5) < 0.7F * distance(0));
}

TEST_CASE("fit reports each epoch and stops when told to", "[train][fit]") {
  NodeToy toy;
  TrainOptions options = quick(1000);
  options.stopping.patience = 4;
  options.evaluate_every = 3;
  std::vector<train::EpochRecord> records;
  FitHooks hooks;
  hooks.on_epoch = [&](const train::EpochRecord& record) { records.push_back(record); };
  const train::Report report = toy.fit(options, hooks);
  REQUIRE(!records.empty());
  CHECK(report.epochs == static_cast<std::int64_t>(records.size()));
  CHECK(records.back().ends_at == report.epochs);
  CHECK(report.epochs == report.best_epoch + 4 * 3);
  CHECK(!records[0].validation_loss);
  CHECK(records[2].validation_loss);
  CHECK(records[2].is_kept);
}

TEST_CASE("fit without validation nodes trains all epochs and keeps the last weights", "[train][fit]") {
  NodeToy toy;
  for (data::Role& role : toy.data.splits[0])
    if (role == data::Role::validation) role = data::Role::none;
  TrainOptions options = quick(9);
  options.stopping.patience = 1;
  const train::Report report = toy.fit(options);
  CHECK(report.epochs == 9);
  CHECK(report.best_epoch == 9);
}

TEST_CASE("training goes on if its checkpoint cannot be written", "[train][fit][checkpoint]") {
  const test::TemporaryDirectory directory;
  FitHooks hooks;
  hooks.checkpoint = (directory.path() / "gone" / "run.checkpoint").string();
  hooks.checkpoint_every = 2;
  NodeToy toy, plain;
  const train::Report report = toy.fit(quick(5), hooks);
  CHECK_THAT(report.checkpoint_problem, Catch::Contains("run.checkpoint: "));
  plain.fit(quick(5));
  CHECK(weights(toy.model) == weights(plain.model));
}

TEST_CASE("a resumed training ends in the same bits as an uninterrupted one", "[train][fit][checkpoint]") {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "run.checkpoint").string();
  const int passes = GENERATE(0, 2);
  for (const auto kind : {optim::ScheduleKind::constant, optim::ScheduleKind::cosine, optim::ScheduleKind::plateau}) {
    TrainOptions options = quick(30);
    options.schedule = {.kind = kind, .warmup = 3, .patience = 2};
    options.consistency.passes = passes;
    NodeToy whole;
    const train::Report uninterrupted = whole.fit(options);

    NodeToy first;
    FitHooks stop;
    int epochs = 0;
    stop.should_stop = [&] { return ++epochs == 11; };
    stop.checkpoint = path;
    stop.checkpoint_note.value.set("who", "test");
    const train::Report interrupted = first.fit(options, stop);
    CHECK(interrupted.was_stopped);
    CHECK(interrupted.epochs == 11);

    NodeToy second;
    for (autograd::Parameter* parameter : second.model.parameters()) parameter->value.setOnes();
    FitHooks go_on;
    go_on.resume = path;
    const train::Report resumed = second.fit(options, go_on);
    CHECK(resumed.epochs == uninterrupted.epochs);
    CHECK(resumed.best_epoch == uninterrupted.best_epoch);
    CHECK(weights(second.model) == weights(whole.model));
    CHECK(resumed.test == uninterrupted.test);
  }
}

TEST_CASE("a training that is given up within an epoch goes on from the last whole one", "[train][fit][checkpoint]") {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "run.checkpoint").string();
  TrainOptions options = quick(12);
  options.average = GENERATE(0.0, 0.9);
  NodeToy whole;
  whole.fit(options);
  for (int checks = 100; checks < 1500; checks += 177) {  // wherever it is then: in a step, or in validation
    std::int64_t epochs = 0;
    int saved = 0;
    {
      NodeToy first;
      FitHooks stop;
      stop.on_epoch = [&](const train::EpochRecord& record) { epochs = record.epoch; };
      stop.on_checkpoint = [&] { ++saved; };
      stop.checkpoint = path;
      int left = checks;
      const Observed observed({.is_over = [&] { return --left < 0; }});
      try {
        first.fit(options, stop);
        break;  // it was over before
      } catch (const Interrupted&) {
      }
    }
    INFO(checks << " checks, " << epochs << " epochs");
    REQUIRE(saved == 1);
    CHECK(train::read_checkpoint(path).epoch == epochs);
    NodeToy second;
    FitHooks go_on;
    go_on.resume = path;
    second.fit(options, go_on);
    CHECK(weights(second.model) == weights(whole.model));
  }
}

TEST_CASE("a resumed training continues the average of the weights", "[train][fit][checkpoint]") {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "run.checkpoint").string();
  TrainOptions options = quick(24);
  options.average = 0.9;
  NodeToy whole;
  whole.fit(options);
  NodeToy first;
  FitHooks stop;
  int epochs = 0;
  stop.should_stop = [&] { return ++epochs == 7; };
  stop.checkpoint = path;
  first.fit(options, stop);
  NodeToy second;
  FitHooks go_on;
  go_on.resume = path;
  second.fit(options, go_on);
  CHECK(weights(second.model) == weights(whole.model));
  options.average = 0.8;
  CHECK_THROWS_WITH(NodeToy().fit(options, go_on), Contains("another training.average: 0.9 there, 0.8 here"));
}

TEST_CASE("the average of the weights is that of the steps", "[train][fit]") {
  for (const bool has_validation : {false, true}) {
    const auto run = [&](double average, std::int64_t epochs) {
      NodeToy toy;
      if (!has_validation)
        for (data::Role& role : toy.data.splits[0])
          if (role == data::Role::validation) role = data::Role::none;
      TrainOptions options = quick(epochs);
      options.average = average;
      options.stopping.rule = train::StoppingRule::none;
      toy.fit(options);
      return weights(toy.model);
    };
    NodeToy start;
    std::vector<Matrix> expected = weights(start.model);
    for (int t = 1; t <= 5; ++t) {
      const std::vector<Matrix> after = run(0, t);
      const auto decay = static_cast<float>(std::min(0.25, t / (t + 9.0)));
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = decay * expected[i] + (1 - decay) * after[i];
    }
    const std::vector<Matrix> averaged = run(0.25, 5);
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(averaged[i].isApprox(expected[i], 1e-5F));
  }
}

TEST_CASE("fit reports the epoch in which numbers became non-finite", "[train][fit]") {
  NodeToy toy;
  toy.data.features.dense(0, 0) = 1e38F;
  toy.data.features.dense(1, 0) = -1e38F;
  CHECK_THROWS_AS(toy.fit(quick()), NumericalError);
  NodeToy again;
  again.data.features.dense.row(0).setConstant(std::numeric_limits<float>::quiet_NaN());
  CHECK_THROWS_WITH(again.fit(quick()), Contains("epoch 1: the training loss is nan"));
}

TEST_CASE("fit refuses labels that do not suit the items", "[train][fit]") {
  const auto check = [](data::Task task, const std::string& message, const auto& change) {
    NodeToy toy(task);
    change(toy.data.labels);
    CHECK_THROWS_AS(toy.fit(quick(1)), UsageError);
    CHECK_THROWS_WITH(toy.fit(quick(1)), Contains(message));
  };
  using data::Labels, data::Task;
  check(Task::classification, "fit: the labels have 59 rows, expected 60", [](Labels& of) { of.classes.pop_back(); });
  check(Task::classification, "fit: class 2 is not one of 2 classes", [](Labels& of) { of.classes.back() = 2; });
  check(Task::classification, "fit: class -7 is not one of 2 classes", [](Labels& of) { of.classes[0] = -7; });
  check(Task::classification, "fit: the positive class 2", [](Labels& of) { of.positive = 2; });
  for (const Task task : {Task::multilabel, Task::regression}) {
    check(task, "fit: the labels have 59 rows, expected 60",
          [](Labels& of) { of.targets = of.targets.topRows(59).eval(); });
    check(task, "columns, but", [](Labels& of) { of.names.pop_back(); });
  }
}

TEST_CASE("fit refuses inconsistent input", "[train][fit]") {
  NodeToy toy;
  TrainOptions never = quick();
  never.evaluate_every = 0;
  CHECK_THROWS_WITH(toy.fit(never), Contains("evaluate_every"));
  toy.data.splits[0].pop_back();
  CHECK_THROWS_AS(toy.fit(quick()), UsageError);
  NodeToy narrow;
  narrow.data.features.dense.resize(60, 4);
  CHECK_THROWS_WITH(narrow.fit(quick()), Contains("4 feature columns, the model is made for 5"));
  NodeToy blank;
  blank.data.labels.classes.assign(60, -1);
  CHECK_THROWS_AS(blank.fit(quick()), DataError);
}
