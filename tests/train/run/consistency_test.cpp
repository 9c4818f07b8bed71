#include "edgewise/train/run/consistency.hpp"

#include <catch2/catch.hpp>

#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

TEST_CASE("the passes of GRAND must agree, those of other models only if told to", "[train][consistency]") {
  test::FriendFiles files;
  files.config.training.epochs = 3;
  const train::Dataset data = train::read_dataset(files.config.data);
  const auto passes_of = [&](const std::string& preset) {
    files.config.model = json::parse(R"({"preset": ")" + preset + R"(", "hidden": 8})", "model");
    const train::Run run = train::run_job(files.config, data, 0);
    return run.trained->training.options.at("consistency").at("passes").as_integer();
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
  const train::Dataset numbers = train::read_dataset(files.config.data);
  files.config.training.consistency.passes = 2;
  for (const char* preset : {"gcn", "auto"}) {
    files.config.model = json::Object{{"preset", preset}};
    CHECK_THROWS_WITH(train::run_job(files.config, numbers, 0), Contains("the labels of friends.csv are not classes"));
  }
}
