#include "edgewise/data/node_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_set>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/categorical_column.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::data {
namespace {

using graph::Node;

io::Column take_rows(const io::Column& column, const std::vector<std::size_t>& rows) {
  io::Column taken;
  taken.name = column.name;
  taken.is_numeric = column.is_numeric;
  taken.categories = column.categories;
  taken.zero_led = column.zero_led;
  taken.rounded = column.rounded;
  for (const std::size_t row : rows) {
    if (column.is_numeric)
      taken.numbers.push_back(column.numbers[row]);
    else
      taken.codes.push_back(column.codes[row]);
    taken.missing += column.is_missing(row) ? 1 : 0;
  }
  return taken;
}

std::vector<std::string> texts_of(const io::Column& column) {
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < column.size(); ++row) texts.push_back(column.text(row));
  return texts;
}

/// Concatenates columns of the same name. Missing values in a text column become empty texts.
io::Column joined(const std::vector<const io::Column*>& parts) {
  const std::string& name = parts[0]->name;
  if (!std::ranges::all_of(parts, [](const io::Column* part) { return part->is_numeric; })) {
    std::vector<std::string> texts;
    for (const io::Column* part : parts)
      for (std::string& text : texts_of(*part)) texts.push_back(std::move(text));
    return io::categorical_column(name, texts);
  }
  io::Column column;
  column.name = name;
  for (const io::Column* part : parts) {
    column.numbers.insert(column.numbers.end(), part->numbers.begin(), part->numbers.end());
    column.missing += part->missing;
    if (column.zero_led.empty()) column.zero_led = part->zero_led;
    if (column.rounded.empty()) column.rounded = part->rounded;
  }
  return column;
}

/// All columns of the first table, with those of the same names in the others.
std::vector<io::Column> joined_columns(const std::vector<io::NodeTable>& tables) {
  std::vector<io::ColumnIndex> indices;
  for (const io::NodeTable& table : tables) indices.emplace_back(table.columns);
  std::vector<io::Column> columns;
  for (const io::Column& column : tables[0].columns) {
    std::vector<const io::Column*> parts;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const io::Column* part = indices[t].find(column.name);
      parts.push_back(part != nullptr ? part : &tables[t].at(column.name));  // throws, listing the columns
    }
    columns.push_back(joined(parts));
  }
  return columns;
}

/// The graph of each row. Adds unknown graphs unless `is_fixed`.
std::vector<Node> graphs_of(const io::NodeTable& rows, const std::string& column_name, bool is_fixed,
                            graph::NodeNames& graphs) {
  const io::Column& column = rows.at(column_name);
  std::vector<Node> result(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (column.is_missing(row))
      throw DataError(rows.where(row), fmt::format("column \"{}\": expected a graph, found nothing", column_name));
    const std::string name = column.text(row);
    const auto known = graphs.find(name);
    if (!known && is_fixed)
      throw DataError(rows.where(row),
                      fmt::format("column \"{}\": \"{}\" is not in the table of graphs", column_name, name));
    result[row] = known ? *known : graphs.add(name);
  }
  return result;
}

/// The places of the rows, which a float could not tell apart if they are, for instance, times in seconds.
std::vector<double> places_of(const io::NodeTable& rows, const std::string& name) {
  std::vector<double> places;
  if (name.empty()) return places;
  const io::Column& column = rows.at(name);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (column.is_missing(row))
      throw DataError(rows.where(row), fmt::format("column \"{}\": expected a place, found nothing", name));
    double place = 0;
    if (const std::string text = column.text(row); io::parse_number(text, place) != io::NumberFault::none)
      throw DataError(rows.where(row),
                      fmt::format("column \"{}\": expected a number to order by, got \"{}\"", name, text));
    places.push_back(place);
  }
  return places;
}

io::Column numeric_column(const std::string& name, const std::vector<double>& values) {
  io::Column column;
  column.name = name;
  column.numbers.assign(values.begin(), values.end());
  return column;
}

/// Names "GRAPH:PLACE" for rows in their final order; places are written as in the column `order`.
graph::NodeNames place_names(const NodeGroups& groups, const io::Column* order) {
  graph::NodeNames names;
  for (Node g = 0; g + 1 < groups.offsets.size(); ++g) {
    const Node begin = groups.offsets[g];
    for (Node node = begin; node < groups.offsets[g + 1]; ++node) {
      const std::string place = order != nullptr ? order->text(node) : std::to_string(node - begin + 1);
      const bool is_repeated = node > begin && groups.places[node] == groups.places[node - 1];
      if (is_repeated || names.add(fmt::format("{}:{}", groups.graphs[g], place)) != node)
        throw DataError(groups.nodes.where(node),
                        fmt::format("the place {} of \"{}\" occurs twice", place, groups.graphs[g]));
    }
  }
  return names;
}

/// The node at `place` in the graph with nodes from `begin` to `end`, or `end`.
Node node_at(double place, Node begin, Node end, const std::vector<double>& places) {
  const auto first = places.begin() + begin, last = places.begin() + end;
  const auto at = std::lower_bound(first, last, place);
  return at != last && *at == place ? begin + static_cast<Node>(at - first) : end;
}

std::size_t length_of_character(std::string_view text) { return std::max<std::size_t>(1, utf8_length(text)); }

void split_words(std::string_view text, std::vector<std::string>& tokens) {
  for (const std::string_view word : words_of(text, " \t\n\r\f\v")) tokens.emplace_back(word);
}

void split_characters(std::string_view text, std::vector<std::string>& tokens) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_of_character(text.substr(at));
    tokens.emplace_back(text.substr(at, length));
    at += length;
  }
}

/// "McDonald's-2" becomes "AaAa.a.0".
std::string shape_of(std::string_view word) {
  std::string shape;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    const char kind = c >= '0' && c <= '9'                     ? '0'
                      : c >= 'A' && c <= 'Z'                   ? 'A'
                      : (c >= 'a' && c <= 'z') || byte >= 0x80 ? 'a'
                                                               : '.';
    if (shape.empty() || shape.back() != kind) shape += kind;
  }
  return shape;
}

/// The first row with a text that is not a number.
std::size_t first_text(const io::Column& column) {
  for (std::size_t row = 0; row < column.size(); ++row)
    if (!column.is_missing(row) && !io::is_number(column.text(row))) return row;
  return 0;
}

/// An empty table for the nodes that are made of the rows of `of`.
io::NodeTable made_table(io::NodeTable& of, std::size_t nodes) {
  of.header = io::names_of(of.columns);
  io::NodeTable table;
  table.file = of.file;
  table.header = of.header;
  table.lines.reserve(nodes);
  return table;
}

void add_graph(const io::NodeTable& of, std::size_t row, std::size_t nodes, NodeGroups& groups) {
  for (std::size_t i = 1; i <= nodes; ++i) {
    groups.nodes.names.add(fmt::format("{}:{}", of.names[static_cast<Node>(row)], i));
    groups.nodes.lines.push_back(row < of.lines.size() ? of.lines[row] : 0);
    if (!of.parts.empty()) groups.nodes.parts.push_back(of.parts[row]);
  }
  groups.offsets.push_back(groups.offsets.back() + static_cast<Node>(nodes));
}

}  // namespace

io::NodeTable concatenate(std::vector<io::NodeTable> tables, std::span<const std::string> roles) {
  io::NodeTable all;
  std::vector<std::string> parts, files;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    files.push_back(tables[t].file.text());
    if (tables.size() > 1) all.parts.insert(all.parts.end(), tables[t].rows(), static_cast<std::uint16_t>(t));
    all.lines.insert(all.lines.end(), tables[t].lines.begin(), tables[t].lines.end());
    if (tables[t].columns.size() != tables[0].columns.size())
      throw DataError(fmt::format("{}: has {} columns, {} has {}", tables[t].file, tables[t].columns.size(),
                                  tables[0].file, tables[0].columns.size()));
    for (std::size_t row = 0; row < tables[t].rows(); ++row) {
      all.names.add(std::to_string(all.names.size() + 1));
      if (!roles.empty()) parts.push_back(roles[t]);
    }
  }
  all.file = files;
  all.columns = joined_columns(tables);
  if (!roles.empty()) all.columns.push_back(io::categorical_column("split", parts));
  return all;
}

NodeGroups group_nodes(io::NodeTable rows, const GroupOptions& options, const graph::NodeNames* known) {
  NodeGroups groups;
  if (known != nullptr) groups.graphs = *known;
  const std::vector<Node> graph_of_row = graphs_of(rows, options.graph, known != nullptr, groups.graphs);
  const std::vector<double> places = places_of(rows, options.order);
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (graph_of_row[a] != graph_of_row[b]) return graph_of_row[a] < graph_of_row[b];
    return !places.empty() && places[a] < places[b];
  });
  groups.offsets.assign(groups.graphs.size() + 1, 0);
  for (const Node g : graph_of_row) ++groups.offsets[g + 1];
  std::partial_sum(groups.offsets.begin(), groups.offsets.end(), groups.offsets.begin());
  for (std::size_t node = 0; node < order.size(); ++node)
    groups.places.push_back(places.empty() ? static_cast<double>(node - groups.offsets[graph_of_row[order[node]]] + 1)
                                           : places[order[node]]);
  groups.nodes.file = rows.file;
  groups.nodes.id_column = rows.id_column;
  for (const std::size_t row : order) {
    groups.nodes.lines.push_back(rows.lines[row]);
    if (!rows.parts.empty()) groups.nodes.parts.push_back(rows.parts[row]);
  }
  for (io::Column& column : rows.columns) groups.nodes.columns.push_back(take_rows(column, order));
  const auto ordering = std::ranges::find(groups.nodes.columns, options.order, &io::Column::name);
  if (options.has_names)
    for (const std::size_t row : order) groups.nodes.names.add(rows.names[static_cast<Node>(row)]);
  else
    groups.nodes.names = place_names(groups, places.empty() ? nullptr : &*ordering);
  if (!places.empty()) *ordering = numeric_column(options.order, groups.places);
  return groups;
}

graph::EdgeList head_edges(const NodeGroups& groups, const std::string& head) {
  constexpr double kExact = 1 << 24;  // a float holds whole numbers up to this one
  const io::Column& heads = groups.nodes.at(head);
  if (!heads.is_numeric)
    throw DataError(groups.nodes.where(first_text(heads)),
                    fmt::format("column \"{}\": expected places of nodes, which are numbers", head));
  graph::EdgeList edges;
  for (Node g = 0; g + 1 < groups.offsets.size(); ++g) {
    const Node begin = groups.offsets[g], end = groups.offsets[g + 1];
    for (Node node = begin; node < end; ++node) {
      double place = 0;  // of "0.1", as in the column to order by, where the float would be 0.10000000149
      if (!heads.is_missing(node)) io::parse_number(heads.text(node), place);
      if (place == 0) continue;
      if (std::abs(place) > kExact)
        throw DataError(groups.nodes.where(node),
                        fmt::format("column \"{}\": expected a place of at most {:.0f}, got {}", head, kExact, place));
      const Node found = node_at(place, begin, end, groups.places);
      if (found == end)
        throw DataError(groups.nodes.where(node),
                        fmt::format("column \"{}\": \"{}\" has no place {}", head, groups.graphs[g], place));
      edges.sources.push_back(found);
      edges.targets.push_back(node);
    }
  }
  return edges;
}

void check_inside(const graph::EdgeList& edges, const NodeGroups& groups,
                  const std::function<TextLocation(graph::EdgeIndex)>& where) {
  const auto graph_of = [&](Node node) {
    return std::ranges::upper_bound(groups.offsets, node) - groups.offsets.begin() - 1;
  };
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (graph_of(edges.sources[e]) == graph_of(edges.targets[e])) continue;
    throw DataError(where(e),
                    fmt::format("the edge from \"{}\" to \"{}\" leads from one graph to another",
                                groups.nodes.names[edges.sources[e]], groups.nodes.names[edges.targets[e]]));
  }
}

NodeGroups tokenise(io::NodeTable& texts, const std::string& column, TokenKind kind) {
  const io::Column& text = texts.at(column);
  NodeGroups groups;
  groups.graphs = texts.names;
  groups.nodes = made_table(texts, 0);
  groups.nodes.columns.push_back(io::categorical_column("token", [&](const auto& add) {
    std::vector<std::string> tokens;
    for (std::size_t row = 0; row < texts.rows(); ++row) {
      tokens.clear();
      if (kind == TokenKind::words)
        split_words(text.text(row), tokens);
      else
        split_characters(text.text(row), tokens);
      add_graph(texts, row, tokens.size(), groups);
      for (const std::string& token : tokens) add(token);
    }
  }));
  std::erase_if(texts.columns, [&](const io::Column& of) { return of.name == column; });
  return groups;
}

std::vector<std::string> value_columns(const io::NodeTable& rows, std::span<const std::string> excluded) {
  for (const std::string& name : excluded)
    if (rows.find(name) == nullptr)
      throw UsageError(fmt::format("{}: there is no column \"{}\" to leave out", rows.file, name));
  std::vector<std::string> values;
  for (const io::Column& column : rows.columns)
    if (std::ranges::count(excluded, column.name) == 0) values.push_back(column.name);
  return values;
}

NodeGroups spread_rows(io::NodeTable& rows, std::span<const std::string> columns, std::size_t length) {
  const io::ColumnIndex index(rows.columns);
  std::vector<const io::Column*> values;
  for (const std::string& name : columns) {
    const io::Column* found = index.find(name);
    const io::Column& column = found != nullptr ? *found : rows.at(name);  // throws, listing the columns
    if (!column.is_numeric)
      throw DataError(rows.where(first_text(column)),
                      fmt::format("column \"{}\": expected numbers, the values of a node; leave it out with {}", name,
                                  setting("data.ignore")));
    values.push_back(&column);
  }
  if (length == 0) length = values.size();
  if (values.empty())
    throw DataError(fmt::format("{}: expected columns of values, but all are labels, ignored or a split", rows.file));
  if (values.size() % length != 0)
    throw DataError(
        fmt::format("{}: expected {} columns of values, or a multiple, got {}", rows.file, length, values.size()));
  const std::size_t channels = values.size() / length;
  NodeGroups groups;
  groups.graphs = rows.names;
  groups.nodes = made_table(rows, rows.rows() * length);
  for (std::size_t row = 0; row < rows.rows(); ++row) add_graph(rows, row, length, groups);
  for (std::size_t c = 0; c < channels; ++c) {
    io::Column& column = groups.nodes.columns.emplace_back();
    column.name = channels == 1 ? "value" : fmt::format("value {}", c + 1);
    for (std::size_t row = 0; row < rows.rows(); ++row)
      for (std::size_t i = 0; i < length; ++i) {
        column.numbers.push_back(values[i * channels + c]->numbers[row]);
        column.missing += column.is_missing(column.numbers.size() - 1) ? 1 : 0;
      }
  }
  const std::unordered_set<std::string_view> is_spread(columns.begin(), columns.end());
  std::erase_if(rows.columns, [&](const io::Column& column) { return is_spread.contains(column.name); });
  return groups;
}

std::vector<std::string> add_affixes(io::NodeTable& nodes, const std::string& column, std::size_t length) {
  const std::vector<std::string> words = texts_of(nodes.at(column));
  std::vector<std::vector<std::string>> prefixes(length), suffixes(length);
  std::vector<std::string> shapes, characters;
  for (const std::string& word : words) {
    characters.clear();
    split_characters(word, characters);
    std::string prefix, suffix;
    for (std::size_t i = 0; i < length; ++i) {
      if (i < characters.size()) {
        prefix += characters[i];
        suffix = characters[characters.size() - 1 - i] + suffix;
      }
      prefixes[i].push_back(prefix);
      suffixes[i].push_back(suffix);
    }
    shapes.push_back(shape_of(word));
  }
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, const std::vector<std::string>& texts) {
    names.push_back(name);
    nodes.columns.push_back(io::categorical_column(name, texts));
  };
  for (std::size_t i = 0; i < length; ++i) add(fmt::format("{} prefix {}", column, i + 1), prefixes[i]);
  for (std::size_t i = 0; i < length; ++i) add(fmt::format("{} suffix {}", column, i + 1), suffixes[i]);
  add(column + " shape", shapes);
  return names;
}

}  // namespace edgewise::data
