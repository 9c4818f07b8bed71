#include "edgewise/report/choices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/report/metric_text.hpp"
#include "edgewise/train/loop/runs.hpp"

namespace edgewise::report {
namespace {

/// One model over all runs in which it was tried.
struct Tried {
  train::Candidate last;
  std::vector<double> validation;
  std::int64_t kept = 0;
  std::int64_t averaged = 0;
  std::int64_t dropped = 0;
  std::int64_t epochs = 0;
  double seconds = 0;
};

std::vector<Tried> gather(const std::vector<train::Choice>& choices) {
  std::vector<Tried> all;
  for (const train::Choice& choice : choices)
    for (const train::Candidate& candidate : choice.candidates) {
      auto found =
          std::find_if(all.begin(), all.end(), [&](const Tried& one) { return one.last.model == candidate.model; });
      if (found == all.end()) found = all.insert(all.end(), Tried{});
      found->last = candidate;
      found->validation.push_back(candidate.validation);
      found->kept += choice.chosen == candidate.model ? 1 : 0;
      found->averaged += candidate.is_averaged ? 1 : 0;
      found->dropped += candidate.was_dropped ? 1 : 0;
      found->epochs += candidate.epochs;
      found->seconds += candidate.seconds;
    }
  return all;
}

std::string outcome_of_run(const Tried& tried) {
  if (tried.kept > 0) return "kept";
  if (tried.averaged > 0) return "averaged";
  if (tried.last.is_baseline) return "no model to keep";
  return tried.dropped > 0 ? "given up early" : "";
}

/// With several runs, the model of one of them is kept, and that of another is only the best there.
std::string outcome(const Tried& tried, const std::string& kept, std::size_t runs) {
  if (runs == 1) return outcome_of_run(tried);
  const auto in_runs = [&](std::int64_t count) { return fmt::format("in {} of {}", count, runs); };
  if (tried.last.model == kept) return "kept, the best " + in_runs(tried.kept);
  if (tried.kept > 0) return "the best " + in_runs(tried.kept);
  if (tried.averaged > 0) return "averaged " + in_runs(tried.averaged);
  if (tried.last.is_baseline) return "no model to keep";
  return tried.dropped > 0 ? "given up early " + in_runs(tried.dropped) : "";
}

}  // namespace

json::Value choices_json(const std::vector<train::Choice>& choices, std::size_t kept) {
  json::Value object;
  object.set("metric", choices.at(kept).metric);
  json::Array models;
  for (const Tried& tried : gather(choices)) {
    json::Value model;
    model.set("model", tried.last.model);
    model.set("validation", train::to_json(train::summarise(tried.validation)));
    model.set("kept", tried.kept);
    model.set("averaged", tried.averaged);
    model.set("given_up", tried.dropped);
    model.set("is_baseline", tried.last.is_baseline);
    model.set("epochs", tried.epochs);
    model.set("seconds", tried.seconds);
    models.push_back(std::move(model));
  }
  object.set("models", std::move(models));
  object.set("reason", choices.at(kept).reason);
  return object;
}

std::string choices_text(const std::vector<train::Choice>& choices, std::size_t kept) {
  std::string text = fmt::format("{:<30}{:>16}{:>10}{:>11}", "tried", "validation", "epochs", "time");
  for (const Tried& tried : gather(choices)) {
    const json::Value summary = train::to_json(train::summarise(tried.validation));
    const std::string epochs = tried.epochs == 0 ? "" : fmt::format("{}", tried.epochs);
    const std::string how = outcome(tried, choices.at(kept).chosen, choices.size());
    text += fmt::format("\n{:<30}{:>16}{:>10}{:>9.1f} s{}{}", tried.last.model, format_summary(summary), epochs,
                        tried.seconds, how.empty() ? "" : "  ", how);
  }
  return text + "\n" + choices.at(kept).reason;
}

}  // namespace edgewise::report
