#include "edgewise/graph/masks/k_hop.hpp"

#include <algorithm>

#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/detail/truncated_search.hpp"

namespace edgewise::graph {
namespace {

/// An arc from each node to every node it attends to.
BoostGraph attending_arcs(const Csr& incoming) {
  std::vector<std::pair<Node, Node>> arcs;
  arcs.reserve(incoming.slots());
  for (Node row = 0; row < incoming.rows(); ++row)
    for (EdgeIndex slot = incoming.offsets[row]; slot < incoming.offsets[row + 1]; ++slot)
      arcs.emplace_back(row, incoming.columns[slot]);
  return BoostGraph(boost::edges_are_sorted, arcs.begin(), arcs.end(), static_cast<Node>(incoming.rows()), arcs.size());
}

bool has_self_loop(const Csr& incoming, Node row) { return std::ranges::count(incoming.row(row), row) > 0; }

/// Consecutive rows of the mask.
struct Rows {
  std::vector<EdgeIndex> counts;
  std::vector<detail::NodeAtHop> found;
};

/// All rows, in chunks of consecutive nodes, because each search holds an array over all nodes.
std::vector<Rows> search_from_all(const FrozenGraph& edges, std::uint32_t hops, std::size_t max_slots) {
  constexpr std::size_t kMaxChunks = 64, kMinRows = 256;
  const std::size_t nodes = edges.destination_count();
  const BoostGraph graph = attending_arcs(edges.incoming);
  std::vector<Rows> chunks(std::clamp<std::size_t>(nodes / kMinRows, 1, kMaxChunks));
  parallel_chunks(chunks.size(), [&](std::size_t chunk) {
    detail::TruncatedSearch search(graph, hops);
    Rows& rows = chunks[chunk];
    for (std::size_t row = nodes * chunk / chunks.size(); row < nodes * (chunk + 1) / chunks.size(); ++row) {
      const auto start = static_cast<Node>(row);
      const std::vector<detail::NodeAtHop>& found = search.from(start);  // itself first
      const auto before = static_cast<std::ptrdiff_t>(rows.found.size());
      rows.found.insert(rows.found.end(), found.begin() + (has_self_loop(edges.incoming, start) ? 0 : 1), found.end());
      std::sort(rows.found.begin() + before, rows.found.end(),
                [](const detail::NodeAtHop& a, const detail::NodeAtHop& b) { return a.node < b.node; });
      rows.counts.push_back(rows.found.size() - static_cast<std::size_t>(before));
      if (rows.found.size() > max_slots) refuse_slots("k_hop", max_slots);
    }
  });
  return chunks;
}

}  // namespace

FrozenGraph k_hop_mask(const FrozenGraph& edges, std::uint32_t hops, std::size_t max_slots) {
  check_same_nodes("k_hop", edges);
  const std::vector<Rows> chunks = search_from_all(edges, hops, max_slots);
  std::size_t slots = 0;
  for (const Rows& rows : chunks) slots += rows.found.size();
  if (slots > max_slots) refuse_slots("k_hop", max_slots);
  Csr incoming;
  incoming.columns.reserve(slots);
  Matrix features = Matrix::Zero(static_cast<Eigen::Index>(slots), static_cast<Eigen::Index>(hops) + 1);
  for (const Rows& rows : chunks) {
    for (const EdgeIndex count : rows.counts) incoming.offsets.push_back(incoming.offsets.back() + count);
    for (const detail::NodeAtHop& found : rows.found) {
      features(static_cast<Eigen::Index>(incoming.slots()), static_cast<Eigen::Index>(found.hops)) = 1;
      incoming.columns.push_back(found.node);
    }
  }
  FrozenGraph mask = freeze(std::move(incoming), edges.source_count());
  mask.edge_features = std::move(features);
  return mask;
}

}  // namespace edgewise::graph
