#include "edgewise/train/choose/tuning.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "edgewise/nn/presets.hpp"

using namespace edgewise;
using train::Trial;
using train::TuningOptions;
using train::TuningStep;

namespace {

const TuningOptions kOptions{.models = {"mlp", "gcn", "gat", "gatv2"}, .epochs = 90, .metric = "accuracy", .seed = 3};

/// The closer the number of a trial is to `best`, the better it is. Trials improve with the epochs.
train::TryTrial good_at(std::int64_t best) {
  return [best](const Trial& trial, std::int64_t epochs) {
    const double distance = std::abs(static_cast<double>(trial.number - best));
    return TuningStep{
        .trial = trial, .epochs = epochs, .validation = (1 - distance / 100) * static_cast<double>(epochs) / 90};
  };
}

}  // namespace

TEST_CASE("a search halves its trials and finds the best of them", "[train][tuning]") {
  TuningOptions options = kOptions;
  options.brackets = 2;
  const std::vector<TuningStep> steps = train::tune(options, good_at(7));
  // 4 models, 2, 1; then 9 random trials, 3, 1.
  REQUIRE(steps.size() == 4 + 2 + 1 + 9 + 3 + 1);
  CHECK(steps[0].epochs == 10);
  CHECK(steps[4].epochs == 30);
  CHECK(steps[6].epochs == 90);
  CHECK(steps[6].trial.number == 3);
  CHECK(train::best_step(steps, "accuracy")->trial.number == 7);
  CHECK(train::best_step(steps, "rmse")->trial.number == 3);
}

TEST_CASE("an automatic choice comes first, and is kept if nothing is better", "[train][tuning]") {
  TuningOptions options = kOptions;
  options.brackets = 2;
  options.starts_with_choice = true;
  const std::vector<TuningStep> steps = train::tune(options, good_at(0));
  REQUIRE(steps.size() == 1 + 4 + 2 + 1 + 9 + 3 + 1);
  CHECK(steps[0].epochs == 90);
  CHECK(steps[0].trial.settings == json::Value(json::Object{}));
  CHECK(steps[1].trial.settings.at("model").at("preset") == json::Value("mlp"));
  CHECK(train::best_step(steps, "accuracy")->trial.number == 0);
}

TEST_CASE("a search ends when a trial says so, with the best of those with the most epochs", "[train][tuning]") {
  int left = 6;
  const auto steps = train::tune(kOptions, [&](const Trial& trial, std::int64_t epochs) -> std::optional<TuningStep> {
    if (left-- == 0) return std::nullopt;
    return good_at(0)(trial, epochs);
  });
  REQUIRE(steps.size() == 6);
  CHECK(train::best_step(steps, "accuracy")->epochs == 30);
  CHECK(train::best_step({}, "accuracy") == nullptr);
}

TEST_CASE("a failed trial is never the best", "[train][tuning]") {
  TuningOptions options = kOptions;
  options.brackets = 1;
  const auto steps = train::tune(options, [](const Trial& trial, std::int64_t epochs) {
    TuningStep step{.trial = trial, .epochs = epochs};
    if (trial.number == 2) step.validation = 0.5;
    return step;
  });
  CHECK(train::best_step(steps, "accuracy")->trial.number == 2);
  CHECK(train::best_step(steps, "accuracy")->epochs == 90);
}

TEST_CASE("trials are drawn by seed and number, and are valid models", "[train][tuning]") {
  std::set<std::string> seen;
  for (std::int64_t number = 0; number < 60; ++number) {
    const Trial trial = train::make_trial(kOptions, number);
    CHECK(trial.settings == train::make_trial(kOptions, number).settings);
    CHECK_NOTHROW(nn::expand_preset(trial.settings.at("model")));
    seen.insert(json::dump(trial.settings));
  }
  CHECK(seen.size() == 60);
  TuningOptions other = kOptions;
  other.seed = 4;
  CHECK_FALSE(train::make_trial(other, 10).settings == train::make_trial(kOptions, 10).settings);
}
