#include <nanobind/stl/string.h>

#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/report/evaluation_page.hpp"
#include "edgewise/train/targets/metrics.hpp"
#include "edgewise/train/use/evaluation.hpp"
#include "jobs.hpp"
#include "model.hpp"
#include "tables.hpp"

namespace edgewise::python {
namespace {

json::Value by_class(const std::vector<std::string>& names, const std::vector<train::ClassReport>& reports) {
  json::Object classes;
  for (std::size_t i = 0; i < reports.size(); ++i)
    classes.emplace_back(names[i], json::Object{{"precision", reports[i].precision},
                                                {"recall", reports[i].recall},
                                                {"f1", reports[i].f1},
                                                {"count", reports[i].support}});
  return classes;
}

json::Value by_target(const std::vector<train::TargetMetrics>& metrics) {
  json::Object targets;
  for (const train::TargetMetrics& of : metrics) targets.emplace_back(of.target, train::to_json(of.metrics));
  return targets;
}

/// A model on data whose labels are known.
struct Evaluated {
  train::ModelData loaded;
  train::Evaluation result;
  std::vector<std::string> notes;
};

Evaluated evaluated(const Model& model, const std::string& over, const std::string& part) {
  std::vector<std::string> notes;
  const train::ModelRequest request = request_of(model, over);
  train::ModelData loaded =
      train::load_model_data(train::open_model(model.restore(), request), train::Needs::labels, into(notes));
  train::Evaluation result = train::evaluate(loaded, request, part, into(notes));
  return {std::move(loaded), std::move(result), std::move(notes)};
}

/// {"part": ..., "items": ..., "metrics": {...}, "classes": {...}, "targets": {...}, "notes": [...]}
std::string evaluate(const Model& model, const std::string& over, const Tables& tables, const std::string& part) {
  const Inputs found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  const auto [loaded, result, notes] = evaluated(model, over, part);
  return json::dump(json::Object{{"part", result.part},
                                 {"items", static_cast<std::int64_t>(result.items.size())},
                                 {"metrics", train::to_json(result.metrics)},
                                 {"classes", by_class(loaded.trained.label_names, result.classes)},
                                 {"targets", by_target(result.targets)},
                                 {"notes", notes}});
}

/// The page of an evaluation, as HTML. `name` is that of the model, `call` what the page says how to do it again.
std::string evaluation_page(const Model& model, const std::string& over, const Tables& tables, const std::string& part,
                            const std::string& name, const std::string& call) {
  const Inputs found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  const auto [loaded, result, notes] = evaluated(model, over, part);
  if (loaded.data.pairs) throw UsageError("report: not for models of pairs");
  return to_html(report::EvaluationPage{call, loaded, result, name, notes});
}

}  // namespace

void bind_evaluating(nb::class_<Model>& model) {
  model.def("evaluate", &evaluate, nb::arg("over"), nb::arg("tables"), nb::arg("part"))
      .def("evaluation_page", &evaluation_page, nb::arg("over"), nb::arg("tables"), nb::arg("part"), nb::arg("name"),
           nb::arg("call"));
}

}  // namespace edgewise::python
