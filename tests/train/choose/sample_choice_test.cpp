#include "edgewise/train/choose/sample_choice.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "train/toy_job.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

/// Networks to try, and a clock on which each look takes some seconds.
struct SamplingJob {
  Dataset data = test::two_groups_job(data::Task::classification);
  Config config;
  std::vector<ModelConfig> networks;
  JobHooks hooks;
  std::vector<std::string> notes;
  int looks = 0;

  explicit SamplingJob(double seconds, double seconds_of_look = 0) {
    for (const char* preset : {"mlp", "gps", "gcn", "gatv2"})
      networks.push_back(json::Value(json::Object{{"preset", preset}}).rooted_at("model"));
    hooks = ending_after(seconds, {}, {});
    hooks.now = [this, seconds_of_look] { return *ending_after(seconds_of_look * looks++, {}, {}).deadline; };
    hooks.note = [this](const std::string& note) { notes.push_back(note); };
  }

  void choose() { sample_if_too_large(data, hooks, config, networks); }
};

constexpr double kTooFew = 1e-9, kEnough = 10;

}  // namespace

TEST_CASE("networks are trained on samples if an epoch over all edges would not end in time", "[train][choose]") {
  for (const double seconds_of_look : {0.0, 1e-9, 1e4}) {  // a clock decides nothing
    SamplingJob job(kTooFew, seconds_of_look);
    job.choose();
    CHECK(job.config.training.sample == "10");
    CHECK(job.config.training.batch_size == 1024);
    REQUIRE(job.networks.size() == 3);  // without gps
    CHECK(job.networks[1].name() == "gcn");
    REQUIRE(job.notes.size() == 1);
    CHECK_THAT(job.notes[0], Contains("an epoch over all edges would take ") &&
                                 Contains("models are trained on samples of neighbours (training.sample 10)"));
  }
}

TEST_CASE("networks go over all edges where there is time, or no deadline, or a sampling already", "[train][choose]") {
  SamplingJob easy(kEnough), slow(kEnough, 1e4);
  SamplingJob endless(std::numeric_limits<double>::infinity());
  SamplingJob given(kTooFew);
  given.config.training.sample = "15,10";
  for (SamplingJob* job : {&easy, &slow, &endless, &given}) {
    job->choose();
    CHECK(job->config.training.sample == (job == &given ? "15,10" : ""));
    CHECK(job->networks.size() == 4);
    CHECK(job->notes.empty());
  }
}
