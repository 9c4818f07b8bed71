#include "edgewise/train/source/frozen_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/data/frozen_network.hpp"
#include "edgewise/data/thaw_network.hpp"

namespace edgewise::train {
namespace {

std::int64_t number(std::size_t count) { return static_cast<std::int64_t>(count); }

NodeKinds read_kinds(const json::Value& description) {
  NodeKinds made;
  graph::Node first = 0;
  for (const json::Value& kind : description.at("kinds").as_array()) {
    made.kinds.push_back({.name = kind.at("name").as_string(),
                          .first = first,
                          .count = static_cast<graph::Node>(kind.at("nodes").as_integer())});
    first += made.kinds.back().count;
  }
  for (const json::Value& relation : description.at("relations").as_array())
    made.relations.push_back({.name = relation.at("name").as_string(),
                              .source = static_cast<std::size_t>(relation.at("source").as_integer()),
                              .target = static_cast<std::size_t>(relation.at("target").as_integer()),
                              .edges = static_cast<std::size_t>(relation.at("edges").as_integer()),
                              .is_undirected = relation.at("undirected").as_bool()});
  return made;
}

bool fits(const NodeKinds& made, const data::FrozenNetwork& network, const graph::NodeNames& names) {
  if (made.kinds.empty() || made.kinds.front().count != network.item_count()) return false;
  const NodeKind& last = made.kinds.back();
  const auto is_known = [&](const Relation& relation) {
    return std::max(relation.source, relation.target) < made.kinds.size();
  };
  return std::uint64_t{last.first} + last.count == names.size() && std::ranges::all_of(made.relations, is_known) &&
         made.column_of(made.relations.size()) <= network.edge_feature_count();
}

}  // namespace

void describe_kinds(const NodeKinds& kinds, json::Value& description) {
  json::Array nodes, relations;
  for (const NodeKind& kind : kinds.kinds)
    nodes.push_back(json::Object{{"name", kind.name}, {"nodes", number(kind.count)}});
  for (const Relation& relation : kinds.relations)
    relations.push_back(json::Object{{"name", relation.name},
                                     {"source", number(relation.source)},
                                     {"target", number(relation.target)},
                                     {"edges", number(relation.edges)},
                                     {"undirected", relation.is_undirected}});
  description.set("kinds", std::move(nodes));
  description.set("relations", std::move(relations));
}

std::optional<NodeKinds> kinds_of(const data::FrozenNetwork& network, const graph::NodeNames& names) try {
  if (network.description().find("kinds") == nullptr) return std::nullopt;
  NodeKinds made = read_kinds(network.description());
  if (!fits(made, network, names)) throw UsageError("its kinds are not those of its nodes");
  const std::string prefix = made.kinds.front().name + ":";
  for (graph::Node node = 0; node < made.kinds.front().count; ++node) {
    if (!names[node].starts_with(prefix)) throw UsageError(fmt::format("{} is not one of {}", names[node], prefix));
    made.items.add(names[node].substr(prefix.size()));
  }
  return made;
} catch (const UsageError& problem) {
  throw DataError(fmt::format("{}: {}; freeze the network again", network.path(), problem.what()));
}

graph::EdgeList with_reverses(const NodeKinds& kinds, const graph::EdgeList& edges) {
  graph::EdgeList all;
  all.feature_names = edges.feature_names;
  all.features.resize(edges.features.rows(), edges.features.cols());
  const auto add = [&](graph::Node source, graph::Node target, Eigen::Index from) {
    all.features.row(static_cast<Eigen::Index>(all.size())) = edges.features.row(from);
    all.sources.push_back(source);
    all.targets.push_back(target);
  };
  for (std::size_t r = 0; r < kinds.relations.size(); ++r) {
    const bool is_undirected = kinds.relations[r].is_undirected;
    const Eigen::Index forward = kinds.column_of(r), reverse = forward + (is_undirected ? 0 : 1);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const auto row = static_cast<Eigen::Index>(e);
      const graph::Node source = edges.sources[e], target = edges.targets[e];
      if (edges.features(row, forward) == 0 || (is_undirected && source > target)) continue;
      add(source, target, row);
      if (is_undirected && source == target) continue;
      add(target, source, row);
      const auto last = static_cast<Eigen::Index>(all.size()) - 1;
      std::swap(all.features(last, forward), all.features(last, reverse));
    }
  }
  return all;
}

void thaw(Dataset& data) {
  data.thawed = std::exchange(data.frozen, nullptr);
  data.features = data::thaw_features(*data.thawed);
  if (data.kinds)
    data.graph = graph::Graph(data.graph.names(), with_reverses(*data.kinds, data::thaw_edges(*data.thawed)),
                              {.direction = graph::Direction::directed,
                               .duplicates = graph::DuplicateEdges::keep_all});
  else
    data.graph = data::thaw_graph(*data.thawed);
}

}  // namespace edgewise::train
