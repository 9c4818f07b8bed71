#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "edgewise/graph/csr.hpp"

namespace edgewise::graph {

/// The edges of a CSR, regrouped by blocks of columns: ranges of equal size. A sweep over the edges of one block reads
/// only its part of a table, which may fit a cache that the table does not fit. Columns must ascend within each row, so
/// the edges of a row in a block are consecutive slots.
struct ColumnBlocks {
  /// The edges of a row in a block. They end where those of the next segment begin.
  struct Segment {
    Node row;
    StoredEdge slot;      ///< Of the first edge, in the CSR.
    StoredEdge position;  ///< Of the first edge, in `columns`.
  };

  /// By block, then by row; a row without edges is in the first block. One more marks the end.
  std::vector<Segment> segments;
  std::vector<Node> columns;  ///< Those of the CSR, in the order of the segments.
  /// The first segment of each chunk of rows in each block, [blocks, chunks]; then the number of segments.
  std::vector<std::uint32_t> begins;
  std::size_t count = 0;  ///< Of blocks.

  std::size_t bytes() const;
};

/// Regroups the edges of `csr`, whose rows are split into chunks. O(edges + rows).
ColumnBlocks column_blocks(const Csr& csr, const std::vector<Node>& row_chunks, std::size_t columns, std::size_t count);

/// The number of the most frequent columns that 9 of 10 edges have. edges_of_columns: the CSR of the transpose.
std::size_t busy_columns(const Csr& edges_of_columns);

/// How many blocks of columns the edges of a graph have in each direction, 1 for all columns at once.
struct BlockCounts {
  std::size_t sources = 1;       ///< The columns of `incoming`.
  std::size_t destinations = 1;  ///< The columns of `outgoing`.

  bool operator==(const BlockCounts&) const = default;
};

/// The edges of a graph in both directions, as a FrozenGraph has them.
struct EdgesBothWays {
  const Csr& incoming;
  const Csr& outgoing;
  const std::vector<Node>& incoming_chunks;
  const std::vector<Node>& outgoing_chunks;
  const std::vector<StoredEdge>& incoming_position;
};

/// The edges of a graph in blocks of columns, in both directions.
struct BlockedEdges {
  ColumnBlocks incoming;
  ColumnBlocks outgoing;
  /// Of each edge in the order of `incoming`: its position in the order of `outgoing`.
  std::vector<StoredEdge> outgoing_position;

  std::size_t bytes() const;
};

BlockedEdges blocked_edges(const EdgesBothWays& edges, const BlockCounts& counts);

/// The blocked edges of a graph, by the numbers of blocks, made when they are first needed. Copies share them.
/// Thread-safe.
class LazyBlockedEdges {
 public:
  /// Masks that are used once or twice do not pay for blocks if these are made on a later call.
  enum class Make { now, on_later_call };
  enum class If { they_pay, always };

  /// Returns nullptr on the first calls with Make::on_later_call, or if blocks do not pay: segments with fewer than two
  /// edges on average, or so many fewer segments than in a random graph with the same degrees that rows find their
  /// columns in the cache anyway.
  const BlockedEdges* get(const EdgesBothWays& edges, BlockCounts counts, Make make, If wanted) const;
  /// `busy_columns` of the sources and of the destinations, counted once.
  BlockCounts busy(const EdgesBothWays& edges) const;
  /// Of the blocks made so far.
  std::size_t bytes() const;
  /// Frees the blocks, which must not be in use. They are made again, as they were, on the next call of `get`.
  void drop();

 private:
  struct Entry {
    BlockCounts wanted;
    If condition;
    std::optional<BlockedEdges> edges;  ///< None if they do not pay; without blocks while they are not made.
  };
  struct State {
    std::mutex mutex;
    std::vector<std::unique_ptr<Entry>> entries;
    std::optional<BlockCounts> busy;
    int calls = 0;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace edgewise::graph
