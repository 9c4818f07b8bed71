#include "edgewise/train/choose/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "edgewise/core/random.hpp"
#include "edgewise/nn/presets.hpp"
#include "edgewise/train/config/model_config.hpp"
#include "edgewise/train/targets/metric_kinds.hpp"

namespace edgewise::train {
namespace {

constexpr std::int64_t kDrawnTrials = 9;       // per bracket
constexpr std::int64_t kShares[] = {9, 3, 1};  // divisors of the epochs

template <class T>
T pick(Random& random, std::initializer_list<T> values) {
  return values.begin()[random.below(values.size())];
}

/// 10^x with uniform x, rounded to two digits.
double pick_magnitude(Random& random, double low, double high) {
  const std::string text = fmt::format("{:.1e}", std::pow(10.0, random.uniform(low, high)));
  double magnitude = 0;
  std::from_chars(text.data(), text.data() + text.size(), magnitude);
  return magnitude;
}

json::Value draw_settings(const TuningOptions& options, std::int64_t number) {
  Random random(options.seed, Stream::generate, static_cast<std::uint64_t>(number));
  const std::string& preset = options.models[random.below(options.models.size())];
  json::Value model = ModelConfig::named(preset).json();
  model.set("hidden", pick(random, {32, 64, 128, 256}));
  const std::int64_t depth = options.is_graph_level ? pick(random, {2, 3, 4, 5, 6}) : pick(random, {1, 2, 3, 4});
  model.set("layers", traits_of(preset).depth * depth);
  model.set("dropout", pick(random, {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}));
  if (nn::has_heads(preset)) {
    model.set("heads", pick(random, {1, 2, 4, 8}));
    model.set("attention_dropout", pick(random, {0.0, 0.1, 0.2, 0.4}));
  }
  json::Value training;
  training.set("learning_rate", pick_magnitude(random, -3.5, -1.7));
  training.set("weight_decay", random.below(4) == 0 ? 0 : pick_magnitude(random, -6, -2));
  return json::Object{{"model", std::move(model)}, {"training", std::move(training)}};
}

bool is_ahead(const TuningStep& step, const TuningStep& of, const std::string& metric) {
  return is_better(metric, step.validation, of.validation);
}

/// Returns false if the search is over.
bool run_bracket(std::vector<Trial> trials, const TuningOptions& options, const TryTrial& try_trial,
                 std::vector<TuningStep>& steps) {
  for (const std::int64_t share : kShares) {
    const std::size_t first = steps.size();
    for (const Trial& trial : trials) {
      std::optional<TuningStep> step = try_trial(trial, std::max<std::int64_t>(1, options.epochs / share));
      if (!step) return false;
      steps.push_back(std::move(*step));
    }
    std::vector<TuningStep> rung(steps.begin() + static_cast<std::ptrdiff_t>(first), steps.end());
    std::ranges::stable_sort(rung, [&](const auto& a, const auto& b) { return is_ahead(a, b, options.metric); });
    rung.resize((rung.size() + 2) / 3);
    trials.clear();
    for (TuningStep& step : rung) trials.push_back(std::move(step.trial));
  }
  return true;
}

}  // namespace

Trial make_trial(const TuningOptions& options, std::int64_t number) {
  const std::int64_t place = number - (options.starts_with_choice ? 1 : 0);  // among the other trials
  if (place < 0) return {number, json::Object{}};
  if (place >= std::ssize(options.models)) return {number, draw_settings(options, number)};
  const ModelConfig model = ModelConfig::named(options.models[static_cast<std::size_t>(place)]);
  return {number, json::Object{{"model", model.json()}}};
}

std::vector<TuningStep> tune(const TuningOptions& options, const TryTrial& try_trial) {
  std::vector<TuningStep> steps;
  std::int64_t next = 0;
  if (options.starts_with_choice) {
    std::optional<TuningStep> choice = try_trial(make_trial(options, next++), options.epochs);
    if (!choice) return steps;
    steps.push_back(std::move(*choice));
  }
  for (std::int64_t bracket = 0; bracket < options.brackets; ++bracket) {
    std::vector<Trial> trials;
    const std::int64_t count = bracket == 0 ? std::ssize(options.models) : kDrawnTrials;
    for (std::int64_t i = 0; i < count; ++i) trials.push_back(make_trial(options, next++));
    if (!run_bracket(std::move(trials), options, try_trial, steps)) break;
  }
  return steps;
}

const TuningStep* best_step(const std::vector<TuningStep>& steps, const std::string& metric) {
  const TuningStep* best = nullptr;
  for (const TuningStep& step : steps) {
    if (std::isnan(step.validation)) continue;
    const bool is_further = best == nullptr || step.epochs > best->epochs;
    if (is_further || (step.epochs == best->epochs && is_ahead(step, *best, metric))) best = &step;
  }
  return best;
}

}  // namespace edgewise::train
