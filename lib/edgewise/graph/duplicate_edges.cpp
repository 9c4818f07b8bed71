#include "edgewise/graph/duplicate_edges.hpp"

#include <algorithm>
#include <utility>

namespace edgewise::graph {
namespace {

struct PairedEdge {
  Node low;  // of the source and the target if the direction does not matter
  Node high;
  StoredEdge edge;

  auto operator<=>(const PairedEdge&) const = default;
};

/// Calls `visit(edges)` for each pair of nodes, with its edges in ascending order.
template <class Visit>
void each_pair(const EdgeList& edges, Direction direction, Visit visit) {
  if (edges.size() > kMaximalArcs / 2) return;  // refused by Graph
  std::vector<PairedEdge> sorted(edges.size());
  for (EdgeIndex e = 0; e < edges.size(); ++e) {
    Node source = edges.sources[e], target = edges.targets[e];
    if (direction == Direction::undirected && source > target) std::swap(source, target);
    sorted[e] = {source, target, static_cast<StoredEdge>(e)};
  }
  std::ranges::sort(sorted);
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto is_other = [&](const PairedEdge& edge) { return edge.low != begin->low || edge.high != begin->high; };
    const auto end = std::find_if(begin, sorted.end(), is_other);
    visit(std::span<const PairedEdge>(begin, end));
    begin = end;
  }
}

/// The values of several edges as one, by the rule.
class Combination {
 public:
  explicit Combination(Combine rule) : rule_(rule) {}

  void add(float value) {
    sum_ += value;
    smallest_ = count_ == 0 ? value : std::min(smallest_, value);
    largest_ = count_ == 0 ? value : std::max(largest_, value);
    ++count_;
  }
  float value() const {
    switch (rule_) {
      case Combine::sum:
        return static_cast<float>(sum_);
      case Combine::max:
        return largest_;
      case Combine::min:
        return smallest_;
      case Combine::mean:
      case Combine::count:
        break;
    }
    return static_cast<float>(sum_ / static_cast<double>(count_));
  }

 private:
  Combine rule_;
  double sum_ = 0;
  float smallest_ = 0;
  float largest_ = 0;
  std::size_t count_ = 0;
};

void combine_weights(EdgeList& edges, std::span<const PairedEdge> pair, Combine rule) {
  Combination weight(rule);
  for (const PairedEdge& edge : pair) weight.add(edges.weights[edge.edge]);
  const float combined = rule == Combine::count ? static_cast<float>(pair.size()) : weight.value();
  for (const PairedEdge& edge : pair) edges.weights[edge.edge] = combined;
}

void combine_number(EdgeList& edges, std::span<const PairedEdge> pair, Combine rule, Eigen::Index column) {
  Combination number(rule);
  for (const PairedEdge& edge : pair) number.add(edges.features(edge.edge, column));
  edges.features(pair.front().edge, column) = number.value();
}

/// Takes the category of most edges. Of equally frequent ones the first wins: `seen` is in the order of the edges.
void vote(EdgeList& edges, std::span<const PairedEdge> pair, const FeatureColumns& feature) {
  std::vector<std::pair<Eigen::Index, std::size_t>> seen;
  for (const PairedEdge& edge : pair) {
    const auto row = edges.features.row(edge.edge).segment(feature.first, feature.count);
    for (Eigen::Index i = 0; i < feature.count; ++i) {
      if (row(i) == 0) continue;
      const auto known = std::ranges::find(seen, i, &std::pair<Eigen::Index, std::size_t>::first);
      if (known == seen.end())
        seen.emplace_back(i, 1);
      else
        ++known->second;
    }
  }
  if (seen.empty()) return;
  const auto winner = std::ranges::max_element(seen, {}, &std::pair<Eigen::Index, std::size_t>::second);
  auto row = edges.features.row(pair.front().edge).segment(feature.first, feature.count);
  row.setZero();
  row(winner->first) = 1;
}

}  // namespace

std::vector<EdgeIndex> combine_duplicates(EdgeList& edges, Direction direction, Combine rule,
                                          std::span<const FeatureColumns> features) {
  if (edges.weights.empty() && (rule == Combine::sum || rule == Combine::count)) edges.weights.assign(edges.size(), 1);
  std::vector<EdgeIndex> first;
  each_pair(edges, direction, [&](std::span<const PairedEdge> pair) {
    first.push_back(pair.front().edge);
    if (!edges.weights.empty()) combine_weights(edges, pair, rule);
    if (pair.size() == 1) return;
    for (const FeatureColumns& feature : features)
      if (feature.is_numeric)
        combine_number(edges, pair, rule, feature.first);
      else
        vote(edges, pair, feature);
  });
  std::ranges::sort(first);
  return first;
}

std::vector<float> weights_in_use(const Graph& graph) {
  const std::vector<float>& all = graph.edges().weights;
  std::vector<bool> is_used(all.size());
  for (EdgeIndex arc = 0; !all.empty() && arc < graph.arc_count(); ++arc) is_used[graph.edge_of_arc(arc)] = true;
  std::vector<float> weights;
  for (EdgeIndex e = 0; e < all.size(); ++e)
    if (is_used[e]) weights.push_back(all[e]);
  return weights;
}

DifferingDuplicates differing_duplicates(const EdgeList& edges, Direction direction) {
  DifferingDuplicates differing;
  each_pair(edges, direction, [&](std::span<const PairedEdge> pair) {
    const StoredEdge first = pair.front().edge;
    StoredEdge other = first;
    for (const PairedEdge& edge : pair.subspan(1)) {
      const bool weights = !edges.weights.empty() && edges.weights[edge.edge] != edges.weights[first];
      const bool features =
          edges.features.cols() > 0 && edges.features.row(edge.edge) != edges.features.row(first);
      differing.have_weights = differing.have_weights || weights;
      differing.have_features = differing.have_features || features;
      if ((weights || features) && other == first) other = edge.edge;
    }
    if (other == first) return;
    if (differing.pairs++ > 0 && first > differing.first) return;
    differing.first = first;
    differing.other = other;
  });
  return differing;
}

}  // namespace edgewise::graph
