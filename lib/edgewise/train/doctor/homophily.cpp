#include "edgewise/train/doctor/homophily.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace edgewise::train {
namespace {

using Pair = std::pair<graph::Node, graph::Node>;

/// Distinct pairs with two known classes, each once.
std::vector<Pair> known_pairs(const graph::EdgeList& edges, const std::vector<std::int32_t>& classes) {
  std::vector<Pair> pairs;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [low, high] = std::minmax(edges.sources[e], edges.targets[e]);
    if (low != high && classes[low] >= 0 && classes[high] >= 0) pairs.emplace_back(low, high);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace

std::optional<Homophily> homophily(const graph::Graph& graph, const data::Labels& labels) {
  if (!labels.has_classes() || labels.classes.size() != graph.node_count()) return std::nullopt;
  const std::vector<Pair> pairs = known_pairs(graph.edges(), labels.classes);
  if (pairs.empty()) return std::nullopt;
  std::vector<double> ends(labels.names.size());
  std::uint64_t same = 0;
  for (const auto& [low, high] : pairs) {
    const auto of_low = static_cast<std::size_t>(labels.classes[low]);
    const auto of_high = static_cast<std::size_t>(labels.classes[high]);
    same += of_low == of_high ? 1 : 0;
    ++ends[of_low];
    ++ends[of_high];
  }
  const auto count = static_cast<double>(pairs.size());
  double expected = 0;
  for (const double of_class : ends) expected += of_class / (2 * count) * (of_class / (2 * count));
  Homophily result{.edge = static_cast<double>(same) / count, .pairs = pairs.size()};
  const bool is_one_class = std::count_if(ends.begin(), ends.end(), [](double of) { return of > 0; }) < 2;
  result.adjusted = is_one_class ? std::numeric_limits<double>::quiet_NaN() : (result.edge - expected) / (1 - expected);
  return result;
}

std::string suggestion(const Homophily& homophily) {
  if (std::isnan(homophily.adjusted))
    return "all edges between labelled nodes are within one class: adjusted homophily is undefined";
  if (homophily.adjusted >= 0.5) return "neighbours mostly agree: label_propagation, gcn and gat are a good start";
  if (homophily.adjusted >= 0.15)
    return "neighbours agree more often than by chance: compare mlp, label_propagation and models that keep a node "
           "separate from its neighbours (sage, gatv2_sep)";
  if (homophily.adjusted > -0.15)
    return "a neighbour's class says little about a node's own: the graph may not help; check whether anything beats "
           "mlp, and prefer models that keep a node separate from its neighbours (sage, gatv2_sep)";
  return "neighbours mostly differ: use models that keep a node separate from its neighbours (sage, gatv2_sep), not "
         "gcn or gat";
}

}  // namespace edgewise::train
