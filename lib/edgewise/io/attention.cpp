#include "edgewise/io/attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "edgewise/core/error.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/io/text_writer.hpp"

namespace edgewise::io {
namespace {

void check(const graph::NodeNames& names, const AttentionTable& attention) {
  const std::size_t rows = attention.sources.size();
  bool fits = attention.targets.size() == rows && attention.edges.size() == rows;
  for (const Matrix& layer : attention.layers) fits = fits && static_cast<std::size_t>(layer.rows()) == rows;
  if (!fits) throw UsageError(fmt::format("attention: expected {} targets, edges and rows of each layer", rows));
  if (!attention.tokens.empty() && attention.tokens.size() != names.size())
    throw UsageError(fmt::format("attention: expected {} tokens, got {}", names.size(), attention.tokens.size()));
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
  const std::vector<std::string>& tokens = attention.tokens;
  out << "source,target,edge,layer,head,weight" << (tokens.empty() ? "" : ",source_token,target_token") << '\n';
  for (std::size_t row = 0; row < attention.sources.size(); ++row) {
    const graph::Node source = attention.sources[row], target = attention.targets[row];
    const std::string start =
        fmt::format("{},{},{}", csv_field(names[source]), csv_field(names[target]), edge_number(attention, row, ""));
    const std::string end =
        tokens.empty() ? "" : fmt::format(",{},{}", csv_field(tokens[source]), csv_field(tokens[target]));
    each_weight(attention, row, [&](std::size_t layer, Eigen::Index head, float weight) {
      out << start << ',' << layer << ',' << head << ',' << number_text(weight) << end << '\n';
    });
  }
}

void write_json_lines(std::ostream& out, const graph::NodeNames& names, const AttentionTable& attention) {
  const std::vector<std::string>& tokens = attention.tokens;
  for (std::size_t row = 0; row < attention.sources.size(); ++row) {
    const graph::Node source = attention.sources[row], target = attention.targets[row];
    const std::string start =
        fmt::format(R"({{"source":{},"target":{},"edge":{})", json_string(names[source]), json_string(names[target]),
                    edge_number(attention, row, "null"));
    const std::string end = tokens.empty() ? "" : fmt::format(R"(,"source_token":{},"target_token":{})",
                                                              json_string(tokens[source]), json_string(tokens[target]));
    each_weight(attention, row, [&](std::size_t layer, Eigen::Index head, float weight) {
      out << start << fmt::format(R"(,"layer":{},"head":{},"weight":{})", layer, head, number_text(weight, "null"))
          << end << "}\n";
    });
  }
}

/// Weights that are not finite are left out.
ResultAttribute weight_attribute(const AttentionTable& attention, std::size_t layer, Eigen::Index head) {
  return {fmt::format("layer_{}_head_{}", layer + 1, head + 1), AttributeType::number,
          [&weights = attention.layers[layer], head](std::size_t row) {
            return number_text(weights(static_cast<Eigen::Index>(row), head));
          }};
}

ResultAttribute pen_width_attribute(const AttentionTable& attention) {
  constexpr float kWidest = 5.0f;
  float largest = 0.0f;
  for (std::size_t row = 0; row < attention.sources.size(); ++row)
    largest = std::max(largest, mean_weight(attention, row));
  return {"penwidth", AttributeType::number, [&attention, largest](std::size_t row) {
            const float width = largest > 0.0f ? kWidest * mean_weight(attention, row) / largest : 0.0f;
            return fmt::format("{:.3f}", std::isfinite(width) ? width : 0.0f);
          }};
}

ResultGraph graph_of(const AttentionTable& attention, ResultFormat format) {
  ResultGraph graph{.name = "attention",
                    .nodes = used_nodes(attention),
                    .sources = attention.sources,
                    .targets = attention.targets,
                    .node_attributes = attention.node_attributes};
  if (!attention.tokens.empty())
    graph.node_attributes.push_back(
        {"token", AttributeType::text, [&attention](std::size_t node) { return attention.tokens[node]; }});
  std::vector<ResultAttribute>& of_edges = graph.edge_attributes;
  const ResultAttribute mean = {"weight", AttributeType::number, [&attention](std::size_t row) {
                                  return number_text(mean_weight(attention, row), "0");
                                }};
  if (format == ResultFormat::dot) {
    of_edges = {mean, pen_width_attribute(attention)};
    return graph;
  }
  of_edges.push_back(
      {"edge", AttributeType::integer, [&attention](std::size_t row) { return edge_number(attention, row, ""); }});
  of_edges.push_back(mean);
  for (std::size_t layer = 0; layer < attention.layers.size(); ++layer)
    for (Eigen::Index head = 0; head < attention.layers[layer].cols(); ++head)
      of_edges.push_back(weight_attribute(attention, layer, head));
  return graph;
}

}  // namespace

void write_attention(const std::string& path, const graph::NodeNames& names, const AttentionTable& attention) {
  check(names, attention);
  const ResultFormat format = result_format(path);
  write_text(path, [&](std::ostream& out) {
    switch (format) {
      case ResultFormat::csv: return write_csv(out, names, attention);
      case ResultFormat::json_lines: return write_json_lines(out, names, attention);
      default: return write_result_graph(out, format, names, graph_of(attention, format));
    }
  });
}

}  // namespace edgewise::io
