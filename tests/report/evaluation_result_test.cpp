#include "edgewise/report/evaluation_result.hpp"

#include <catch2/catch.hpp>
#include <cstdint>

#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

TEST_CASE("an evaluation says the same as JSON and as text", "[report][evaluation_result]") {
  test::FriendFiles files;
  files.config.training.epochs = 2;
  train::Run run = train::run_job(files.config, train::read_dataset(files.config.data), 0);
  train::save_trained_model(files.path("m.safetensors"), *run.trained);
  const auto ignore = [](const std::string&) {};
  const train::ModelRequest request{files.path("m.safetensors")};
  train::ModelData model = train::load_model_data(train::open_model(request), train::Needs::labels, ignore);
  train::Evaluation evaluation = train::evaluate(model, request, "auto", ignore);

  const json::Value object = report::evaluation_json(model, evaluation);
  CHECK(object.at("part") == json::Value("test"));
  CHECK(object.at("nodes").as_integer() == static_cast<std::int64_t>(evaluation.items.size()));
  CHECK(object.at("metrics") == train::to_json(run.report.test));
  CHECK(object.at("labels") == json::Value(model.trained.label_names));
  CHECK(object.find("run") == nullptr);
  CHECK(object.find("targets") == nullptr);
  std::int64_t items = 0, compared = 0;
  for (const json::Value& of : object.at("per_class").as_array()) items += of.at("support").as_integer();
  for (const json::Value& row : object.at("confusion").as_array())
    for (const json::Value& count : row.as_array()) compared += count.as_integer();
  CHECK(items == object.at("nodes").as_integer());
  CHECK(compared == items);

  const std::string text = report::evaluation_text("friends", model, evaluation);
  CHECK_THAT(text, Catch::Matchers::StartsWith("friends on ") && Contains("accuracy") && Contains("confusion matrix"));
  CHECK_THAT(text, !Contains("the split of run"));
  evaluation.run = 1;
  model.trained.training.runs = 3;
  CHECK_THAT(report::evaluation_text("friends", model, evaluation), Contains("the split of run 2 of 3"));
  CHECK(report::evaluation_json(model, evaluation).at("runs").as_integer() == 3);
}
