#include "edgewise/train/explain/attention_summary.hpp"

#include <algorithm>
#include <numeric>

#include "edgewise/graph/masks/rules.hpp"

namespace edgewise::train {
namespace {

using graph::EdgeIndex;
using graph::FrozenGraph;

double mean_of_row(const Matrix& weights, EdgeIndex slot) {
  return weights.row(static_cast<Eigen::Index>(slot)).mean();
}

/// The range of the graph's user edges, which are consecutive.
std::pair<EdgeIndex, std::size_t> edges_of(const FrozenGraph& graph) {
  EdgeIndex first = graph::kAddedSelfLoop, last = 0;
  for (const graph::StoredEdge edge : graph.edge) {
    if (edge == graph::kAddedSelfLoop) continue;
    first = std::min<EdgeIndex>(first, edge);
    last = std::max<EdgeIndex>(last, edge);
  }
  return first > last ? std::pair<EdgeIndex, std::size_t>{0, 0}
                      : std::pair<EdgeIndex, std::size_t>{first, last - first + 1};
}

void add_edges(const FrozenGraph& graph, const Matrix& weights, AttentionSummary& summary) {
  std::vector<int> slots(summary.edges.size(), 0);
  std::vector<double> sums(summary.edges.size(), 0);
  for (EdgeIndex slot = 0; slot < graph.slot_count(); ++slot) {
    if (graph.edge[slot] == graph::kAddedSelfLoop) continue;
    const std::size_t edge = graph.edge[slot] - summary.first_edge;
    sums[edge] += mean_of_row(weights, slot);
    ++slots[edge];
  }
  for (std::size_t edge = 0; edge < sums.size(); ++edge)
    if (slots[edge] > 0) summary.edges[edge] += sums[edge] / slots[edge];
}

/// `columns` is the node each slot attends to.
void add_nodes(const std::vector<graph::Node>& columns, const Matrix& weights, std::vector<double>& nodes) {
  for (EdgeIndex slot = 0; slot < columns.size(); ++slot) nodes[columns[slot]] += mean_of_row(weights, slot);
}

void make_shares(std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (sum > 0)
    for (double& value : values) value /= sum;
}

}  // namespace

AttentionSummary summarise_attention(const graph::GraphUnion& one, const std::vector<nn::AttentionRecord>& records,
                                     std::uint32_t grid_columns) {
  AttentionSummary summary;
  const auto [first, edges] = edges_of(one.graph);
  summary.first_edge = first;
  const std::size_t nodes = one.graph.destination_count();
  std::vector<double> by_readout(nodes, 0), by_nodes(nodes, 0);
  int edge_layers = 0;
  for (const nn::AttentionRecord& record : records) {
    const graph::Mask mask = graph::parse_mask(record.mask);
    const bool is_readout = mask.rule->rows == graph::MaskRows::graphs;
    if (!is_readout && !mask.rule->is_between_nodes()) continue;  // edges get no share of their own
    if (is_readout) summary.is_by_readout = true;
    const graph::MaskInput input{.edges = one.graph, .offsets = one.offsets, .grid_columns = grid_columns};
    add_nodes(mask.build(input).incoming.columns, record.weights, is_readout ? by_readout : by_nodes);
    if (record.mask != "edges") continue;
    summary.edges.resize(edges, 0);
    ++edge_layers;
    add_edges(one.graph, record.weights, summary);
  }
  for (double& edge : summary.edges) edge /= edge_layers;
  if (!records.empty()) summary.nodes = summary.is_by_readout ? by_readout : by_nodes;
  make_shares(summary.nodes);
  return summary;
}

}  // namespace edgewise::train
