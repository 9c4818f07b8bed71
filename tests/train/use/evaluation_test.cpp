#include "edgewise/train/use/evaluation.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

/// A model trained on friends, in a file.
struct Evaluated {
  test::FriendFiles files;
  Run run;
  std::vector<std::string> notes = {};

  Evaluated() {
    files.config.training.epochs = 2;
    run = run_job(files.config, read_dataset(files.config.data), 0);
    save_trained_model(files.path("m.safetensors"), *run.trained);
  }

  NoteHook note() {
    return [this](const std::string& line) { notes.push_back(line); };
  }
  ModelRequest request(const json::Value& over = json::Object{}) const { return {files.path("m.safetensors"), over}; }
  ModelData load(const ModelRequest& request) { return load_model_data(open_model(request), Needs::labels, note()); }

  json::Value other_people() const {
    files.write("others.csv", "id,age,city,buys\nq0,30,Bern,yes\nq1,40,Basel,no\nq2,35,Bern,\n");
    files.write("ties.csv", "source,target,weight\nq0,q1,1\nq1,q2,1\n");
    return json::Object{
        {"data", json::Object{{"nodes", files.path("others.csv")}, {"edges", files.path("ties.csv")}}}};
  }
};

}  // namespace

TEST_CASE("a model is evaluated on the test part of its training", "[train][evaluation]") {
  Evaluated model;
  const ModelRequest request = model.request();
  ModelData loaded = model.load(request);
  const Evaluation evaluation = evaluate(loaded, request, "auto", model.note());
  CHECK(evaluation.part == "test");
  CHECK(evaluation.metrics == model.run.report.test);
  CHECK(evaluation.predictions == model.run.predictions);
  CHECK(evaluation.confusion.sum() == static_cast<std::int64_t>(evaluation.items.size()));
  CHECK(evaluation.classes.size() == 2);
  CHECK(evaluation.targets.empty());
  CHECK(evaluation.positive_class == model.run.trained->training.positive_class);
  CHECK(evaluate(loaded, request, "validation", model.note()).metrics == model.run.report.validation);
  CHECK(model.notes.empty());
  CHECK_THROWS_AS(evaluate(loaded, request, "none", model.note()), UsageError);
}

TEST_CASE("other data is evaluated as a whole unless a split is asked for", "[train][evaluation]") {
  Evaluated model;
  const ModelRequest request = model.request(model.other_people());
  ModelData loaded = model.load(request);
  const Evaluation evaluation = evaluate(loaded, request, "auto", model.note());
  CHECK(evaluation.part == "all");
  CHECK(evaluation.items == std::vector<graph::Node>{0, 1});
  CHECK_THROWS_WITH(evaluate(loaded, request, "test", model.note()), Contains("ties.csv has no split"));
  json::Value over = model.other_people();
  model.files.write("split.csv", "node,split\nq0,train\nq1,test\nq2,test\n");
  over.set("split", json::Object{{"file", model.files.path("split.csv")}});
  const ModelRequest in_parts = model.request(over);
  ModelData split = model.load(in_parts);
  CHECK(evaluate(split, in_parts, "auto", model.note()).items == std::vector<graph::Node>{1});
  CHECK_THROWS_WITH(evaluate(split, in_parts, "validation", model.note()), Contains("validation: no item there has a"));
}

TEST_CASE("a split other than that of training is noted by the evaluation", "[train][evaluation]") {
  Evaluated model;
  const ModelRequest request = model.request(json::parse(R"({"split": {"seed": 7}})", "over"));
  ModelData loaded = model.load(request);
  evaluate(loaded, request, "test", model.note());
  REQUIRE(model.notes.size() == 1);
  CHECK_THAT(model.notes.front(), Contains("the split is not that of training"));
}
