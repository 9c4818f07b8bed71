#include "edgewise/train/run/recipe.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "edgewise/core/error.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

json::Value completed(const char* given) { return with_defaults(json::parse(given, "config")); }

}  // namespace

TEST_CASE("a configuration overrides the recipe of its data set", "[train][recipe]") {
  const json::Value named = completed(R"({"data": {"dataset": "purchases"}, "model": {"preset": "gat", "heads": 2}})");
  CHECK(json::dump(named.at("model")) == R"({"preset":"gat","dropout":0.2,"attention_dropout":0.2,"heads":2})");
  CHECK(named.at("training").at("stopping") == json::Value("validation_loss"));
  // The model of the recipe is one of the candidates.
  const json::Value open = completed(R"({"data": {"dataset": "purchases"}, "model": {"preset": "auto"}})");
  CHECK(open.at("model").at("also").as_array().front().at("preset") == json::Value("gat"));
  CHECK_THROWS_AS(completed(R"({"data": {"dataset": "purchase"}})"), UsageError);
}

TEST_CASE("the kind of data determines what a configuration leaves open", "[train][recipe]") {
  CHECK(completed(R"({"data": {"edges": "e.csv"}})") ==
        json::parse(R"({"data": {"edges": "e.csv"}, "split": {"holdout": 0.1}})", "config"));
  CHECK(completed(R"({"data": {"edges": "e.csv"}, "split": {"validation": 0}})").at("split").find("holdout") ==
        nullptr);
  const json::Value molecules = completed(R"({"data": {"molecules": "m.csv"}})");
  CHECK(molecules.at("split").at("train") == json::Value(0.8));
  CHECK(molecules.at("training").at("epochs") == json::Value(100));
  CHECK(molecules.at("model").at("candidates").as_array().size() == 2);
  const json::Value named = completed(R"({"data": {"molecules": "m.csv"}, "model": {"preset": "gcn"}})");
  CHECK(named.at("model").at("readout") == json::Value("sum_mean_max"));
  CHECK(completed(R"({"data": {"tu": "MUTAG"}})").at("model").at("input_norm") == json::Value("batch"));
  const json::Value texts = completed(R"({"data": {"texts": "t.csv"}, "training": {"epochs": 5}})");
  CHECK(texts.at("model").at("preset") == json::Value("attention"));
  CHECK(texts.at("training").at("schedule").at("warmup") == json::Value(0));  // it could take up all epochs
}

TEST_CASE("a model file to start from determines the layers and how data is read", "[train][recipe]") {
  test::FriendFiles files;
  files.config.training.epochs = 1;
  Run run = run_job(files.config, read_dataset(files.config.data), 0);
  const std::string path = files.path("m.safetensors");
  save_trained_model(path, *run.trained);
  json::Value given = json::parse(R"({"data": {"edges": "e.csv"}})", "config");
  json::set_at(given, "training.from", path);
  CHECK(with_defaults(given).at("model").at("hidden") == json::Value(8));
  CHECK(load_options_for(parse_config(with_defaults(given))).texts.names == std::vector<std::string>{"city"});
  Config config = files.config;
  config.from = path;
  const Dataset data = read_dataset(config.data, load_options_for(config));
  std::filesystem::remove(path);  // it was loaded for all runs
  for (const std::int64_t index : {0, 1}) CHECK_NOTHROW(run_job(config, data, index));
  config.from = files.path("other.safetensors");  // no other than the one that is asked for
  CHECK_THROWS_AS(run_job(config, data, 0), DataError);
  save_trained_model(path, *run.trained);
  json::set_at(given, "model.preset", "sage");
  CHECK(with_defaults(given).at("model").find("hidden") == nullptr);
}

TEST_CASE("models are known by their names", "[train][recipe]") {
  for (const std::string& name : model_names()) CHECK_NOTHROW(check_model_name(json::Object{{"preset", name}}));
  CHECK_THROWS_WITH(check_model_name(json::Object{{"preset", "gta"}}), Contains("got \"gta\" (did you mean \"gat\"?)"));
}
