#include "edgewise/train/choose/choice_state.hpp"

#include <fmt/format.h>

#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/train/config/variant.hpp"
#include "edgewise/train/model/known_items.hpp"
#include "edgewise/train/run/run_result.hpp"
#include "edgewise/train/run/run_set.hpp"
#include "edgewise/train/run/saved_run.hpp"
#include "edgewise/train/targets/read_metric.hpp"

namespace edgewise::train {
namespace {

std::string prefix_of(std::size_t place) { return fmt::format("choice.{}.", place); }

json::Array texts_to_json(const std::vector<std::string>& texts, std::size_t count) {
  return {texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(count)};
}

json::Value contender_to_json(ChoiceState& state, std::size_t place, const Dataset& data, CheckpointNote& note) {
  json::Value saved = json::Object{{"name", state.contenders[place].name()},
                                   {"validation", state.contenders[place].validation.front()},
                                   {"model", state.models[place].json()},
                                   {"cost", state.costs[place]}};
  if (place >= state.runs.size() || !state.runs[place]) return saved;
  Run& run = *state.runs[place];
  run.split_mark = fingerprint_of(data, run.split);
  json::Value of_run = to_json(run);
  of_run.set("notes", texts_to_json(run.notes, run.notes.size()));
  save_run(prefix_of(place), run, of_run, note);
  saved.set("run", std::move(of_run));
  return saved;
}

Run run_from_json(const std::string& path, const json::Value& saved, std::size_t place, const JobMetrics& job,
                  const CheckpointNote& note, const Dataset& data, const data::Split& split) {
  Run run{run_result_from_json(saved, job)};
  run.split = split;
  run.notes = saved.at("notes").as_strings();
  restore_run(path, prefix_of(place), saved, note, data, run);
  if (!run.trained) throw ModelError(fmt::format("{}: the checkpoint lacks a model that was tried", path));
  run.report.scaler = run.trained->scaler;
  return run;
}

}  // namespace

ChoiceCursor mark_of(const ChoiceState& state) {
  return {.steps = state.steps,
          .work = state.work,
          .candidates = state.choice.candidates.size(),
          .contenders = state.contenders.size(),
          .notes = state.notes.size(),
          .left_out = state.left_out.size(),
          .leader = state.leader};
}

void save_choice(ChoiceState& state, const ChoiceCursor& mark, const Dataset& data, CheckpointNote& note) {
  Choice choice = state.choice;
  choice.candidates.resize(mark.candidates);
  json::Array contenders;
  for (std::size_t place = 0; place < mark.contenders; ++place)
    contenders.push_back(contender_to_json(state, place, data, note));
  note.value.set(kChoiceMember, json::Object{{"steps", static_cast<std::int64_t>(mark.steps)},
                                             {"work", mark.work},
                                             {"choice", to_json(choice)},
                                             {"contenders", std::move(contenders)},
                                             {"notes", texts_to_json(state.notes, mark.notes)},
                                             {"left_out", texts_to_json(state.left_out, mark.left_out)},
                                             {"leader", mark.leader}});
}

ChoiceState restore_choice(const std::string& path, const Config& config, const Dataset& data,
                           const data::Split& split) {
  const CheckpointContent content = read_checkpoint(path);
  const json::Value& about = content.note.value;
  const json::Value* saved = about.is_object() ? about.find(kChoiceMember) : nullptr;
  if (saved == nullptr) throw UsageError(fmt::format("{}: the checkpoint is of one model; name it to resume", path));
  try {
    const JobMetrics job = job_metrics(config, data);
    ChoiceState state{.steps = static_cast<std::size_t>(saved->at("steps").as_integer()),
                      .work = saved->at("work").as_number(),
                      .choice = choice_from_json(saved->at("choice"), job.metric),
                      .contenders = {},
                      .models = {},
                      .costs = {},
                      .runs = {},
                      .notes = saved->at("notes").as_strings(),
                      .left_out = saved->at("left_out").as_strings(),
                      .leader = saved->at("leader")};
    for (const json::Value& one : saved->at("contenders").as_array()) {
      const std::size_t place = state.contenders.size();
      state.contenders.push_back({.variant = variant_named(one.at("name").as_string()),
                                  .validation = {read_metric(one.at("validation"), job.metric)}});
      state.models.push_back(one.at("model"));
      state.costs.push_back(one.at("cost").as_number());
      const json::Value* run = one.find("run");
      state.runs.push_back(run == nullptr ? std::nullopt
                                          : std::optional(run_from_json(path, *run, place, job, content.note, data,
                                                                        split)));
    }
    return state;
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("{}: the checkpoint's choice is damaged: {}", path, error.what()));
  }
}

}  // namespace edgewise::train
