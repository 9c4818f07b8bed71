#include "edgewise/train/choose/sample_choice.hpp"

#include <catch2/catch.hpp>
#include <chrono>

#include "train/toy_job.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

/// Networks to try, and a clock on which each look takes some seconds.
struct SamplingJob {
  Dataset data = test::two_groups_job(data::Task::classification);
  Config config;
  std::vector<json::Value> networks;
  FitHooks hooks;
  std::vector<std::string> notes;
  int looks = 0;

  SamplingJob(double seconds_of_look, double seconds_left) {
    for (const char* preset : {"mlp", "gps", "gcn", "gatv2"})
      networks.push_back(json::Value(json::Object{{"preset", preset}}).rooted_at("model"));
    hooks.now = [this, seconds_of_look] { return at(seconds_of_look * looks++); };
    hooks.deadline = at(seconds_left);
    hooks.note = [this](const std::string& note) { notes.push_back(note); };
  }

  static std::chrono::steady_clock::time_point at(double seconds) {
    return std::chrono::steady_clock::time_point(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds)));
  }
  void choose() { sample_if_too_large(data, hooks, config, networks); }
};

}  // namespace

TEST_CASE("networks are trained on samples if an epoch over all edges would not end in time", "[train][choose]") {
  SamplingJob job(1e4, 1e-3);
  job.choose();
  CHECK(job.config.training.sample == "10");
  CHECK(job.config.training.batch_size == 1024);
  REQUIRE(job.networks.size() == 3);  // without gps
  CHECK(job.networks[1].at("preset").as_string() == "gcn");
  REQUIRE(job.notes.size() == 1);
  CHECK_THAT(job.notes[0], Contains("an epoch over all edges would take about") &&
                               Contains("models are trained on samples of neighbours (training.sample 10)"));
}

TEST_CASE("networks go over all edges where there is time, or no deadline, or a sampling already", "[train][choose]") {
  SamplingJob fast(1e-9, 1e-3);
  fast.choose();
  CHECK(fast.config.training.sample.empty());
  CHECK(fast.looks > 1);  // it was measured
  SamplingJob easy(1e4, 10);
  easy.choose();
  CHECK(easy.config.training.sample.empty());
  CHECK(easy.looks == 1);  // no machine is that slow
  SamplingJob endless(1e4, 1e-3);
  endless.hooks.deadline.reset();
  endless.choose();
  CHECK(endless.config.training.sample.empty());
  SamplingJob given(1e4, 1e-3);
  given.config.training.sample = "15,10";
  given.choose();
  CHECK(given.config.training.sample == "15,10");
  for (const SamplingJob* job : {&fast, &easy, &endless, &given}) {
    CHECK(job->networks.size() == 4);
    CHECK(job->notes.empty());
  }
}
