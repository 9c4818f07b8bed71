#include "edgewise/train/doctor/kind_facts.hpp"

#include <algorithm>
#include <numeric>

namespace edgewise::train {
namespace {

EndFacts end_facts(const std::vector<std::size_t>& degrees) {
  if (degrees.empty()) return {};
  const auto [smallest, largest] = std::ranges::minmax(degrees);
  const auto sum = static_cast<double>(std::accumulate(degrees.begin(), degrees.end(), std::size_t{0}));
  return {.smallest = smallest,
          .largest = largest,
          .mean = sum / static_cast<double>(degrees.size()),
          .without = static_cast<std::size_t>(std::ranges::count(degrees, std::size_t{0}))};
}

}  // namespace

std::vector<RelationFacts> relation_facts(const Dataset& data) {
  const graph::EdgeList& edges = data.graph.edges();
  std::vector<RelationFacts> facts;
  Eigen::Index column = 0;
  for (const Relation& relation : data.kinds->relations) {
    const NodeKind& source = data.kinds->kinds[relation.source];
    const NodeKind& target = data.kinds->kinds[relation.target];
    std::vector<std::size_t> of_sources(source.count, 0), of_targets(target.count, 0);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (edges.features(static_cast<Eigen::Index>(e), column) == 0) continue;
      ++of_sources[edges.sources[e] - source.first];
      ++of_targets[edges.targets[e] - target.first];
    }
    facts.push_back({end_facts(of_sources), end_facts(of_targets)});
    column += relation.is_undirected ? 1 : 2;
  }
  return facts;
}

}  // namespace edgewise::train
