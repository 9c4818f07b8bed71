#include "jobs.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/json_fields.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/report/epoch_log.hpp"
#include "edgewise/report/evaluation_page.hpp"
#include "edgewise/report/train_page.hpp"
#include "edgewise/report/train_result.hpp"
#include "edgewise/train/choose/train_runs.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/explain/effects.hpp"
#include "edgewise/train/explain/graph_attention.hpp"
#include "edgewise/train/explain/node_attention.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/loop/metrics.hpp"
#include "edgewise/train/model/trained_model.hpp"
#include "edgewise/train/run/recipe.hpp"
#include "edgewise/train/source/read_dataset.hpp"
#include "edgewise/train/use/evaluation.hpp"
#include "edgewise/train/use/model_data.hpp"
#include "edgewise/train/use/pair_prediction.hpp"
#include "edgewise/train/use/prediction.hpp"
#include "tables.hpp"
#include "unlocked.hpp"

namespace edgewise::python {
namespace {

/// A trained model as in its file. Each use restores its own copy, so that uses may overlap.
struct Model {
  io::Safetensors content;
  std::string name;  ///< In messages: its file, if it was read from one.

  train::TrainedModel restore() const { return train::from_safetensors(name, content); }
};

/// Predictions for every item of some data.
struct Predictions {
  std::vector<std::string> names;
  std::vector<std::string> labels;
  std::string task;
  Matrix values;
  Matrix deviations;
  Matrix embeddings = {};
  train::Intervals intervals = {};       ///< Empty unless asked for.
  std::vector<std::string> unlike = {};  ///< How an item is unlike those of training, or ""; empty if nobody can tell.
  std::vector<float> similarity = {};    ///< Of molecules, to the nearest of training; empty if nobody can tell.
  std::vector<std::string> problems = {};  ///< Of molecules: why one could not be read, or "".
  std::vector<std::string> notes = {};
};

struct Training {
  Model model;
  Predictions predictions;
  std::string runs;  ///< JSON
  std::string page;  ///< HTML
  std::vector<std::string> notes;
};

std::vector<std::string> names_of(const graph::NodeNames& names) {
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (graph::Node i = 0; i < names.size(); ++i) texts.emplace_back(names[i]);
  return texts;
}

Predictions make_predictions(const train::Dataset& data, std::vector<std::string> labels, data::Task task,
                             Matrix values, Matrix deviations) {
  Predictions predictions{.names = names_of(data.items()),
                          .labels = std::move(labels),
                          .task = train::to_string(task),
                          .values = std::move(values),
                          .deviations = std::move(deviations)};
  if (data.graphs && data.graphs->are_molecules) predictions.problems = data.graphs->problems;
  return predictions;
}

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
  if (train::has_no_model(config.model))
    throw UsageError(fmt::format("model.preset: {} leaves no model", train::model_name(config.model)));
  if (train::is_pretraining(config.data))
    throw UsageError(
        fmt::format("data.task: {} makes a model to start from, on the command line only", config.data.task));
  return config;
}

train::NoteHook into(std::vector<std::string>& notes) {
  return [&notes](const std::string& line) { notes.push_back(line); };
}

/// Hooks that also keep the epochs for a page.
train::RunHooks logged(train::FitHooks fit, report::EpochLog& epochs, std::vector<std::string>& notes) {
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
  const io::TablesInMemory found = in_memory(tables);
  Hooks hooks(on_epoch);
  const Released released(hooks);
  const train::Config config = config_of_training(config_text);
  const train::Dataset data = train::read_dataset(config.data, train::load_options_for(config));
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

/// `name` is that of the model in messages.
Model load(const std::string& path, const std::string& name) {
  train::TrainedModel trained = train::load_trained_model(path);
  return {train::to_safetensors(trained), name};
}

void save(const Model& model, const std::string& path) {
  train::TrainedModel trained = model.restore();
  train::save_trained_model(path, trained);
}

train::ModelRequest request_of(const Model& model, const std::string& over) {
  return {model.name, given_config(over)};
}

/// The nodes with these names.
std::vector<graph::Node> find_all(const std::vector<std::string>& wanted, const graph::NodeNames& names) {
  std::vector<graph::Node> nodes;
  for (const std::string& name : wanted) {
    const std::optional<graph::Node> node = names.find(name);
    if (!node) throw UsageError(fmt::format("nodes_to_predict: there is no node \"{}\"", name));
    nodes.push_back(*node);
  }
  return nodes;
}

/// The texts of the selected items, or of all.
std::vector<std::string> selected(std::vector<std::string> all, const std::vector<graph::Node>& selection) {
  if (all.empty() || selection.empty()) return all;
  std::vector<std::string> some;
  for (const graph::Node item : selection) some.push_back(std::move(all[item]));
  return some;
}

/// Of the nodes `wanted`, or of all items; with sets or intervals of a `level` above 0.
Predictions predict(const Model& model, const std::string& over, const Tables& tables,
                    const std::optional<std::vector<std::string>>& wanted, bool with_embeddings, double level) {
  const io::TablesInMemory found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  std::vector<std::string> notes;
  train::OpenModel open = train::open_model(model.restore(), request_of(model, over));
  if (level != 0) open.trained.calibration.check_level(level);
  train::PredictionOptions options{.with_embeddings = with_embeddings};
  if (wanted) options.select = [&](const graph::NodeNames& names) { return find_all(*wanted, names); };
  train::Prediction answer = train::predict_all(open, options, into(notes));
  train::Intervals intervals;
  if (level != 0) intervals = open.trained.calibration.intervals(answer.values, answer.deviations, level);
  Predictions predictions = make_predictions(answer.data, open.trained.label_names, open.trained.task,
                                             std::move(answer.values), std::move(answer.deviations));
  if (wanted) predictions.names = *wanted;
  predictions.embeddings = std::move(answer.embeddings);
  predictions.intervals = std::move(intervals);
  predictions.unlike = selected(std::move(answer.familiarity.reasons), answer.selection);
  predictions.similarity = std::move(answer.familiarity.similarity);
  predictions.notes = std::move(notes);
  return predictions;
}

/// For each source [[text, log probability], ...], best first.
std::string write(const Model& model, std::vector<std::string> sources, std::int64_t beam) {
  Hooks hooks{nb::none()};
  const Released released(hooks);
  if (beam < 1) throw UsageError(fmt::format("beam: expected 1 or more, got {}", beam));
  json::Array all;
  for (const std::vector<train::Writing>& found :
       train::predict_texts(model.restore(), model.name, std::move(sources), {.beam = static_cast<std::size_t>(beam)})) {
    json::Array hypotheses;
    for (const train::Writing& one : found) hypotheses.push_back(json::Array{one.text, one.log_probability});
    all.push_back(std::move(hypotheses));
  }
  return json::dump(std::move(all));
}

/// Who attends to whom; see io::AttentionTable. Bound types need distinct names, even if private to a file.
struct ModelAttention {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
  std::vector<std::int64_t> edges;  ///< -1 for an added self loop.
  std::vector<Matrix> layers;
  std::vector<std::string> notes;
};

/// Of all nodes, or of the one called `node` alone, in the layers over `mask`; "": along edges, if a layer does.
ModelAttention attention(const Model& model, const std::string& over, const Tables& tables, const std::string& mask,
                         const std::string& node) {
  const io::TablesInMemory found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  ModelAttention result;
  train::ModelData loaded = train::load_model_data(train::open_model(model.restore(), request_of(model, over)),
                                                   train::Needs::features, into(result.notes));
  if (loaded.data.graphs)
    throw UsageError("attention: graphs have the labels: explain(row=...) is about one of them");
  const graph::NodeNames& names = loaded.data.graph.names();
  const std::optional<graph::Node> only = node.empty() ? std::nullopt : names.find(node);
  if (!node.empty() && !only) throw UsageError(fmt::format("attention: there is no node \"{}\"", node));
  const train::NodeAttention answer = train::attention_of_nodes(model.name, loaded, into(result.notes));
  const std::string chosen = train::choose_mask(mask, answer.records);
  const io::AttentionTable table =
      train::collect_rows(answer.batches->mask(chosen), train::records_over(chosen, answer.records), only);
  for (const graph::Node source : table.sources) result.sources.emplace_back(names[source]);
  for (const graph::Node target : table.targets) result.targets.emplace_back(names[target]);
  for (const graph::StoredEdge edge : table.edges)
    result.edges.push_back(edge == graph::kAddedSelfLoop ? -1 : static_cast<std::int64_t>(edge));
  result.layers = table.layers;
  return result;
}

json::Value to_json(const train::GraphAttention& answer) {
  json::Array names, edges;
  for (graph::Node i = 0; i < answer.names.size(); ++i) names.emplace_back(answer.names[i]);
  for (const auto& [source, target] : answer.ends)
    edges.push_back(json::Array{static_cast<std::int64_t>(source), static_cast<std::int64_t>(target)});
  return json::Object{{"names", std::move(names)},
                      {"tokens", answer.tokens},
                      {"nodes", answer.summary.nodes},
                      {"is_by_readout", answer.summary.is_by_readout},
                      {"edges", std::move(edges)},
                      {"edge_attention", answer.summary.edges}};
}

/// {"row": ..., "prediction": {...}, "names": [...], "tokens": [...], "nodes": [...], "is_by_readout": ...,
///  "edges": [[source, target], ...], "edge_attention": [...], "svg": ..., "notes": [...]}
std::string explain(const Model& model, const std::string& over, const Tables& tables, std::int64_t row) {
  const io::TablesInMemory found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  std::vector<std::string> notes;
  train::ModelData loaded =
      train::load_row(train::open_model(model.restore(), request_of(model, over)), row, into(notes));
  if (!loaded.data.graphs) throw UsageError("explain: is for graphs; attention says whom the nodes of one attend to");
  const train::GraphAttention answer =
      train::attention_of_graph(model.name, loaded, train::item_in_row(loaded, row), into(notes));
  json::Value result = to_json(answer);
  result.set("row", row);
  result.set("prediction", train::row_to_json(loaded.trained.label_names, answer.prediction, 0));
  const std::optional<std::string> picture = train::draw(loaded, answer);
  result.set("svg", picture ? json::Value(*picture) : json::Value());
  result.set("notes", notes);
  return json::dump(result);
}

/// What is explained: a graph by its row, from 1, or a node by its name.
graph::Node item_of(const train::ModelData& loaded, std::int64_t row, const std::string& node) {
  if (loaded.data.graphs) {
    if (!node.empty()) throw UsageError("explain: graphs have the labels: give the row of one");
    return train::item_in_row(loaded, row);
  }
  if (node.empty()) throw UsageError("explain: nodes have the labels: give the name of one (node=)");
  const std::optional<graph::Node> found = loaded.data.graph.names().find(node);
  if (!found) throw UsageError(fmt::format("explain: there is no node \"{}\"", node));
  return *found;
}

/// {"row" or "node": ..., "prediction": {...}, "of": ..., "value": ..., "parts": [...], "svg": ..., "notes": [...]}
std::string explain_by_deletion(const Model& model, const std::string& over, const Tables& tables, std::int64_t row,
                                const std::string& node, const std::string& of) {
  const io::TablesInMemory found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  std::vector<std::string> notes;
  train::ModelData loaded =
      train::load_row(train::open_model(model.restore(), request_of(model, over)), row, into(notes));
  const train::Effects effects = train::effects_of(loaded, item_of(loaded, row, node), of);
  const std::string& about = loaded.trained.label_names[effects.answer];
  const double value = effects.prediction(0, static_cast<Eigen::Index>(effects.answer));
  json::Value result = train::to_json(loaded, effects);
  result.set("svg", train::can_be_drawn(loaded)
                        ? json::Value(train::draw(loaded, effects, {fmt::format("{}: {:.4g}", about, value)}))
                        : json::Value());
  result.set("notes", notes);
  node.empty() ? result.set("row", row) : result.set("node", node);
  return json::dump(result);
}

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
  const io::TablesInMemory found = in_memory(tables);
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
  const io::TablesInMemory found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  const auto [loaded, result, notes] = evaluated(model, over, part);
  if (loaded.data.pairs) throw UsageError("report: not for models of pairs");
  return to_html(report::EvaluationPage{call, loaded, result, name, notes});
}

/// [["--weight-decay", "training.weight_decay", "number", "L2 ..."], ...]: the flags of a configuration.
void add_flags(const std::vector<json::FieldDoc>& fields, const std::string& prefix, json::Array& flags) {
  constexpr const char* kTypes[] = {"boolean", "integer", "number", "text", "list", "object"};
  for (const json::FieldDoc& field : fields) {
    const std::string path = prefix + std::string(field.name);
    if (!field.flag.empty())
      flags.push_back(json::Array{field.flag, path, kTypes[static_cast<std::size_t>(field.type)], field.doc});
    add_flags(field.fields, path + ".", flags);
  }
}

std::string config_flags() {
  json::Array flags;
  add_flags(train::config_fields(), "", flags);
  return json::dump(flags);
}

/// Writes the file as a whole, or leaves the one that is there.
void write_file(const std::string& path, const std::string& text) {
  write_file_atomically(path, [&](std::ostream& out) { out << text; });
}

std::string read_config_file(const std::string& path) {
  const json::Value config = json::parse_file(path);
  train::check_members(config);
  return json::dump(config);
}

std::string info(const Model& model) {
  const train::TrainedModel trained = model.restore();
  return json::dump(json::Object{{"task", train::to_string(trained.task)},
                                 {"labels", trained.label_names},
                                 {"training", trained.training}});
}

}  // namespace

json::Value given_config(const std::string& text) {
  json::Value given = json::parse(text, "configuration");
  train::check_members(given);
  return given;
}

train::Config job_config(const json::Value& given) {
  return train::parse_config(train::with_defaults(given).rooted_at("configuration"));
}

void bind_jobs(nb::module_& module) {
  nb::class_<Model>(module, "Model")
      .def("save", &save, nb::call_guard<Unlocked>())
      .def("info", &info)
      .def("predict", &predict, nb::arg("over"), nb::arg("tables"), nb::arg("wanted").none(),
           nb::arg("with_embeddings"), nb::arg("level"))
      .def("write", &write, nb::arg("sources"), nb::arg("beam"))
      .def("attention", &attention, nb::arg("over"), nb::arg("tables"), nb::arg("mask"), nb::arg("node"))
      .def("explain", &explain, nb::arg("over"), nb::arg("tables"), nb::arg("row"))
      .def("explain_by_deletion", &explain_by_deletion, nb::arg("over"), nb::arg("tables"), nb::arg("row"),
           nb::arg("node"), nb::arg("of"))
      .def("evaluate", &evaluate, nb::arg("over"), nb::arg("tables"), nb::arg("part"))
      .def("evaluation_page", &evaluation_page, nb::arg("over"), nb::arg("tables"), nb::arg("part"), nb::arg("name"),
           nb::arg("call"));
  nb::class_<Predictions>(module, "Predictions")
      .def_ro("names", &Predictions::names)
      .def_ro("labels", &Predictions::labels)
      .def_ro("task", &Predictions::task)
      .def_ro("problems", &Predictions::problems)
      .def_ro("unlike", &Predictions::unlike)
      .def_ro("similarity", &Predictions::similarity)
      .def_ro("notes", &Predictions::notes)
      .def("sets", [](const Predictions& of) { return to_numpy(of.intervals.sets); })
      .def("lower", [](const Predictions& of) { return to_numpy(of.intervals.lower); })
      .def("upper", [](const Predictions& of) { return to_numpy(of.intervals.upper); })
      .def("values", [](const Predictions& of) { return to_numpy(of.values); })
      .def("deviations", [](const Predictions& of) { return to_numpy(of.deviations); })
      .def("embeddings", [](const Predictions& of) { return to_numpy(of.embeddings); });
  nb::class_<ModelAttention>(module, "ModelAttention")
      .def_ro("sources", &ModelAttention::sources)
      .def_ro("targets", &ModelAttention::targets)
      .def_ro("notes", &ModelAttention::notes)
      .def("edges", [](const ModelAttention& of) { return to_numpy(of.edges); })
      .def("layers", [](const ModelAttention& of) {
        std::vector<NumpyMatrix> layers;
        for (const Matrix& layer : of.layers) layers.push_back(to_numpy(layer));
        return layers;
      });
  nb::class_<Training>(module, "Training")
      .def_ro("model", &Training::model)
      .def_ro("predictions", &Training::predictions)
      .def_ro("runs", &Training::runs)
      .def_ro("page", &Training::page)
      .def_ro("notes", &Training::notes);
  module.def("train", &train_job, nb::arg("config"), nb::arg("call"), nb::arg("on_epoch").none(), nb::arg("tables"));
  module.def("load", &load, nb::arg("path"), nb::arg("name"), nb::call_guard<Unlocked>());
  module.def("write_file", &write_file, nb::arg("path"), nb::arg("text"), nb::call_guard<Unlocked>());
  module.def("config_flags", &config_flags);
  module.def("read_config_file", &read_config_file, nb::arg("path"));
}

}  // namespace edgewise::python
