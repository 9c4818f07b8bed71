#pragma once

#include "edgewise/core/random.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::test {

/// Two groups of people who mostly know their own group. The features are noise with a weak hint; the edges reveal the
/// group.
inline data::NodeData two_groups(data::Task task, std::size_t nodes = 60) {
  Random random(5, Stream::generate);
  graph::EdgeList edges;
  for (graph::Node v = 0; v < nodes; ++v)
    for (int k = 0; k < 4; ++k) {
      auto u = static_cast<graph::Node>(random.below(nodes));
      if (u % 2 != v % 2 && random.uniform() < 0.9) u = (u + 1) % static_cast<graph::Node>(nodes);
      edges.sources.push_back(u);
      edges.targets.push_back(v);
    }
  data::NodeData data;
  data.graph = graph::Graph(graph::NodeNames::numbered(nodes), std::move(edges), {});
  const auto rows = static_cast<Eigen::Index>(nodes);
  data.features.dense = Matrix::NullaryExpr(rows, 5, [&] { return static_cast<float>(random.normal()); });
  data.labels.task = task;
  data.labels.names = {"even", "odd"};
  if (task != data::Task::classification) data.labels.targets.resize(rows, 2);
  for (Eigen::Index v = 0; v < rows; ++v) {
    const float group = v % 2 == 0 ? 1.0F : 0.0F;
    data.features.dense(v, 0) += 2 * group;
    if (task == data::Task::classification)
      data.labels.classes.push_back(v % 2 == 0 ? 0 : 1);
    else
      data.labels.targets.row(v) << group, 1 - group;
    if (task == data::Task::regression) data.labels.targets(v, 0) = 100 + 10 * group;
  }
  data::Split split(nodes);
  for (std::size_t v = 0; v < nodes; ++v)
    split[v] = v % 5 < 2 ? data::Role::train : v % 5 == 2 ? data::Role::validation : data::Role::test;
  data.splits.push_back(std::move(split));
  return data;
}

/// The same as the data of a job, without its split.
inline train::Dataset two_groups_job(data::Task task) {
  const data::NodeData toy = two_groups(task);
  train::Dataset data;
  data.name = "toy";
  data.graph = toy.graph;
  data.features = toy.features;
  data.labels = toy.labels;
  return data;
}

inline json::Value small_gat() {
  return json::parse(R"({"preset": "gat", "hidden": 8, "heads": 2, "dropout": 0.2, "attention_dropout": 0.2,
                         "norm": "batch"})",
                     "model");
}

inline nn::Model make_model(const data::NodeData& data, std::uint64_t seed = 1) {
  return nn::Model(small_gat(), {.inputs = 5, .outputs = static_cast<int>(data.labels.names.size())}, seed);
}

}  // namespace edgewise::test
