#include "edgewise/train/use/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "edgewise/core/clock.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/job_batches.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "edgewise/train/source/atom_items.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/sources.hpp"
#include "edgewise/train/use/domain_report.hpp"
#include "edgewise/train/use/selection.hpp"

namespace edgewise::train {
namespace {

/// Those of the nodes that are the first of their molecule.
std::vector<graph::Node> first_of_molecules(const AtomItems& items, std::vector<graph::Node> nodes) {
  std::erase_if(nodes, [&](graph::Node node) { return !std::ranges::binary_search(items.molecules.offsets, node); });
  return nodes;
}

/// One line on how many items are unlike all of training.
void note_unlike(const Prediction& result, const NoteHook& note) {
  const std::vector<std::string>& reasons = result.domain_report.reasons;
  std::vector<graph::Node> items = result.selection;
  if (items.empty())
    for (graph::Node item = 0; item < reasons.size(); ++item) items.push_back(item);
  if (reasons.empty()) return;
  std::erase_if(items, [&](graph::Node item) { return reasons[item].empty(); });
  if (result.data.atoms) items = first_of_molecules(*result.data.atoms, items);
  if (items.empty()) return;
  const bool are_rows = result.data.graphs || result.data.atoms;
  const Noun noun = result.data.atoms ? result.data.atoms->molecules.noun() : result.data.noun();
  const std::string_view item_name = result.data.items()[items.front()];
  const std::string_view name = item_name.substr(0, result.data.atoms ? item_name.find(':') : item_name.npos);
  note(fmt::format("{} unlike those of training (column \"unlike\"), such as {}: {}",
                   counted(items.size(), fmt::format("{} is", noun.one), fmt::format("{} are", noun.many)),
                   are_rows ? fmt::format("row {}", name) : fmt::format("\"{}\"", name), reasons[items.front()]));
}

/// Predicts a range of rows of a table of molecules.
void predict_molecules(TrainedModel& trained, std::size_t first, std::size_t count, bool with_embeddings,
                       Prediction& result) {
  const Clock::time_point start = Clock::now();
  const Dataset piece = make_molecules(result.data, first, count);
  const std::vector<ModelInput> inputs = make_inputs(trained, piece);
  const Clock::time_point made = Clock::now();
  Matrix deviations;
  const auto row = static_cast<Eigen::Index>(first), rows = static_cast<Eigen::Index>(count);
  result.values.middleRows(row, rows) = predict(trained, piece, inputs, &deviations);
  if (deviations.size() > 0) {
    result.deviations.conservativeResize(result.values.rows(), deviations.cols());
    result.deviations.middleRows(row, rows) = deviations;
  }
  if (with_embeddings) {
    const Matrix part = embeddings(trained.model, *inputs.front().batches(piece));
    if (first == 0) result.embeddings.resize(result.values.rows(), part.cols());
    result.embeddings.middleRows(row, rows) = part;
  }
  result.nodes += piece.graph.node_count();
  result.featurise_seconds += seconds_between(start, made);
  result.predict_seconds += seconds_between(made, Clock::now());
}

/// Predicts the atoms or bonds of all rows.
Prediction predict_atoms(TrainedModel& trained, Dataset rows, bool with_embeddings, const NoteHook& note) {
  const Clock::time_point start = Clock::now();
  Prediction result;
  result.data = make_molecules(rows, 0, rows.items().size());
  note_bad_molecules(rows);
  result.data.notes = std::move(rows.notes);
  result.data.table = std::move(rows.table);
  result.data.graphs->names = result.data.table.names;
  result.data.graphs->problems = std::move(rows.graphs->problems);
  result.data.graphs->orders = std::move(rows.graphs->orders);
  make_atom_items({.needs_labels = false,
                   .known_labels = trained.label_names,
                   .known_task = std::string(trained.task.name),
                   .split_columns = trained.split.columns()},
                  result.data);
  for (const std::string& line : result.data.notes) note(line);
  const std::vector<ModelInput> inputs = make_inputs(trained, result.data);
  const Clock::time_point made = Clock::now();
  result.values = predict(trained, result.data, inputs, &result.deviations);
  if (with_embeddings) result.embeddings = embeddings(trained.model, *inputs.front().batches(result.data));
  result.nodes = result.data.graph.node_count();
  result.featurise_seconds = seconds_between(start, made);
  result.predict_seconds = seconds_between(made, Clock::now());
  result.domain_report = domain_report_of(trained, result.data);
  note_unlike(result, note);
  return result;
}

}  // namespace

Prediction predict_rows(TrainedModel& trained, Dataset rows, bool with_embeddings, const NoteHook& note) {
  if (rows.reading.labels_atoms()) return predict_atoms(trained, std::move(rows), with_embeddings, note);
  constexpr std::size_t kRowsAtOnce = 1024;
  Prediction result;
  result.data = std::move(rows);
  const std::size_t count = result.data.items().size();
  result.values.resize(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(trained.label_names.size()));
  for (std::size_t first = 0; first < count; first += kRowsAtOnce)
    predict_molecules(trained, first, std::min(kRowsAtOnce, count - first), with_embeddings, result);
  note_bad_molecules(result.data);
  std::set<std::string> far;  // the models of an average give the same notes
  for (const TrainedModel* kind : components_of(std::as_const(trained)))
    for (std::string& line : kind->descriptors.far_notes(result.data.table))
      if (far.insert(line).second) result.data.notes.push_back(std::move(line));
  for (const std::string& line : result.data.notes) note(line);
  result.domain_report = domain_report_of(trained, result.data);
  note_unlike(result, note);
  for (Matrix* rows_of : {&result.values, &result.deviations, &result.embeddings})
    fill_rows_with_nan(result.data.graphs->problems, *rows_of);
  return result;
}

namespace {

Matrix embeddings_of(ModelData& loaded) {
  return embeddings(loaded.trained.model, *loaded.inputs.front().batches(loaded.data));
}

/// Known labels spread over the whole graph: all nodes are predicted first.
void predict_then_select(bool with_embeddings, ModelData& loaded, Prediction& result) {
  const auto rows_of = [&](const Matrix& all) { return Matrix(all(result.selection, Eigen::all)); };
  Matrix deviations;
  result.values = rows_of(predict(loaded.trained, loaded.data, loaded.inputs, &deviations));
  if (deviations.size() > 0) result.deviations = rows_of(deviations);
  if (with_embeddings) result.embeddings = rows_of(embeddings_of(loaded));
  result.nodes = loaded.data.graph.node_count();
}

bool is_refined(const TrainedModel& trained) {
  return std::ranges::any_of(components_of(trained),
                             [](const TrainedModel* kind) { return kind->refinement.has_value(); });
}

/// Predicts some nodes, at the cost of the part of the graph that they see.
void predict_selected(const PredictionOptions& options, ModelData& loaded, Prediction& result) {
  if (loaded.data.graphs)
    throw UsageError(
        fmt::format("{}: is for the nodes of one graph; here graphs have the labels", setting("nodes_to_predict")));
  if (loaded.inputs.front().order.name != "none")
    throw UsageError(
        fmt::format("{}: cannot be combined with {}", setting("nodes_to_predict"), setting("training.reorder")));
  result.selection = options.select(loaded.data.items());
  if (is_refined(loaded.trained)) return predict_then_select(options.with_embeddings, loaded, result);
  SelectedPredictions selected =
      loaded.data.frozen
          ? predict_selection(loaded.trained, loaded.data.frozen, result.selection, options.with_embeddings)
          : predict_selection(loaded.trained, loaded.inputs, layout_of(loaded.data), result.selection,
                              options.with_embeddings);
  result.values = std::move(selected.values);
  result.deviations = std::move(selected.deviations);
  result.embeddings = std::move(selected.embeddings);
  result.nodes = selected.nodes;
}

/// Predicts nodes, or graphs that are not molecules.
Prediction predict_at_once(OpenModel& model, const PredictionOptions& options, const NoteHook& note) {
  const Clock::time_point start = Clock::now();
  ModelData loaded = load_model_data(std::move(model), Needs::features, note);
  const Clock::time_point read = Clock::now();
  Prediction result;
  if (options.select) {
    predict_selected(options, loaded, result);
  } else {
    result.values = predict(loaded.trained, loaded.data, loaded.inputs, &result.deviations);
    if (options.with_embeddings) result.embeddings = embeddings_of(loaded);
    result.nodes = loaded.data.graph.node_count();
  }
  if (!loaded.data.graphs) result.order = loaded.inputs.front().order.name;
  result.domain_report = domain_report_of(loaded.trained, loaded.data);
  result.read_seconds = seconds_between(start, read);
  result.predict_seconds = seconds_between(read, Clock::now());
  result.data = std::move(loaded.data);
  note_unlike(result, note);
  model.trained = std::move(loaded.trained);
  return result;
}

}  // namespace

Prediction predict_all(OpenModel& model, const PredictionOptions& options, const NoteHook& note) {
  if (model.trained.pairs)
    throw UsageError("predict: this model writes a target for each source: use write, or the command line");
  if (model.trained.links)
    throw UsageError("predict: the model says which ties there are: ask it with suggest or score_links");
  const Clock::time_point start = Clock::now();
  DataConfig config = model.config.data;
  config.label.clear();
  std::optional<Dataset> rows = read_molecule_rows(config, model.texts);
  if (!rows) return predict_at_once(model, options, note);
  for (const std::string& line : model.notes) note(line);
  if (options.select)
    throw UsageError(fmt::format("{}: is for nodes of a graph, not for molecules", setting("nodes_to_predict")));
  check_order(*rows, model.config.training.reorder);
  const Clock::time_point read = Clock::now();
  Prediction result = predict_rows(model.trained, std::move(*rows), options.with_embeddings, note);
  result.read_seconds = seconds_between(start, read);
  return result;
}

json::Value row_to_json(const std::vector<std::string>& labels, const Matrix& predictions, std::size_t row) {
  json::Value values{json::Object{}};
  for (std::size_t i = 0; i < labels.size(); ++i)
    values.set(labels[i], predictions(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(i)));
  return values;
}

}  // namespace edgewise::train
