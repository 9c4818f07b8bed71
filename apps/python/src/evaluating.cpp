#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/report/evaluation_page.hpp"
#include "edgewise/report/evaluation_result.hpp"
#include "edgewise/train/use/evaluation.hpp"
#include "jobs.hpp"
#include "model.hpp"
#include "tables.hpp"

namespace edgewise::python {
namespace {

/// A model on data whose labels are known.
struct Evaluated {
  train::ModelData loaded;
  train::Evaluation result;
  std::vector<std::string> notes;
};

Evaluated evaluated(const Model& model, const std::string& over, const std::string& part,
                    const std::string& negatives = "") {
  std::vector<std::string> notes;
  const train::ModelRequest request = request_of(model, over);
  train::ModelData loaded =
      train::load_model_data(train::open_model(model.restore(), request), train::Needs::labels, into(notes));
  train::Evaluation result = train::evaluate(loaded, request, part, into(notes), negatives);
  return {std::move(loaded), std::move(result), std::move(notes)};
}

/// The result of report::evaluation_json, with the number of "items" and the "notes".
std::string evaluate(const Model& model, const std::string& over, const Tables& tables, const std::string& part,
                     const std::string& negatives) {
  const Inputs found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  const auto [loaded, result, notes] = evaluated(model, over, part, negatives);
  json::Value object = report::evaluation_json(loaded, result);
  object.set("items", static_cast<std::int64_t>(result.items.size()));
  object.set("notes", notes);
  return json::dump(object);
}

/// The page of an evaluation, as HTML. `name` is that of the model, `call` what the page says how to do it again.
std::string evaluation_page(const Model& model, const std::string& over, const Tables& tables, const std::string& part,
                            const std::string& name, const std::string& call) {
  const Inputs found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  auto [loaded, result, notes] = evaluated(model, over, part);
  if (loaded.data.pairs) throw UsageError("report: not for models of pairs");
  return to_html(report::EvaluationPage{call, loaded, result, name, notes, report::places_of(loaded, result)});
}

}  // namespace

void bind_evaluating(nb::class_<Model>& model) {
  model.def("evaluate", &evaluate, nb::arg("over"), nb::arg("tables"), nb::arg("part"), nb::arg("negatives"))
      .def("evaluation_page", &evaluation_page, nb::arg("over"), nb::arg("tables"), nb::arg("part"), nb::arg("name"),
           nb::arg("call"));
}

}  // namespace edgewise::python
