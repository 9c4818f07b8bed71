#include "edgewise/train/jobs/evaluation.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/jobs/job.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

void ignore(const std::string&) {}

struct FriendEvaluation {
  test::FriendFiles files;
  JobData data = load_job_data(files.config.data);
  Run run = run_job(files.config, data, 0);

  ModelData load(const ModelRequest& request = {"m"}) {
    return load_model_data(open_model(copy(), request), Needs::labels, ignore);
  }
  TrainedModel copy() { return from_safetensors("m", to_safetensors(*run.trained)); }
};

}  // namespace

TEST_CASE("a model is evaluated on the parts of its training", "[train][evaluation]") {
  FriendEvaluation friends;
  ModelData loaded = friends.load();
  const Evaluation test = evaluate(loaded, {"m"}, "auto", ignore);
  CHECK(test.part == "test");
  CHECK(test.metrics == friends.run.report.test);
  CHECK(test.items.size() == data::nodes_with_role(friends.run.split, data::Role::test).size());
  CHECK(evaluate(loaded, {"m"}, "validation", ignore).metrics == friends.run.report.validation);
  const Evaluation all = evaluate(loaded, {"m"}, "all", ignore);
  CHECK(all.items == data::labelled_nodes(loaded.data.labels));
}

TEST_CASE("another split than that of training is noted", "[train][evaluation]") {
  FriendEvaluation friends;
  const ModelRequest request{"m", json::parse(R"({"split": {"kind": "random", "seed": 7}})", "request")};
  ModelData loaded = friends.load(request);
  std::vector<std::string> notes;
  evaluate(loaded, request, "test", [&](const std::string& line) { notes.push_back(line); });
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Contains("the split is not that of training"));
}

TEST_CASE("parts and labels that do not exist are refused", "[train][evaluation]") {
  FriendEvaluation friends;
  ModelData loaded = friends.load();
  CHECK_THROWS_WITH(evaluate(loaded, {"m"}, "tests", ignore),
                    "--part: expected train, validation, test or all, got \"tests\"");
  loaded.data.labels.names = {"a", "b"};
  CHECK_THROWS_AS(evaluate(loaded, {"m"}, "test", ignore), ModelError);
}
