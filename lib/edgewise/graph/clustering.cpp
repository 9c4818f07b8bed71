#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/ordering.hpp"

namespace edgewise::graph {
namespace {

constexpr std::size_t kGrowth = 8;         // growth of the largest cluster from one level to the next
constexpr std::size_t kShareThatMoves = 64;  // stop after a sweep that moves fewer than one in this many nodes
constexpr Node kNone = std::numeric_limits<Node>::max();

/// A graph whose nodes represent `sizes` original nodes each, and its edges `weights` original edges. At the finest
/// level both are empty: all 1. Sums of weights never exceed the number of slots, so 32 bits suffice.
struct Level {
  Csr edges;
  std::vector<std::uint32_t> weights;
  std::vector<std::uint32_t> sizes;

  std::size_t nodes() const { return edges.rows(); }
  std::uint32_t weight(EdgeIndex slot) const { return weights.empty() ? 1 : weights[slot]; }
  std::uint32_t size(std::size_t node) const { return sizes.empty() ? 1 : sizes[node]; }
};

/// Sums of weights by label. Resetting it costs only the labels that were met.
class Tally {
 public:
  explicit Tally(std::size_t labels) : sums_(labels, 0) {}

  /// Prefetches for an `add(label, ...)` that follows soon.
  void expect(Node label) const { __builtin_prefetch(&sums_[label]); }
  void add(Node label, std::uint32_t weight) {
    if (sums_[label] == 0) met_.push_back(label);
    sums_[label] += weight;
  }
  std::span<const Node> met() const { return met_; }
  std::uint32_t sum(Node label) const { return sums_[label]; }
  void clear() {
    for (const Node label : met_) sums_[label] = 0;
    met_.clear();
  }

 private:
  std::vector<std::uint32_t> sums_;
  std::vector<Node> met_;
};

class LabelPropagation {
 public:
  LabelPropagation(const Level& level, std::size_t largest)
      : level_(level),
        largest_(largest),
        labels_(level.nodes()),
        filled_(level.nodes()),
        is_due_(level.nodes(), 1),
        tally_(level.nodes()) {
    std::iota(labels_.begin(), labels_.end(), Node{0});
    for (std::size_t node = 0; node < level.nodes(); ++node) filled_[node] = level.size(node);
  }

  /// Returns how many nodes changed their label. Updates are visible immediately to later nodes. Nodes without a change
  /// among their neighbours are skipped.
  std::size_t sweep(std::uint64_t key) {
    std::size_t moved = 0;
    for (Node node = 0; node < level_.nodes(); ++node) {
      if (is_due_[node] == 0) continue;
      is_due_[node] = 0;
      tally_labels(node);
      const Node chosen = choose(node, key);
      tally_.clear();
      if (chosen == labels_[node]) continue;
      filled_[labels_[node]] -= level_.size(node);
      filled_[chosen] += level_.size(node);
      labels_[node] = chosen;
      for (const Node neighbour : neighbours_of(node)) is_due_[neighbour] = 1;
      ++moved;
    }
    return moved;
  }

  const std::vector<Node>& labels() const { return labels_; }

 private:
  std::span<const Node> neighbours_of(Node node) const {
    const EdgeIndex begin = level_.edges.offsets[node];
    return std::span(level_.edges.columns).subspan(begin, level_.edges.offsets[node + 1] - begin);
  }

  /// Reads all labels before counting any, so that the cache misses of a row overlap.
  void tally_labels(Node node) {
    const std::span<const Node> row = neighbours_of(node);
    met_.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      met_[i] = labels_[row[i]];
      tally_.expect(met_[i]);
    }
    for (std::size_t i = 0; i < row.size(); ++i) tally_.add(met_[i], level_.weight(level_.edges.offsets[node] + i));
  }

  /// The label with the largest sum that still has capacity. Ties go to the node's own label, else to the one that a
  /// hash of the labels ranks first: neighbours then choose the same label, and clusters form in few sweeps.
  Node choose(Node node, std::uint64_t key) const {
    const Node own = labels_[node];
    Node best = own;
    std::uint32_t best_sum = tally_.sum(own), best_rank = 0;
    for (const Node label : tally_.met()) {
      const std::uint32_t sum = tally_.sum(label);
      if (sum < best_sum || label == own || filled_[label] + level_.size(node) > largest_) continue;
      if (sum == best_sum && best == own) continue;
      const std::uint32_t rank = random_bits(key, label);
      if (sum == best_sum && rank >= best_rank) continue;
      best = label;
      best_sum = sum;
      best_rank = rank;
    }
    return best;
  }

  const Level& level_;
  std::size_t largest_;
  std::vector<Node> labels_;
  std::vector<std::size_t> filled_;  // number of original nodes with each label
  std::vector<std::uint8_t> is_due_;
  std::vector<Node> met_;
  Tally tally_;
};

/// Clusters 0, 1, ..., numbered in the order of their first node.
struct Clusters {
  std::vector<Node> of;  ///< Per node.
  std::size_t count = 0;
};

Clusters numbered(const std::vector<Node>& labels) {
  Clusters clusters;
  clusters.of.reserve(labels.size());
  std::vector<Node> number(labels.size(), kNone);
  for (const Node label : labels) {
    if (number[label] == kNone) number[label] = static_cast<Node>(clusters.count++);
    clusters.of.push_back(number[label]);
  }
  return clusters;
}

Clusters cluster(const Level& level, std::size_t largest, int sweeps) {
  LabelPropagation propagation(level, largest);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const std::uint64_t key = random_key(0, Stream::shuffle, static_cast<std::uint64_t>(sweep));
    if (propagation.sweep(key) < level.nodes() / kShareThatMoves + 1) break;
  }
  return numbered(propagation.labels());
}

/// The nodes grouped by cluster, clusters in the given order; the original order is kept within a cluster.
std::vector<Node> members_in(std::span<const Node> order, const Clusters& clusters) {
  std::vector<std::size_t> next(clusters.count + 1, 0);
  std::vector<Node> place(clusters.count);
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<Node>(i);
  for (const Node c : clusters.of) ++next[place[c] + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Node> members(clusters.of.size());
  for (Node node = 0; node < clusters.of.size(); ++node) members[next[place[clusters.of[node]]]++] = node;
  return members;
}

/// Turns the clusters into nodes. Edges inside a cluster disappear.
Level coarsened(const Level& level, const Clusters& clusters) {
  std::vector<Node> all(clusters.count);
  std::iota(all.begin(), all.end(), Node{0});
  const std::vector<Node> members = members_in(all, clusters);
  Level coarse;
  coarse.sizes.assign(clusters.count, 0);
  Tally tally(clusters.count);
  auto member = members.begin();
  for (const Node c : all) {
    for (; member != members.end() && clusters.of[*member] == c; ++member) {
      coarse.sizes[c] += level.size(*member);
      for (EdgeIndex slot = level.edges.offsets[*member]; slot < level.edges.offsets[*member + 1]; ++slot) {
        const Node other = clusters.of[level.edges.columns[slot]];
        if (other != c) tally.add(other, level.weight(slot));
      }
    }
    for (const Node other : tally.met()) {
      coarse.edges.columns.push_back(other);
      coarse.weights.push_back(tally.sum(other));
    }
    tally.clear();
    coarse.edges.offsets.push_back(coarse.edges.columns.size());
  }
  return coarse;
}

}  // namespace

std::vector<Node> clustering_order(const FrozenGraph& graph, const ClusteringOptions& options) {
  if (options.largest < 1 || options.sweeps < 1)
    throw UsageError(fmt::format("clustering: expected a largest cluster and sweeps of at least 1, got {} and {}",
                                 options.largest, options.sweeps));
  const std::size_t nodes = graph.destination_count();
  std::vector<Clusters> levels;
  Level level{.edges = neighbours(graph), .weights = {}, .sizes = {}};
  for (std::size_t largest = options.largest; level.edges.slots() > 0; largest *= kGrowth) {
    levels.push_back(cluster(level, largest, options.sweeps));
    if (largest >= nodes) break;
    level = coarsened(level, levels.back());
  }
  std::vector<Node> order(levels.empty() ? nodes : levels.back().count);
  std::iota(order.begin(), order.end(), Node{0});
  for (auto clusters = levels.rbegin(); clusters != levels.rend(); ++clusters) order = members_in(order, *clusters);
  return order;
}

}  // namespace edgewise::graph
