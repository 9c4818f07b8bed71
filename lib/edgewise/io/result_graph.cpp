#include "edgewise/io/result_graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <ostream>
#include <set>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/detail/xml.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

using graph::Direction;
using graph::NodeNames;

/// Calls write(attribute, value) for the attributes that item i has.
template <class Write>
void for_each_value(const std::vector<ResultAttribute>& attributes, std::size_t i, const Write& write) {
  for (const ResultAttribute& attribute : attributes)
    if (const std::string value = attribute.value(i); !value.empty()) write(attribute, value);
}

constexpr const char* graphml_type(AttributeType type) {
  return type == AttributeType::text ? "string" : type == AttributeType::integer ? "long" : "double";
}

void write_graphml_keys(std::ostream& out, const char* of, const std::vector<ResultAttribute>& attributes) {
  for (std::size_t i = 0; i < attributes.size(); ++i)
    out << fmt::format("  <key id=\"{}{}\" for=\"{}\" attr.name=\"{}\" attr.type=\"{}\"/>\n", of[0], i, of,
                       detail::xml_escape(attributes[i].name), graphml_type(attributes[i].type));
}

void write_graphml_values(std::ostream& out, char of, const std::vector<ResultAttribute>& attributes,
                          std::size_t item) {
  for_each_value(attributes, item, [&](const ResultAttribute& attribute, const std::string& value) {
    out << fmt::format("<data key=\"{}{}\">{}</data>", of, &attribute - attributes.data(), detail::xml_escape(value));
  });
}

/// Names are escaped as in XML; with U+FFFD in them, two might become the same.
void check_names(const char* format, const NodeNames& names, const ResultGraph& graph) {
  for (const graph::Node node : graph.nodes)
    if (!detail::fits_xml(names[node]))
      throw DataError(
          fmt::format("{} cannot hold control characters: node {}; write .dot", format, quote(names[node])));
}

/// Gephi shows the attribute "label": the name of the node, unless the attributes have a label of their own.
void write_graphml(std::ostream& out, const NodeNames& names, const ResultGraph& graph) {
  check_names("GraphML", names, graph);
  const bool has_label = std::ranges::count(graph.node_attributes, "label", &ResultAttribute::name) > 0;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  if (!has_label) out << "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n";
  write_graphml_keys(out, "node", graph.node_attributes);
  write_graphml_keys(out, "edge", graph.edge_attributes);
  out << fmt::format("  <graph edgedefault=\"{}\">\n",
                     graph.direction == Direction::directed ? "directed" : "undirected");
  for (const graph::Node node : graph.nodes) {
    const std::string name = detail::xml_escape(names[node]);
    out << fmt::format("    <node id=\"{}\">", name);
    if (!has_label) out << fmt::format("<data key=\"label\">{}</data>", name);
    write_graphml_values(out, 'n', graph.node_attributes, node);
    out << "</node>\n";
  }
  for (std::size_t row = 0; row < graph.sources.size(); ++row) {
    out << fmt::format("    <edge source=\"{}\" target=\"{}\">", detail::xml_escape(names[graph.sources[row]]),
                       detail::xml_escape(names[graph.targets[row]]));
    write_graphml_values(out, 'e', graph.edge_attributes, row);
    out << "</edge>\n";
  }
  out << "  </graph>\n</graphml>\n";
}

/// DOT knows only one escape, \" for a quote. A backslash stands for itself, except where it would hide a quote or a
/// line break or the end of the text; DOT cannot hold those.
std::string dot_string(std::string_view text) {
  std::string quoted = "\"";
  bool is_hiding = false;  // after an odd number of backslashes
  for (const char c : text) {
    if (is_hiding && (c == '"' || c == '\n')) break;
    is_hiding = c == '\\' && !is_hiding;
    if (c == '"') quoted += '\\';
    quoted += c;
  }
  if (is_hiding)
    throw DataError(fmt::format(
        "DOT cannot hold a backslash before a quote, a line break or the end of a text: {}; write .graphml or .gml",
        quote(text)));
  return quoted + '"';
}

/// Whether DOT takes the name without quotes, as a word that is not one of its own.
bool is_dot_word(const std::string& name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_plain = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
  };
  if (name.empty() || is_digit(name.front()) || !std::ranges::all_of(name, is_plain)) return false;
  constexpr const char* kKeywords[] = {"node", "edge", "graph", "digraph", "subgraph", "strict"};
  return std::ranges::none_of(kKeywords, [&](const char* own) { return equals_ignoring_case(name, own); });
}

/// " [name=value, ...]", or nothing without values. DOT has no numbers with exponents or "+".
std::string dot_values(const std::vector<ResultAttribute>& attributes, std::size_t item) {
  std::vector<std::string> values;
  for_each_value(attributes, item, [&](const ResultAttribute& attribute, const std::string& value) {
    const bool is_plain = attribute.type != AttributeType::text && value.find_first_of("eE+") == std::string::npos;
    values.push_back(fmt::format("{}={}", is_dot_word(attribute.name) ? attribute.name : dot_string(attribute.name),
                                 is_plain ? value : dot_string(value)));
  });
  return values.empty() ? "" : fmt::format(" [{}]", fmt::join(values, ", "));
}

void write_dot(std::ostream& out, const NodeNames& names, const ResultGraph& graph) {
  const bool is_directed = graph.direction == Direction::directed;
  out << fmt::format("{} {} {{\n", is_directed ? "digraph" : "graph", graph.name);
  for (const graph::Node node : graph.nodes)
    out << fmt::format("  {}{};\n", dot_string(names[node]), dot_values(graph.node_attributes, node));
  for (std::size_t row = 0; row < graph.sources.size(); ++row)
    out << fmt::format("  {} {} {}{};\n", dot_string(names[graph.sources[row]]), is_directed ? "->" : "--",
                       dot_string(names[graph.targets[row]]), dot_values(graph.edge_attributes, row));
  out << "}\n";
}

/// GML is ASCII: other characters are written as "&#228;".
std::string gml_string(std::string_view text) {
  return '"' + detail::ascii_escape(detail::xml_escape(text)) + '"';
}

/// GML has no exponents without a point: 1e-05 becomes 1.0e-05.
std::string gml_number(std::string value) {
  const std::size_t exponent = value.find_first_of("eE");
  if (exponent != std::string::npos && value.find('.') == std::string::npos) value.insert(exponent, ".0");
  return value;
}

/// A name that GML allows, and that none of its own have.
std::string gml_key(std::string_view name) {
  std::string key;
  for (const char c : name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_digit = c >= '0' && c <= '9';
    if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;  // the rest of a character
    if (key.empty() && !is_letter) key += "a_";
    key += is_letter || is_digit ? c : '_';
  }
  for (const char* own : {"id", "label", "source", "target"})
    if (key == own) return key + "_";
  return key;
}

/// The attributes with names that GML allows, each once: those that change are numbered if they would be there twice.
std::vector<ResultAttribute> with_gml_keys(std::vector<ResultAttribute> attributes) {
  std::set<std::string> taken;
  for (const ResultAttribute& attribute : attributes)
    if (gml_key(attribute.name) == attribute.name) taken.insert(attribute.name);
  for (ResultAttribute& attribute : attributes) {
    const std::string key = gml_key(attribute.name);
    if (key == attribute.name) continue;
    attribute.name = key;
    for (int number = 2; !taken.insert(attribute.name).second; ++number)
      attribute.name = fmt::format("{}_{}", key, number);
  }
  return attributes;
}

void write_gml_values(std::ostream& out, const std::vector<ResultAttribute>& attributes, std::size_t item) {
  for_each_value(attributes, item, [&](const ResultAttribute& attribute, const std::string& value) {
    out << ' ' << attribute.name << ' '
        << (attribute.type == AttributeType::text ? gml_string(value) : gml_number(value));
  });
}

bool has_parallel_edges(const ResultGraph& graph) {
  std::vector<std::pair<graph::Node, graph::Node>> edges;
  for (std::size_t row = 0; row < graph.sources.size(); ++row) {
    edges.emplace_back(graph.sources[row], graph.targets[row]);
    auto& [source, target] = edges.back();
    if (graph.direction == Direction::undirected && target < source) std::swap(source, target);
  }
  std::ranges::sort(edges);
  return std::ranges::adjacent_find(edges) != edges.end();
}

void write_gml(std::ostream& out, const NodeNames& names, const ResultGraph& graph) {
  check_names("GML", names, graph);
  out << fmt::format("graph [\n  directed {}\n", graph.direction == Direction::directed ? 1 : 0);
  if (has_parallel_edges(graph)) out << "  multigraph 1\n";
  const std::vector<ResultAttribute> of_nodes = with_gml_keys(graph.node_attributes);
  const std::vector<ResultAttribute> of_edges = with_gml_keys(graph.edge_attributes);
  for (const graph::Node node : graph.nodes) {
    out << fmt::format("  node [ id {} label {}", node, gml_string(names[node]));
    write_gml_values(out, of_nodes, node);
    out << " ]\n";
  }
  for (std::size_t row = 0; row < graph.sources.size(); ++row) {
    out << fmt::format("  edge [ source {} target {}", graph.sources[row], graph.targets[row]);
    write_gml_values(out, of_edges, row);
    out << " ]\n";
  }
  out << "]\n";
}

}  // namespace

bool is_graph_format(ResultFormat format) {
  return format == ResultFormat::graphml || format == ResultFormat::dot || format == ResultFormat::gml;
}

void write_result_graph(std::ostream& out, ResultFormat format, const NodeNames& names, const ResultGraph& graph) {
  switch (format) {
    case ResultFormat::graphml: return write_graphml(out, names, graph);
    case ResultFormat::dot: return write_dot(out, names, graph);
    case ResultFormat::gml: return write_gml(out, names, graph);
    default: throw UsageError("expected the format of a graph: GraphML, DOT or GML");
  }
}

std::vector<ResultAttribute> node_attributes(const Predictions& predictions, std::size_t node_count) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> rows(node_count, kNone);
  for (std::size_t row = 0; row < static_cast<std::size_t>(predictions.values.rows()); ++row)
    rows[predictions.nodes.empty() ? row : predictions.nodes[row]] = row;
  const auto row_of = std::make_shared<const std::vector<std::size_t>>(std::move(rows));
  std::vector<ResultAttribute> attributes;
  const auto add = [&](std::string name, AttributeType type, std::function<std::string(std::size_t)> of_row) {
    attributes.push_back({std::move(name), type, [row_of, of_row = std::move(of_row)](std::size_t node) {
                            const std::size_t row = (*row_of)[node];
                            return row == kNone ? std::string() : of_row(row);
                          }});
  };
  const auto add_texts = [&](const std::vector<TextColumn>& columns) {
    for (const TextColumn& column : columns)
      add(column.name, column.is_numeric ? AttributeType::number : AttributeType::text, [&column](std::size_t row) {
        const std::string& text = column.values[row];
        return !column.is_numeric || is_number(text) ? text : std::string();
      });
  };
  const auto add_numbers = [&](const char* prefix, const Matrix& numbers) {
    for (Eigen::Index i = 0; i < numbers.cols(); ++i)
      add(prefix + predictions.columns[static_cast<std::size_t>(i)], AttributeType::number,
          [&numbers, i](std::size_t row) { return number_text(numbers(static_cast<Eigen::Index>(row), i)); });
  };
  const bool are_numbers = predictions.kind == PredictionKind::numbers;
  add_texts(predictions.before);
  if (!are_numbers)
    add("predicted", AttributeType::text, [&predictions](std::size_t row) { return predicted_text(predictions, row); });
  add_numbers(are_numbers ? "" : "p_", predictions.values);
  if (predictions.has_deviations()) add_numbers("std_", predictions.deviations);
  add_texts(predictions.after);
  return attributes;
}

ResultGraph predicted_graph(const graph::Graph& graph, const Predictions& predictions) {
  const graph::EdgeList& edges = graph.edges();
  ResultGraph result{.name = "predictions",
                     .direction = graph.direction(),
                     .nodes = std::vector<graph::Node>(graph.node_count()),
                     .sources = edges.sources,
                     .targets = edges.targets,
                     .node_attributes = node_attributes(predictions, graph.node_count())};
  std::iota(result.nodes.begin(), result.nodes.end(), graph::Node{0});
  if (!edges.weights.empty())
    result.edge_attributes.push_back(
        {"weight", AttributeType::number, [&edges](std::size_t row) { return number_text(edges.weights[row]); }});
  return result;
}

}  // namespace edgewise::io
