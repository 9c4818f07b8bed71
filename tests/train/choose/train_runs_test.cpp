#include "edgewise/train/choose/train_runs.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/train/model/trained_model.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_job.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

struct ToyRuns {
  Config config = parse_config(
      json::parse(R"({"model": {"preset": "mlp", "hidden": 4}, "training": {"epochs": 5, "runs": 3}})", "config"));
  Dataset data = test::two_groups_job(data::Task::classification);
  test::TemporaryDirectory directory;
};

/// The metrics and predictions of two sets of runs are the same to the last bit.
void check_same(const TrainedRuns& a, const TrainedRuns& b) {
  REQUIRE(a.set.size() == b.set.size());
  for (std::size_t i = 0; i < a.set.size(); ++i) {
    CHECK(a.set.results()[i].report.test == b.set.results()[i].report.test);
    CHECK(a.set.results()[i].split == b.set.results()[i].split);
  }
  CHECK(a.set.best_index() == b.set.best_index());
  CHECK(a.set.best().predictions == b.set.best().predictions);
}

}  // namespace

TEST_CASE("a job trains its runs and keeps the best", "[train][train_runs]") {
  ToyRuns job;
  std::vector<std::uint64_t> seeds;
  std::size_t ended = 0;
  const std::string model = job.directory.path("m.safetensors");
  const TrainedRuns runs =
      train_runs(job.config, job.data, {.model = model},
                 {.on_start = [&](std::int64_t, std::uint64_t seed) { seeds.push_back(seed); },
                  .on_end = [&](const Report& report) { ended += report.epochs > 0 ? 1 : 0; }});
  CHECK(runs.set.size() == 3);
  CHECK(!runs.was_stopped);
  CHECK(!runs.has_checkpoint);
  CHECK(seeds == std::vector<std::uint64_t>{job.config.training.seed, job.config.training.seed + 1,
                                            job.config.training.seed + 2});
  CHECK(ended == 3);
  CHECK(json::dump(load_trained_model(model).training.to_json()) ==
        json::dump(runs.set.best().trained->training.to_json()));
  CHECK(!std::filesystem::exists(model + ".checkpoint"));
}

TEST_CASE("a job that is stopped in any epoch ends in the same runs", "[train][train_runs][checkpoint]") {
  ToyRuns job;
  const TrainedRuns whole = train_runs(job.config, job.data, {});
  for (const int epochs : {2, 5, 7, 11}) {
    INFO("stopped after " << epochs);
    const RunFiles files{.model = job.directory.path("m.safetensors")};
    int done = 0;
    RunHooks hooks;
    hooks.fit.on_epoch = [&](const EpochRecord&) { ++done; };
    hooks.fit.should_stop = [&] { return done >= epochs; };
    const TrainedRuns stopped = train_runs(job.config, job.data, files, hooks);
    CHECK(stopped.was_stopped);
    REQUIRE(stopped.has_checkpoint);
    std::vector<std::string> notes;
    const TrainedRuns rest =
        train_runs(job.config, job.data, {.resume = checkpoint_path(job.config, files)},
                   {.note = [&](const std::string& line) { notes.push_back(line); }});
    check_same(rest, whole);
    if (epochs > 5) CHECK_THAT(notes.at(0), Contains("continues after 1 run") || Contains("continues after 2 runs"));
  }
}

TEST_CASE("where a job keeps its state depends on whether it has one", "[train][train_runs]") {
  ToyRuns job;
  const RunFiles files{.model = "m"};
  job.config.runs = 1;
  CHECK(has_state(job.config));
  CHECK(checkpoint_path(job.config, files) == "m.checkpoint");
  CHECK(checkpoint_path(job.config, {.model = "m", .checkpoint = "c"}) == "c");
  CHECK(checkpoint_path(job.config, {}).empty());
  job.config.ensemble = 2;
  CHECK(!has_state(job.config));
  CHECK(checkpoint_path(job.config, files).empty());
  CHECK_NOTHROW(check_state(job.config, files));
  CHECK_THROWS_WITH(check_state(job.config, {.resume = "c"}), Contains("cannot be resumed"));
  job.config.runs = 2;
  CHECK_NOTHROW(check_state(job.config, {.resume = "c"}));
  CHECK(checkpoint_path(job.config, files) == "m.checkpoint");
}
