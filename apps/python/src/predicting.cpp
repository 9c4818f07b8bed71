#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/use/interval_columns.hpp"
#include "edgewise/train/use/molecule_lists.hpp"
#include "edgewise/train/use/pair_prediction.hpp"
#include "edgewise/train/use/prediction_table.hpp"
#include "jobs.hpp"
#include "model.hpp"
#include "tables.hpp"

namespace edgewise::python {
namespace {

std::vector<std::string> names_of(const graph::NodeNames& names) {
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (graph::Node i = 0; i < names.size(); ++i) texts.emplace_back(names[i]);
  return texts;
}

/// The texts of the selected items, or of all.
std::vector<std::string> selected(std::vector<std::string> all, const std::vector<graph::Node>& selection) {
  if (all.empty() || selection.empty()) return all;
  std::vector<std::string> some;
  for (const graph::Node item : selection) some.push_back(std::move(all[item]));
  return some;
}

/// The columns of lists of a table of predictions for atoms and bonds.
std::vector<io::TextColumn> lists_of(const train::TrainedModel& trained, double level, const train::Dataset& data,
                                     const Matrix& values, const Matrix& deviations) {
  io::Predictions table = train::prediction_table(data, trained.task, trained.label_names, values, deviations, {});
  if (level != 0) train::add_intervals(trained, level, table);
  std::vector<io::TextColumn> lists = train::as_lists(data, std::move(table)).after;
  std::erase_if(lists, [](const io::TextColumn& column) { return !column.is_json; });
  return lists;
}

/// Of the nodes `wanted`, or of all items; with sets or intervals of a `level` above 0.
Predictions predict(const Model& model, const std::string& over, const Tables& tables,
                    const std::optional<std::vector<std::string>>& wanted, bool with_embeddings, double level) {
  const Inputs found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  std::vector<std::string> notes;
  train::OpenModel open = train::open_model(model.restore(), request_of(model, over));
  if (level != 0) open.trained.calibration.check_level(level);
  train::PredictionOptions options{.with_embeddings = with_embeddings};
  if (wanted)
    options.select = [&](const graph::NodeNames& names) { return find_all("nodes_to_predict", *wanted, names); };
  train::Prediction answer = train::predict_all(open, options, into(notes));
  train::Intervals intervals;
  if (level != 0) intervals = open.trained.calibration.intervals(answer.values, answer.deviations, level);
  Predictions predictions = make_predictions(answer.data, open.trained.label_names, open.trained.task,
                                             std::move(answer.values), std::move(answer.deviations));
  if (wanted) predictions.names = *wanted;
  if (answer.data.atoms)
    predictions.lists = lists_of(open.trained, level, answer.data, predictions.values, predictions.deviations);
  predictions.embeddings = std::move(answer.embeddings);
  predictions.intervals = std::move(intervals);
  predictions.unlike = selected(std::move(answer.domain_report.reasons), answer.selection);
  predictions.similarity = std::move(answer.domain_report.similarity);
  predictions.notes = std::move(notes);
  return predictions;
}

/// For each source [[text, log probability], ...], best first.
std::string write(const Model& model, std::vector<std::string> sources, std::int64_t beam) {
  Hooks hooks{nb::none()};
  const Released released(hooks);
  if (beam < 1) throw UsageError(fmt::format("beam: expected 1 or more, got {}", beam));
  json::Array all;
  for (const std::vector<train::Writing>& found : train::predict_texts(model.restore(), model.name, std::move(sources),
                                                                       {.beam = static_cast<std::size_t>(beam)})) {
    json::Array hypotheses;
    for (const train::Writing& one : found) hypotheses.push_back(json::Array{one.text, one.log_probability});
    all.push_back(std::move(hypotheses));
  }
  return json::dump(std::move(all));
}

}  // namespace

std::vector<graph::Node> find_all(const char* argument, const std::vector<std::string>& wanted,
                                  const graph::NodeNames& names) {
  std::vector<graph::Node> nodes;
  for (const std::string& name : wanted) {
    const std::optional<graph::Node> node = names.find(name);
    if (!node) throw UsageError(fmt::format("{}: there is no node \"{}\"", argument, name));
    nodes.push_back(*node);
  }
  return nodes;
}

Predictions make_predictions(const train::Dataset& data, std::vector<std::string> labels, const data::Task& task,
                             Matrix values, Matrix deviations) {
  Predictions predictions{.names = names_of(data.items()),
                          .labels = std::move(labels),
                          .task = std::string(task.name),
                          .shape = std::string(data::name_of(task.shape)),
                          .values = std::move(values),
                          .deviations = std::move(deviations)};
  if (const train::GraphItems* molecules = data.molecules()) predictions.problems = molecules->problems;
  return predictions;
}

void bind_predicting(nb::module_& module, nb::class_<Model>& model) {
  model
      .def("predict", &predict, nb::arg("over"), nb::arg("tables"), nb::arg("wanted").none(),
           nb::arg("with_embeddings"), nb::arg("level"))
      .def("write", &write, nb::arg("sources"), nb::arg("beam"));
  nb::class_<Predictions>(module, "Predictions")
      .def_ro("names", &Predictions::names)
      .def_ro("labels", &Predictions::labels)
      .def_ro("task", &Predictions::task)
      .def_ro("shape", &Predictions::shape)
      .def_ro("problems", &Predictions::problems)
      .def_ro("unlike", &Predictions::unlike)
      .def_ro("similarity", &Predictions::similarity)
      .def_ro("notes", &Predictions::notes)
      .def("lists",
           [](const Predictions& of) {
             std::vector<std::pair<std::string, std::vector<std::string>>> columns;
             for (const io::TextColumn& column : of.lists) columns.emplace_back(column.name, column.values);
             return columns;
           })
      .def("sets", [](const Predictions& of) { return to_numpy(of.intervals.sets); })
      .def("lower", [](const Predictions& of) { return to_numpy(of.intervals.lower); })
      .def("upper", [](const Predictions& of) { return to_numpy(of.intervals.upper); })
      .def("values", [](const Predictions& of) { return to_numpy(of.values); })
      .def("deviations", [](const Predictions& of) { return to_numpy(of.deviations); })
      .def("embeddings", [](const Predictions& of) { return to_numpy(of.embeddings); });
}

}  // namespace edgewise::python
