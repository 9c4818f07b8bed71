#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/report/epoch_log.hpp"
#include "edgewise/report/train_page.hpp"
#include "edgewise/report/train_result.hpp"
#include "edgewise/train/choose/train_runs.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/run/recipe.hpp"
#include "edgewise/train/targets/metrics.hpp"
#include "jobs.hpp"
#include "model.hpp"
#include "tables.hpp"

namespace edgewise::python {
namespace {

struct Training {
  Model model;
  Predictions predictions;
  std::string runs;  ///< JSON
  std::string page;  ///< HTML
  std::vector<std::string> notes;
};

json::Value run_to_json(const train::RunResult& run) {
  json::Value report = json::Object{{"epochs", run.report.epochs},
                                    {"best_epoch", run.report.best_epoch},
                                    {"seconds", run.report.seconds},
                                    {"parameters", static_cast<std::int64_t>(run.parameters)},
                                    {"metric", run.report.metric},
                                    {"train", train::to_json(run.report.train)},
                                    {"validation", train::to_json(run.report.validation)},
                                    {"test", train::to_json(run.report.test)}};
  if (run.choice) report.set("choice", train::to_json(*run.choice));
  return report;
}

train::Config config_of_training(const std::string& text) {
  const train::Config config = job_config(given_config(text));
  train::check_model_name(config.model);
  if (config.model.has_no_model())
    throw UsageError(fmt::format("model.preset: {} leaves no model", config.model.name()));
  if (train::is_pretraining(config.data))
    throw UsageError(
        fmt::format("data.task: {} makes a model to start from, on the command line only", config.data.task));
  return config;
}

/// Hooks that also keep the epochs for a page.
train::RunHooks logged(train::JobHooks fit, report::EpochLog& epochs, std::vector<std::string>& notes) {
  train::RunHooks hooks{.fit = std::move(fit), .note = into(notes)};
  hooks.on_start = [&epochs](std::int64_t run, std::uint64_t) { epochs.start_run(run); };
  hooks.fit.on_model = [&epochs, next = std::move(hooks.fit.on_model)](const std::string& model) {
    epochs.start_model(model);
    next(model);
  };
  hooks.fit.on_epoch = [&epochs, next = std::move(hooks.fit.on_epoch)](const train::EpochRecord& record) {
    epochs.add(record);
    next(record);
  };
  return hooks;
}

/// Trains as `edgewise train --config`, and keeps the best run. `call` is what the page says how to do it again.
Training train_job(const std::string& config_text, const std::string& call, const nb::object& on_epoch,
                   const Tables& tables) {
  const Inputs found = in_memory(tables);
  Hooks hooks(on_epoch);
  const Released released(hooks);
  const train::Config config = config_of_training(config_text);
  train::LoadOptions options = train::load_options_for(config);
  options.parts = parts_of_process();
  const train::Dataset data = train::read_dataset(config.data, options);
  train::check_runs(data, config.split, config.runs);
  Training training;
  training.notes = data.notes;
  report::EpochLog epochs;
  train::TrainedRuns trained = train::train_runs(config, data, {}, logged(hooks.of_training(), epochs, training.notes));
  hooks.raise_if_any();
  if (trained.set.empty()) throw Interrupted{};
  json::Array runs;
  for (const train::RunResult& run : trained.set.results()) runs.push_back(run_to_json(run));
  training.runs = json::dump(runs);
  if (!data.pairs)
    training.page =
        to_html(report::TrainPage{call, config, data, trained, report::train_result(config, data, trained), epochs});
  train::Run& best = trained.set.best();
  training.predictions = make_predictions(data, data.labels.names, data.labels.task, std::move(best.predictions),
                                          std::move(best.deviations));
  training.model = {train::to_safetensors(*best.trained), "the model"};
  return training;
}

}  // namespace

void bind_training(nb::module_& module) {
  nb::class_<Training>(module, "Training")
      .def_ro("model", &Training::model)
      .def_ro("predictions", &Training::predictions)
      .def_ro("runs", &Training::runs)
      .def_ro("page", &Training::page)
      .def_ro("notes", &Training::notes);
  module.def("train", &train_job, nb::arg("config"), nb::arg("call"), nb::arg("on_epoch").none(), nb::arg("tables"));
}

}  // namespace edgewise::python
