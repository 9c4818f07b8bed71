#include "edgewise/train/choose/tune_models.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <tuple>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/loop/runs.hpp"
#include "edgewise/train/source/merge_configs.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

/// A quick search over the friends.
struct FriendSearch {
  test::FriendFiles files;
  Dataset data = read_dataset(files.config.data);

  Config config_of(const json::Value& settings) const {
    json::Value given = to_json(files.config);
    given.set("model", json::Object{{"preset", "auto"}});
    given = merge_configs(given, settings);
    json::set_at(given, "training.epochs", 9);
    return parse_config(given);
  }

  TuningPlan plan(std::vector<std::string> models, std::int64_t brackets) const {
    return {.models = std::move(models),
            .are_models_named = true,
            .config_of = [this](const json::Value& settings) { return config_of(settings); },
            .brackets = brackets};
  }

  ResultLog open_log(const char* name, const TuningPlan& plan) const {
    return open_search_log(files.path(name), files.config, plan, data, {});
  }
};

std::vector<double> validations(const Search& search) {
  std::vector<double> values;
  for (const TuningStep& step : search.steps) values.push_back(step.validation);
  return values;
}

}  // namespace

TEST_CASE("a search finds the configuration of its best training", "[train][tune_models]") {
  const FriendSearch friends;
  const Search search = tune_models(friends.plan({"mlp", "gcn"}, 2), friends.data, {});
  CHECK(search.steps.size() == 2 + 1 + 1 + 9 + 3 + 1);
  CHECK(search.metric == "accuracy");
  CHECK_FALSE(search.was_stopped);
  REQUIRE(search.best);
  CHECK(search.best->epochs == 9);
  CHECK(search.found.training.epochs == 9);
  const Report report = run_job(search.found, friends.data, 0).report;
  CHECK(metric(report.validation, "accuracy") == search.best->validation);
  const json::Value object = to_json(search);
  CHECK(object.at("trials").as_integer() == 2 + 9);
  CHECK(object.at("best").at("settings") == search.best->trial.settings);
  CHECK(object.at("configuration") == to_json(search.found));
}

TEST_CASE("a search starts with what train would do and never ends below it", "[train][tune_models]") {
  const FriendSearch friends;
  TuningPlan plan = friends.plan({"mlp", "gcn"}, 1);
  plan.are_models_named = false;
  const Search search = tune_models(plan, friends.data, {});
  CHECK(search.steps.size() == 1 + 2 + 1 + 1);
  CHECK(search.steps.front().trial.settings == json::Value(json::Object{}));
  CHECK(search.steps.front().epochs == 9);
  const Report report = run_job(friends.config_of(json::Object{}), friends.data, 0).report;
  CHECK(search.steps.front().validation == metric(report.validation, "accuracy"));
  CHECK(search.best->validation >= search.steps.front().validation);
}

TEST_CASE("a search that is stopped in its first choice has what that has found", "[train][tune_models]") {
  const FriendSearch friends;
  TuningPlan plan = friends.plan({"mlp", "gcn"}, 1);
  plan.are_models_named = false;
  TuningHooks hooks;
  int models = 0, kept = 0;
  hooks.training.on_model = [&](const std::string&) { ++models; };
  hooks.training.should_stop = [&] { return models > 1; };
  hooks.keep = [&](const TuningStep&) { ++kept; };
  const Search search = tune_models(plan, friends.data, hooks);
  CHECK(search.was_stopped);
  REQUIRE(search.best);
  CHECK(search.best->trial.settings == json::Value(json::Object{}));
  CHECK(kept == 0);  // a log must not take it for the whole choice
}

TEST_CASE("a search that goes on from its log trains only what is missing", "[train][tune_models]") {
  const FriendSearch friends;
  const auto search = [&](const char* log_file, std::int64_t brackets) {
    TuningHooks hooks;
    ResultLog log = friends.open_log(log_file, friends.plan({"mlp", "gcn"}, brackets));
    use_log(log, hooks);
    int trained = 0;
    hooks.keep = [&, keep = std::move(hooks.keep)](const TuningStep& step) {
      keep(step);
      ++trained;
    };
    const Search found = tune_models(friends.plan({"mlp", "gcn"}, brackets), friends.data, hooks);
    return std::pair(validations(found), trained);
  };
  const auto [whole, all_trained] = search("whole.json", 2);
  CHECK(search("part.json", 1).second == 4);
  const auto [continued, rest] = search("part.json", 2);
  CHECK(continued == whole);
  CHECK(rest == all_trained - 4);
  CHECK_THROWS_WITH(friends.open_log("part.json", friends.plan({"mlp"}, 2)),
                    Contains("part.json: is of another search"));
}

TEST_CASE("a log with what no training of the search leaves is refused", "[train][tune_models]") {
  const FriendSearch friends;
  const TuningPlan plan = friends.plan({"mlp", "gcn"}, 2);
  {
    TuningHooks hooks;
    ResultLog log = friends.open_log("log.json", plan);
    use_log(log, hooks);
    tune_models(plan, friends.data, hooks);
  }
  const json::Value good = json::parse_file(friends.files.path("log.json"));
  for (const auto& [member, value, expected] :
       std::vector<std::tuple<const char*, json::Value, const char*>>{
           {"validation", 7, "a share in [0, 1], got 7"},
           {"validation", -0.5, "a share in [0, 1]"},
           {"validation", "good", "expected a number"},
           {"seconds", -1, "seconds"},
           {"epochs", 0, "1 to 9"},
           {"epochs", 10, "1 to 9"},
           {"trial", -1, "trial"},
           {"trial", 5, "those of trial 5"},
           {"settings", json::Object{}, "those of trial 2"}}) {
    INFO(member);
    json::Array steps = good.at("steps").as_array();
    steps[4].set(member, value);  // the first that was drawn
    json::Value bad = good;
    bad.set("steps", steps);
    friends.files.write("bad.json", json::dump(bad));
    CHECK_THROWS_AS(friends.open_log("bad.json", plan), DataError);
    CHECK_THROWS_WITH(friends.open_log("bad.json", plan),
                      Contains("bad.json: steps[4].") && Contains(expected));
  }
}

TEST_CASE("a stopped search has the best of the trainings that ended", "[train][tune_models]") {
  const FriendSearch friends;
  std::size_t trained = 0;
  TuningHooks hooks;
  hooks.keep = [&](const TuningStep&) { ++trained; };
  hooks.training.should_stop = [&] { return trained == 3; };
  const Search search = tune_models(friends.plan({"mlp", "gcn"}, 2), friends.data, hooks);
  CHECK(search.was_stopped);
  CHECK(search.steps.size() == 3);
  REQUIRE(search.best);
  CHECK(to_json(search).at("interrupted").as_bool());
  trained = 3;
  CHECK_FALSE(tune_models(friends.plan({"mlp"}, 1), friends.data, hooks).best);
}

TEST_CASE("a trial that cannot be trained is left out, with its reason", "[train][tune_models]") {
  const FriendSearch friends;
  TuningPlan plan = friends.plan({"mlp", "gcn"}, 1);
  plan.config_of = [&](const json::Value& settings) {
    const json::Value* preset = json::find_at(settings, "model.preset");
    if (preset != nullptr && preset->as_string() == "mlp") throw UsageError("no mlp here");
    return friends.config_of(settings);
  };
  const Search search = tune_models(plan, friends.data, {});
  REQUIRE(search.best);
  CHECK(search.found.model.name() == "gcn");
  CHECK(search.problems.at("no mlp here") == 1);
  CHECK(std::isnan(search.steps[0].validation));
  plan.models = {"mlp"};
  CHECK_THROWS_WITH(tune_models(plan, friends.data, {}), "no trial could be trained: no mlp here");
}

TEST_CASE("a search ends when its time is up", "[train][tune_models]") {
  const FriendSearch friends;
  std::chrono::seconds passed{0};
  TuningHooks hooks;
  hooks.training.now = [&] { return std::chrono::steady_clock::time_point(passed); };
  hooks.keep = [&](const TuningStep&) { passed += std::chrono::seconds(10); };
  TuningPlan plan = friends.plan({"mlp", "gcn"}, 2);
  plan.seconds = 25;
  const Search search = tune_models(plan, friends.data, hooks);
  CHECK(search.steps.size() == 3);
  CHECK(search.best);
  CHECK_FALSE(search.was_stopped);
}

TEST_CASE("a training that is cut short by the time does not count", "[train][tune_models]") {
  const FriendSearch friends;
  std::chrono::seconds passed{0};
  TuningHooks hooks;
  hooks.training.now = [&] { return std::chrono::steady_clock::time_point(passed); };
  hooks.training.on_epoch = [&](const EpochRecord&) { passed += std::chrono::seconds(1); };
  TuningPlan plan = friends.plan({"mlp", "gcn"}, 1);
  plan.config_of = [&](const json::Value& settings) {
    Config config = friends.config_of(settings);
    config.training.epochs = 90;  // at first 10 of each model
    return config;
  };
  plan.seconds = 15;
  const Search search = tune_models(plan, friends.data, hooks);
  REQUIRE(search.steps.size() == 1);
  CHECK(search.steps[0].seconds == 10);
  plan.seconds = 8;
  passed = std::chrono::seconds(0);
  CHECK_THROWS_WITH(tune_models(plan, friends.data, hooks), Contains("budget: no training finished within 8 s"));
}

TEST_CASE("a search without validation items is refused", "[train][tune_models]") {
  FriendSearch friends;
  friends.files.config.split.validation = 0;
  CHECK_THROWS_WITH(tune_models(friends.plan({"mlp"}, 1), friends.data, {}),
                    Contains("is not defined on the validation items"));
}

TEST_CASE("the models to tune are those named, the one configured, or all that suit", "[train][tune_models]") {
  const FriendSearch friends;
  const Config open = friends.config_of(json::Object{});
  const auto with = [&](const char* preset) {
    return friends.config_of(json::Object{{"model", json::Object{{"preset", preset}}}});
  };
  using Names = std::vector<std::string>;
  CHECK(models_to_tune({"gcn", "mlp"}, open, friends.data) == Names{"gcn", "mlp"});
  CHECK(models_to_tune({}, with("gcn"), friends.data) == Names{"gcn"});
  const Names all = models_to_tune({}, open, friends.data);
  CHECK(all.size() > 2);
  CHECK(std::ranges::count(all, "label_propagation") == 0);
  CHECK_THROWS_WITH(models_to_tune({"label_propagation"}, open, friends.data), Contains("has nothing to tune"));
  CHECK_THROWS_WITH(models_to_tune({}, with("label_propagation"), friends.data), Contains("has nothing to tune"));
  CHECK_THROWS_WITH(models_to_tune({"gatt"}, open, friends.data), Contains("did you mean \"gat\""));
}

TEST_CASE("the time limit is a number with its unit", "[train][tune_models]") {
  CHECK(time_limit("90s", 0) == 90);
  CHECK(time_limit("1.5m", 0) == 90);
  CHECK(time_limit("2h", 0) == 7200);
  CHECK(time_limit({}, 0) == 600);
  CHECK(std::isinf(time_limit({}, 2)));
  CHECK_THROWS_WITH(time_limit("90s", 2), Contains("replaces the time limit"));
  for (const char* text : {"", "10", "m", "0s", "-1m", "nans", "10 m", "10min", "1e400s"}) {
    INFO(text);
    CHECK_THROWS_WITH(time_limit(text, 0), Contains("expected a time such as 90s, 10m or 2h"));
  }
}
