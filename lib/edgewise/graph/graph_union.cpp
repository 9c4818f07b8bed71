#include "edgewise/graph/graph_union.hpp"

#include <fmt/format.h>

#include <string_view>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::graph {
namespace {

/// Where the nodes and slots of a member go in the new union.
struct Shift {
  Node first_node = 0;  // of the member in the original union
  Node end_node = 0;
  Node new_first = 0;
  EdgeIndex new_first_slot = 0;
};

/// Appends the rows of the member to those in `to`; the first entry of `offsets` already exists.
void append_rows(const Csr& from, const Shift& shift, Csr& to) {
  const EdgeIndex begin = from.offsets[shift.first_node], base = to.columns.size();
  for (Node row = shift.first_node; row < shift.end_node; ++row)
    to.offsets.push_back(from.offsets[row + 1] - begin + base);
  const Node moved = shift.new_first - shift.first_node;  // may wrap around, but the sum below wraps back
  for (EdgeIndex slot = begin; slot < from.offsets[shift.end_node]; ++slot)
    to.columns.push_back(from.columns[slot] + moved);
}

void reserve(Csr& csr, std::size_t rows, std::size_t slots) {
  csr.offsets.reserve(rows + 1);
  csr.columns.reserve(slots);
}

void check_members(std::string_view operation, std::span<const GraphIndex> members, std::size_t graphs) {
  check_indices(operation, "members", members, graphs);
}

/// Checks the rows of a member, before which there are as many slots as in the other direction.
void check_rows(const Csr& csr, const Csr& other, Node first, Node end) {
  bool is_apart = csr.offsets[first] == other.offsets[first];
  for (EdgeIndex slot = csr.offsets[first]; slot < csr.offsets[end]; ++slot)
    is_apart = is_apart && csr.columns[slot] >= first && csr.columns[slot] < end;
  if (!is_apart)
    throw UsageError(fmt::format("select: an edge leaves the graph of the nodes from {} to {}", first, end));
}

void check_graphs(const GraphUnion& all, std::span<const GraphIndex> members) {
  const FrozenGraph& whole = all.graph;
  check_members("select", members, all.offsets.empty() ? 0 : all.graph_count());
  check_same_nodes("select", whole);
  for (const GraphIndex member : members) {
    const Node first = all.offsets[member], end = all.offsets[member + 1];
    if (first > end || end > whole.destination_count())
      throw UsageError(fmt::format("select: expected offsets that ascend to the number of nodes, {}, got {} and {}",
                                   whole.destination_count(), first, end));
    check_rows(whole.incoming, whole.outgoing, first, end);
    check_rows(whole.outgoing, whole.incoming, first, end);
  }
}

}  // namespace

GraphUnion select(const GraphUnion& all, std::span<const GraphIndex> members) {
  check_graphs(all, members);
  const FrozenGraph& whole = all.graph;
  std::size_t nodes = 0, slots = 0;
  for (const GraphIndex member : members) {
    nodes += all.size_of(member);
    slots += whole.incoming.offsets[all.offsets[member + 1]] - whole.incoming.offsets[all.offsets[member]];
  }
  GraphUnion result;
  FrozenGraph& part = result.graph;
  reserve(part.incoming, nodes, slots);
  reserve(part.outgoing, nodes, slots);
  part.edge.reserve(slots);
  part.outgoing_slot.reserve(slots);
  const Eigen::Index feature_columns = whole.edge_features.cols();
  part.edge_features.resize(feature_columns == 0 ? 0 : static_cast<Eigen::Index>(slots), feature_columns);
  for (const GraphIndex member : members) {
    const Node first = all.offsets[member], end = all.offsets[member + 1];
    const EdgeIndex begin = whole.incoming.offsets[first], stop = whole.incoming.offsets[end];
    const Shift shift{first, end, result.offsets.back(), part.incoming.slots()};
    append_rows(whole.incoming, shift, part.incoming);
    append_rows(whole.outgoing, shift, part.outgoing);
    part.edge.insert(part.edge.end(), whole.edge.begin() + static_cast<std::ptrdiff_t>(begin),
                     whole.edge.begin() + static_cast<std::ptrdiff_t>(stop));
    for (EdgeIndex slot = begin; slot < stop; ++slot)
      part.outgoing_slot.push_back(static_cast<StoredEdge>(whole.outgoing_slot[slot] - begin + shift.new_first_slot));
    if (feature_columns > 0)
      part.edge_features.middleRows(static_cast<Eigen::Index>(shift.new_first_slot),
                                    static_cast<Eigen::Index>(stop - begin)) =
          whole.edge_features.middleRows(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(stop - begin));
    result.offsets.push_back(shift.new_first + (end - first));
  }
  finish_positions(part);
  part.incoming_chunks = balanced_chunks(part.incoming.offsets);
  part.outgoing_chunks = balanced_chunks(part.outgoing.offsets);
  return result;
}

std::vector<Node> nodes_of(std::span<const Node> offsets, std::span<const GraphIndex> members) {
  check_members("nodes_of", members, offsets.empty() ? 0 : offsets.size() - 1);
  std::vector<Node> nodes;
  for (const GraphIndex member : members)
    for (Node node = offsets[member]; node < offsets[member + 1]; ++node) nodes.push_back(node);
  return nodes;
}

}  // namespace edgewise::graph
