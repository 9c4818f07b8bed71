#include "edgewise/train/choose/kept_models.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "edgewise/data/splits.hpp"
#include "edgewise/train/loop/ensemble.hpp"
#include "edgewise/train/targets/evaluate.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::train {
namespace {

double validation_of_average(const ChoiceState& state, const Dataset& data, const std::vector<std::size_t>& places) {
  Ensemble ensemble;
  for (const std::size_t place : places) ensemble.add(state.runs[place]->predictions);
  const Run& first = *state.runs[places.front()];
  return metric(evaluate(data.labels, ensemble.mean(), data::nodes_with_role(first.split, data::Role::validation),
                         first.report.scaler.deviation()),
                state.choice.metric);
}

double validation_of(const ChoiceState& state, std::size_t place) {
  return state.contenders[place].validation.front();
}

/// Whether the best is not ahead of `value` by more than half a standard error.
bool is_as_good(const ChoiceState& state, double value, const Sample& sample) {
  const double best = best_value(state);
  return lead(state.choice.metric, best, value) <= chance(state.choice.metric, best, sample) / 4;
}

/// The best contender and those that validation cannot distinguish from it. While their average is not as good as the
/// best alone, the last of them is left out.
Kept alike_to_keep(const ChoiceState& state, const Dataset& data, const Sample& sample) {
  std::vector<std::size_t> places = alike(state.contenders, state.choice.metric, sample);
  while (places.size() > 1 && !is_as_good(state, validation_of_average(state, data, places), sample))
    places.pop_back();
  return {std::move(places)};
}

/// Two to average if that pays: the best network and the best of other kinds, since trees and networks make different
/// errors; of models of atoms, and of labels in networks of kinds, of which trees see little, the two best. None if
/// there are no two.
std::vector<std::size_t> to_average(const ChoiceState& state, const Dataset& data) {
  std::vector<std::size_t> places;
  if (data.atoms || (data.kinds && !data.links)) {
    places.resize(state.contenders.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::erase_if(places, [&](std::size_t place) { return !state.runs[place]; });
    std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) {
      return lead(state.choice.metric, validation_of(state, a), validation_of(state, b)) > 0;
    });
    places.resize(std::min<std::size_t>(places.size(), 2));
  } else {
    for (const bool are_networks : {true, false})
      if (const auto best = best_of_kind(state.contenders, state.choice.metric, are_networks)) places.push_back(*best);
  }
  return places.size() < 2 ? std::vector<std::size_t>() : places;
}

/// The average of two if that pays. Otherwise the cheapest of the contenders that are as good as the best.
Kept best_to_keep(const ChoiceState& state, const Dataset& data, const Sample& sample) {
  if (std::vector<std::size_t> places = to_average(state, data); !places.empty()) {
    const double value = validation_of_average(state, data, places);
    if (pays(state.choice.metric, value, best_value(state), sample)) return {std::move(places), value};
  }
  const std::size_t best = best_of(state.contenders, state.choice.metric);
  std::size_t cheapest = best;
  for (std::size_t i = 0; i < state.contenders.size(); ++i)
    if (state.runs[i] && is_as_good(state, validation_of(state, i), sample) && state.costs[i] < state.costs[cheapest])
      cheapest = i;
  return {.places = {cheapest}, .as_good_as = best};
}

/// Of ties and in networks of kinds: the average of two if it is ahead of the best. It need only be as good if that is
/// a network, whose epoch was chosen by the same items, which flatters it.
Kept average_to_keep(const ChoiceState& state, const Dataset& data, const Sample& sample) {
  const std::size_t best = best_of(state.contenders, state.choice.metric);
  std::vector<std::size_t> places = to_average(state, data);
  if (places.empty()) return {.places = {best}};
  const double value = validation_of_average(state, data, places);
  const bool is_ahead = lead(state.choice.metric, value, best_value(state)) > 0;
  if (is_ahead) return {.places = std::move(places), .average = value};
  const bool is_network = best_of_kind(state.contenders, state.choice.metric, /*are_networks=*/true) == best;
  if (!is_network || !is_as_good(state, value, sample)) return {.places = {best}};
  return {.places = std::move(places), .average = value, .as_good_as = best};
}

}  // namespace

bool pays(const std::string& metric, double value, double plain, const Sample& sample) {
  return lead(metric, value, plain) > chance(metric, plain, sample) / 4;
}

double best_value(const ChoiceState& state) {
  return state.contenders[best_of(state.contenders, state.choice.metric)].validation.front();
}

Kept to_keep(const ChoiceState& state, const Dataset& data, const Sample& sample) {
  if (data.links || data.kinds) return average_to_keep(state, data, sample);
  return data.graphs ? alike_to_keep(state, data, sample) : best_to_keep(state, data, sample);
}

void drop_losers(ChoiceState& state, const Dataset& data, const Sample& sample) {
  if (data.graphs) return;
  const std::vector<std::size_t> averaged = to_average(state, data);
  for (std::size_t i = 0; i < state.runs.size(); ++i)
    if (std::ranges::count(averaged, i) == 0 && !is_as_good(state, validation_of(state, i), sample))
      state.runs[i].reset();
}

}  // namespace edgewise::train
