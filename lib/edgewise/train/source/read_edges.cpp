#include "edgewise/train/source/read_edges.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>

#include "edgewise/core/input_file.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/column_scaler.hpp"
#include "edgewise/graph/duplicate_edges.hpp"
#include "edgewise/train/source/column_warnings.hpp"

namespace edgewise::train {
namespace {

constexpr const char* kNeo4jType = ":TYPE";

std::vector<std::string> categorical_of_edges(const DataConfig& config) {
  std::vector<std::string> columns;
  std::ranges::copy_if(config.edge_features, std::back_inserter(columns),
                       [&](const std::string& name) { return std::ranges::count(config.categorical, name) > 0; });
  return columns;
}

io::EdgeListOptions options_of(const LoadOptions& load, const DataConfig& config, const graph::NodeNames* known) {
  io::EdgeListOptions options{.preferred_source = load.naming_columns.source,
                              .preferred_target = load.naming_columns.target,
                              .preferred_weight = load.naming_columns.weight,
                              .known_nodes = known};
  options.source_column = config.source;
  options.target_column = config.target;
  options.weight_column = config.weight;
  // In training, columns were found by their names, and there were no weights.
  options.ignore_weights = load.is_for_model() && !load.naming_columns.source.empty() && config.weight.empty();
  if (!config.edge_label.empty()) options.ignore_weights = true;  // it may be the label
  options.feature_columns = config.edge_features;
  options.missing = io::missing_texts(config.missing);
  options.categorical = categorical_of_edges(config);
  options.categories = config.edge_categories;
  options.reads_types = !config.undirected;
  options.unknown_nodes = config.unknown_nodes;
  options.take = load.take_edges;
  return options;
}

/// Notes columns of numbers with values far outside of those in training, before they are scaled, one line each.
void note_far_edges(const std::string& file, const std::vector<Eigen::Index>& columns, const graph::NodeNames& names,
                    const graph::EdgeList& edges, Dataset& data) {
  const data::ColumnScaler& scaler = data.reading.edge_scaler;
  for (std::size_t i = 0; i < std::min(columns.size(), scaler.columns()); ++i) {
    if (!scaler.range(i)) continue;
    data::FarValues far;
    for (std::size_t edge = 0; edge < edges.size(); ++edge)
      far.add(edges.features(static_cast<Eigen::Index>(edge), columns[i]), edge, *scaler.range(i));
    if (!far.are_odd()) continue;
    const std::string edge =
        fmt::format("the edge from \"{}\" to \"{}\"", names[edges.sources[far.row]], names[edges.targets[far.row]]);
    data.notes.push_back(fmt::format("{}: column \"{}\": {}", file,
                                     edges.feature_names[static_cast<std::size_t>(columns[i])],
                                     to_string(far, *scaler.range(i), edge)));
  }
}

/// A feature of the edges that has categories, as a column.
io::Column column_of(const std::string& name, const std::vector<std::string>& categories,
                     const graph::EdgeList& edges) {
  io::Column column;
  column.name = name;
  column.is_numeric = false;
  column.categories = categories;
  column.codes.assign(edges.size(), -1);
  column.missing = edges.size();
  if (categories.empty()) return column;
  const auto found = std::ranges::find(edges.feature_names, fmt::format("{} = {}", name, categories.front()));
  const auto rows = edges.features.middleCols(found - edges.feature_names.begin(),
                                              static_cast<Eigen::Index>(categories.size()));
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    Eigen::Index code = 0;
    if (rows.row(static_cast<Eigen::Index>(edge)).maxCoeff(&code) == 0) continue;
    column.codes[edge] = static_cast<std::int32_t>(code);
    --column.missing;
  }
  return column;
}

/// A feature of the edges that is a number, as a column.
io::Column column_of(Eigen::Index feature, const graph::EdgeList& edges) {
  const auto values = edges.features.col(feature);
  io::Column column;
  column.name = edges.feature_names[static_cast<std::size_t>(feature)];
  column.numbers.assign(values.begin(), values.end());
  return column;
}

/// Notes what the user should check about the features of the edges.
void note_doubts(const io::EdgeFeatureReport& report, const graph::EdgeList& edges, Dataset& data) {
  if (edges.size() == 0) return;
  for (const auto& [name, categories] : report.categories) note_edge_column(column_of(name, categories, edges), data);
  for (const Eigen::Index feature : report.numbers) note_edge_column(column_of(feature, edges), data);
}

/// Combines edges between the same nodes if that is asked for, stores what the model must know about the features, and
/// notes what else the file contains.
void take_features(const std::string& file, const io::EdgeFeatureReport& report, const std::vector<std::string>& unused,
                   const LoadOptions& options, graph::Direction direction, const graph::NodeNames& names,
                   graph::EdgeList& edges, Dataset& data) {
  const bool is_of_model = !options.known_task.empty();
  data.reading.edge_categories = report.categories;
  if (!is_of_model) note_doubts(report, edges, data);
  if (is_of_model) note_far_edges(file, report.numbers, names, edges, data);
  std::optional<std::vector<graph::EdgeIndex>> combined;
  if (const auto rule = data.reading.combining())
    combined = graph::combine_duplicates(edges, direction, *rule, report.columns);
  scale_edge_numbers(report.numbers, combined, is_of_model, data.reading, edges);
  if (!is_of_model && data.reading.edge_label.empty()) note_unused_columns(file, unused, options, data);
  if (!is_of_model && std::ranges::count(edges.feature_names, data.reading.weight) > 0)
    data.notes.push_back(fmt::format("{}: \"{}\" is used twice, as the weight of edges and as a feature of them", file,
                                     data.reading.weight));
  if (!is_of_model && std::ranges::count(unused, kNeo4jType) > 0)
    data.notes.push_back(
        fmt::format("{}: relationships of all types are read as one kind of edge; {} {} "
                    "tells them apart",
                    file, setting("data.edge_kind"), kNeo4jType));
  if (report.unknown_categories > 0)
    data.notes.push_back(fmt::format("{}: {} values of {} are not among the categories that the model knows", file,
                                     report.unknown_categories, fmt::join(data.reading.edge_features, ", ")));
}

/// Makes the graph directed if the edges say so.
void take_types(const io::EdgeListReport& report, const LoadOptions& options, Dataset& data) {
  if (!report.is_directed || data.reading.directed) return;
  if (options.take_edges)  // they were taken as undirected
    throw UsageError(fmt::format("data.directed: {}: the column \"Type\" says that edges are directed: say so ({})",
                                 data.reading.edges, setting("data.directed")));
  data.reading.directed = true;
  data.notes.push_back(fmt::format(
      "{}: the column \"Type\" says that {} directed{}; {}=false takes all as undirected", data.reading.edges,
      report.two_way == 0 ? "edges are" : "some edges are",
      report.two_way == 0 ? "" : fmt::format(", and the {} undirected ones are read as two edges each", report.two_way),
      setting("data.directed")));
}

/// Keeps the column names of a file, so that other files are read by the same names.
void keep_columns(const io::EdgeListReport& report, DataConfig& config) {
  if (!report.has_header) return;
  config.source = report.source_column;
  config.target = report.target_column;
  config.weight = report.weight_column;
}

}  // namespace

void note_edge_column(const io::Column& column, Dataset& data) {
  ColumnFacts facts = column_facts(column);
  facts.is_of_edges = true;
  std::ranges::copy(column_warnings({facts}, column.size()), std::back_inserter(data.notes));
}

void scale_edge_numbers(const std::vector<Eigen::Index>& columns,
                        const std::optional<std::vector<graph::EdgeIndex>>& rows, bool is_of_model, DataConfig& config,
                        graph::EdgeList& edges) {
  if (columns.empty() || edges.size() == 0) return;
  const Matrix numbers = edges.features(Eigen::all, columns);
  if (config.edge_scaler.columns() == 0) {
    if (is_of_model) return;
    config.edge_scaler = rows ? data::ColumnScaler::fit(numbers(*rows, Eigen::all)) : data::ColumnScaler::fit(numbers);
  }
  edges.features(Eigen::all, columns) = config.edge_scaler.apply(numbers);
}

void note_unused_columns(const std::string& file, std::vector<std::string> unused, const LoadOptions& options,
                         Dataset& data) {
  std::erase_if(unused, [&](const std::string& name) { return std::ranges::count(options.split_columns, name) > 0; });
  if (!unused.empty())
    data.notes.push_back(fmt::format("{}: not used: {}; {} makes them features of the edges", file,
                                     fmt::join(unused, ", "), setting("data.edge_features")));
}

void note_unknown_nodes(const io::UnknownNodeReport& unknown, const std::string& file, Dataset& data) {
  if (unknown.edges == 0) return;
  const std::string where = unknown.place.empty() ? "" : fmt::format(" in {}", unknown.place);
  const std::string nodes =
      fmt::format("{} that {} not in {}, the first {}{}", counted(unknown.nodes, "node"),
                  unknown.nodes == 1 ? "is" : "are", data.reading.nodes, io::quote(unknown.first), where);
  data.notes.push_back(data.reading.unknown_nodes == io::UnknownNodes::add
                           ? fmt::format("{}: adds {}: nothing is known about {}", file, nodes,
                                         unknown.nodes == 1 ? "it but its edges" : "them but their edges")
                           : fmt::format("{}: leaves out {} to {}", file, counted(unknown.edges, "edge"), nodes));
  if (unknown.is_header)
    data.notes.push_back(fmt::format("{}: the first row looks like data, since {} is a node: give the table a header",
                                     data.reading.nodes, io::quote(data.table.id_column)));
}

io::EdgeListResult read_edges(const LoadOptions& options, const graph::NodeNames* known, Dataset& data) {
  io::EdgeListOptions wanted = options_of(options, data.reading, known);
  wanted.nodes_header = data.table.id_column;
  io::EdgeListResult result = io::read_edge_list(data.reading.edges, wanted);
  const io::EdgeListReport& report = result.report;
  keep_columns(report, data.reading);
  if (report.commented_rows.count > 0)
    data.notes.push_back(fmt::format("{}: {}", data.reading.edges, to_string(report.commented_rows)));
  for (const std::string& doubt : report.doubts) data.notes.push_back(fmt::format("{}: {}", data.reading.edges, doubt));
  note_unknown_nodes(report.unknown, data.reading.edges.text(), data);
  take_types(report, options, data);
  take_features(data.reading.edges.text(), report.features, report.unused_columns, options,
                data.reading.graph_options().direction, result.names, result.edges, data);
  return result;
}

io::NodeTable read_edge_table(const DataConfig& config, const LoadOptions& options,
                              const std::vector<std::string>& columns, const io::EdgeListResult& edges) {
  const io::NodeTable all = io::read_node_table(config.edges, {.expected = "an edge list",
                                                               .is_numbered = true,
                                                               .columns = columns,
                                                               .texts = read_as_text(config, options),
                                                               .missing = io::missing_texts(config.missing)});
  std::vector<std::size_t> rows;  // both are in the order of the files; some rows are no edges, or two
  std::size_t row = 0;
  io::EdgeLine before{};
  for (std::size_t edge = 0; edge < edges.edges.size(); ++edge) {
    const TextLocation where = edges.where(edge);
    const io::EdgeLine place = edges.line_at(edge);
    if (std::pair(place.file, place.line) < std::pair(before.file, before.line)) row = 0;  // reverses follow all edges
    before = place;
    const auto is_other = [&](const TextLocation& row_at) {
      return row_at.line != where.line || row_at.file != where.file;
    };
    while (row < all.rows() && is_other(all.where(row))) ++row;
    if (row == all.rows())
      throw DataError(where, fmt::format("the columns {} are not found beside this edge", fmt::join(columns, ", ")));
    rows.push_back(row);
  }
  return io::rows_of(all, rows);
}

graph::GraphOptions graph_options(const DataConfig& config, const io::GraphFile& file) {
  graph::GraphOptions options = config.graph_options();
  if (file.direction == graph::Direction::directed && !config.undirected)
    options.direction = graph::Direction::directed;
  return options;
}

io::GraphFile read_graph(const LoadOptions& options, Dataset& data) {
  const DataConfig& config = data.reading;
  io::GraphFile file = io::read_graph_file(config.graph, {.node_names = config.node_names,
                                                          .weight_attribute = config.weight,
                                                          .preferred_weight = options.naming_columns.weight,
                                                          .edge_features = config.edge_features,
                                                          .categorical = categorical_of_edges(config),
                                                          .texts_of_nodes = read_as_text(config, options),
                                                          .missing = io::missing_texts(config.missing),
                                                          .categories = config.edge_categories});
  if (!options.is_for_model()) data.reading.weight = file.weight_attribute;
  if (!options.is_for_model())
    for (const std::string& note : file.notes) data.notes.push_back(fmt::format("{}: {}", config.graph, note));
  for (const std::string& attribute : file.unused_attributes)
    data.notes.push_back(fmt::format("{}: the attribute \"{}\" cannot be used", config.graph, attribute));
  return file;
}

void take_edge_features(const LoadOptions& options, io::GraphFile& file, Dataset& data) {
  take_features(data.reading.graph, file.edge_features, file.unused_edge_attributes, options,
                graph_options(data.reading, file).direction, file.names, file.edges, data);
}

void note_differing_duplicates(const std::string& file, const PlaceOfEdge& place_of, Dataset& data) {
  const graph::EdgeList& edges = data.graph.edges();
  const bool can_differ = !edges.weights.empty() || edges.features.cols() > 0;
  if (data.reading.duplicates != Duplicates::keep_first || data.graph.duplicates_dropped() == 0 || !can_differ) return;
  const graph::DifferingDuplicates found = graph::differing_duplicates(edges, data.graph.direction());
  if (found.pairs == 0) return;
  const graph::NodeNames& names = data.graph.names();
  data.notes.push_back(
      fmt::format("{}: {} with different {}, first {} and {} ({} and {}): only the first edge of each counts; {} sum, "
                  "mean, max, min or count combines them, keep_all keeps them all",
                  file, counted(found.pairs, "pair of nodes is repeated", "pairs of nodes are repeated"),
                  !found.have_features  ? "weights"
                  : !found.have_weights ? "edge features"
                                        : "weights and edge features",
                  io::quote(names[edges.sources[found.first]]), io::quote(names[edges.targets[found.first]]),
                  place_of(found.first), place_of(found.other), setting("data.duplicates")));
}

std::uint64_t memory_of_edges(const FileList& files) {
  constexpr std::uint64_t kPlain = 5, kCompressed = 20;  // bytes of a graph by byte of the file
  std::uint64_t memory = 0;
  for (const std::string& path : files.files()) {
    std::error_code ignored;
    const std::uintmax_t size = std::filesystem::file_size(path_to_open(path), ignored);
    if (!ignored) memory += size * (path.ends_with(".gz") ? kCompressed : kPlain);
  }
  return memory;
}

std::string freeze_command(const DataConfig& data) {
  std::string command = "edgewise data freeze";
  const std::pair<const char*, FileList> given[] = {{"--edges", data.edges},
                                                    {"--graph", data.graph},
                                                    {"--nodes", data.nodes},
                                                    {"--label", fmt::format("{}", fmt::join(data.label, ","))}};
  if (!data.dataset.empty()) command += " " + data.dataset;
  for (const auto& [flag, values] : given)
    for (const std::string& value : values.files()) command += fmt::format(" {} {}", flag, value);
  return command + " --out net.edgewise";
}

}  // namespace edgewise::train
