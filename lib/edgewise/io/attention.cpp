#include "edgewise/io/attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "edgewise/core/error.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/io/detail/xml.hpp"
#include "edgewise/io/text_writer.hpp"

namespace edgewise::io {
namespace {

void check(const graph::NodeNames& names, const AttentionTable& attention) {
  const std::size_t rows = attention.sources.size();
  bool fits = attention.targets.size() == rows && attention.edges.size() == rows;
  for (const Matrix& layer : attention.layers) fits = fits && static_cast<std::size_t>(layer.rows()) == rows;
  if (!fits) throw UsageError(fmt::format("attention: expected {} targets, edges and rows of each layer", rows));
  for (std::size_t i = 0; i < rows; ++i)
    if (attention.sources[i] >= names.size() || attention.targets[i] >= names.size())
      throw UsageError(fmt::format("attention: row {} names a node beyond the {} there are", i, names.size()));
}

/// The user's edge, counted from 1, or `otherwise`.
std::string edge_number(const AttentionTable& attention, std::size_t row, const char* otherwise) {
  return attention.edges[row] == graph::kAddedSelfLoop ? otherwise : fmt::format("{}", attention.edges[row] + 1);
}

/// Calls `visit(layer, head, weight)`, with layer and head counted from 1.
template <class Visit>
void each_weight(const AttentionTable& attention, std::size_t row, Visit&& visit) {
  for (std::size_t layer = 0; layer < attention.layers.size(); ++layer)
    for (Eigen::Index head = 0; head < attention.layers[layer].cols(); ++head)
      visit(layer + 1, head + 1, attention.layers[layer](static_cast<Eigen::Index>(row), head));
}

float mean_weight(const AttentionTable& attention, std::size_t row) {
  double sum = 0.0;
  std::size_t count = 0;
  each_weight(attention, row, [&](std::size_t, Eigen::Index, float weight) {
    sum += static_cast<double>(weight);
    ++count;
  });
  return count == 0 ? 0.0f : static_cast<float>(sum / static_cast<double>(count));
}

/// Nodes that occur in some row, ascending.
std::vector<graph::Node> used_nodes(const AttentionTable& attention) {
  std::vector<graph::Node> nodes = attention.sources;
  nodes.insert(nodes.end(), attention.targets.begin(), attention.targets.end());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

void write_csv(std::ostream& out, const graph::NodeNames& names, const AttentionTable& attention) {
  out << "source,target,edge,layer,head,weight\n";
  for (std::size_t row = 0; row < attention.sources.size(); ++row) {
    const std::string start = fmt::format("{},{},{}", csv_field(names[attention.sources[row]]),
                                          csv_field(names[attention.targets[row]]), edge_number(attention, row, ""));
    each_weight(attention, row, [&](std::size_t layer, Eigen::Index head, float weight) {
      out << start << ',' << layer << ',' << head << ',' << number_text(weight) << '\n';
    });
  }
}

void write_json_lines(std::ostream& out, const graph::NodeNames& names, const AttentionTable& attention) {
  for (std::size_t row = 0; row < attention.sources.size(); ++row) {
    const std::string start = fmt::format(R"({{"source":{},"target":{},"edge":{})",
                                          json_string(names[attention.sources[row]]),
                                          json_string(names[attention.targets[row]]),
                                          edge_number(attention, row, "null"));
    each_weight(attention, row, [&](std::size_t layer, Eigen::Index head, float weight) {
      out << start << fmt::format(R"(,"layer":{},"head":{},"weight":{}}})", layer, head, number_text(weight, "null"))
          << '\n';
    });
  }
}

void write_graphml(std::ostream& out, const graph::NodeNames& names, const AttentionTable& attention) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
         "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
         "  <key id=\"edge\" for=\"edge\" attr.name=\"edge\" attr.type=\"long\"/>\n"
         "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"float\"/>\n";
  for (std::size_t layer = 1; layer <= attention.layers.size(); ++layer)
    for (Eigen::Index head = 1; head <= attention.layers[layer - 1].cols(); ++head)
      out << fmt::format(
          "  <key id=\"l{0}h{1}\" for=\"edge\" attr.name=\"layer_{0}_head_{1}\" attr.type=\"float\"/>\n", layer, head);
  out << "  <graph edgedefault=\"directed\">\n";
  for (const graph::Node node : used_nodes(attention)) {
    const std::string name = detail::xml_escape(names[node]);
    out << fmt::format("    <node id=\"{0}\"><data key=\"label\">{0}</data></node>\n", name);
  }
  for (std::size_t row = 0; row < attention.sources.size(); ++row) {
    out << fmt::format("    <edge source=\"{}\" target=\"{}\">", detail::xml_escape(names[attention.sources[row]]),
                       detail::xml_escape(names[attention.targets[row]]));
    if (attention.edges[row] != graph::kAddedSelfLoop)
      out << "<data key=\"edge\">" << attention.edges[row] + 1 << "</data>";
    out << "<data key=\"weight\">" << number_text(mean_weight(attention, row), "0") << "</data>";
    each_weight(attention, row, [&](std::size_t layer, Eigen::Index head, float weight) {
      if (std::isfinite(weight)) out << fmt::format("<data key=\"l{}h{}\">{}</data>", layer, head, weight);
    });
    out << "</edge>\n";
  }
  out << "  </graph>\n</graphml>\n";
}

std::string dot_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n')
      quoted += "\\n";
    else
      quoted += c;
  }
  return quoted + '"';
}

void write_dot(std::ostream& out, const graph::NodeNames& names, const AttentionTable& attention) {
  constexpr float kWidest = 5.0f;
  float largest = 0.0f;
  for (std::size_t row = 0; row < attention.sources.size(); ++row)
    largest = std::max(largest, mean_weight(attention, row));
  out << "digraph attention {\n";
  for (const graph::Node node : used_nodes(attention)) out << "  " << dot_string(names[node]) << ";\n";
  for (std::size_t row = 0; row < attention.sources.size(); ++row) {
    const float weight = mean_weight(attention, row);
    const float width = largest > 0.0f ? kWidest * weight / largest : 0.0f;
    out << fmt::format("  {} -> {} [weight={}, penwidth={:.3f}];\n", dot_string(names[attention.sources[row]]),
                       dot_string(names[attention.targets[row]]), number_text(weight, "0"),
                       std::isfinite(width) ? width : 0.0f);
  }
  out << "}\n";
}

}  // namespace

void write_attention(const std::string& path, const graph::NodeNames& names, const AttentionTable& attention) {
  check(names, attention);
  const ResultFormat format = result_format(path);
  write_text(path, [&](std::ostream& out) {
    switch (format) {
      case ResultFormat::csv: return write_csv(out, names, attention);
      case ResultFormat::json_lines: return write_json_lines(out, names, attention);
      case ResultFormat::graphml: return write_graphml(out, names, attention);
      case ResultFormat::dot: return write_dot(out, names, attention);
    }
  });
}

}  // namespace edgewise::io
