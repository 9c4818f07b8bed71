#include "edgewise/data/detail/clusters_in_passes.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "edgewise/core/observer.hpp"
#include "edgewise/core/spill_file.hpp"

namespace edgewise::data::detail {
namespace {

using graph::Node;

constexpr int kPasses = 6;
constexpr std::size_t kFewMoves = 100;                // of so many nodes one: the passes end
constexpr std::size_t kArcsAhead = 32;                // whose clusters are prefetched
constexpr std::size_t kPiece = std::size_t{1} << 22;  // arcs after which pages are given back
constexpr Node kNoCluster = std::numeric_limits<Node>::max();

/// Calls visit(node, begin) for each row of a pass, and gives back what was read.
template <class Visit>
void each_row(const EdgesOnDisk& edges, const Visit& visit) {
  std::size_t begin = 0, given_back = 0;
  for (Node node = 0; node < edges.degrees.size(); begin += edges.degrees[node++]) {
    visit(node, begin);
    if (begin - given_back < kPiece) continue;
    check_interruption();
    give_back_pages(edges.columns.data() + given_back, (begin - given_back) * sizeof(Node));
    given_back = begin;
  }
}

/// Counts the clusters of a row, which are few.
class ClusterCounts {
 public:
  void begin(std::size_t row) {
    const std::size_t size = std::bit_ceil(2 * row + 1);
    mask_ = size - 1;
    slots_.assign(size, {kNoCluster, 0});
  }
  /// The number so far, with this one.
  std::uint32_t add(Node cluster) {
    std::size_t at = (cluster * 0x9E3779B1U >> 7) & mask_;
    while (slots_[at].cluster != cluster && slots_[at].cluster != kNoCluster) at = (at + 1) & mask_;
    slots_[at].cluster = cluster;
    return ++slots_[at].count;
  }

 private:
  struct Slot {
    Node cluster;
    std::uint32_t count;
  };
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
};

class Propagation {
 public:
  Propagation(const EdgesOnDisk& edges, std::vector<Node> clusters, std::uint64_t most)
      : edges_(edges), most_(most), cluster_(std::move(clusters)), work_(cluster_.size(), 0) {
    for (Node node = 0; node < cluster_.size(); ++node) work_[cluster_[node]] += work(node);
  }

  /// The number of nodes that moved.
  std::size_t pass() {
    std::size_t moves = 0;
    each_row(edges_, [&](Node node, std::size_t begin) {
      const Node to = best_cluster(node, begin);
      if (to != cluster_[node]) move(node, to), ++moves;
    });
    return moves;
  }
  std::vector<Node> clusters() && { return std::move(cluster_); }

 private:
  std::uint64_t work(Node node) const { return edges_.degrees[node] + edges_.work_of_row; }

  /// That of most sources, its own if that is one of them, else the first to have so many.
  Node best_cluster(Node node, std::size_t begin) {
    const std::span<const Node> columns = edges_.columns;
    const Node own = cluster_[node];
    const std::size_t end = begin + edges_.degrees[node];
    counts_.begin(edges_.degrees[node]);
    Node best = own;
    std::uint32_t most = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kArcsAhead < columns.size()) __builtin_prefetch(&cluster_[columns[i + kArcsAhead]]);
      if (columns[i] == node) continue;
      const Node cluster = cluster_[columns[i]];
      const std::uint32_t count = counts_.add(cluster);
      if (count < most || (count == most && cluster != own)) continue;
      if (cluster != own && work_[cluster] + work(node) > most_) continue;
      best = cluster;
      most = count;
    }
    return best;
  }
  void move(Node node, Node to) {
    work_[cluster_[node]] -= work(node);
    work_[to] += work(node);
    cluster_[node] = to;
  }

  const EdgesOnDisk& edges_;
  std::uint64_t most_;
  std::vector<Node> cluster_;
  std::vector<std::uint64_t> work_;  // of each cluster
  ClusterCounts counts_;
};

}  // namespace

std::vector<Node> clusters_in_passes(const EdgesOnDisk& edges, std::vector<Node> clusters, std::uint64_t most) {
  const std::size_t few = clusters.size() / kFewMoves;
  Propagation propagation(edges, std::move(clusters), most);
  for (int pass = 0; pass < kPasses; ++pass) {
    report_step("looking for parts", pass, kPasses);
    if (propagation.pass() <= few) break;
  }
  return std::move(propagation).clusters();
}

std::uint64_t edges_between(const EdgesOnDisk& edges, const std::vector<Node>& clusters) {
  std::uint64_t count = 0;
  each_row(edges, [&](Node node, std::size_t begin) {
    for (const Node source : edges.columns.subspan(begin, edges.degrees[node]))
      count += clusters[source] != clusters[node] ? 1 : 0;
  });
  return count;
}

}  // namespace edgewise::data::detail
