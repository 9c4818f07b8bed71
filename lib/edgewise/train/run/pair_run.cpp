#include "edgewise/train/run/pair_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/nn/presets.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/model/pair_writing.hpp"
#include "edgewise/train/run/run_record.hpp"
#include "edgewise/train/run/training_run.hpp"
#include "edgewise/train/source/collection_data.hpp"

namespace edgewise::train {
namespace {

std::vector<std::string> writing_models() {
  std::vector<std::string> names;
  for (const std::string& name : nn::preset_names())
    if (traits_of(name).writes) names.push_back(name);
  return names;
}

}  // namespace

void check_pairs_job(const Config& config) {
  const std::string name = config.model.name();
  if (name != "blocks" && !traits_of(name).writes)
    throw UsageError(
        fmt::format("model.preset: pairs need one of {}, got \"{}\"", fmt::join(writing_models(), ", "), name));
  if (config.ensemble > 1) throw UsageError("training.ensemble: a model for pairs is one model");
  if (!config.from.empty()) throw UsageError("training.from: not for pairs");
}

Run run_pairs(const Config& config, const Dataset& data, data::Split split, std::int64_t index, const FitHooks& hooks) {
  const PairItems& pairs = *data.pairs;
  report_step("preparing the tokens");
  Run run;
  PairMap map = PairMap::fit(data, data::nodes_with_role(split, data::Role::train));
  const PairSide sources = map.sources(pairs, data.reading.longest, &run.notes);
  const PairSide targets = map.targets(pairs, data.reading.longest);
  const data::Labels labels{
      .names = map.target().names(), .classes = PairMap::next_tokens(targets), .targets = {}};
  TrainOptions options = config.training;
  options.seed += static_cast<std::uint64_t>(index);
  nn::Model model = make_fitting_model(config.model.json(), pair_shape(sources, targets), options.seed);
  PairBatches batches(sources, targets, {.batch_size = static_cast<std::size_t>(options.batch_size)});
  run.report = fit(model, batches, labels, spread_over_nodes(split, targets.offsets), options, hooks);
  const SearchOptions search{.beam = kUsualBeam};
  const auto add = [&](data::Role role, Metrics& metrics) {
    const Metrics written = writing_metrics(model, map, pairs, sources, data::nodes_with_role(split, role), search);
    metrics.insert(metrics.end(), written.begin(), written.end());
  };
  if (!run.report.was_stopped) add(data::Role::validation, run.report.validation);
  if (!run.report.was_stopped) add(data::Role::test, run.report.test);
  run.split = std::move(split);
  run.parameters = model.parameter_count();
  run.inputs = static_cast<std::size_t>(sources.columns + targets.columns);
  run.trained.emplace(TrainedModel{.model = std::move(model),
                                   .data = data.reading,
                                   .split = config.split,
                                   .features = {},
                                   .label_names = labels.names,
                                   .scaler = {},
                                   .training = training_record(config, options, data, index, run),
                                   .pairs = std::move(map)});
  return run;
}

}  // namespace edgewise::train
