#include "edgewise/graph/link_candidates.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "edgewise/core/check.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::graph {
namespace {

constexpr int kTries = 32;  // for each candidate, before all nodes are looked at

/// Nodes with the sums of their weights up to them.
struct WeightedNodes {
  std::vector<Node> nodes;
  std::vector<double> sums;

  Node draw(Random& random) const {
    const auto place = std::upper_bound(sums.begin(), sums.end(), random.uniform() * sums.back());
    return nodes[std::min(static_cast<std::size_t>(place - sums.begin()), nodes.size() - 1)];
  }
};

/// The nodes in place of the other end of a tie.
class OtherEnds {
 public:
  OtherEnds(const Ties& known, std::span<const std::uint8_t> sides, std::span<const Node> nodes,
            std::span<const Node> ends, Node source, Node target, LinkEnd kept)
      : known_(known), sides_(sides), nodes_(nodes), ends_(ends), keeps_source_(kept == LinkEnd::source),
        kept_(keeps_source_ ? source : target), replaced_(keeps_source_ ? target : source),
        steps_(sides.empty() || sides[source] == sides[target] ? 2 : 3) {}

  /// Empty if there are none in this way.
  std::vector<Node> draw(const CandidateDraw& draw, CandidateWay way) const {
    std::vector<Node> drawn;
    std::optional<WeightedNodes> all;
    for (std::size_t i = 0; i < draw.count; ++i) {
      Random random(draw.seed, Stream::generate, 2 * draw.tie + (keeps_source_ ? 0 : 1), i);
      std::optional<Node> node = tried(way, random);
      if (!node && !all) all = weighted(way);
      if (!node && all->nodes.empty()) return {};
      drawn.push_back(node ? *node : all->draw(random));
    }
    return drawn;
  }

  std::vector<Node> all() const {
    std::vector<Node> found;
    std::ranges::copy_if(nodes_, std::back_inserter(found), [this](Node node) { return is_candidate(node); });
    return found;
  }

 private:
  bool is_candidate(Node node) const {
    if (node == kept_ || node == replaced_) return false;
    if (!sides_.empty() && sides_[node] != sides_[replaced_]) return false;
    return !(keeps_source_ ? known_.contains(kept_, node) : known_.contains(node, kept_));
  }

  static std::optional<Node> one_of(std::span<const Node> nodes, Random& random) {
    if (nodes.empty()) return {};
    return nodes[random.below(nodes.size())];
  }
  std::optional<Node> walk(Random& random) const {
    std::optional<Node> node = kept_;
    for (int step = 0; step < steps_ && node; ++step) node = one_of(known_.neighbours(*node), random);
    return node;
  }
  std::optional<Node> propose(CandidateWay way, Random& random) const {
    if (way == CandidateWay::two_steps) return walk(random);
    return one_of(way == CandidateWay::degree ? ends_ : nodes_, random);
  }
  std::optional<Node> tried(CandidateWay way, Random& random) const {
    for (int i = 0; i < kTries; ++i) {
      const std::optional<Node> node = propose(way, random);
      if (node && is_candidate(*node)) return node;
    }
    return {};
  }

  /// The probability that a walk ends at each node, [nodes].
  std::vector<double> walk_weights() const {
    std::vector<double> weights(known_.node_count());
    weights[kept_] = 1;
    for (int step = 0; step < steps_; ++step) {
      std::vector<double> next(weights.size());
      for (Node node = 0; node < weights.size(); ++node)
        for (const Node neighbour : known_.neighbours(node))
          if (weights[node] > 0) next[neighbour] += weights[node] / static_cast<double>(known_.degree(node));
      weights = std::move(next);
    }
    return weights;
  }
  std::vector<double> weights(CandidateWay way) const {
    if (way == CandidateWay::two_steps) return walk_weights();
    std::vector<double> weights(known_.node_count(), 1);
    if (way == CandidateWay::degree)
      for (Node node = 0; node < weights.size(); ++node) weights[node] = static_cast<double>(known_.degree(node));
    return weights;
  }
  /// All candidates, with the weights that `propose` draws them by.
  WeightedNodes weighted(CandidateWay way) const {
    const std::vector<double> weights = this->weights(way);
    WeightedNodes all;
    double sum = 0;
    for (Node node = 0; node < weights.size(); ++node) {
      if (weights[node] == 0 || !is_candidate(node)) continue;
      all.nodes.push_back(node);
      all.sums.push_back(sum += weights[node]);
    }
    return all;
  }

  const Ties& known_;
  std::span<const std::uint8_t> sides_;
  std::span<const Node> nodes_, ends_;
  bool keeps_source_;
  Node kept_, replaced_;
  int steps_;  // of a walk that ends on the side of the node that is replaced
};

}  // namespace

std::optional<CandidateWay> parse_candidate_way(std::string_view name) {
  if (name == "uniform") return CandidateWay::uniform;
  if (name == "degree") return CandidateWay::degree;
  if (name == "two_steps") return CandidateWay::two_steps;
  return {};
}

LinkCandidates::LinkCandidates(const Ties& known, std::span<const std::uint8_t> sides)
    : known_(known), sides_(sides.begin(), sides.end()) {
  if (!sides.empty()) check_count("LinkCandidates", "sides", sides.size(), known.node_count());
  check_indices("LinkCandidates", "sides", sides, nodes_.size());
  for (Node node = 0; node < known.node_count(); ++node) {
    const std::size_t side = side_of(node);
    nodes_[side].push_back(node);
    ends_[side].insert(ends_[side].end(), known.degree(node), node);
  }
}

std::size_t LinkCandidates::count(Node source, Node target, LinkEnd kept) const {
  const std::size_t ties = kept == LinkEnd::source ? known_.targets(source).size() : known_.sources(target).size();
  const bool are_on_one_side = side_of(source) == side_of(target);  // no node has a tie with itself
  const std::size_t nodes = nodes_[side_of(kept == LinkEnd::source ? target : source)].size();
  return nodes - std::min(nodes, ties + (are_on_one_side ? 1 : 0));
}

std::vector<Node> LinkCandidates::all(Node source, Node target, LinkEnd kept) const {
  check_index("LinkCandidates", "source", source, known_.node_count());
  check_index("LinkCandidates", "target", target, known_.node_count());
  const std::size_t side = side_of(kept == LinkEnd::source ? target : source);
  return OtherEnds(known_, sides_, nodes_[side], ends_[side], source, target, kept).all();
}

std::vector<Node> LinkCandidates::draw(Node source, Node target, LinkEnd kept, const CandidateDraw& draw) const {
  check_index("LinkCandidates", "source", source, known_.node_count());
  check_index("LinkCandidates", "target", target, known_.node_count());
  const std::size_t side = side_of(kept == LinkEnd::source ? target : source);
  const OtherEnds others(known_, sides_, nodes_[side], ends_[side], source, target, kept);
  std::vector<Node> drawn = others.draw(draw, draw.way);
  if (drawn.empty() && draw.way != CandidateWay::uniform) drawn = others.draw(draw, CandidateWay::uniform);
  return drawn;
}

}  // namespace edgewise::graph
