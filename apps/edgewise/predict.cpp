#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <sstream>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/predictions.hpp"
#include "edgewise/io/result_graph.hpp"
#include "edgewise/report/item_map.hpp"
#include "edgewise/report/prediction_page.hpp"
#include "edgewise/report/svg_shapes.hpp"
#include "edgewise/train/model/known_items.hpp"
#include "edgewise/train/model/pair_writing.hpp"
#include "edgewise/train/source/atom_items.hpp"
#include "edgewise/train/use/interval_columns.hpp"
#include "edgewise/train/use/molecule_lists.hpp"
#include "edgewise/train/use/prediction.hpp"
#include "edgewise/train/use/result_network.hpp"
#include "edgewise/train/use/selection.hpp"
#include "flags.hpp"
#include "links.hpp"
#include "model_data.hpp"
#include "outputs.hpp"
#include "pairs.hpp"
#include "process_memory.hpp"
#include "results.hpp"

namespace edgewise::app {
namespace {

constexpr const char* kStandardOutput = "-";

struct PredictArguments {
  ModelArguments model;
  std::string out = "predictions.csv";
  std::string embeddings;
  std::string report;
  std::string map;
  std::string selection;  ///< File of the nodes to predict; empty: all.
  std::vector<std::string> keep;
  bool is_keep_all = false;
  bool is_only_unknown = false;
  double level = 0;  ///< Of the intervals; 0: none.
  std::int64_t beam = 0;  ///< Pairs; 0: as usual.
  std::string links;      ///< Ties: file of pairs of nodes to score.
  std::int64_t top = 0;   ///< Ties: how many to suggest for each node.
  std::int64_t common = 0;  ///< Ties: how many neighbours that both nodes of a pair have to name.

  bool is_to_standard_output() const { return out == kStandardOutput; }
  bool needs_embeddings() const { return !embeddings.empty() || !map.empty(); }
};

train::Prediction predict_all(const PredictArguments& arguments, train::OpenModel& model,
                              const train::NoteHook& say_note) {
  if (!model.config.data.molecule_table().empty()) keep_freed_memory();  // they are predicted in pieces of one size
  train::PredictionOptions options{.with_embeddings = arguments.needs_embeddings()};
  if (!arguments.selection.empty())
    options.select = [&](const graph::NodeNames& names) { return train::read_selection(arguments.selection, names); };
  return train::predict_all(model, options, say_note);
}

/// Rows of items with an unknown label.
std::vector<std::size_t> unknown_rows(const io::Predictions& table, const train::Dataset& data,
                                      const std::vector<std::string>& labels) {
  const std::vector<io::TextColumn> known = train::known_columns(data, labels);
  if (known.empty())
    throw UsageError(
        fmt::format("--only-unknown: the data has no column {}, so known and unknown items cannot be told apart",
                    fmt::join(labels, ", ")));
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < static_cast<std::size_t>(table.values.rows()); ++row) {
    const std::size_t item = table.nodes.empty() ? row : table.nodes[row];
    const auto is_unknown = [&](const io::TextColumn& one) { return one.values[item].empty(); };
    if (std::ranges::any_of(known, is_unknown)) rows.push_back(row);
  }
  return rows;
}

/// The predictions and the embeddings, each with the columns written next to them.
struct Tables {
  io::Predictions predictions;
  io::Predictions embeddings;
  std::vector<io::TextColumn> of_molecules = {};  ///< To write beside lists of their atoms' predictions.
};

Tables make_tables(const PredictArguments& arguments, const train::TrainedModel& trained, const train::Config& config,
                   train::Prediction& answers) {
  train::Dataset& data = answers.data;
  train::ExtraColumns extra;
  Tables tables;
  std::vector<io::TextColumn>& kept = data.atoms ? tables.of_molecules : extra.kept;
  if (arguments.is_keep_all || !arguments.keep.empty())
    kept = train::kept_columns(data, arguments.is_keep_all ? std::vector<std::string>{} : arguments.keep);
  extra.domain = train::domain_columns(std::move(answers.domain_report));
  extra.known = known_columns_of(trained, config.data, data);  // which may change the columns
  tables.predictions = train::prediction_table(data, trained.task, trained.label_names, answers.values,
                                               answers.deviations, std::move(extra), answers.selection);
  if (arguments.level > 0) train::add_intervals(trained, arguments.level, tables.predictions);
  tables.embeddings =
      train::embeddings_table(tables.predictions.key, std::move(answers.embeddings), answers.selection);
  if (!arguments.embeddings.empty() && data.graphs && data.graphs->are_molecules)
    tables.embeddings.after.push_back({"problem", data.graphs->problems});
  if (!arguments.is_only_unknown) return tables;
  if (data.atoms) throw UsageError("--only-unknown: not for values of atoms and bonds, which are in lists");
  const std::vector<std::size_t> rows =
      unknown_rows(tables.predictions, data, train::label_columns_of(trained, config.data));
  tables.predictions = train::rows_at(rows, tables.predictions);
  if (arguments.needs_embeddings()) tables.embeddings = train::rows_at(rows, tables.embeddings);
  return tables;
}

void write_predictions(const std::string& path, const train::Dataset& data, const Tables& tables) {
  const io::ResultFormat format = io::result_format(path);
  const io::Predictions& predictions = tables.predictions;
  if (!io::is_graph_format(format))
    return io::write_predictions(path, train::names_of_rows(data),
                                 train::as_written(data, predictions, tables.of_molecules));
  io::write_text(path, [&](std::ostream& out) {
    io::write_result_graph(out, format, train::names_of_network(data), train::result_network(data, predictions));
  });
}

void write_tables(const PredictArguments& arguments, const train::Dataset& data, const Tables& tables) {
  const graph::NodeNames& items = data.items();
  if (!arguments.embeddings.empty()) io::write_predictions(arguments.embeddings, items, tables.embeddings);
  if (!arguments.is_to_standard_output()) return write_predictions(arguments.out, data, tables);
  std::ostringstream out;
  io::write_predictions(out, io::ResultFormat::csv, train::names_of_rows(data),
                        train::as_written(data, tables.predictions, tables.of_molecules));
  print_data(out.str());
}

void check_arguments(const PredictArguments& arguments, const Session& session) {
  if (arguments.is_to_standard_output() && session.is_json)
    throw UsageError("--out -: standard output is for the predictions; --json would add its line to them");
  if (arguments.is_keep_all && !arguments.keep.empty()) throw UsageError("--keep: cannot be combined with --keep-all");
  check_once("--keep", "column", arguments.keep);
  if (!arguments.embeddings.empty()) io::predictions_format(arguments.embeddings);
  if (!arguments.map.empty() && !arguments.map.ends_with(".svg"))
    throw UsageError(fmt::format("--map: expected a file name ending in .svg, got \"{}\"", arguments.map));
}

/// Has the kept columns of graph files and molecules read as texts. Those of other tables are found in the file again.
void keep_spelling(const PredictArguments& arguments, train::OpenModel& model) {
  const train::DataConfig& data = model.config.data;
  if (data.graph.empty() && data.molecule_table().empty()) return;
  std::ranges::copy(arguments.keep, std::back_inserter(model.texts.names));
  model.texts.is_all = arguments.is_keep_all;
}

/// Throws UsageError for files that cannot be made of such data: graphs of whole graphs, or of a frozen network, whose
/// edges are not in memory.
void check_format(const PredictArguments& arguments, const train::OpenModel& model) {
  const bool is_frozen = !model.config.data.frozen.empty();
  if (is_frozen && !arguments.map.empty())
    throw UsageError("--map: not for a frozen network; read it from its tables");
  if (arguments.is_to_standard_output() || io::names_table(arguments.out)) return;
  if (!is_frozen && !model.trained.model.is_graph_level()) {
    io::result_format(arguments.out);
    return;
  }
  throw UsageError(fmt::format("--out: {}: predictions for {} are written as .csv or .jsonl", arguments.out,
                               is_frozen ? "a frozen network" : "graphs"));
}

void check_files(const PredictArguments& arguments, std::vector<train::NamedFile> inputs) {
  std::vector<train::NamedFile> outputs = {{"--embeddings", arguments.embeddings},
                                           {"--report", arguments.report},
                                           {"--map", arguments.map}};
  if (!arguments.is_to_standard_output()) outputs.push_back({"--out", arguments.out});
  inputs.push_back({"the model", arguments.model.model});
  inputs.push_back({"--nodes-to-predict", arguments.selection});
  inputs.push_back({"--links", arguments.links});
  check_outputs(outputs, inputs);
}

json::Value to_json(const PredictArguments& arguments, const train::TrainedModel& trained,
                    const train::Prediction& answers, std::size_t rows) {
  json::Value object;
  object.set("schema", "edgewise.predict/1");
  object.set("model", arguments.model.model);
  object.set("dataset", answers.data.name);
  object.set("task", std::string(trained.task.name));
  object.set("labels", trained.label_names);
  if (answers.data.graphs) object.set("graphs", static_cast<std::int64_t>(answers.data.items().size()));
  object.set("nodes", static_cast<std::int64_t>(answers.nodes));
  object.set("rows", static_cast<std::int64_t>(rows));
  object.set("threads", threads());
  if (!answers.data.graphs) object.set("reorder", answers.order);
  object.set("read_seconds", answers.read_seconds);
  if (answers.data.graphs && answers.data.graphs->are_molecules)
    object.set("featurise_seconds", answers.featurise_seconds);
  object.set("predict_seconds", answers.predict_seconds);
  object.set("peak_rss_mib", peak_rss_mib());
  object.set("out", arguments.out);
  if (!arguments.embeddings.empty()) object.set("embeddings", arguments.embeddings);
  if (!arguments.map.empty()) object.set("map", arguments.map);
  return object;
}

/// The rows of the table with a prediction, by their items.
std::map<graph::Node, Eigen::Index> predicted_rows(const io::Predictions& table) {
  std::map<graph::Node, Eigen::Index> rows;
  for (Eigen::Index row = 0; row < table.values.rows(); ++row)
    if (table.values.row(row).allFinite())
      rows[table.nodes.empty() ? static_cast<graph::Node>(row) : table.nodes[static_cast<std::size_t>(row)]] = row;
  return rows;
}

/// Writes a map of what is predicted; known labels, if there are any, say where it is wrong.
void write_map(const std::string& path, const train::Dataset& data, const Tables& tables) {
  const io::Predictions& table = tables.predictions;
  const std::map<graph::Node, Eigen::Index> rows = predicted_rows(table);
  const auto rows_of = [&](std::span<const graph::Node> wanted) {
    std::vector<Eigen::Index> found;
    for (const graph::Node item : wanted) found.push_back(rows.at(item));
    return found;
  };
  const auto items = std::views::keys(rows);
  const std::vector<graph::Node> predicted(items.begin(), items.end());
  const std::optional<report::ItemPlaces> places =
      report::item_places(data, predicted, [&](std::span<const graph::Node> drawn) {
        return Matrix(tables.embeddings.values(rows_of(drawn), Eigen::all));
      });
  if (!places) throw DataError(fmt::format("--map: no item of {} has a prediction", data.name));
  report::ItemMap map{.data = data,
                      .places = *places,
                      .shape = table.kind == io::PredictionKind::classes  ? data::LabelShape::classes
                               : table.kind == io::PredictionKind::labels ? data::LabelShape::flags
                                                                          : data::LabelShape::numbers,
                      .names = table.columns,
                      .values = table.values(rows_of(places->items), Eigen::all)};
  if (table.has_deviations()) map.deviations = table.deviations(rows_of(places->items), Eigen::all);
  if (!data.labels.names.empty()) map.judged = data::labelled_nodes(data.labels);
  std::erase_if(map.judged, [&](graph::Node item) { return !rows.contains(item); });
  map.judged_name = fmt::format("{} with a known label", counted(map.judged.size(), "item"));
  write_output(path, report::stand_alone(report::draw(map)));
}

/// Says what the level of intervals means. Throws UsageError for one that the model cannot give.
void note_level(const PredictArguments& arguments, const train::TrainedModel& trained,
                const train::NoteHook& say_note) {
  if (arguments.level == 0) return;
  const train::Calibration& calibration = trained.calibration;
  calibration.check_level(arguments.level);
  say_note(fmt::format("--intervals: fitted to {} validation items; they hold {:.6g} % of the truths of similar items, "
                       "and fewer of unfamiliar ones (new scaffolds, another network)",
                       calibration.items(), 100 * arguments.level));
}

/// Throws UsageError for what only labels have.
void check_for(const char* noun, const PredictArguments& arguments) {
  const std::pair<const char*, bool> given[] = {{"--report", !arguments.report.empty()},
                                                {"--map", !arguments.map.empty()},
                                                {"--intervals", arguments.level > 0},
                                                {"--only-unknown", arguments.is_only_unknown},
                                                {"--keep", !arguments.keep.empty() || arguments.is_keep_all}};
  for (const auto& [flag, is_given] : given)
    if (is_given) throw UsageError(fmt::format("{}: not for models of {}", flag, noun));
}

int predict_pairs_verb(const PredictArguments& arguments, const Session& session, train::OpenModel model) {
  check_for("pairs", arguments);
  if (!arguments.embeddings.empty()) throw UsageError("--embeddings: not for models of pairs");
  if (!arguments.selection.empty()) throw UsageError("--nodes-to-predict: not for models of pairs");
  check_files(arguments, train::input_files(model.config.data, model.config.split));
  train::ModelData loaded = load_model_data(session, std::move(model), train::Needs::features);
  return predict_pairs(session, arguments.model.model, loaded,
                       arguments.beam > 0 ? arguments.beam : train::kUsualBeam, arguments.out);
}

int predict_links_verb(const PredictArguments& arguments, const Session& session, train::OpenModel model) {
  check_for("ties", arguments);
  check_files(arguments, train::input_files(model.config.data, model.config.split));
  train::ModelData loaded = load_model_data(session, std::move(model), train::Needs::features);
  return predict_links(session,
                       {.model = arguments.model.model,
                        .pairs = arguments.links,
                        .top = arguments.top,
                        .selection = arguments.selection,
                        .common = arguments.common,
                        .embeddings = arguments.embeddings,
                        .out = arguments.out},
                       loaded);
}

/// How many items have predictions: of atoms and bonds, those that something is learnt of.
std::size_t predicted_count(const train::Dataset& data, const io::Predictions& table) {
  const auto rows = static_cast<graph::Node>(table.values.rows());
  if (!data.atoms) return rows;
  const auto nodes = std::views::iota(graph::Node{0}, rows);
  return static_cast<std::size_t>(
      std::ranges::count_if(nodes, [&](graph::Node node) { return !train::targets_of(data, node).empty(); }));
}

int predict_verb(const PredictArguments& arguments, const Session& session) {
  check_arguments(arguments, session);
  check_files(arguments, {});
  train::OpenModel model = open_model(arguments.model);
  check_format(arguments, model);
  if (model.trained.pairs) return predict_pairs_verb(arguments, session, std::move(model));
  if (arguments.beam > 0) throw UsageError("--beam: is for models of pairs");
  if (model.trained.links) return predict_links_verb(arguments, session, std::move(model));
  if (!arguments.links.empty() || arguments.top > 0 || arguments.common > 0)
    throw UsageError(fmt::format("{}: is for models of ties (--task links)",
                                 arguments.top > 0              ? "--top"
                                 : !arguments.links.empty() ? "--links"
                                                            : "--common-neighbours"));
  keep_spelling(arguments, model);
  const train::Config config = model.config;
  check_files(arguments, train::input_files(config.data, config.split));
  std::vector<std::string> notes;
  const train::NoteHook say_note = [&](const std::string& line) {
    note(session, line);
    notes.push_back(line);
  };
  note_level(arguments, model.trained, say_note);
  train::Prediction answers = predict_all(arguments, model, say_note);
  const Tables tables = make_tables(arguments, model.trained, config, answers);
  write_tables(arguments, answers.data, tables);
  const std::size_t rows = predicted_count(answers.data, tables.predictions);
  json::Value object = to_json(arguments, model.trained, answers, rows);
  if (!arguments.report.empty()) {
    object.set("report", arguments.report);
    write_output(arguments.report, to_html(report::PredictionPage{session.command, answers.data, tables.predictions,
                                                                  arguments.model.model, arguments.out, notes}));
  }
  if (!arguments.map.empty()) write_map(arguments.map, answers.data, tables);
  if (arguments.is_to_standard_output()) return kDone;
  session.print_result(
      fmt::format("{}: predictions of {} {}", arguments.out, rows, answers.data.noun().of(rows)),
      object);
  return kDone;
}

}  // namespace

/// edgewise predict: writes the predictions of a model for every node or graph.
void add_predict(CLI::App& app, Session& session) {
  CLI::App& verb =
      *app.add_subcommand("predict", "Write the predictions of a model for every node or graph, with probabilities");
  auto arguments = std::make_shared<PredictArguments>();
  add_model_arguments(verb, arguments->model);
  start_group(verb, "Output");
  ConfigFlags(verb, arguments->model.flags).add("training.reorder");
  verb.add_option("--out", arguments->out,
                  "Output file: .csv or .jsonl, or the graph with its predictions as .graphml, .dot or .gml, also with "
                  ".gz; - is standard output, as CSV")
      ->capture_default_str();
  verb.add_option(
      "--embeddings", arguments->embeddings,
      "Where to write the inputs of the last layer, one row per node or graph: .csv or .jsonl, also with .gz");
  add_report_flag(verb, arguments->report);
  verb.add_option("--map", arguments->map,
                  "Where to draw a map of the items, coloured by what is predicted (.svg): a network of up to 2,000 "
                  "nodes, or what the model sees as alike");
  verb.add_option("--nodes-to-predict", arguments->selection,
                  "File with names of nodes: predict only these, and compute only what they see");
  verb.add_option("--intervals", arguments->level,
                  "Add sets of classes, or intervals of values, that hold this share of the truths, such as 0.9");
  verb.add_option("--beam", arguments->beam, "Pairs: hypotheses kept at each step, and written; default 5")
      ->check(integer_in(1, 1000));
  verb.add_option("--links", arguments->links,
                  "Ties: file with pairs of nodes (source,target): predict how likely each is");
  verb.add_option("--top", arguments->top, "Ties: suggest this many likeliest new ties to each node")
      ->check(integer_in(1, 100'000));
  verb.add_option("--common-neighbours", arguments->common,
                  "Ties: name up to this many common neighbours of each pair")
      ->check(integer_in(1, 100'000));
  verb.add_flag("--only-unknown", arguments->is_only_unknown,
                "Write only items whose label, or any of several, is unknown")
      ->check(true_or_false());
  add_list(verb, "--keep", "Columns of the table to copy before the predictions",
           [arguments](std::vector<std::string> names) { arguments->keep = std::move(names); });
  verb.add_flag("--keep-all", arguments->is_keep_all, "Copy all columns of the table")
      ->check(true_or_false());
  add_examples(verb, {"edgewise predict model.safetensors --edges friends.csv --nodes people.csv --out predictions.csv",
                      "edgewise predict model.safetensors --only-unknown --keep age,city --out -",
                      "edgewise predict dates.safetensors --pairs new.txt --beam 5 --out predictions.csv"});
  session.add_verb(verb, [arguments, &session] {
    return with_model(arguments->model, [&] { return predict_verb(*arguments, session); });
  });
}

}  // namespace edgewise::app
