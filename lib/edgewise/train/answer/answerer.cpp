#include "edgewise/train/answer/answerer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json_fields.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/io/mixture_text.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/explain/effects.hpp"
#include "edgewise/train/model/model_input.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/sources.hpp"
#include "edgewise/train/use/domain_report.hpp"
#include "edgewise/train/use/interval_columns.hpp"
#include "edgewise/train/use/link_suggestions.hpp"
#include "edgewise/train/use/molecule_lists.hpp"
#include "edgewise/train/use/prediction.hpp"
#include "edgewise/train/use/prediction_table.hpp"

namespace edgewise::train {
namespace {

constexpr const char* kRequest = "the request";
constexpr std::size_t kMostItems = 100'000;  // of a request

/// The texts of an array. Throws UsageError for anything else, and for too many.
std::vector<std::string> texts_of(const json::Value& value) {
  const json::Array& array = value.as_array();
  if (array.size() > kMostItems)
    throw UsageError(fmt::format("{}: expected at most {} items, got {}", value.path(), kMostItems, array.size()));
  std::vector<std::string> texts;
  for (const json::Value& text : array) texts.push_back(text.as_string());
  return texts;
}

/// A row of molecules: its text, or of several molecules the array of their SMILES.
std::string text_of_row(const json::Value& value, bool are_mixtures, bool is_sum) {
  if (!are_mixtures || !value.is_array()) return value.as_string();
  std::vector<io::MixturePart> parts;
  for (const std::string& smiles : texts_of(value)) parts.push_back({.smiles = smiles});
  return io::write_mixture(parts, is_sum);
}

graph::Node find_item(const Dataset& data, const std::string& name) {
  const std::optional<graph::Node> item = data.items().find(name);
  if (!item) throw UsageError(fmt::format("there is no {} \"{}\"", data.graphs ? "graph" : "node", name));
  return *item;
}

graph::Node node_called(const std::string& name, std::optional<graph::Node> node) {
  if (node) return *node;
  throw UsageError(fmt::format("there is no node \"{}\"", name));
}

graph::Node node_in_pair(const std::string& name, std::optional<graph::Node> node, const std::string& one_of) {
  if (node) return *node;
  throw UsageError(fmt::format("{} is not {}", io::quote(name), one_of));
}

/// Pairs of different nodes: [["ada", "bob"], ...].
NodePairs pairs_of(const json::Value& value, const PairNames& names) {
  NodePairs pairs;
  if (value.as_array().size() > kMostItems)
    throw UsageError(fmt::format("{}: expected at most {} pairs, got {}", value.path(), kMostItems,
                                 value.as_array().size()));
  for (const json::Value& pair : value.as_array()) {
    const std::vector<std::string> ends = texts_of(pair);
    if (ends.size() != 2) throw UsageError(fmt::format("{}: expected the names of two nodes", pair.path()));
    const graph::Node source = node_in_pair(ends[0], names.source(ends[0]), names.one_of_sources()),
                      target = node_in_pair(ends[1], names.target(ends[1]), names.one_of_targets());
    if (source == target)
      throw UsageError(fmt::format("{}: expected the names of two different nodes", pair.path()));
    pairs.add(source, target);
  }
  return pairs;
}

/// JSON lines as the members of an array. Texts have no line breaks of their own: JSON writes them as \n.
std::string in_one_line(std::string lines) {
  if (!lines.empty()) lines.pop_back();
  std::ranges::replace(lines, '\n', ',');
  return lines;
}

void ignore_note(const std::string&) {}

/// How a request calls a setting.
std::string member_of_request(std::string_view path) { return path == "intervals" ? "level" : std::string(path); }

bool takes_molecules(const DataConfig& config) {
  return shape_of(to_json(config)) == DataShape::molecules && !is_pretraining(config);
}

ModelData load(TrainedModel trained, const ModelRequest& request, const NoteHook& note) {
  if (trained.pairs)
    throw UsageError(fmt::format("{}: models of pairs are used with predict; they answer no requests", request.path));
  if (!takes_molecules(trained.data))
    return load_model_data(open_model(std::move(trained), request), Needs::features, note);
  if (request.over.find("data") != nullptr) throw UsageError("data: molecules and reactions come with the requests");
  return {.trained = std::move(trained)};
}

}  // namespace

Answerer::Answerer(TrainedModel trained, const ModelRequest& request, const NoteHook& note)
    : loaded_(load(std::move(trained), request, note)),
      takes_molecules_(takes_molecules(loaded_.trained.data)),
      kind_(takes_molecules_      ? (loaded_.trained.data.are_reactions() ? "reactions" : "molecules")
            : loaded_.data.graphs ? "graphs"
                                  : "nodes") {
  if (takes_molecules_) return;
  if (loaded_.trained.links) {
    scorer_ = std::make_unique<LinkScorer>(loaded_);
    return;
  }
  Matrix deviations;
  const Matrix values = predict(loaded_.trained, loaded_.data, loaded_.inputs, &deviations);
  predictions_ = prediction_table(loaded_.data, loaded_.trained.task, loaded_.trained.label_names, values, deviations,
                                  {.domain = domain_columns(domain_report_of(loaded_.trained, loaded_.data))});
}

std::string Answerer::answer(std::string_view request) {
  const OtherNames named(member_of_request);
  std::string id;
  try {
    const json::Value parsed = json::parse(request, kRequest);
    if (const json::Value* given = parsed.find("id")) id = fmt::format("\"id\":{},", json::dump(*given));
    return fmt::format("{{{}{}}}", id, answer_to(parsed));
  } catch (const std::exception& error) {
    return fmt::format("{{{}\"error\":{}}}", id, json::dump(json::Value(error.what())));
  }
}

std::string Answerer::answer_about_links(const json::Value& request) {
  request.allow_only({"id", "links", "nodes", "top"});
  const json::Value *links = request.find("links"), *nodes = request.find("nodes");
  if ((links == nullptr) == (nodes == nullptr) || (nodes == nullptr) != (request.find("top") == nullptr))
    throw UsageError(fmt::format("{}: expected \"links\", or \"nodes\" and \"top\"", kRequest));
  std::ostringstream lines;
  if (links != nullptr) {
    const LinkTable table = score_links(*scorer_, pairs_of(*links, scorer_->pair_names()));
    write_links(lines, io::ResultFormat::json_lines, scorer_->pair_names(), table);
  } else {
    SuggestionOptions options{
        .top = static_cast<std::size_t>(json::Integer<1, 100'000>::read(request, "top", std::int64_t{1}))};
    for (const std::string& name : texts_of(*nodes))
      options.nodes.push_back(node_called(name, scorer_->source_names().find(name)));
    if (!options.nodes.empty())
      write_links(lines, io::ResultFormat::json_lines, scorer_->pair_names(), suggest_links(*scorer_, options).table);
  }
  return fmt::format("\"predictions\":[{}]", in_one_line(std::move(lines).str()));
}

std::string Answerer::answer_to(const json::Value& request) {
  if (scorer_) return answer_about_links(request);
  request.allow_only({"id", "level", "of", "explain", kind_});
  const json::Value* items = request.find(kind_);
  const json::Value* item = request.find("explain");
  if ((items == nullptr) == (item == nullptr))
    throw UsageError(fmt::format("{}: expected \"{}\" or \"explain\"", kRequest, kind_));
  if (item != nullptr)
    return fmt::format("\"explanation\":{}", json::dump(explanation_of(*item, request.get("of", ""))));
  const double level = request.get("level", 0.0);
  return fmt::format("\"predictions\":[{}]",
                     takes_molecules_ ? predictions_of_molecules(*items, level) : predictions_of_items(*items, level));
}

std::string Answerer::predictions_of_items(const json::Value& names, double level) {
  std::vector<std::size_t> places;
  for (const std::string& name : texts_of(names)) places.push_back(find_item(loaded_.data, name));
  return written(loaded_.data, rows_at(places, predictions_), level);
}

Dataset Answerer::rows_of(const json::Array& molecules) const {
  if (molecules.size() > kMostItems)
    throw UsageError(fmt::format("{}: expected at most {} items, got {}", kRequest, kMostItems, molecules.size()));
  const DataConfig& trained = loaded_.trained.data;
  std::vector<std::string> smiles;
  for (const json::Value& row : molecules)
    smiles.push_back(text_of_row(row, trained.are_mixtures(), trained.symmetric));
  DataConfig reading = loaded_.trained.data;
  reading.label.clear();
  return molecule_rows(reading, std::move(smiles), kRequest);
}

std::string Answerer::predictions_of_molecules(const json::Value& smiles, double level) {
  Prediction made = predict_rows(loaded_.trained, rows_of(smiles.as_array()), false, ignore_note);
  return written(made.data,
                 prediction_table(made.data, loaded_.trained.task, loaded_.trained.label_names, made.values,
                                  made.deviations, {.domain = domain_columns(std::move(made.domain_report))}),
                 level);
}

std::string Answerer::written(const Dataset& data, io::Predictions rows, double level) const {
  if (level != 0) add_intervals(loaded_.trained, level, rows);
  std::ostringstream lines;
  io::write_predictions(lines, io::ResultFormat::json_lines, names_of_rows(data), as_lists(data, std::move(rows)));
  return in_one_line(std::move(lines).str());
}

void Answerer::read_molecule(const json::Value& smiles) {
  Dataset row = rows_of({smiles});
  loaded_.data = make_molecules(row, 0, 1);
  if (const std::string& problem = row.graphs->problems.front(); !problem.empty()) throw UsageError(problem);
  loaded_.inputs = make_inputs(loaded_.trained, loaded_.data);
}

json::Value Answerer::explanation_of(const json::Value& item, const std::string& answer) {
  if (loaded_.trained.data.labels_atoms()) throw UsageError("explain: not for values of atoms and bonds");
  if (takes_molecules_) read_molecule(item);
  const graph::Node place = takes_molecules_ ? 0 : find_item(loaded_.data, item.as_string());
  return to_json(loaded_, effects_of(loaded_, place, answer));
}

}  // namespace edgewise::train
