#include "edgewise/train/source/collection_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <iterator>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/node_groups.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/graph/graph_union.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/excluded_columns.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/label_columns.hpp"
#include "edgewise/train/source/link_data.hpp"
#include "edgewise/train/source/read_edges.hpp"

namespace edgewise::train {
namespace {

/// A column of a collection with more categories than this gets a vocabulary.
constexpr std::size_t kMaxCategories = 32;

/// The files that a collection is read from.
struct Sources {
  std::vector<FileList> nodes;  ///< One, or one per entry of `roles`.
  std::vector<std::string> roles;
  std::string graphs;
  std::string texts;
};

struct GridSize {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
};

GridSize parse_grid(const std::string& text) {
  GridSize size;
  const char* const end = text.data() + text.size();
  const auto [at, failure] = std::from_chars(text.data(), end, size.rows);
  const bool has_rows = failure == std::errc() && at != end && *at == 'x';
  const auto [last, second] =
      has_rows ? std::from_chars(at + 1, end, size.columns) : std::from_chars_result{at, std::errc::invalid_argument};
  constexpr std::uint32_t kMaxSide = 1 << 15;
  if (second != std::errc() || last != end || size.rows < 1 || size.columns < 1 || size.rows > kMaxSide ||
      size.columns > kMaxSide)
    throw UsageError(fmt::format("data.grid: expected rows and columns such as 8x8, got \"{}\"", text));
  return size;
}

void check_config(const DataConfig& config, const Sources& sources) {
  const auto ways = static_cast<int>(!config.graph_column.empty()) + static_cast<int>(!sources.texts.empty()) +
                    static_cast<int>(!config.grid.empty()) + static_cast<int>(config.sequence);
  if (ways > 1)
    throw UsageError(fmt::format(
        "data: a collection is read in one way: by a column of graphs ({}), from texts ({}), or as "
        "one graph per row ({}, {})",
        setting("data.graph_column"), setting("data.texts"), setting("data.grid"), setting("data.sequence")));
  if (sources.texts.empty() && sources.nodes.empty())
    throw UsageError(fmt::format("data: a collection needs a table of nodes ({}), or of texts ({})",
                                 setting("data.nodes"), setting("data.texts")));
  if (!sources.texts.empty() && !sources.nodes.empty())
    throw UsageError(fmt::format("data: texts ({}) cannot be combined with a table of nodes", setting("data.texts")));
  if (config.graph_column.empty() &&
      !(config.order.empty() && config.head.empty() && sources.graphs.empty() && config.edges.empty()))
    throw UsageError(
        fmt::format("data: order, head, edges and graphs need a column that says which graph a node belongs to "
                    "({})",
                    setting("data.graph_column")));
  if (!config.head.empty() && !config.edges.empty())
    throw UsageError(
        fmt::format("data.head: the edges of a collection come from a column or from a file ({}), not from both",
                    setting("data.edges")));
  if (!config.features.empty()) throw UsageError("data.features: a collection has its features in its table of nodes");
  if (sources.texts.empty() && !(config.text.empty() && config.tokens == data::Tokens::words))
    throw UsageError(fmt::format("data: text and tokens are for a table of texts ({})", setting("data.texts")));
  if (!config.value_columns.empty() && config.grid.empty() && !config.sequence)
    throw UsageError(fmt::format("data.value_columns: is for one graph per row ({}, {})", setting("data.grid"),
                                 setting("data.sequence")));
  if (!config.token_columns.empty() && config.graph_column.empty())
    throw UsageError(
        fmt::format("data.token_columns: are for nodes that are rows of a table ({})", setting("data.graph_column")));
  if (config.affixes > 0 && config.token_columns.empty() && sources.texts.empty())
    throw UsageError(
        fmt::format("data.affixes: say which column holds the tokens ({})", setting("data.token_columns")));
}

const std::vector<std::string>& label_columns_of(const DataConfig& config, const LoadOptions& options) {
  return config.label.empty() ? options.label_columns : config.label;
}

/// `texts` are columns of names and texts, in which "NA" is an ordinary word.
io::NodeTable read_rows(const FileList& path, const DataConfig& config, const LoadOptions& options,
                        std::vector<std::string> texts, std::function<bool(const std::string&)> may_name_rows = {}) {
  texts.insert(texts.end(), config.token_columns.begin(), config.token_columns.end());
  io::ReadAsText as_text = read_as_text(config, options);
  if (!config.order.empty()) as_text.names.push_back(config.order);  // places keep their digits
  return io::read_node_table(path, {.expected = config.texts.empty() ? "a table of nodes" : "a table of texts",
                                    .id_column = config.id,
                                    .is_numbered = config.id.empty(),
                                    .may_name_rows = std::move(may_name_rows),
                                    .verbatim = std::move(texts),
                                    .texts = std::move(as_text),
                                    .missing = io::missing_texts(config.missing)});
}

/// Calls the rows as the texts of `column`. If one is empty or occurs twice, they keep their numbers, and the column
/// remains; throws DataError if it would be a value.
void name_rows(const std::string& column, bool is_value, io::NodeTable& rows) {
  const auto found = std::ranges::find(rows.columns, column, &io::Column::name);
  graph::NodeNames names;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (!found->is_missing(row) && names.add(found->text(row)) == row) continue;
    if (!is_value) return;
    throw DataError(rows.where(row),
                    fmt::format("column \"{}\": expected a name of its own for each row, got \"{}\"; leave the column "
                                "out with {}",
                                column, found->text(row), setting("data.ignore")));
  }
  rows.names = std::move(names);
  rows.id_column = column;
  rows.columns.erase(found);
}

/// A table with one graph per row; `texts` as above.
io::NodeTable read_graph_rows(const FileList& path, const DataConfig& config, const LoadOptions& options,
                              std::vector<std::string> texts) {
  const auto is_free = [&, texts](const std::string& name) {
    return std::ranges::count(texts, name) + std::ranges::count(config.ignore, name) +
               std::ranges::count(label_columns_of(config, options), name) +
               std::ranges::count(config.value_columns, name) == 0;
  };
  const bool has_values = texts.empty() && config.value_columns.empty();  // all columns that remain
  io::NodeTable rows = read_rows(path, config, options, std::move(texts), is_free);
  if (!rows.usual_id.empty()) name_rows(rows.usual_id, has_values, rows);
  return rows;
}

/// The columns of `wanted` that exist in the table.
std::vector<std::string> present(const io::NodeTable& table, const std::vector<std::string>& wanted) {
  std::vector<std::string> found;
  std::ranges::copy_if(wanted, std::back_inserter(found),
                       [&](const std::string& name) { return table.find(name) != nullptr; });
  return found;
}

data::NodeGroups read_grouped(const Sources& sources, const DataConfig& config, const LoadOptions& options,
                              const io::NodeTable* graphs) {
  std::vector<io::NodeTable> tables;
  for (const FileList& path : sources.nodes)
    tables.push_back(read_rows(path, config, options, {config.graph_column}));
  io::NodeTable rows = tables.size() == 1 && sources.roles.empty()
                           ? std::move(tables[0])
                           : data::concatenate(std::move(tables), sources.roles);
  return data::group_nodes(std::move(rows),
                           {.graph = config.graph_column, .order = config.order, .has_names = !config.id.empty()},
                           graphs == nullptr ? nullptr : &graphs->names);
}

/// Turns the values of rows into nodes; `rows` keeps the attributes of each row. Fills config.value_columns if empty.
data::NodeGroups spread(const LoadOptions& options, io::NodeTable& rows, DataConfig& config) {
  split_label_lists(options, rows, config);
  const std::vector<std::string>& labels = label_columns_of(config, options);
  prepare_labels(labels, task_of(config, options), rows, config);
  if (config.value_columns.empty()) {
    std::vector<std::string> excluded = config.ignore;
    for (const std::string& column : present(rows, labels)) excluded.push_back(column);
    if (rows.find("split") != nullptr && std::ranges::count(excluded, "split") == 0) excluded.emplace_back("split");
    config.value_columns = data::value_columns(rows, excluded);
  }
  std::size_t length = 0;
  if (!config.grid.empty()) {
    const GridSize size = parse_grid(config.grid);
    length = std::size_t{size.rows} * size.columns;
  }
  return data::spread_rows(rows, config.value_columns, length);
}

struct CollectionTables {
  data::NodeGroups groups;
  io::NodeTable graphs;  ///< Attributes of the graphs; without columns if there are none.
};

CollectionTables read_all(const Sources& sources, const LoadOptions& options, DataConfig& config) {
  CollectionTables read;
  if (!sources.texts.empty()) {
    const std::string column = config.text.empty() ? "text" : config.text;
    read.graphs = read_graph_rows(sources.texts, config, options, {column});
    const bool is_words = config.tokens == data::Tokens::words;
    read.groups = data::tokenise(read.graphs, column, is_words ? data::TokenKind::words : data::TokenKind::characters);
    return read;
  }
  if (config.graph_column.empty()) {
    read.graphs = read_graph_rows(sources.nodes.front(), config, options, {});
    read.groups = spread(options, read.graphs, config);
    return read;
  }
  if (sources.graphs.empty()) {
    read.groups = read_grouped(sources, config, options, nullptr);
    read.graphs.names = read.groups.graphs;
    return read;
  }
  read.graphs = io::read_node_table(sources.graphs,
                                    {.expected = "a table of graphs",
                                     .texts = read_as_text(config, options),
                                     .missing = io::missing_texts(config.missing)});
  read.groups = read_grouped(sources, config, options, &read.graphs);
  return read;
}

graph::EdgeList edges_of(const LoadOptions& options, const data::NodeGroups& groups, Dataset& data) {
  const DataConfig& config = data.reading;
  const bool has_head = groups.nodes.find(config.head) != nullptr;
  if (!options.needs_edges && !has_head) return {};
  if (!config.head.empty()) return data::head_edges(groups, config.head);
  if (config.edges.empty()) return {};
  io::EdgeListResult read = read_edges(options, &groups.nodes.names, data);
  data::check_inside(read.edges, groups,
                     [&](graph::EdgeIndex edge) { return read.where(edge); });
  return std::move(read.edges);
}

/// Columns to read as tokens: those named, and those with many categories; not those that position a node.
std::vector<std::string> token_columns(const DataConfig& config, const std::vector<std::string>& placing,
                                       const io::NodeTable& nodes) {
  std::vector<std::string> columns;
  for (const io::Column& column : nodes.columns) {
    if (column.is_numeric || std::ranges::count(placing, column.name) > 0) continue;
    const bool is_named = std::ranges::count(config.token_columns, column.name) > 0;
    if (is_named || column.categories.size() > kMaxCategories || column.name == "token")
      columns.push_back(column.name);
  }
  return columns;
}

/// The columns with a vocabulary, to which those of affixes are added. Throws DataError for a column that is missing.
std::vector<std::string> add_tokens(const Sources& sources, const DataConfig& config,
                                    const std::vector<std::string>& placing, io::NodeTable& nodes) {
  for (const std::string& column : config.token_columns) nodes.at(column);
  std::vector<std::string> tokens = token_columns(config, placing, nodes);
  if (config.affixes.value_or(0) == 0) return tokens;
  const std::vector<std::string> spelt =
      sources.texts.empty() ? config.token_columns : std::vector<std::string>{"token"};
  for (const std::string& column : spelt)
    for (std::string& name : data::add_affixes(nodes, column, static_cast<std::size_t>(*config.affixes)))
      tokens.push_back(std::move(name));
  return tokens;
}

bool is_graph_level(const Sources& sources, const LoadOptions& options, const DataConfig& config,
                    const CollectionTables& read) {
  if (options.is_graph_level) return *options.is_graph_level;
  if (!sources.texts.empty() || config.graph_column.empty()) return true;
  if (config.label.empty()) return !sources.graphs.empty();
  return !read.graphs.columns.empty() && present(read.graphs, config.label).size() == config.label.size();
}

data::Labels read_labels_of(const DataConfig& config, const LoadOptions& options, const io::NodeTable& table) {
  if (config.label.empty()) {
    if (!options.needs_labels || is_pretraining(config)) return {};
    throw UsageError(fmt::format("data.label: name the column(s) to be learnt ({})", setting("data.label")));
  }
  if (!options.needs_labels && present(table, config.label).size() != config.label.size()) return {};
  return data::read_labels(table, label_options(config, task_of(config, options), options));
}

/// Notes the columns of a table of graphs that are used for nothing: graphs have labels and a split, but no features.
void note_unused(const io::NodeTable& graphs, const LoadOptions& options, Dataset& data) {
  const std::vector<std::string>& labels = label_columns_of(data.reading, options);
  if (labels.empty() || options.is_for_model()) return;
  std::vector<std::string> unused;
  for (const io::Column& column : graphs.columns) {
    const bool is_used = column.name == "split" || std::ranges::count(options.split_columns, column.name) > 0 ||
                         std::ranges::count(labels, column.name) > 0 ||
                         std::ranges::count(data.reading.ignore, column.name) > 0;
    if (!is_used) unused.push_back(column.name);
  }
  if (unused.empty()) return;
  data.notes.push_back(
      fmt::format("{}: not used: {}; features come from the nodes only", graphs.file, fmt::join(unused, ", ")));
}

/// Whether the nodes have a column that may be a feature.
bool has_features(const Dataset& data) {
  const std::vector<std::string> excluded = excluded_columns(data, {});
  return std::ranges::any_of(data.node_table().columns, [&](const io::Column& column) {
    return column.name != "split" && std::ranges::count(excluded, column.name) == 0;
  });
}

/// Notes graphs without nodes. Throws DataError if no graph has any.
void check_sizes(const data::NodeGroups& groups, const std::string& file, std::vector<std::string>& notes) {
  const std::size_t count = groups.offsets.size() - 1;
  std::size_t empty = 0;
  for (std::size_t g = 0; g < count; ++g) empty += groups.offsets[g] == groups.offsets[g + 1] ? 1 : 0;
  if (empty == 0) return;
  if (empty == count) throw DataError(fmt::format("{}: expected nodes, but all graphs are empty", file));
  notes.push_back(fmt::format("{}: {} of {} are empty: they have no nodes", file, empty, counted(count, "graph")));
}

/// Refuses what is for edges if a collection has none, and a label among the tokens.
void check_use_of_members(const DataConfig& config) {
  for (const std::string& column : config.token_columns)
    if (std::ranges::count(config.label, column) > 0)
      throw UsageError(fmt::format("data.token_columns: \"{}\" is to be learnt, so it is no feature", column));
  if (config.unknown_nodes == io::UnknownNodes::add)
    throw UsageError(
        "data.unknown_nodes: expected refuse or drop for many graphs: a new node would be in none of them");
  if (!config.edges.empty() || !config.head.empty()) return;
  const std::pair<const char*, bool> for_edges[] = {{"directed", config.directed},
                                                    {"undirected", config.undirected},
                                                    {"duplicates", config.duplicates != Duplicates::keep_first},
                                                    {"self_loops", config.self_loops != graph::SelfLoops::keep},
                                                    {"unknown_nodes", config.unknown_nodes != io::UnknownNodes::refuse},
                                                    {"encodings.degree", config.encodings.degree},
                                                    {"encodings.random_walk", config.encodings.random_walk > 0},
                                                    {"encodings.laplacian", config.encodings.laplacian > 0}};
  for (const auto& [member, is_given] : for_edges)
    if (is_given)
      throw UsageError(fmt::format("data.{}: is for collections with edges ({}, {})", member, setting("data.edges"),
                                   setting("data.head")));
}

void load(const Sources& sources, const LoadOptions& options, Dataset& data) {
  const DataConfig& config = data.reading;
  check_config(config, sources);
  if (!options.is_for_model()) check_use_of_members(config);
  if (config.encodings.distances > 0 || config.encodings.virtual_node)
    throw UsageError("data.encodings: distances and virtual_node are for molecules and sets of graphs");
  data.reading.affixes = data.reading.affixes.value_or(0);  // decided: a model of the data keeps it
  CollectionTables read = read_all(sources, options, data.reading);
  for (io::NodeTable* table : {&read.groups.nodes, &read.graphs}) split_label_lists(options, *table, data.reading);
  for (io::NodeTable* table : {&read.groups.nodes, &read.graphs})
    prepare_labels(label_columns_of(config, options), task_of(config, options), *table, data.reading);
  check_sizes(read.groups, (read.graphs.file.empty() ? read.groups.nodes.file : read.graphs.file).text(), data.notes);
  Collection& collection = data.collection.emplace();
  collection.placing = present(read.groups.nodes, {config.graph_column, config.order, config.head});
  graph::EdgeList edges = edges_of(options, read.groups, data);
  std::vector<std::string> tokens = add_tokens(sources, config, collection.placing, read.groups.nodes);
  if (config.dataset.empty()) note_unused(read.graphs, options, data);
  data.graph = graph::Graph(read.groups.nodes.names, std::move(edges), config.graph_options());
  if (!options.is_for_model() && !config.edges.empty())
    note_differing_duplicates(
        config.edges.text(), [](graph::EdgeIndex edge) { return fmt::format("edge {}", edge + 1); }, data);
  data.encodings = positional_encodings(data.graph, read.groups.offsets, config.encodings);
  if (tokens.empty()) data.sign_columns = config.encodings.laplacian;  // the signs of sparse features stay fixed
  collection.offsets = std::move(read.groups.offsets);
  collection.graphs = std::move(read.groups.graphs);
  collection.tokens = std::move(tokens);
  if (!config.grid.empty()) collection.grid_columns = parse_grid(config.grid).columns;
  if (is_graph_level(sources, options, config, read)) {
    GraphItems& items = data.graphs.emplace();
    items.offsets = collection.offsets;
    items.names = collection.graphs;
    collection.nodes = std::move(read.groups.nodes);
    data.table = std::move(read.graphs);
  } else {
    data.table = std::move(read.groups.nodes);
  }
  if (options.needs_labels && !is_pretraining(config) && data.graphs && data.table.file.empty())
    throw UsageError(fmt::format("data.graphs: the labels are those of graphs: give a table of graphs ({})",
                                 setting("data.graphs")));
  data.labels = read_labels_of(config, options, data.table);
  if (!options.is_for_model() && data.graph.edge_count() > 0 && !has_features(data)) {
    encode_unknown_nodes(data);
    data.encodings = positional_encodings(data.graph, collection.offsets, config.encodings);
  }
}

}  // namespace

DataConfig over_reading(const json::Value& reading, const DataConfig& given) {
  const json::Value defaults = to_json(DataConfig{}), over = to_json(given);
  const bool has_other_rows = !given.grid.empty() || given.sequence;
  json::Value data{json::Object{}};
  for (const auto& [name, value] : reading.as_object())
    if (!has_other_rows || (name != "grid" && name != "sequence")) data.set(name, value);
  for (const auto& [name, value] : over.as_object()) {
    const json::Value* usual = defaults.find(name);
    if (data.find(name) == nullptr || usual == nullptr || !(*usual == value)) data.set(name, value);
  }
  return parse_data(data.rooted_at("data"));
}

namespace {

std::vector<std::string> files_with_role(const data::Catalogue& catalogue, const data::CatalogueSet& dataset,
                                         const std::string& role, std::vector<std::string>* roles) {
  std::vector<std::string> paths;
  const std::vector<std::string> directories = data::default_data_directories();
  for (const data::DatasetFile& file : dataset.files) {
    if (file.role != role) continue;
    paths.push_back(data::require_file(catalogue, dataset, directories, role, file.split));
    if (roles != nullptr && !file.split.empty()) roles->push_back(file.split);
  }
  return paths;
}

/// The number of classes is that of the set's own label.
void check_counts_of(const data::CatalogueSet& dataset, const Dataset& data) {
  std::vector<std::pair<std::string_view, std::size_t>> found = {{"graphs", data.collection->graphs.size()},
                                                                 {"edges", data.graph.edge_count()}};
  const bool is_read_otherwise = data.reading.grid != dataset.reading.get("grid", "") ||
                                 json::Value(data::tokens_names()[static_cast<std::size_t>(data.reading.tokens)]) !=
                                     json::Value(dataset.reading.get("tokens", "words"));
  if (!is_read_otherwise) found.emplace_back("nodes", data.graph.node_count());
  const bool is_its_label = data.reading.label == std::vector<std::string>{dataset.reading.get("label", "")};
  if (is_its_label && !data.labels.names.empty()) found.emplace_back("classes", data.labels.names.size());
  data::check_counts(dataset, found);
}

}  // namespace

Dataset load_collection(const DataConfig& config, const LoadOptions& options) {
  Dataset data;
  data.reading = config;
  Sources sources{.nodes = {}, .roles = {}, .graphs = config.graphs, .texts = config.texts};
  if (!config.nodes.empty()) sources.nodes.push_back(config.nodes);
  const std::string& file = config.texts.empty() ? config.nodes.front() : config.texts;
  data.name = std::filesystem::path(file).filename().string();
  load(sources, options, data);
  return data;
}

void load_collection_set(const data::Catalogue& catalogue, const data::CatalogueSet& dataset,
                         const LoadOptions& options, Dataset& data) {
  data.reading = over_reading(dataset.reading, data.reading);
  data.name = dataset.name;
  Sources sources;
  for (std::string& path : files_with_role(catalogue, dataset, "nodes", &sources.roles))
    sources.nodes.emplace_back(std::move(path));
  for (const std::string& path : files_with_role(catalogue, dataset, "graphs", nullptr)) sources.graphs = path;
  for (const std::string& path : files_with_role(catalogue, dataset, "texts", nullptr)) sources.texts = path;
  load(sources, options, data);
  check_counts_of(dataset, data);
}

data::Labels labels_of_graphs(const Dataset& data) {
  const std::vector<graph::Node>& offsets = data.collection->offsets;
  data::Labels labels{.names = {"labelled"}, .classes = {}, .targets = {}};
  labels.classes.assign(offsets.size() - 1, -1);
  const std::vector<graph::Node> nodes = data::labelled_nodes(data.labels);
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    const auto first = std::ranges::lower_bound(nodes, offsets[g]);
    if (first != nodes.end() && *first < offsets[g + 1]) labels.classes[g] = 0;
  }
  return labels;
}

data::Split spread_over_nodes(const data::Split& graphs, std::span<const graph::Node> offsets) {
  data::Split nodes;
  for (std::size_t g = 0; g < graphs.size(); ++g) nodes.insert(nodes.end(), offsets[g + 1] - offsets[g], graphs[g]);
  return nodes;
}

std::vector<graph::Node> nodes_of_items(const Dataset& data, std::span<const graph::Node> items) {
  if (data.links) {
    std::vector<graph::Node> ends = ends_of(*data.links, items);
    if (data.kinds) std::erase_if(ends, [&](graph::Node node) { return node >= data.kinds->kinds.front().count; });
    return ends;
  }
  if (data.graphs) return graph::nodes_of(data.collection->offsets, items);
  return {items.begin(), items.end()};
}

}  // namespace edgewise::train
