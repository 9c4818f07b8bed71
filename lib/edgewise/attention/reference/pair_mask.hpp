#pragma once

#include <cstdint>
#include <vector>

#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::attention::reference {

/// A mask for all pairs of a row and a column, a bit a pair: 64 columns a word, and the words of the same 64 columns
/// side by side, one a row.
class PairMask {
 public:
  static constexpr std::size_t kColumns = 64;  ///< A word.

  /// What the rows are; the columns are the others.
  enum class Rows { destinations, sources };

  /// Throws UsageError when a pair appears twice in `mask`, which a bit cannot tell.
  PairMask(const graph::FrozenGraph& mask, Rows rows);

  std::size_t rows() const { return rows_; }
  /// Groups of 64 columns.
  std::size_t groups() const { return groups_; }
  /// Of every row: bit i is set when the pair with column group * 64 + i is there.
  const std::uint64_t* words(std::size_t group) const { return words_.data() + group * rows_; }

 private:
  std::size_t rows_;
  std::size_t groups_;
  std::vector<std::uint64_t> words_;
};

/// [groups, tiles of 64 rows]: 1 where a tile of 64 rows and 64 columns has any pair.
std::vector<std::uint8_t> occupied_tiles(const PairMask& mask);

}  // namespace edgewise::attention::reference
