#include "edgewise/graph/column_blocks.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/graph/random_graphs.hpp"
#include "support/random_graph.hpp"

using namespace edgewise;
using namespace edgewise::graph;

namespace {

using Make = LazyBlockedEdges::Make;
using If = LazyBlockedEdges::If;

ColumnBlocks blocks_of(const FrozenGraph& mask, std::size_t count) {
  return column_blocks(mask.incoming, mask.incoming_chunks, mask.source_count(), count);
}

const BlockedEdges* get(const FrozenGraph& mask, std::size_t count, Make make = Make::now, If wanted = If::they_pay) {
  return mask.blocks.get(mask.both_ways(), {count, count}, make, wanted);
}

/// 16 edges a row, all within a group of 64 nodes.
FrozenGraph grouped_graph(std::size_t nodes) {
  Csr rows;
  for (Node row = 0; row < nodes; ++row) {
    for (Node i = 0; i < 16; ++i) rows.columns.push_back(row / 64 * 64 + 4 * i);
    rows.offsets.push_back(rows.columns.size());
  }
  return freeze(std::move(rows), nodes);
}

}  // namespace

TEST_CASE("blocks of columns hold every edge once, by block, row and column", "[graph][column_blocks]") {
  for (const auto& [destinations, sources, degree] :
       {std::tuple{400, 300, 9.0}, {30, 5000, 200.0}, {5000, 40, 6.0}, {7, 3, 1.0}, {0, 5, 1.0}, {5, 0, 0.0}}) {
    const FrozenGraph mask = test::random_mask(static_cast<std::size_t>(destinations),
                                               static_cast<std::size_t>(sources), degree, 3);
    const Csr& csr = mask.incoming;
    for (const std::size_t count : {2U, 8U, 64U}) {
      CAPTURE(destinations, sources, count);
      const ColumnBlocks blocks = blocks_of(mask, count);
      const std::size_t chunks = mask.incoming_chunks.size() - 1, width = (mask.source_count() + count - 1) / count;
      REQUIRE(blocks.count == count);
      REQUIRE(blocks.begins.size() == count * chunks + 1);
      REQUIRE(blocks.columns.size() == csr.slots());
      std::vector<EdgeIndex> next(csr.offsets.begin(), csr.offsets.end() - 1);
      std::vector<bool> is_seen(csr.rows(), false);
      for (std::size_t block = 0; block < count; ++block)
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
          const std::uint32_t* begins = blocks.begins.data() + block * chunks + chunk;
          for (std::size_t s = begins[0]; s < begins[1]; ++s) {
            const ColumnBlocks::Segment &segment = blocks.segments[s], &after = blocks.segments[s + 1];
            REQUIRE(segment.row >= mask.incoming_chunks[chunk]);
            REQUIRE(segment.row < mask.incoming_chunks[chunk + 1]);
            REQUIRE(segment.slot == next[segment.row]);
            is_seen[segment.row] = true;
            for (StoredEdge i = 0; i < after.position - segment.position; ++i) {
              const Node column = blocks.columns[segment.position + i];
              CHECK(column == csr.columns[segment.slot + i]);
              CHECK(column / width == block);
            }
            next[segment.row] += after.position - segment.position;
          }
        }
      CHECK(std::equal(next.begin(), next.end(), csr.offsets.begin() + 1));
      CHECK(std::all_of(is_seen.begin(), is_seen.end(), [](bool seen) { return seen; }));
    }
  }
}

TEST_CASE("blocked edges know their place in the transpose", "[graph][column_blocks]") {
  for (const auto& [destinations, sources, degree] : {std::tuple{400, 300, 9.0}, {30, 5000, 200.0}, {0, 5, 1.0}}) {
    const FrozenGraph mask = test::random_mask(static_cast<std::size_t>(destinations),
                                               static_cast<std::size_t>(sources), degree, 3);
    const BlockedEdges edges = blocked_edges(mask.both_ways(), {.sources = 4, .destinations = 8});
    CHECK(edges.incoming.count == 4);
    CHECK(edges.outgoing.count == 8);
    std::vector<std::pair<Node, Node>> outgoing(mask.slot_count());  // destination, source
    for (std::size_t s = 0; s + 1 < edges.outgoing.segments.size(); ++s)
      for (StoredEdge i = edges.outgoing.segments[s].position; i < edges.outgoing.segments[s + 1].position; ++i)
        outgoing[i] = {edges.outgoing.columns[i], edges.outgoing.segments[s].row};
    for (std::size_t s = 0; s + 1 < edges.incoming.segments.size(); ++s)
      for (StoredEdge i = edges.incoming.segments[s].position; i < edges.incoming.segments[s + 1].position; ++i)
        CHECK(outgoing[edges.outgoing_position[i]] ==
              std::pair{edges.incoming.segments[s].row, edges.incoming.columns[i]});
  }
}

TEST_CASE("blocked edges take 12 bytes per edge and 12 per segment", "[graph][column_blocks]") {
  const FrozenGraph mask = freeze(uniform_graph(4000, 16, 1), 4000);
  const std::size_t before = mask.bytes();
  const BlockedEdges* edges = get(mask, 4);
  REQUIRE(edges != nullptr);
  const std::size_t segments = edges->incoming.segments.size() + edges->outgoing.segments.size();
  CHECK(segments <= 2 * (4 * 4000 + 1));
  const std::size_t begins = 4 * 4 * (mask.incoming_chunks.size() + mask.outgoing_chunks.size());
  CHECK(mask.blocks.bytes() <= 12 * mask.slot_count() + 12 * segments + 2 * begins);
  CHECK(mask.bytes() == before + mask.blocks.bytes());
  const FrozenGraph copy = mask;
  CHECK(get(copy, 4) == edges);
}

TEST_CASE("an edited graph has blocks of its own", "[graph][column_blocks]") {
  const FrozenGraph mask = freeze(uniform_graph(4000, 16, 1), 4000), other = freeze(uniform_graph(4000, 16, 2), 4000);
  const auto columns = [](const FrozenGraph& of) { return get(of, 4, Make::now, If::always)->incoming.columns; };
  const std::vector<Node> expected = columns(other);
  REQUIRE(columns(mask) != expected);
  const auto edit = [&](FrozenGraph& edited) {
    edited.incoming = other.incoming;
    edited.outgoing = other.outgoing;
    edited.outgoing_slot = other.outgoing_slot;
    finish_positions(edited);
  };
  FrozenGraph copy = mask;
  edit(copy);
  CHECK(columns(copy) == expected);
  CHECK(columns(mask) != expected);
  FrozenGraph edited = freeze(uniform_graph(4000, 16, 1), 4000);
  columns(edited);
  edit(edited);
  CHECK(columns(edited) == expected);
}

TEST_CASE("blocks of columns are made when they pay", "[graph][column_blocks]") {
  const FrozenGraph scattered = freeze(uniform_graph(4000, 16, 1), 4000), grouped = grouped_graph(4096),
                    sparse = freeze(uniform_graph(4000, 3, 1), 4000);
  for (int call = 0; call < 3; ++call) CHECK(get(scattered, 4, Make::on_later_call) == nullptr);
  CHECK(scattered.blocks.bytes() == 0);
  CHECK(get(scattered, 4, Make::on_later_call) != nullptr);
  CHECK(get(grouped, 4) == nullptr);
  CHECK(get(sparse, 4) == nullptr);
  CHECK(get(grouped, 4, Make::now, If::always) != nullptr);
}

TEST_CASE("blocks that were dropped, or whose making was interrupted, are made on the next call",
          "[graph][column_blocks]") {
  FrozenGraph mask = freeze(uniform_graph(4000, 16, 1), 4000);
  const auto columns = [&] { return get(mask, 4)->incoming.columns; };
  const std::vector<Node> expected = columns();
  mask.blocks.drop();
  CHECK(mask.blocks.bytes() == 0);
  CHECK(columns() == expected);
  mask.blocks.drop();
  {
    const Observed stop({.is_over = [] { return true; }});
    CHECK_THROWS_AS(columns(), Interrupted);
  }
  CHECK(columns() == expected);

  FrozenGraph grouped = grouped_graph(4096);
  CHECK(get(grouped, 4) == nullptr);
  grouped.blocks.drop();
  CHECK(get(grouped, 4) == nullptr);
}

TEST_CASE("the busy columns have nine edges of ten", "[graph][column_blocks]") {
  Csr columns{{0, 5, 14, 15, 20}, std::vector<Node>(20, 0)};
  CHECK(busy_columns(columns) == 3);
  CHECK(busy_columns(Csr{}) == 0);
}
