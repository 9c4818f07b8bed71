#include "edgewise/train/choose/compare_models.hpp"

#include <catch2/catch.hpp>
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "support/temporary_directory.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// A quick comparison over the friends.
struct Friends {
  test::FriendFiles files;
  Dataset data = read_dataset(files.config.data);
  std::vector<std::string> notes;

  Config config_of(const std::string& model) const {
    json::Value given = to_json(files.config);
    given.set("model", json::Object{{"hidden", 8}});
    given = contender_config(std::move(given), model);
    json::set_at(given, "training.epochs", 3);
    json::set_at(given, "training.runs", 2);
    return parse_config(given);
  }

  Comparison compare(std::vector<std::string> models, ComparisonHooks hooks = {}, bool with_variants = false) {
    hooks.note = [this](const std::string& line) { notes.push_back(line); };
    const ComparisonPlan plan{.models = std::move(models),
                              .config_of = [this](const std::string& model) { return config_of(model); },
                              .with_variants = with_variants};
    return compare_models(plan, data, hooks);
  }
};

std::vector<std::string> names_of(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const Contender& contender : comparison.contenders) names.push_back(contender.name());
  return names;
}

}  // namespace

TEST_CASE("the name of a contender says how it is trained", "[train][compare_models]") {
  const json::Value given = json::Object{{"training", json::Object{{"epochs", 7}}}};
  CHECK(contender_config(given, "") == given);
  const json::Value plain = contender_config(given, "gat");
  CHECK(json::find_at(plain, "model.preset")->as_string() == "gat");
  CHECK(json::find_at(plain, "training.epochs")->as_integer() == 7);
  const json::Value labels = contender_config(given, "gcn + labels");
  CHECK(json::find_at(labels, "model.preset")->as_string() == "gcn");
  CHECK(json::find_at(labels, "training.label_input")->as_number() == kShownLabels);
  CHECK(json::find_at(labels, "training.consistency.passes")->as_integer() == 0);
  const json::Value bare = contender_config(given, "gcn + labels without edges");
  CHECK(json::find_at(bare, "model.preset")->as_string() == "gcn");
  CHECK_FALSE(json::find_at(bare, "model.graph.edges")->as_bool());
}

TEST_CASE("a comparison trains every model on the same splits", "[train][compare_models]") {
  Friends friends;
  std::vector<std::string> done;
  ComparisonHooks hooks;
  hooks.on_contender = [&](const Contender& contender) { done.push_back(contender.name()); };
  const Comparison comparison = friends.compare({"mlp", "gcn"}, hooks);
  REQUIRE(names_of(comparison) == std::vector<std::string>{"mlp", "gcn"});
  CHECK(done == names_of(comparison));
  CHECK(comparison.metric == "accuracy");
  CHECK_FALSE(comparison.was_stopped);
  for (const Contender& contender : comparison.contenders) {
    const Report report = run_job(friends.config_of(contender.name()), friends.data, 1).report;
    REQUIRE(contender.test.size() == 2);
    CHECK(contender.test[1] == metric(report.test, "accuracy"));
    CHECK(contender.validation[1] == metric(report.validation, "accuracy"));
  }
  const json::Value result = to_json(comparison, friends.data, 2);
  CHECK(result.at("models").as_array().size() == 2);
  CHECK(result.at("best").as_string() == result.at("models").as_array().front().at("model").as_string());
  CHECK_FALSE(result.at("interrupted").as_bool());
}

TEST_CASE("runs that were made earlier are not made again", "[train][compare_models]") {
  Friends friends;
  std::map<std::pair<std::string, std::int64_t>, ComparedRun> kept;
  kept[{"mlp", 0}] = {"accuracy", 0.25, 0.125, 1000};
  const auto numbers_of = [](const ComparedRun& run) {
    return ComparedRun{run.metric, run.validation, run.test, run.seconds};
  };
  ComparisonHooks hooks;
  hooks.find = [&](const std::string& model, const Config&, std::int64_t run) -> std::optional<ComparedRun> {
    const auto found = kept.find({model, run});
    return found == kept.end() ? std::nullopt : std::optional(numbers_of(found->second));
  };
  hooks.keep = [&](const std::string& model, const Config&, std::int64_t run, const ComparedRun& result) {
    CHECK(kept.emplace(std::pair{model, run}, numbers_of(result)).second);
  };
  const Comparison first = friends.compare({"mlp"}, hooks);
  REQUIRE(kept.size() == 2);
  CHECK(first.contenders[0].test[0] == 0.125);
  CHECK(first.contenders[0].validation[0] == 0.25);
  CHECK(first.contenders[0].seconds >= 1000);
  const Comparison second = friends.compare({"mlp"}, hooks);
  CHECK(second.contenders[0].test == first.contenders[0].test);
  CHECK(kept.size() == 2);
}

TEST_CASE("a log with what no run of the comparison leaves is refused", "[train][compare_models]") {
  Friends friends;
  const auto open = [&](const char* name) {
    return open_comparison_log(friends.files.path(name), friends.config_of("mlp"), friends.data, {});
  };
  {
    ComparisonHooks hooks;
    ResultLog log = open("log.json");
    use_log(log, hooks);
    friends.compare({"mlp"}, hooks);
  }
  CHECK(open("log.json").results().size() == 2);
  const json::Value good = json::parse_file(friends.files.path("log.json"));
  for (const auto& [member, value, expected] :
       std::vector<std::tuple<const char*, json::Value, const char*>>{
           {"validation", 7, "a share in [0, 1], got 7"},
           {"test", -0.5, "a share in [0, 1]"},
           {"metric", "rmse", "\"accuracy\""},
           {"seconds", -1, "seconds"},
           {"share", 2, "at most 1"},
           {"run", -1, "run"},
           {"model", 3, "expected a string"}}) {
    INFO(member);
    json::Array runs = good.at("runs").as_array();
    runs[1].set(member, value);
    json::Value bad = good;
    bad.set("runs", runs);
    friends.files.write("bad.json", json::dump(bad));
    CHECK_THROWS_AS(open("bad.json"), DataError);
    CHECK_THROWS_WITH(open("bad.json"), Contains(std::string("bad.json: runs[1].") + member) && Contains(expected));
  }
}

TEST_CASE("a stopped comparison has the models that were finished", "[train][compare_models]") {
  Friends friends;
  bool is_enough = false;
  ComparisonHooks hooks;
  hooks.on_contender = [&](const Contender&) { is_enough = true; };
  hooks.training.should_stop = [&] { return is_enough; };
  hooks.keep = [&](const std::string& model, const Config&, std::int64_t, const ComparedRun&) {
    CHECK(model == "mlp");
  };
  const Comparison comparison = friends.compare({"mlp", "gcn", "gat"}, hooks, true);
  CHECK(names_of(comparison) == std::vector<std::string>{"mlp"});
  CHECK(comparison.was_stopped);
  CHECK(to_json(comparison, friends.data, 3).at("verdict").as_strings() ==
        std::vector<std::string>{"interrupted: 1 of 3 models finished"});
}

TEST_CASE("a model that cannot be trained is skipped with the reason", "[train][compare_models]") {
  Friends friends;
  const Comparison comparison = friends.compare({"fingerprint", "mlp"});
  CHECK(names_of(comparison) == std::vector<std::string>{"mlp"});
  REQUIRE(friends.notes.size() == 1);
  CHECK_THAT(friends.notes[0], StartsWith("fingerprint is skipped: ") && Contains("hidden"));
}

TEST_CASE("variants of the best are tried at the end", "[train][compare_models]") {
  Friends friends;
  const std::vector<std::string> names = names_of(friends.compare({"gcn"}, {}, true));
  CHECK(names == std::vector<std::string>{"gcn", "gcn + labels", names.back()});
  CHECK_THAT(names.back(), Catch::Matchers::EndsWith(" without edges"));
}

TEST_CASE("what cannot be compared is refused", "[train][compare_models]") {
  Friends friends;
  Config config = friends.files.config;
  config.from = "model.safetensors";
  CHECK_THROWS_WITH(check_comparable(config), Contains("compared from scratch"));
  config = friends.files.config;
  config.training.metric = "rmse";
  CHECK_THROWS_AS(check_comparable(config, friends.data), UsageError);
}

TEST_CASE("models of graphs are compared with the average that a choice among them keeps", "[train][compare_models]") {
  const test::TemporaryDirectory folder;
  std::string rows = "smiles,y\n";
  for (std::size_t i = 2; i < 62; ++i)
    rows += std::string(i % 20 + 2, 'C') + (i % 2 ? "O" : "N") + "," + std::to_string(i % 20) + "\n";
  Config config;
  config.data.molecules = folder.write("m.csv", rows);
  config.data.label = {"y"};
  config.data.task = "regression";
  config.split.kind = SplitKind::random;
  config.split.seed = 3;
  config.runs = 2;
  const Dataset data = read_dataset(config.data);
  const ComparisonPlan plan{.models = {"fingerprint", "sum_features"},
                            .config_of = [&](const std::string& model) {
                              Config one = config;
                              one.model = json::Object{{"preset", model.empty() ? "fingerprint" : model}};
                              return one;
                            },
                            .with_average = true};
  const Comparison comparison = compare_models(plan, data, {});
  REQUIRE(names_of(comparison) == std::vector<std::string>{"fingerprint", "sum_features", "average"});
  const Contender& average = comparison.contenders.back();
  REQUIRE(average.test.size() == 2);
  // Where one model is clearly better, it is kept alone.
  CHECK(average.validation[0] <=
        std::max(comparison.contenders[0].validation[0], comparison.contenders[1].validation[0]));
  const json::Value object = to_json(comparison, data, 2);
  CHECK(object.at("models").as_array().size() == 3);

  ComparisonHooks earlier;
  std::vector<std::string> notes;
  earlier.note = [&](const std::string& line) { notes.push_back(line); };
  earlier.find = [](const std::string&, const Config&, std::int64_t) { return ComparedRun{"rmse", 1, 1, 1}; };
  CHECK(compare_models(plan, data, earlier).contenders.size() == 2);
  CHECK_THAT(notes.back(), Contains("average: is left out"));
}
