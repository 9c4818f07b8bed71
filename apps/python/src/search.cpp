#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/report/comparison_page.hpp"
#include "edgewise/train/choose/compare_models.hpp"
#include "edgewise/train/choose/tune_models.hpp"
#include "edgewise/train/source/merge_configs.hpp"
#include "jobs.hpp"
#include "tables.hpp"

namespace edgewise::python {
namespace {

void report(const nb::object& on_training, const train::TuningStep& step) {
  nb::dict of;
  of["trial"] = step.trial.number;
  of["epochs"] = step.epochs;
  of["validation"] = step.validation;
  of["seconds"] = step.seconds;
  of["settings"] = nb::module_::import_("json").attr("loads")(json::dump(step.trial.settings));
  on_training(of);
}

/// The configuration of trials with `settings`, which may change that to start from, but not what is `fixed`.
json::Value with_settings(const json::Value& start, const json::Value& settings, const json::Value& fixed) {
  return train::merge_configs(train::merge_configs(start, settings), fixed);
}

/// The model and the training of a configuration, for other calls with the same data.
json::Value without_data(const json::Value& config) {
  json::Value rest{json::Object{}};
  for (const char* section : {"model", "training"})
    if (const json::Value* part = config.find(section)) rest.set(section, *part);
  return rest;
}

/// Searches as `edgewise tune`, from the configuration `start_text`, with that in `fixed_text` the same in all trials;
/// without `models`, all that suit the data. `log_file` may be empty. Returns JSON:
/// that of the search, "config", what to train the best with on the same data, "notes", and its "page", which says
/// `call` for how to do it again.
std::string tune(const std::string& start_text, const std::string& fixed_text, const std::vector<std::string>& models,
                 const std::optional<std::string>& budget, std::int64_t brackets, const std::string& log_file,
                 const std::string& call, const nb::object& on_training, const Tables& tables) {
  const Inputs found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  const json::Value start = given_config(start_text), fixed = given_config(fixed_text);
  train::TuningPlan plan;
  plan.config_of = [&](const json::Value& settings) { return job_config(with_settings(start, settings, fixed)); };
  plan.seconds = train::time_limit(budget, brackets);
  if (brackets > 0) plan.brackets = brackets;
  const train::Config config = plan.config_of(json::Object{});
  train::check_comparable(config);
  const train::Dataset data = train::read_comparable(config, parts_of_process());
  plan.models = train::models_to_tune(models, config, data);
  plan.are_models_named = !models.empty();
  train::ResultLog log =
      train::open_search_log(log_file, config, plan, data, train::input_files(config.data, config.split));
  train::TuningHooks during;
  train::use_log(log, during);
  during.keep = [&, keep = std::move(during.keep)](const train::TuningStep& step) {
    keep(step);
    hooks.call([&] {
      if (!on_training.is_none()) report(on_training, step);
    });
  };
  during.training = hooks.of_training();
  const train::Search search = train::tune_models(plan, data, during);
  hooks.raise_if_any();
  std::vector<std::string> notes = data.notes;
  for (const auto& [problem, count] : search.problems) notes.push_back(problem);
  json::Value result = train::to_json(search);
  result.set("config", without_data(with_settings(start, search.best->trial.settings, fixed)));
  result.set("notes", notes);
  result.set("page", report::tuning_page({call, config, data, result}, search, plan.models.size(), ""));
  return json::dump(result);
}

}  // namespace

void bind_search(nb::module_& module) {
  module.def("tune", &tune, nb::arg("start"), nb::arg("fixed"), nb::arg("models"), nb::arg("budget").none(),
             nb::arg("brackets"), nb::arg("log"), nb::arg("call"), nb::arg("on_training").none(), nb::arg("tables"));
}

}  // namespace edgewise::python
