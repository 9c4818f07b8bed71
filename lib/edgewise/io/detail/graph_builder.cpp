#include "edgewise/io/detail/graph_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/detail/column_builder.hpp"
#include "edgewise/io/detail/edge_feature.hpp"
#include "edgewise/io/limits.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io::detail {
namespace {

/// Cytoscape's running number of a node or an edge, which says nothing about it.
constexpr std::string_view kCytoscapeNumber = "SUID";

/// "3 relations ("binds", "cuts", "joins")".
std::string kinds(const Column& column, std::string_view noun, std::string_view plural) {
  if (column.is_numeric) return fmt::format("several {}", plural);
  return fmt::format("{} ({})", counted(column.categories.size(), noun, plural), list_of_columns(column.categories));
}

/// Whether this is NaN or an infinity as programs spell them: no known number.
bool is_not_finite(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  for (const std::string_view name : {"nan", "inf", "infinity"})
    if (equals_ignoring_case(text, name)) return true;
  return false;
}

}  // namespace

GraphBuilder::GraphBuilder(std::string file, graph::Direction direction) {
  result_.nodes.file = std::move(file);
  result_.nodes.id_column = "id";
  result_.direction = direction;
}

graph::Node GraphBuilder::add_node(std::string_view name, std::uint64_t line) {
  const std::size_t before = result_.names.size();
  const graph::Node node = result_.names.add(name);
  if (node < before)
    throw DataError(TextLocation{result_.nodes.file.front(), line, 0},
                    fmt::format("node {} appears here a second time", quote(name)));
  result_.nodes.lines.push_back(line);
  return node;
}

graph::Node GraphBuilder::node(std::string_view name, std::uint64_t line) {
  const graph::Node node = result_.names.add(name);
  if (node == result_.nodes.lines.size()) result_.nodes.lines.push_back(line);
  return node;
}

void GraphBuilder::add_two_way_edge(graph::Node source, graph::Node target, std::uint64_t line) {
  two_way_edges_.push_back(static_cast<std::uint32_t>(edge_count()));
  add_edge(source, target, line);
}

void GraphBuilder::add_edge(graph::Node source, graph::Node target, std::uint64_t line) {
  result_.edges.sources.push_back(source);
  result_.edges.targets.push_back(target);
  if (line > 0) {
    edge_lines_.resize(edge_count());
    edge_lines_.back() = line;
  }
}

void GraphBuilder::set(Attributes& attributes, std::size_t row, std::string_view name, Text value, ValueType type) {
  const auto [place, is_new] = attributes.index.emplace(name, attributes.list.size());
  if (is_new) attributes.list.push_back({std::string(name), type, {}});
  Attribute& attribute = attributes.list[place->second];
  if (type == ValueType::text) attribute.type = type;  // a single text makes the attribute text
  if (type == ValueType::number && is_not_finite(texts_[value])) value = store("");
  attribute.values.emplace_back(static_cast<std::uint32_t>(row), value);
  check_cells(++cells_, "set");
}

void GraphBuilder::set_node(graph::Node node, std::string_view name, Text value, ValueType type) {
  set(node_attributes_, node, name, value, type);
}

void GraphBuilder::set_edge(std::size_t edge, std::string_view name, Text value, ValueType type) {
  set(edge_attributes_, edge, name, value, type);
}

void GraphBuilder::note_unused(const std::string& name) {
  if (unused_.insert(name).second) result_.unused_attributes.push_back(name);
}

void GraphBuilder::note(std::string_view text) { result_.notes.emplace_back(text); }

void GraphBuilder::check_cells(std::uint64_t cells, const char* what) const {
  const std::uint64_t most = limits().cells(text_bytes_);
  if (cells > most)
    throw DataError(
        fmt::format("{}: more than {} values of attributes are {}, too many for a file of {} bytes; if "
                    "that is so, raise the limits ({})",
                    result_.nodes.file.front(), most, what, text_bytes_, setting("raise_limits")));
}

TextLocation GraphBuilder::place(std::size_t row, bool is_node) const {
  if (is_node) return result_.nodes.where(row);
  if (!edge_list_.empty()) return {fmt::format("{}: {}[{}]", result_.nodes.file.front(), edge_list_, row), 0, 0};
  return {result_.nodes.file.front(), row < edge_lines_.size() ? edge_lines_[row] : 0, 0};
}

std::vector<Column> GraphBuilder::make_columns(Attributes& attributes, std::size_t rows, bool is_node,
                                               std::span<const std::string> missing) {
  check_cells(
      static_cast<std::uint64_t>(rows) * attributes.list.size(),
      is_node ? "to be held for the nodes, most of them missing" : "to be held for the edges, most of them missing");
  std::vector<Column> columns;
  for (Attribute& attribute : attributes.list) {
    columns.push_back(make_column(attribute, rows, is_node, missing));
    attribute.values = {};
  }
  return columns;
}

/// Adds the reverse of each two-way edge to a directed graph, with the same attributes.
void GraphBuilder::add_reverses() {
  if (result_.direction == graph::Direction::undirected || two_way_edges_.empty()) return;
  const std::size_t edges = edge_count();
  std::unordered_map<std::uint32_t, std::uint32_t> reverses;
  for (const std::uint32_t edge : two_way_edges_) {
    const graph::Node source = result_.edges.sources[edge], target = result_.edges.targets[edge];
    if (source == target) continue;
    reverses.emplace(edge, static_cast<std::uint32_t>(edge_count()));
    add_edge(target, source, edge < edge_lines_.size() ? edge_lines_[edge] : 0);
  }
  for (Attribute& attribute : edge_attributes_.list) {
    for (std::size_t i = 0, values = attribute.values.size(); i < values; ++i) {
      const auto [row, value] = attribute.values[i];
      if (const auto reverse = reverses.find(row); reverse != reverses.end())
        attribute.values.emplace_back(reverse->second, value);
    }
  }
  note(fmt::format("{} of {} edges are undirected: they are read as two directed edges each", two_way_edges_.size(),
                   edges));
}

Column GraphBuilder::make_column(Attribute& attribute, std::size_t rows, bool is_node,
                                 std::span<const std::string> missing) const {
  auto& values = attribute.values;
  const auto by_row = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(values.begin(), values.end(), by_row)) std::stable_sort(values.begin(), values.end(), by_row);
  const auto build = [&](ColumnKind kind) {
    ColumnBuilder builder(attribute.name, kind, missing);
    std::size_t next = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t first = next;
      while (next < values.size() && values[next].first == row) ++next;
      if (next == first)
        builder.add_missing();
      else
        builder.add(texts_[values[next - 1].second], place(row, is_node));
    }
    return builder;
  };
  ColumnBuilder builder = build(attribute.type == ValueType::text     ? ColumnKind::categorical
                                : attribute.type == ValueType::number ? ColumnKind::numeric
                                                                      : ColumnKind::unknown);
  if (builder.must_start_again()) builder = build(ColumnKind::categorical);
  return builder.finish();
}

/// Reports a weight that is not a number, with its line.
void GraphBuilder::refuse_weight(const Column& weight) const {
  for (std::size_t edge = 0; edge < weight.size(); ++edge) {
    float ignored = 0;
    const std::string text = weight.text(edge);
    if (!text.empty() && parse_number(text, ignored) != NumberFault::none)
      throw DataError(place(edge, false),
                      fmt::format("edge attribute {}: expected a number, got {}", quote(weight.name), quote(text)));
  }
  throw DataError(
      fmt::format("{}: edge attribute {}: expected numbers", result_.nodes.file.front(), quote(weight.name)));
}

std::vector<const Column*> GraphBuilder::attributes_of_edges(const std::vector<Column>& columns,
                                                             std::span<const std::string> names) const {
  const ColumnIndex index(columns);
  std::vector<const Column*> found;
  for (const std::string& name : names) {
    found.push_back(index.find(name));
    if (found.back() == nullptr) refuse_attribute(columns, name);
  }
  return found;
}

void GraphBuilder::refuse_attribute(const std::vector<Column>& columns, const std::string& name) const {
  std::vector<std::string> known;
  for (const Column& column : columns) known.push_back(column.name);
  throw DataError(fmt::format("{}: no edge has the attribute {}; {}", result_.nodes.file.front(), quote(name),
                              known.empty() ? "edges have none" : "edges have " + list_of_columns(known)));
}

const Column* GraphBuilder::find_weight(const std::vector<Column>& columns, const GraphFileOptions& options) const {
  if (!options.weight_attribute.empty())
    return attributes_of_edges(columns, {&options.weight_attribute, 1})[0];
  const std::string& wish = options.preferred_weight;
  const Column* preferred = wish.empty() ? nullptr : find_column(columns, wish);
  if (preferred != nullptr && preferred->is_numeric) return preferred;
  for (const char* name : {"weight", "value"})
    for (const Column& column : columns)
      if (equals_ignoring_case(column.name, name) && (column.is_numeric || name[0] == 'w') &&
          std::ranges::count(options.edge_features, column.name) == 0)
        return &column;
  return nullptr;
}

const Column* GraphBuilder::use_weight(const std::vector<Column>& columns, const GraphFileOptions& options) {
  const Column* weight = find_weight(columns, options);
  if (weight == nullptr) return nullptr;
  if (!weight->is_numeric) refuse_weight(*weight);
  result_.weight_attribute = weight->name;
  result_.edges.weights = weight->numbers;
  for (std::size_t e = 0; e < edge_count(); ++e)
    if (weight->is_missing(e)) result_.edges.weights[e] = 1.0f;
  return weight;
}

void GraphBuilder::leave_unused(const Column& column) {
  if (column.name != edge_kind_) return result_.unused_edge_attributes.push_back(column.name);
  if (!column.is_numeric && column.categories.size() < 2) return;
  note(fmt::format("{} are read as one kind of edge; {} {} tells them apart", kinds(column, "relation", "relations"),
                   setting("data.edge_kind"), column.name));
}

/// Unless somebody asks for the attribute by its name.
void GraphBuilder::note_kinds_of_nodes(const GraphFileOptions& options) {
  const Column* kind = node_kind_.empty() ? nullptr : find_column(result_.nodes.columns, node_kind_);
  if (kind == nullptr || kind->is_numeric || kind->categories.size() < 2) return;
  if (std::ranges::count(options.texts_of_nodes.names, kind->name) > 0) return;
  note(fmt::format("{} are read as one kind; {} {} tells them apart", kinds(*kind, "kind of node", "kinds of nodes"),
                   setting("data.node_kind"), kind->name));
}

void GraphBuilder::use_edge_columns(const std::vector<Column>& columns, const GraphFileOptions& options) {
  const Column* weight = use_weight(columns, options);
  std::vector<const Column*> used = attributes_of_edges(columns, options.edge_features);
  const std::unordered_set<const Column*> is_named(used.begin(), used.end());
  for (const Column& column : columns) {
    if (&column == weight || is_named.contains(&column)) continue;
    if (is_named.empty() && column.is_numeric && column.missing == 0 && column.name != kCytoscapeNumber)
      used.push_back(&column);
    else
      leave_unused(column);
  }
  std::vector<EdgeFeature> features;
  for (const Column* column : used) {
    features.push_back(edge_feature(column->name, !column->is_numeric, options.categories, options.missing));
    for (std::size_t e = 0; e < edge_count(); ++e) {
      if (column->is_numeric && column->is_missing(e)) require_number("", place(e, false), column->name);  // throws
      features.back().add(column->text(e), result_.nodes.file.front(), e < edge_lines_.size() ? edge_lines_[e] : 0);
    }
  }
  result_.edge_features = write_features(features, result_.nodes.file.front(), result_.edges);
}

void GraphBuilder::rename_nodes(const std::string& attribute) {
  const auto found = std::ranges::find(node_attributes_.list, attribute, &Attribute::name);
  if (found == node_attributes_.list.end()) {
    std::vector<std::string> known;
    for (const Attribute& other : node_attributes_.list) known.push_back(other.name);
    throw DataError(fmt::format("{}: no node has the attribute {}; {}", result_.nodes.file.front(), quote(attribute),
                                known.empty() ? "nodes have none" : "nodes have " + list_of_columns(known)));
  }
  std::vector<std::optional<Text>> texts(result_.names.size());
  for (const auto& [node, text] : found->values) texts[node] = text;
  graph::NodeNames names;
  for (graph::Node node = 0; node < texts.size(); ++node) {
    const std::string_view name = texts[node] ? texts_[*texts[node]] : std::string_view();
    if (name.empty())
      throw DataError(place(node, true), fmt::format("node {} has no attribute {}, which is to name the nodes",
                                                     quote(result_.names[node]), quote(attribute)));
    const graph::Node first = names.add(name);
    if (first != node)
      throw DataError(place(node, true),
                      fmt::format("nodes {} and {} have the same {}, {}, which is to name the nodes",
                                  quote(result_.names[first]), quote(result_.names[node]), quote(attribute),
                                  quote(name)));
  }
  result_.names = std::move(names);
  result_.nodes.id_column = attribute;
  node_attributes_.list.erase(found);
}

GraphFile GraphBuilder::finish(const GraphFileOptions& options) {
  if (!options.node_names.empty()) rename_nodes(options.node_names);
  for (Attribute& attribute : node_attributes_.list)
    if (options.texts_of_nodes.contains(attribute.name)) attribute.type = ValueType::text;
  for (Attribute& attribute : edge_attributes_.list)
    if (std::ranges::count(options.categorical, attribute.name) > 0 || options.categories.contains(attribute.name))
      attribute.type = ValueType::text;
  add_reverses();
  result_.nodes.columns = make_columns(node_attributes_, result_.names.size(), true, options.missing);
  use_edge_columns(make_columns(edge_attributes_, edge_count(), false, options.missing), options);
  note_kinds_of_nodes(options);
  result_.nodes.names = result_.names;
  result_.edge_lines = std::move(edge_lines_);
  result_.edge_list = std::move(edge_list_);
  return std::move(result_);
}

void check_declared_nodes(std::uint64_t nodes, std::uint64_t text_bytes, const TextLocation& where) {
  const std::uint64_t most = limits().edges(text_bytes) / 4;  // a node takes more memory than an edge
  if (nodes > most)
    throw DataError(where, fmt::format("{} nodes, more than the {} that a file of {} bytes may declare; if that is so, "
                                       "raise the limits ({})",
                                       nodes, most, text_bytes, setting("raise_limits")));
}

GraphFileOptions with_weight_by_position(GraphFileOptions options) {
  if (options.weight_attribute == "3") options.weight_attribute = "weight";
  return options;
}

void drop_repeated_names(GraphFile& file, std::string_view name) {
  const Column* names = file.nodes.find(name);
  if (names == nullptr || names->is_numeric) return;
  const std::vector<std::string>& missing = default_missing_texts();
  for (graph::Node node = 0; node < file.names.size(); ++node) {
    const bool is_marker = names->is_missing(node) && std::ranges::count(missing, file.names[node]) > 0;
    if (!is_marker && names->text(node) != file.names[node]) return;
  }
  std::erase_if(file.nodes.columns, [&](const Column& column) { return column.name == name; });
}

}  // namespace edgewise::io::detail
