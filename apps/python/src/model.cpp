#include "model.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "bindings.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "jobs.hpp"
#include "unlocked.hpp"

namespace edgewise::python {
namespace {

/// `name` is that of the model in messages.
Model load(const std::string& path, const std::string& name) {
  train::TrainedModel trained = train::load_trained_model(path);
  return {train::to_safetensors(trained), name};
}

void save(const Model& model, const std::string& path) {
  train::TrainedModel trained = model.restore();
  train::save_trained_model(path, trained);
}

std::string info(const Model& model) {
  const train::TrainedModel trained = model.restore();
  return json::dump(json::Object{{"task", std::string(trained.task.name)},
                                 {"shape", std::string(data::name_of(trained.task.shape))},
                                 {"labels", trained.label_names},
                                 {"training", trained.training.to_json()}});
}

}  // namespace

train::ModelRequest request_of(const Model& model, const std::string& over) {
  return {model.name, given_config(over), parts_of_process()};
}

train::NoteHook into(std::vector<std::string>& notes) {
  return [&notes](const std::string& line) { notes.push_back(line); };
}

void bind_models(nb::module_& module) {
  nb::class_<Model> model(module, "Model");
  model.def("save", &save, nb::call_guard<Unlocked>()).def("info", &info);
  bind_predicting(module, model);
  bind_links(module, model);
  bind_explaining(module, model);
  bind_evaluating(model);
  module.def("load", &load, nb::arg("path"), nb::arg("name"), nb::call_guard<Unlocked>());
}

}  // namespace edgewise::python
