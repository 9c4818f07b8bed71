#include "edgewise/graph/permutation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::graph {
namespace {

constexpr Node kNowhere = std::numeric_limits<Node>::max();
constexpr std::size_t kRowsOfChunk = 1024;

void check_size(std::span<const Node> order, std::size_t count) {
  if (order.size() != count)
    throw UsageError(fmt::format("permute: an order of {} nodes, but there are {}", order.size(), count));
}

void check_nodes(const FrozenGraph& graph, std::span<const Node> order) {
  check_size(order, graph.destination_count());
  check_size(order, graph.source_count());
}

/// Rows and columns at their new positions, and the original position of each slot.
struct PermutedRows {
  Csr rows;
  std::vector<StoredEdge> before;
};

PermutedRows permuted_rows(const Csr& csr, std::span<const Node> order, std::span<const Node> place) {
  PermutedRows permuted;
  std::vector<EdgeIndex>& offsets = permuted.rows.offsets;
  offsets.resize(order.size() + 1);
  for (std::size_t i = 0; i < order.size(); ++i)
    offsets[i + 1] = offsets[i] + csr.offsets[order[i] + 1] - csr.offsets[order[i]];
  permuted.rows.columns.resize(csr.slots());
  permuted.before.resize(csr.slots());
  parallel_for(order.size(), kRowsOfChunk, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint64_t> row;  // the new column in the high bits, the old position in the low bits
    for (std::size_t i = begin; i < end; ++i) {
      row.clear();
      for (EdgeIndex k = csr.offsets[order[i]]; k < csr.offsets[order[i] + 1]; ++k)
        row.push_back(std::uint64_t{place[csr.columns[k]]} << 32 | k);
      std::ranges::sort(row);
      for (std::size_t j = 0; j < row.size(); ++j) {
        permuted.rows.columns[offsets[i] + j] = static_cast<Node>(row[j] >> 32);
        permuted.before[offsets[i] + j] = static_cast<StoredEdge>(row[j]);
      }
    }
  });
  return permuted;
}

Matrix rows_of(ConstMatrixRef rows, std::span<const std::uint32_t> wanted) {
  Matrix result(rows.rows(), rows.cols());
  parallel_for(wanted.size(), kRowsOfChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      result.row(static_cast<Eigen::Index>(i)) = rows.row(static_cast<Eigen::Index>(wanted[i]));
  });
  return result;
}

}  // namespace

std::vector<Node> inverse(std::span<const Node> order) {
  std::vector<Node> place(order.size(), kNowhere);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= order.size() || place[order[i]] != kNowhere)
      throw UsageError(fmt::format("permute: node {} at place {} is not a node or occurs twice", order[i], i));
    place[order[i]] = static_cast<Node>(i);
  }
  return place;
}

std::vector<StoredEdge> permuted_slots(const FrozenGraph& graph, std::span<const Node> order) {
  check_nodes(graph, order);
  return permuted_rows(graph.incoming, order, inverse(order)).before;
}

FrozenGraph permute(const FrozenGraph& graph, std::span<const Node> order) {
  check_nodes(graph, order);
  const std::vector<Node> place = inverse(order);
  FrozenGraph permuted;
  auto [incoming, slot_before] = permuted_rows(graph.incoming, order, place);
  auto [outgoing, position_before] = permuted_rows(graph.outgoing, order, place);
  permuted.incoming = std::move(incoming);
  permuted.outgoing = std::move(outgoing);
  permuted.edge.resize(graph.slot_count());
  std::vector<StoredEdge> slot_now(graph.slot_count());
  for (std::size_t slot = 0; slot < slot_before.size(); ++slot) {
    permuted.edge[slot] = graph.edge[slot_before[slot]];
    slot_now[slot_before[slot]] = static_cast<StoredEdge>(slot);
  }
  permuted.outgoing_slot = std::move(position_before);
  for (StoredEdge& slot : permuted.outgoing_slot) slot = slot_now[graph.outgoing_slot[slot]];
  if (graph.edge_features.cols() > 0) permuted.edge_features = rows_of(graph.edge_features, slot_before);
  finish_positions(permuted);
  permuted.incoming_chunks = balanced_chunks(permuted.incoming.offsets);
  permuted.outgoing_chunks = balanced_chunks(permuted.outgoing.offsets);
  return permuted;
}

Matrix permute_rows(ConstMatrixRef rows, std::span<const Node> order) {
  check_size(order, static_cast<std::size_t>(rows.rows()));
  inverse(order);  // throws if it is not a permutation
  return rows_of(rows, order);
}

}  // namespace edgewise::graph
