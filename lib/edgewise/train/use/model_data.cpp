#include "edgewise/train/use/model_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/input_file.hpp"
#include "edgewise/core/json_fields.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/train/config/input_files.hpp"
#include "edgewise/train/config/tables.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/link_graph.hpp"
#include "edgewise/train/model/known_items.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/label_columns.hpp"
#include "edgewise/train/source/merge_configs.hpp"
#include "edgewise/train/source/pair_data.hpp"
#include "edgewise/train/source/sources.hpp"

namespace edgewise::train {
namespace {

bool needs_edges(const nn::Model& model) {
  return model.is_link_level() || std::ranges::any_of(model.masks_by_rule(), [](const nn::MaskShape& mask) {
           return graph::parse_mask(mask.name).rule->needs_edges;
         });
}

bool needs_edges(const TrainedModel& trained) {
  return std::ranges::any_of(components_of(trained), [](const TrainedModel* kind) {
    return needs_edges(kind->model) || kind->refinement.has_value();
  });
}

bool has_encodings(const EncodingConfig& encodings) {
  return encodings.degree || encodings.random_walk > 0 || encodings.laplacian > 0;
}

bool shows_labels(const TrainedModel& trained) {
  return std::ranges::any_of(components_of(trained), [](const TrainedModel* kind) { return kind->label_input > 0; });
}

/// "data" of the request.
const json::Value& data_of(const ModelRequest& request) { return json::section(request.over, "data"); }

/// Throws ModelError if the configuration that a model file has is damaged.
void check_own_config(const json::Value& own, bool is_used_alone) {
  try {
    const Config config = parse_config(own);
    if (is_used_alone) refuse_foreign_members_of_model(config.data);
  } catch (const UsageError& error) {
    throw ModelError(error.what());
  }
}

Config config_for(const TrainedModel& model, const ModelRequest& request) {
  Config trained;
  trained.data = model.data;
  trained.split = model.split;
  const json::Value own = to_json(trained);
  check_own_config(own, data_of(request).as_object().empty());
  return parse_config(merge_configs(own, request.over));
}

bool gives(const ModelRequest& request, std::string_view member) { return data_of(request).find(member) != nullptr; }

/// The members of "data" in the request.
std::vector<std::string_view> members_of(const ModelRequest& request) {
  std::vector<std::string_view> members;
  for (const auto& [name, value] : data_of(request).as_object()) members.emplace_back(name);
  return members;
}

/// Whether the request names data of this shape, by itself or beside others.
bool names(const ModelRequest& request, DataShape shape) {
  const json::Value& data = data_of(request);
  return std::ranges::any_of(named_sources(data), [&](const Source* source) { return source->shape(data) == shape; });
}

/// Refuses molecules for a model of anything else, a network for a model of molecules, pairs, and collections for a
/// model of something else.
void check_kind_of_data(const TrainedModel& model, const ModelRequest& request) {
  const DataConfig& trained = model.data;
  const bool is_of_graphs = model.model.is_graph_level() || trained.is_collection() || trained.labels_atoms();
  const bool is_of_molecules = is_of_graphs && !(trained.molecule_table().empty() && trained.smiles.empty());
  if (names(request, DataShape::pairs))
    throw ModelError(fmt::format("{}: the model was not trained on pairs", request.path));
  if (is_of_molecules && (gives(request, "nodes") || names(request, DataShape::network)))
    throw ModelError(
        fmt::format("{}: the model was trained on molecules, not on the nodes of a network: give a table of molecules "
                    "({})",
                    request.path, setting("data.molecules")));
  if (!is_of_molecules && names(request, DataShape::molecules))
    throw ModelError(fmt::format("{}: the model was trained on {}, not on molecules: give {}", request.path,
                                 is_of_graphs ? "other graphs" : "the nodes of a network",
                                 is_of_graphs ? "such graphs"
                                              : fmt::format("nodes and edges ({} and {}, or {})", setting("data.nodes"),
                                                            setting("data.edges"), setting("data.graph"))));
  if (trained.is_collection()) return;
  for (const Source* source : named_sources(data_of(request)))
    for (const std::string_view member : source->named_by)
      if (source->is_setting && gives(request, member))
        throw ModelError(fmt::format("{}: data.{}: the model was trained on other data than a collection: give such "
                                     "data",
                                     request.path, member));
}

/// Throws UsageError for a file of training that was standard input, where there is something else now.
void refuse_standard_input_of_training(const ModelRequest& request, const DataConfig& data) {
  constexpr std::string_view kSection = "data.";
  for (const NamedFile& file : input_files(data, {}))
    if (file.path == kStandardInput && !gives(request, std::string_view(file.name).substr(kSection.size())))
      throw UsageError(fmt::format("{}: the model was trained on what came from standard input: give {}",
                                   request.path, setting(file.name)));
}

/// Moves the column names of training out of `data` unless the request gives them: another file may use other names.
/// Weights keep theirs if the model needs them.
NamingColumns take_naming_columns(const ModelRequest& request, const TrainedModel& trained, DataConfig& data) {
  NamingColumns columns;
  if (!needs_edges(trained) && !gives(request, "weight")) columns.weight = std::exchange(data.weight, "");
  if (data.is_collection()) return columns;
  if (!data.nodes.empty() && !gives(request, "id")) columns.id = std::exchange(data.id, "");
  if (data.edges.empty() || gives(request, "source") || gives(request, "target")) return columns;
  columns.source = std::exchange(data.source, "");
  columns.target = std::exchange(data.target, "");
  return columns;
}

void note_other_columns(const NamingColumns& trained, const DataConfig& data, const NoteHook& note) {
  if (!trained.id.empty() && data.id != trained.id)
    note(fmt::format("{}: nodes are named by the column \"{}\"; in training it was \"{}\"", data.nodes,
                              data.id, trained.id));
  if (trained.source.empty() || data.source.empty()) return;
  if (data.source != trained.source || data.target != trained.target)
    note(fmt::format("{}: edges run from the column \"{}\" to \"{}\"; in training from \"{}\" to \"{}\"",
                              data.edges, data.source, data.target, trained.source, trained.target));
}

/// The columns in which the model looks for texts, or whose digits are shown: its categories and the labels. Moves
/// those of training out of `data` unless the request gives them: another file need not have all.
io::ReadAsText take_texts(const TrainedModel& trained, const ModelRequest& request, DataConfig& data) {
  io::ReadAsText texts{label_columns_of(trained, data)};
  if (!gives(request, "categorical"))
    std::ranges::move(std::exchange(data.categorical, {}), std::back_inserter(texts.names));
  for (const TrainedModel* kind : components_of(trained))
    for (const std::string& column : kind->features.text_columns()) texts.names.push_back(column);
  return texts;
}

/// Throws UsageError if labels are requested that cannot be those that the model predicts. A single one may be in a
/// column with any name.
void check_labels(const TrainedModel& trained, const DataConfig& data) {
  const bool is_single = trained.task.has_classes() || trained.label_names.size() == 1;
  const std::vector<std::string>& requested = data.label;
  if (requested.empty()) return;
  const bool has_table =
      !(data.nodes.empty() && data.graph.empty() && data.molecule_table().empty() && data.texts.empty());
  if (trained.data.label.empty() && !has_table)
    throw UsageError("data.label: the model was trained on labels that are in no column of a table; leave it out");
  const bool is_of_table = is_single && !trained.data.label.empty();
  const std::vector<std::string>& predicted = is_of_table ? trained.data.label : trained.label_names;
  if (requested == predicted || (is_single && requested.size() == 1)) return;
  throw UsageError(fmt::format("data.label: the model predicts {}, got {}", fmt::join(predicted, ", "),
                               fmt::join(requested, ", ")));
}

/// New nodes with the edges of training, or the reverse, are rarely intended.
void note_files_of_training(const ModelRequest& request, const DataConfig& data,
                            std::vector<std::string>& notes) {
  const bool has_nodes = gives(request, "nodes"), has_edges = gives(request, "edges");
  if (has_nodes == has_edges || data.edges.empty() || data.nodes.empty()) return;
  notes.push_back(
      has_nodes
          ? fmt::format("{}: uses the edges of training, because {} is not given", data.edges, setting("data.edges"))
          : fmt::format("{}: uses the nodes of training, because {} is not given", data.nodes, setting("data.nodes")));
}

/// The sources of the data of training and of the requested data.
std::vector<const Source*> sources_of(const DataConfig& trained, const DataConfig& requested) {
  std::vector<const Source*> sources = named_sources(to_json(trained));
  for (const Source* source : named_sources(to_json(requested)))
    if (std::ranges::count(sources, source) == 0) sources.push_back(source);
  return sources;
}

/// Throws ModelError for a setting of what the model sees with another value than in training. `path`: of the two.
void check_same_value(const std::string& model, const std::string& path, const json::Value& trained,
                      const json::Value& requested) {
  if (trained.is_object()) {
    for (const auto& [member, value] : trained.as_object())
      check_same_value(model, fmt::format("{}.{}", path, member), value, requested.at(member));
    return;
  }
  if (trained == requested) return;
  throw ModelError(fmt::format("{}: the model was trained with {} = {}, got {}", model, setting(path),
                               json::dump(trained), json::dump(requested)));
}

/// The members of "data" that decide what the features of nodes are.
json::Value features_of(const DataConfig& data) {
  const json::Value members = to_json(data);
  json::Value features{json::Object{}};
  for (const char* member : {"atom_features", "hydrogens", "encodings", "normalise_rows"})
    features.set(member, members.at(member));
  features.set("reaction_mode", name_of(data.reaction_mode));
  return features;
}

/// Throws for files of training that are not there now.
void check_files_of_training(const ModelRequest& request, const DataConfig& data) {
  check_are_files(request.path, data);
  refuse_standard_input_of_training(request, data);
}

/// A model for pairs reads pairs, or one source that is given as a text.
OpenModel open_pairs(TrainedModel trained, const ModelRequest& request) {
  Config config = config_for(trained, request);
  std::vector<std::string_view> members = members_of(request);
  const bool has_text = std::erase(members, "text") > 0;
  if (!has_text && shape_of(to_json(config.data)) != DataShape::pairs)
    throw ModelError(fmt::format("{}: the model was trained on pairs: give such ({})", request.path,
                                 setting("data.pairs")));
  if (has_text && !members.empty())
    throw UsageError("data.text: is one source for a model of pairs; leave out other data");
  if (!has_text) refuse_foreign_members(config.data, members);
  return {std::move(trained), std::move(config)};
}

/// Only the labels, that is the targets, are there or not.
ModelData load_pairs_for(OpenModel model, Needs needs, const NoteHook& note) {
  ModelData loaded{.trained = std::move(model.trained), .config = model.config.data, .split = model.config.split};
  const LoadOptions options{.needs_labels = needs == Needs::labels, .known_labels = loaded.trained.label_names};
  loaded.data = loaded.config.text.empty() ? read_dataset(loaded.config, options)
                                           : pairs_of_texts(loaded.config, {loaded.config.text});
  if (needs == Needs::labels && loaded.data.pairs->texts.targets.empty())
    throw DataError(fmt::format("{}: has no targets to compare with", loaded.data.name));
  std::vector<std::string> notes = loaded.data.notes;
  loaded.trained.pairs->sources(*loaded.data.pairs, loaded.config.longest, &notes);
  for (const std::string& line : notes) note(line);
  return loaded;
}

/// Whether it was trained on ties from one side of nodes to another, if it says so.
std::optional<bool> sides_of(const TrainedModel& trained) {
  for (const TrainedModel* component : components_of(trained)) {
    if (!component->links) continue;
    if (const auto found = are_between_sides(component->links->names())) return found;
  }
  return std::nullopt;
}

}  // namespace

OpenModel open_model(TrainedModel trained, const ModelRequest& request) {
  if (trained.pairs) return open_pairs(std::move(trained), request);
  if (is_pretraining(trained.data))
    throw ModelError(
        fmt::format("{}: the model was pretrained ({}) and predicts no labels yet: edgewise train --from {}",
                    request.path, trained.data.task, request.path));
  check_kind_of_data(trained, request);
  const Reuse reuse{.path = request.path,
                    .trained = trained.data,
                    .given = data_of(request),
                    .sees_edges = needs_edges(trained) || has_encodings(trained.data.encodings) ||
                                  !trained.data.edge_features.empty()};
  for (const Source* source : named_sources(to_json(trained.data)))
    if (source->check_reuse != nullptr) source->check_reuse(reuse);
  Config config = config_for(trained, request);
  check_labels(trained, config.data);
  check_same_value(request.path, "data", features_of(trained.data), features_of(config.data));
  check_files_of_training(request, config.data);
  refuse_foreign_members(config.data, members_of(request));
  std::vector<std::string> notes;
  for (const Source* source : sources_of(trained.data, config.data))
    if (source->adapt != nullptr) source->adapt(reuse, config.data, notes);
  check_files_of_training(request, config.data);  // some may have been taken
  note_files_of_training(request, config.data, notes);
  NamingColumns columns = take_naming_columns(request, trained, config.data);
  io::ReadAsText texts = take_texts(trained, request, config.data);
  return {std::move(trained), std::move(config), std::move(columns), std::move(texts), std::move(notes),
          request.parts};
}

OpenModel open_model(const ModelRequest& request) { return open_model(load_trained_model(request.path), request); }

ModelData load_model_data(OpenModel model, Needs needs, const NoteHook& note) {
  if (model.trained.pairs) return load_pairs_for(std::move(model), needs, note);
  for (const std::string& line : model.notes) note(line);
  ModelData loaded{.trained = std::move(model.trained)};
  const Config& config = model.config;
  loaded.config = config.data;
  loaded.split = config.split;
  LoadOptions options{.needs_labels = needs == Needs::labels,
                             .known_labels = loaded.trained.label_names,
                             .known_task = std::string(loaded.trained.task.name),
                             .split_name = loaded.split.name,
                             .has_split_file = !loaded.split.file.empty(),
                             .split_time = loaded.split.time,
                             .has_two_sides = sides_of(loaded.trained),
                             .is_graph_level = loaded.trained.model.is_graph_level(),
                             .label_columns = loaded.config.label,
                             .naming_columns = model.naming_columns,
                             .texts = model.texts,
                             .needs_edges = needs_edges(loaded.trained),
                             .parts = model.parts};
  std::ranges::copy(loaded.split.columns(), std::back_inserter(options.texts.names));
  if (needs == Needs::labels || !loaded.trained.links) options.split_columns = loaded.split.columns();
  options.sparse_columns = static_cast<std::uint32_t>(loaded.trained.features.ready_columns());
  DataConfig read = loaded.config;
  if (needs == Needs::features) read.label.clear();
  loaded.data = read_dataset(read, options);
  const std::vector<std::string>& labels = label_columns_of(loaded.trained, loaded.config);
  if (labels != loaded.trained.data.label && loaded.data.labels.names == labels)
    loaded.data.labels.names = loaded.trained.label_names;
  note_other_columns(model.naming_columns, loaded.data.reading, note);
  std::vector<std::string> notes = loaded.data.notes;
  drop_foreign_refinements(loaded.data, loaded.trained, notes);
  if (shows_labels(loaded.trained)) {
    prepare_known_labels(labels, loaded.trained.label_names, loaded.trained.task, loaded.config, loaded.data.table);
    loaded.data.labels = labels_for(loaded.trained, loaded.data, labels);
  }
  loaded.inputs = make_inputs(loaded.trained, loaded.data,
                              {.split = loaded.split, .reorder = config.training.reorder, .notes = &notes});
  std::set<std::string> reported;  // the models of an average give the same notes on the same data
  for (const std::string& line : notes)
    if (reported.insert(line).second) note(line);
  return loaded;
}

void check_row(std::int64_t row, std::size_t count, const std::string& data) {
  if (row < 1)
    throw UsageError(
        fmt::format("explain: graphs have the labels: name one by its row ({}), counted from 1", setting("row")));
  if (count == 0) throw DataError(fmt::format("{}: expected a row to explain, found none", data));
  if (row > static_cast<std::int64_t>(count))
    throw UsageError(fmt::format("{}: expected 1 to {}, got {}", setting("row"), count, row));
}

ModelData load_row(OpenModel model, std::int64_t row, const NoteHook& note) {
  DataConfig reading = model.config.data;
  if (row > 0 && reading.labels_atoms())
    throw UsageError(fmt::format("explain: atoms and bonds have the values: name one by its row and its place, from 0, "
                                 "as in {} 1:0 or 1:0-1",
                                 setting("node")));
  reading.label.clear();
  std::optional<Dataset> rows;
  if (row > 0 && !model.trained.pairs) rows = read_molecule_rows(reading, model.texts);
  if (!rows) return load_model_data(std::move(model), Needs::features, note);
  check_row(row, rows->items().size(), rows->name);
  for (const std::string& line : model.notes) note(line);
  for (const std::string& line : rows->notes) note(line);
  ModelData loaded{.trained = std::move(model.trained),
                   .config = model.config.data,
                   .split = model.config.split,
                   .data = make_molecule(*rows, static_cast<std::size_t>(row - 1)),
                   .first_row = row};
  loaded.inputs = make_inputs(loaded.trained, loaded.data, {.reorder = model.config.training.reorder});
  return loaded;
}

}  // namespace edgewise::train
