#pragma once

#include "edgewise/core/random.hpp"
#include "edgewise/data/graph_data.hpp"
#include "edgewise/graph/graph_union.hpp"
#include "edgewise/nn/model.hpp"

namespace edgewise::test {

/// Rings and paths of three to seven nodes (or from `smallest` on). The class or the target tells which; the features
/// are a constant, the number of neighbours, and noise. Every twelfth graph is empty.
inline data::GraphData rings_and_paths(data::Task task, std::size_t count = 60, graph::Node smallest = 3) {
  Random random(3, Stream::generate);
  graph::EdgeList edges;
  data::GraphData data;
  data.labels.task = task;
  data.labels.names = task == data::Task::classification ? std::vector<std::string>{"path", "ring"}
                                                         : std::vector<std::string>{"is_ring"};
  if (task != data::Task::classification) data.labels.targets.resize(static_cast<Eigen::Index>(count), 1);
  for (std::size_t g = 0; g < count; ++g) {
    const bool is_ring = g % 2 == 0;
    const auto first = data.offsets.back();
    const auto size = static_cast<graph::Node>(g % 12 == 11 ? 0 : smallest + random.below(5));
    for (graph::Node node = 0; node + 1 < size; ++node) {
      edges.sources.push_back(first + node);
      edges.targets.push_back(first + node + 1);
    }
    if (is_ring && size > 0) {
      edges.sources.push_back(first + size - 1);
      edges.targets.push_back(first);
    }
    data.offsets.push_back(first + size);
    data.names.push_back(std::to_string(g + 1));
    if (task == data::Task::classification)
      data.labels.classes.push_back(is_ring ? 1 : 0);
    else
      data.labels.targets(static_cast<Eigen::Index>(g), 0) = is_ring ? 30 : 10;
    data.splits.resize(1);
    data.splits[0].push_back(g % 5 < 3 ? data::Role::train : g % 5 == 3 ? data::Role::validation : data::Role::test);
  }
  const std::size_t nodes = data.offsets.back();
  data.graph = graph::Graph(graph::NodeNames::numbered(nodes), std::move(edges));
  data.features.dense = Matrix::NullaryExpr(static_cast<Eigen::Index>(nodes), 3,
                                            [&] { return 0.1F * static_cast<float>(random.normal()); });
  data.features.dense.col(0).setOnes();
  data.features.dense.col(1).setZero();
  for (std::size_t e = 0; e < data.graph.edge_count(); ++e)
    for (const graph::Node end : {data.graph.edges().sources[e], data.graph.edges().targets[e]})
      data.features.dense(end, 1) += 1;
  return data;
}

inline graph::GraphUnion freeze_union(const data::GraphData& data) {
  return {graph::freeze(data.graph), data.offsets};
}

/// Sums over neighbours, then over the graph: counts edges and nodes.
inline nn::Model counting_model(const data::GraphData& data, std::uint64_t seed = 1) {
  const json::Value config = json::parse(R"({"blocks": [
    {"type": "dot_product", "heads": 2, "width": 8, "residual": true, "dropout": 0.1},
    {"type": "activation", "function": "elu"},
    {"type": "readout", "kind": "sum_mean_max"},
    {"type": "linear", "width": 16},
    {"type": "activation", "function": "relu"},
    {"type": "linear", "width": "outputs"}]})",
                                         "model");
  return nn::Model(config, {.inputs = 3, .outputs = static_cast<int>(data.labels.names.size())}, seed);
}

}  // namespace edgewise::test
