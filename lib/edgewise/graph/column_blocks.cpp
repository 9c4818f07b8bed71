#include "edgewise/graph/column_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "edgewise/core/parallel.hpp"

namespace edgewise::graph {
namespace {

/// Calls body(block, begin, end) for the slots of a row in each block of `width` columns that it has edges in.
template <class Body>
void for_each_segment(const Csr& csr, std::size_t row, std::size_t width, const Body& body) {
  const Node* columns = csr.columns.data();
  for (EdgeIndex slot = csr.offsets[row], end = csr.offsets[row + 1]; slot < end;) {
    const std::size_t block = columns[slot] / width, limit = (block + 1) * width;
    const EdgeIndex begin = slot;
    while (slot < end && columns[slot] < limit) ++slot;
    body(block, begin, slot);
  }
}

std::size_t width_of(std::size_t columns, std::size_t count) {
  return std::max<std::size_t>(1, (columns + count - 1) / count);
}

/// Whether blocks help: see LazyBlockedEdges::get.
bool blocks_pay(const Csr& csr, std::size_t columns, std::size_t count) {
  constexpr double kMinEdges = 2, kMaxShare = 0.75;
  const auto blocks = static_cast<double>(count);
  std::size_t segments = 0;
  double of_random = 0;
  for (std::size_t row = 0; row < csr.rows(); ++row) {
    for_each_segment(csr, row, width_of(columns, count), [&](std::size_t, EdgeIndex, EdgeIndex) { ++segments; });
    const auto degree = static_cast<double>(csr.offsets[row + 1] - csr.offsets[row]);
    of_random += blocks * (1 - std::pow(1 - 1 / blocks, degree));
  }
  const auto found = static_cast<double>(segments);
  return static_cast<double>(csr.slots()) >= kMinEdges * found && found >= kMaxShare * of_random;
}

/// With 1 in place of a count of blocks that do not pay.
BlockCounts paying_counts(const EdgesBothWays& edges, BlockCounts counts) {
  if (!blocks_pay(edges.incoming, edges.outgoing.rows(), counts.sources)) counts.sources = 1;
  if (!blocks_pay(edges.outgoing, edges.incoming.rows(), counts.destinations)) counts.destinations = 1;
  return counts;
}

bool is_made(const BlockedEdges& edges) { return edges.incoming.count > 0; }

}  // namespace

std::size_t ColumnBlocks::bytes() const {
  return segments.capacity() * sizeof(Segment) + columns.capacity() * sizeof(Node) +
         begins.capacity() * sizeof(begins[0]);
}

ColumnBlocks column_blocks(const Csr& csr, const std::vector<Node>& row_chunks, std::size_t columns,
                           std::size_t count) {
  const std::size_t chunks = row_chunks.size() - 1, width = width_of(columns, count);
  // What each chunk has in each block: first how much, then where it begins.
  struct Place {
    std::uint32_t segment = 0;
    StoredEdge position = 0;
  };
  std::vector<Place> places(count * chunks);
  const auto for_each_row = [&](const auto& body) {
    parallel_chunks(chunks, [&](std::size_t chunk) {
      for (Node row = row_chunks[chunk]; row < row_chunks[chunk + 1]; ++row) {
        const auto place = [&](std::size_t block) -> Place& { return places[block * chunks + chunk]; };
        if (csr.offsets[row] == csr.offsets[row + 1]) body(row, place(0), csr.offsets[row], csr.offsets[row]);
        for_each_segment(csr, row, width, [&](std::size_t block, EdgeIndex begin, EdgeIndex end) {
          body(row, place(block), begin, end);
        });
      }
    });
  };
  for_each_row([](Node, Place& place, EdgeIndex begin, EdgeIndex end) {
    ++place.segment;
    place.position += static_cast<StoredEdge>(end - begin);
  });

  ColumnBlocks blocks;
  blocks.count = count;
  Place next;
  for (Place& place : places) {
    const Place size = std::exchange(place, next);
    next.segment += size.segment;
    next.position += size.position;
    blocks.begins.push_back(place.segment);
  }
  blocks.begins.push_back(next.segment);
  blocks.segments.resize(next.segment + 1);
  blocks.columns.resize(csr.slots());
  blocks.segments.back() = {static_cast<Node>(csr.rows()), static_cast<StoredEdge>(csr.slots()), next.position};
  for_each_row([&](Node row, Place& place, EdgeIndex begin, EdgeIndex end) {
    blocks.segments[place.segment++] = {row, static_cast<StoredEdge>(begin), place.position};
    const auto from = csr.columns.begin() + static_cast<std::ptrdiff_t>(begin);
    std::copy_n(from, end - begin, blocks.columns.begin() + static_cast<std::ptrdiff_t>(place.position));
    place.position += static_cast<StoredEdge>(end - begin);
  });
  return blocks;
}

std::size_t busy_columns(const Csr& edges_of_columns) {
  const std::vector<EdgeIndex>& offsets = edges_of_columns.offsets;
  std::vector<std::size_t> columns_of_degree(1);
  for (std::size_t column = 0; column < edges_of_columns.rows(); ++column) {
    const EdgeIndex degree = offsets[column + 1] - offsets[column];
    if (degree >= columns_of_degree.size()) columns_of_degree.resize(degree + 1);
    ++columns_of_degree[degree];
  }
  const EdgeIndex wanted = (9 * edges_of_columns.slots() + 9) / 10;
  EdgeIndex seen = 0;
  std::size_t busy = 0;
  for (std::size_t degree = columns_of_degree.size() - 1; degree > 0 && seen < wanted; --degree) {
    const std::size_t needed = std::min<std::size_t>(columns_of_degree[degree], (wanted - seen + degree - 1) / degree);
    seen += needed * degree;
    busy += needed;
  }
  return busy;
}

std::size_t BlockedEdges::bytes() const {
  return incoming.bytes() + outgoing.bytes() + outgoing_position.capacity() * sizeof(StoredEdge);
}

BlockedEdges blocked_edges(const EdgesBothWays& edges, const BlockCounts& counts) {
  BlockedEdges result{
      column_blocks(edges.incoming, edges.incoming_chunks, edges.outgoing.rows(), counts.sources),
      column_blocks(edges.outgoing, edges.outgoing_chunks, edges.incoming.rows(), counts.destinations),
      std::vector<StoredEdge>(edges.incoming.slots())};
  std::vector<StoredEdge> blocked(edges.incoming.slots());  // of each position in edges.outgoing
  const auto for_each_edge = [](const ColumnBlocks& blocks, const auto& body) {
    constexpr std::size_t kGrain = 4096;
    parallel_for(blocks.segments.size() - 1, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) {
        const ColumnBlocks::Segment& segment = blocks.segments[s];
        const StoredEdge count = blocks.segments[s + 1].position - segment.position;
        for (StoredEdge i = 0; i < count; ++i) body(segment.slot + i, segment.position + i);
      }
    });
  };
  for_each_edge(result.outgoing, [&](StoredEdge slot, StoredEdge position) { blocked[slot] = position; });
  for_each_edge(result.incoming, [&](StoredEdge slot, StoredEdge position) {
    result.outgoing_position[position] = blocked[edges.incoming_position[slot]];
  });
  return result;
}

const BlockedEdges* LazyBlockedEdges::get(const EdgesBothWays& edges, BlockCounts counts, Make make, If wanted) const {
  constexpr int kCallsBefore = 3;
  const std::lock_guard lock(state_->mutex);
  Entry* entry = nullptr;
  for (const std::unique_ptr<Entry>& known : state_->entries)
    if (known->wanted == counts && known->condition == wanted) entry = known.get();
  if (entry == nullptr) {
    if (make == Make::on_later_call && state_->calls++ < kCallsBefore) return nullptr;
    entry = state_->entries.emplace_back(std::make_unique<Entry>(counts, wanted, BlockedEdges{})).get();
  }
  if (entry->edges && !is_made(*entry->edges)) {
    if (wanted == If::they_pay) counts = paying_counts(edges, counts);
    if (wanted == If::they_pay && counts == BlockCounts{})
      entry->edges.reset();
    else
      entry->edges = blocked_edges(edges, counts);
  }
  return entry->edges ? &*entry->edges : nullptr;
}

void LazyBlockedEdges::drop() {
  const std::lock_guard lock(state_->mutex);
  for (const std::unique_ptr<Entry>& entry : state_->entries)
    if (entry->edges) entry->edges.emplace();
}

BlockCounts LazyBlockedEdges::busy(const EdgesBothWays& edges) const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->busy) state_->busy = {busy_columns(edges.outgoing), busy_columns(edges.incoming)};
  return *state_->busy;
}

std::size_t LazyBlockedEdges::bytes() const {
  const std::lock_guard lock(state_->mutex);
  std::size_t bytes = 0;
  for (const std::unique_ptr<Entry>& entry : state_->entries) bytes += entry->edges ? entry->edges->bytes() : 0;
  return bytes;
}

}  // namespace edgewise::graph
