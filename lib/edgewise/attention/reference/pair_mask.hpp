#pragma once

#include <cstdint>
#include <vector>

#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::attention::reference {

/// A mask over all pairs of a row and a column, one bit per pair: 64 columns per word. The words of the same 64 columns
/// are contiguous, one per row.
class PairMask {
 public:
  static constexpr std::size_t kColumns = 64;  ///< Per word.

  /// Which nodes are the rows; the others are the columns.
  enum class Rows { destinations, sources };

  /// Throws UsageError if a pair appears twice in `mask`, which one bit cannot represent.
  PairMask(const graph::FrozenGraph& mask, Rows rows);

  std::size_t rows() const { return rows_; }
  /// Groups of 64 columns.
  std::size_t groups() const { return groups_; }
  /// One word per row: bit i is set if the pair with column group * 64 + i is in the mask.
  const std::uint64_t* words(std::size_t group) const { return words_.data() + group * rows_; }

 private:
  std::size_t rows_;
  std::size_t groups_;
  std::vector<std::uint64_t> words_;
};

/// [groups, tiles of 64 rows]: 1 where a tile of 64 rows and 64 columns has any pair.
std::vector<std::uint8_t> occupied_tiles(const PairMask& mask);

}  // namespace edgewise::attention::reference
