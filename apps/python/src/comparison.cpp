#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/report/comparison_page.hpp"
#include "edgewise/train/choose/compare_models.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/loop/runs.hpp"
#include "edgewise/train/run/recipe.hpp"
#include "jobs.hpp"
#include "tables.hpp"

namespace edgewise::python {
namespace {

void report(const nb::object& on_model, const train::Contender& contender) {
  nb::dict of;
  of["model"] = contender.name();
  of["validation"] = train::summarise(contender.validation).mean;
  of["test"] = train::summarise(contender.test).mean;
  of["seconds"] = contender.seconds;
  on_model(of);
}

/// What to train the first of these with that leaves a model; null if none does.
json::Value config_to_train(const json::Array& models) {
  for (const json::Value& of : models) {
    json::Value config = train::contender_config(json::Object{}, of.at("model").as_string());
    if (!train::ModelConfig::of_job(config).has_no_model()) return config;
  }
  return {};
}

/// Compares as `edgewise compare`; without `models`, all that suit the data. `log` may be empty. Returns JSON: that of
/// the comparison, the "config" of `config_to_train`, "notes", and its "page", which says `call` for how to do it
/// again.
std::string compare(const std::string& config_text, std::vector<std::string> models, const std::string& log_file,
                    const std::string& call, const nb::object& on_model, const Tables& tables) {
  const Inputs found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  json::Value given = given_config(config_text);
  if (json::find_at(given, "training.runs") == nullptr) json::set_at(given, "training.runs", train::kComparedRuns);
  train::ComparisonPlan plan{
      .models = {},
      .config_of = [&](const std::string& model) { return job_config(train::contender_config(given, model)); },
      .with_variants = models.empty(),
      .with_average = true};
  for (const std::string& model : models) train::check_model_name(plan.config_of(model).model);
  const train::Config config = plan.config_of("");
  train::check_comparable(config);
  const train::Dataset data = train::read_comparable(config, parts_of_process());
  std::vector<std::string> skipped;
  train::ComparisonHooks during;
  during.note = [&](const std::string& line) { skipped.push_back(line); };
  during.on_contender = [&](const train::Contender& contender) {
    hooks.call([&] {
      if (!on_model.is_none()) report(on_model, contender);
    });
  };
  during.training = hooks.of_training();
  train::ResultLog log =
      train::open_comparison_log(log_file, config, data, train::input_files(config.data, config.split));
  train::use_log(log, during);
  plan.models = models.empty() ? train::models_to_compare(config, data) : std::move(models);
  const train::Comparison comparison = train::compare_models(plan, data, during);
  hooks.raise_if_any();
  if (comparison.contenders.empty())
    throw UsageError(fmt::format("compare: no model fits the data: {}", fmt::join(skipped, "; ")));
  std::vector<std::string> notes = data.notes;
  notes.insert(notes.end(), skipped.begin(), skipped.end());
  json::Value result = train::to_json(comparison, data, plan.models.size());
  result.set("config", config_to_train(result.at("models").as_array()));
  result.set("notes", notes);
  result.set("page", report::comparison_page({call, config, data, result}));
  return json::dump(result);
}

}  // namespace

void bind_comparison(nb::module_& module) {
  module.def("compare", &compare, nb::arg("config"), nb::arg("models"), nb::arg("log"), nb::arg("call"),
             nb::arg("on_model").none(), nb::arg("tables"));
}

}  // namespace edgewise::python
