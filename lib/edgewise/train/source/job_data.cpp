#include "edgewise/train/source/job_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/data/catalogue.hpp"
#include "edgewise/data/node_dataset.hpp"
#include "edgewise/data/node_encoder.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/feature_lists.hpp"
#include "edgewise/io/feature_table.hpp"
#include "edgewise/io/graph_file.hpp"
#include "edgewise/io/similar_node.hpp"
#include "edgewise/train/source/collection_data.hpp"
#include "edgewise/train/source/data_checks.hpp"
#include "edgewise/train/source/data_warnings.hpp"
#include "edgewise/train/source/graph_job_data.hpp"
#include "edgewise/train/source/label_columns.hpp"
#include "edgewise/train/source/label_patterns.hpp"
#include "edgewise/train/source/largest_component.hpp"
#include "edgewise/train/source/leaks.hpp"
#include "edgewise/train/source/masked_atoms.hpp"
#include "edgewise/train/source/odd_values.hpp"
#include "edgewise/train/source/read_edges.hpp"
#include "edgewise/train/source/repeats.hpp"

namespace edgewise::train {
namespace {

void load_node_set(const DataConfig& config, const data::Catalogue& catalogue, const data::Dataset& dataset,
                   const LoadOptions& of_job, JobData& data) {
  data::Dataset wanted = dataset;
  for (const std::vector<std::string>* requested : {&config.label, &of_job.known_labels}) {
    const bool is_logarithm = requested->size() == 1 && data::is_logarithm_of(requested->front(), dataset.label);
    if (dataset.task == "node regression" && is_logarithm) wanted.label = requested->front();
  }
  std::vector<std::string> label;
  if (!wanted.label.empty()) label.push_back(wanted.label);
  if (!config.label.empty() && config.label != label)
    throw UsageError(fmt::format("data.label: the data set \"{}\" has its own labels", config.dataset));
  data::LoadOptions options{.split = of_job.split_name};
  if (config.normalise_rows) options.normalise_rows = true;
  data::LoadedDataset set = data::load_dataset(catalogue, wanted, data::default_data_directories(), options);
  data.name = config.dataset;
  // A model of the set reads other files in the same way as the set.
  data.config.directed = dataset.directed;
  data.config.normalise_rows = config.normalise_rows || dataset.normalise_rows;
  data.config.id = dataset.id;
  data.config.label = label;
  data.graph = std::move(set.data.graph);
  data.labels = std::move(set.data.labels);
  data.splits = std::move(set.data.splits);
  data.table = std::move(set.table);
  if (data.table.rows() == 0) data.features = std::move(set.data.features);  // otherwise fitted to the split in use
}

io::NodeTable read_nodes(const LoadOptions& options, DataConfig& config) {
  io::NodeTable table =
      io::read_node_table(config.nodes, {.id_column = config.id,
                                         .preferred_id = options.naming_columns.id,
                                         .texts = read_as_text(config, options),
                                         .missing = io::missing_texts(config.missing)});
  config.id = table.id_column;
  return table;
}

const data::Dataset& dataset_of(const data::Catalogue& catalogue, const DataConfig& config) {
  const data::Dataset& dataset = data::find_dataset(catalogue, config.dataset);
  const bool has_own_task = config.task == "auto" || config.task == kMaskedAtoms;
  if (!has_own_task && (config.task == "regression") != dataset.task.ends_with("regression"))
    throw UsageError(fmt::format("data.task: expected the task of the data set \"{}\", which is {}, got \"{}\"",
                                 dataset.name, dataset.task, config.task));
  if (dataset.is_node_level() || dataset.is_graph_level() || dataset.is_molecules() || dataset.is_collection())
    return dataset;
  throw UsageError(fmt::format("data set \"{}\" is for the task \"{}\", which has no labels to learn", dataset.name,
                               dataset.task));
}

constexpr graph::Node kNoRow = ~graph::Node{0};

/// The row of each node of the file; kNoRow for one that the table does not list.
std::vector<graph::Node> rows_of(const io::GraphFile& file, io::NodeTable& table, JobData& data) {
  const DataConfig& config = data.config;
  io::UnknownNodeReport unknown;
  std::vector<graph::Node> rows(file.names.size(), kNoRow);
  const graph::NodeNames listed = table.names;
  for (graph::Node node = 0; node < file.names.size(); ++node) {
    const std::string_view name = file.names[node];
    if (const std::optional<graph::Node> row = listed.find(name)) {
      rows[node] = *row;
      continue;
    }
    if (config.unknown_nodes == "refuse")
      throw DataError(file.nodes.where(node),
                      fmt::format("the node {} is not in {}; --unknown-nodes drop leaves it out with its edges, add "
                                  "adds it without attributes{}",
                                  io::quote(name), config.nodes, io::similar_node_hint(table.names, name)));
    if (unknown.nodes++ == 0) {
      unknown.first = name;
      unknown.line = file.nodes.where(node).line;
    }
    if (config.unknown_nodes == "add") rows[node] = table.names.add(name);
  }
  const auto is_unknown = [&](graph::Node node) { return rows[node] == kNoRow || rows[node] >= listed.size(); };
  for (graph::EdgeIndex e = 0; unknown.nodes > 0 && e < file.edges.size(); ++e)
    unknown.edges += is_unknown(file.edges.sources[e]) || is_unknown(file.edges.targets[e]) ? 1 : 0;
  note_unknown_nodes(unknown, config.graph, data);
  return rows;
}

/// Keeps the edges that have both ends.
void drop_edges(const std::vector<graph::Node>& rows, io::GraphFile& file) {
  const graph::EdgeList& all = file.edges;
  std::vector<std::size_t> kept;
  for (std::size_t e = 0; e < all.size(); ++e)
    if (rows[all.sources[e]] != kNoRow && rows[all.targets[e]] != kNoRow) kept.push_back(e);
  if (kept.size() == all.size()) return;
  graph::EdgeList edges;
  edges.feature_names = all.feature_names;
  std::vector<std::uint64_t> lines;
  for (const std::size_t e : kept) {
    edges.sources.push_back(all.sources[e]);
    edges.targets.push_back(all.targets[e]);
    if (!all.weights.empty()) edges.weights.push_back(all.weights[e]);
    lines.push_back(e < file.edge_lines.size() ? file.edge_lines[e] : 0);
  }
  if (all.features.cols() > 0) edges.features = all.features(kept, Eigen::all);
  file.edges = std::move(edges);
  file.edge_lines = std::move(lines);
  file.edge_list.clear();  // edges are no longer counted as in the file
}

/// Gives nodes that were added to `names` after the rows of the table rows without values.
void add_rows(const graph::NodeNames& names, io::NodeTable& table) {
  const std::size_t added = names.size() - table.lines.size();
  table.names = names;
  table.lines.resize(names.size(), 0);
  for (io::Column& column : table.columns) {
    if (column.is_numeric)
      column.numbers.resize(names.size(), std::numeric_limits<float>::quiet_NaN());
    else
      column.codes.resize(names.size(), -1);
    column.missing += added;
  }
}

/// Uses the file's edges between the rows of the node table, which defines the nodes.
void use_table(const LoadOptions& options, io::GraphFile& file, JobData& data) {
  const DataConfig& config = data.config;
  io::NodeTable table = read_nodes(options, data.config);
  const std::vector<graph::Node> rows = rows_of(file, table, data);
  drop_edges(rows, file);
  add_rows(table.names, table);
  for (graph::Node& node : file.edges.sources) node = rows[node];
  for (graph::Node& node : file.edges.targets) node = rows[node];
  if (!file.nodes.columns.empty())
    data.notes.push_back(fmt::format("{}: its attributes of nodes are ignored; those of {} are used", config.graph,
                                     config.nodes));
  file.names = table.names;
  file.nodes = std::move(table);
}

void load_graph_file(const LoadOptions& load, JobData& data) {
  const DataConfig& config = data.config;
  io::GraphFile file = read_graph(load, data);
  if (!config.nodes.empty()) use_table(load, file, data);
  take_edge_features(load, file, data);
  data.name = std::filesystem::path(config.graph).filename().string();
  try {
    data.graph = graph::Graph(std::move(file.names), std::move(file.edges), graph_options(config, file));
  } catch (const graph::EdgeError& error) {
    throw DataError(fmt::format("{}: {}: {}", config.graph, file.place_of(error.edge()), error.what()));
  }
  if (!load.is_for_model())
    note_differing_duplicates(config.graph, [&](graph::EdgeIndex edge) { return file.place_of(edge); }, data);
  data.table = std::move(file.nodes);
}

/// Reads the edges between the nodes of the table, if there is one. If edges name nodes but the table has no rows, the
/// table is to blame.
io::EdgeListResult read_edges_between(const io::NodeTable& table, const LoadOptions& options, JobData& data) {
  if (data.config.nodes.empty()) return read_edges(options, nullptr, data);
  try {
    return read_edges(options, &table.names, data);
  } catch (const DataError&) {
    if (table.rows() == 0) throw DataError(table.no_rows());
    throw;
  }
}

void load_edge_list(const LoadOptions& options, JobData& data) {
  const DataConfig& config = data.config;
  if (!config.nodes.empty()) data.table = read_nodes(options, data.config);
  io::EdgeListResult result = read_edges_between(data.table, options, data);
  if (!config.nodes.empty()) add_rows(result.names, data.table);
  data.name = std::filesystem::path(config.edges).filename().string();
  try {
    data.graph = graph::Graph(std::move(result.names), std::move(result.edges), config.graph_options());
  } catch (const graph::EdgeError& error) {
    throw DataError(TextLocation{config.edges, result.line_of(error.edge()), 0}, error.what());
  }
  if (!options.is_for_model())
    note_differing_duplicates(
        config.edges, [&](graph::EdgeIndex edge) { return fmt::format("line {}", result.line_of(edge)); }, data);
}

void load_features(const DataConfig& config, std::uint32_t columns, JobData& data) {
  const io::SparseFeaturesOptions options{.known_nodes = &data.graph.names(), .features = columns};
  const bool is_json = config.features.ends_with(".json") || config.features.ends_with(".json.gz");
  io::SparseFeatures read = is_json ? io::read_feature_lists(config.features, options)
                                    : io::read_sparse_features(config.features, options);
  data.features.is_sparse = true;
  data.features.sparse = std::move(read.matrix);
}

void load_labels(const LoadOptions& options, JobData& data) {
  split_label_lists(options, data.table, data.config);
  expand_labels(data);
  const DataConfig& config = data.config;
  prepare_labels(config.label, task_of(config, options), data.table, data.config);
  if (config.label.empty()) {
    if (!options.needs_labels) return;
    throw UsageError("data.label: name the column(s) of the node table to be learnt (--label)");
  }
  if (config.nodes.empty() && data.table.columns.empty())
    throw UsageError(config.graph.empty()
                         ? "data.label: labels come from a node table, but there is none (--nodes)"
                         : fmt::format("data.label: the nodes of {} have no attributes to learn; give a node table "
                                       "(--nodes)",
                                       config.graph));
  if (!options.needs_labels)
    for (const std::string& column : config.label)
      if (data.table.find(column) == nullptr) return;
  data.labels = data::read_labels(data.table, label_options(config, task_of(config, options), options));
}

/// Adds encodings for the labelled nodes of one graph.
void add_encodings(JobData& data) {
  const EncodingConfig& encodings = data.config.encodings;
  if (encodings.distances > 0 || encodings.virtual_node)
    throw UsageError(
        "data.encodings: distances and virtual_node are for labels of graphs (molecules and sets of graphs), but here "
        "nodes have the labels");
  const graph::Node offsets[] = {0, static_cast<graph::Node>(data.graph.node_count())};
  data.encodings = positional_encodings(data.graph, offsets, encodings);
}

/// For a set of molecules, `features` names those of the atoms.
void take_atom_features(DataConfig& config) {
  if (!config.features.empty()) config.atom_features = std::exchange(config.features, "");
}

/// Like `load_job_data`, regardless of the targets.
JobData load_items(const DataConfig& config, const LoadOptions& options) {
  check_sources(config);
  JobData data;
  data.config = config;
  if (!config.dataset.empty()) {
    const data::Catalogue catalogue = data::read_catalogue(data::default_catalogue_directory());
    const data::Dataset& dataset = dataset_of(catalogue, config);
    if (!config.features.empty() && !dataset.is_molecules())
      throw UsageError("data.features: a data set of the catalogue has its own features");
    if (!dataset.is_molecules()) refuse_molecule_members(config);
    if (dataset.is_collection()) {
      load_collection_set(catalogue, dataset, options, data);
      return data;
    }
    take_atom_features(data.config);
    if (dataset.is_node_level()) {
      load_node_set(config, catalogue, dataset, options, data);
      if (config.component == "largest") keep_largest_component(data);
      add_encodings(data);
    } else {
      load_graph_set(catalogue, dataset, options, data);
    }
    return data;
  }
  if (!config.molecules.empty()) {
    load_molecules(options, data);
    return data;
  }
  refuse_molecule_members(config);
  if (!config.tu.empty()) {
    load_tu_set(options, data);
    return data;
  }
  if (config.is_collection()) {
    load_collection(options, data);
    return data;
  }
  // People give any file with edges to --edges.
  if (!config.edges.empty() && io::is_graph_file(config.edges))
    data.config.graph = std::exchange(data.config.edges, "");
  if (!data.config.graph.empty())
    load_graph_file(options, data);
  else
    load_edge_list(options, data);
  if (!config.features.empty()) load_features(config, options.sparse_columns, data);
  load_labels(options, data);
  if (config.component == "largest") keep_largest_component(data);
  if (config.normalise_rows && data.features.columns() > 0) data::normalise_rows(data.features);
  add_encodings(data);
  return data;
}

}  // namespace

JobData load_job_data(const DataConfig& config, const LoadOptions& options) {
  if (is_pretraining(config)) check_pretraining(config);
  JobData data = load_items(config, options);
  if (!options.is_for_model()) check_members_in_use(config, data);
  check_categorical(config, data);
  if (data.table.rows() == 0 && !data.table.columns.empty()) data.notes.push_back(data.table.no_rows());
  if (options.needs_labels && !options.is_for_model())
    std::ranges::copy(repeat_notes(data), std::back_inserter(data.notes));
  if (is_pretraining(config)) label_atoms(data);
  if (options.needs_labels && !options.is_for_model()) {
    std::ranges::copy(column_type_warnings(data), std::back_inserter(data.notes));
    std::ranges::copy(data::target_notes(data.labels), std::back_inserter(data.notes));
    std::ranges::copy(bound_notes(data), std::back_inserter(data.notes));
    std::ranges::copy(leak_warnings(data, options.split_columns), std::back_inserter(data.notes));
    std::ranges::copy(odd_value_warnings(data, options.split_columns), std::back_inserter(data.notes));
    if (std::string classes = whole_number_classes(data); !classes.empty()) data.notes.push_back(std::move(classes));
  }
  return data;
}

std::optional<JobData> read_molecule_rows(const DataConfig& config, const io::ReadAsText& texts) {
  if (count_sources(config) != 1) return std::nullopt;
  if (config.molecules.empty() && config.dataset.empty()) return std::nullopt;
  JobData rows;
  rows.config = config;
  if (!config.molecules.empty()) {
    check_sources(config);
    read_molecule_texts(texts, rows);
    return rows;
  }
  const data::Catalogue catalogue = data::read_catalogue(data::default_catalogue_directory());
  const data::Dataset& dataset = dataset_of(catalogue, config);
  if (!dataset.is_molecules()) return std::nullopt;
  check_sources(config);
  take_atom_features(rows.config);
  read_molecule_texts(catalogue, dataset, texts, rows);
  return rows;
}

}  // namespace edgewise::train
