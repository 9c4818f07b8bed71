#include "edgewise/attention/reference/pair_mask.hpp"

#include <fmt/format.h>

namespace edgewise::attention::reference {

PairMask::PairMask(const graph::FrozenGraph& mask, Rows rows)
    : rows_(rows == Rows::sources ? mask.source_count() : mask.destination_count()) {
  const graph::Csr& csr = rows == Rows::sources ? mask.outgoing : mask.incoming;
  const std::size_t columns = rows == Rows::sources ? mask.destination_count() : mask.source_count();
  groups_ = (columns + kColumns - 1) / kColumns;
  words_.assign(groups_ * rows_, 0);
  for (std::size_t row = 0; row < rows_; ++row)
    for (graph::EdgeIndex slot = csr.offsets[row]; slot < csr.offsets[row + 1]; ++slot) {
      const std::size_t column = csr.columns[slot];
      std::uint64_t& word = words_[column / kColumns * rows_ + row];
      const std::uint64_t bit = std::uint64_t{1} << (column % kColumns);
      if ((word & bit) != 0)
        throw UsageError(fmt::format("attention: dense variants expect each pair of nodes once in the mask, but source "
                                     "{} and destination {} appear twice",
                                     rows == Rows::sources ? row : column, rows == Rows::sources ? column : row));
      word |= bit;
    }
}

std::vector<std::uint8_t> occupied_tiles(const PairMask& mask) {
  const std::size_t row_tiles = (mask.rows() + PairMask::kColumns - 1) / PairMask::kColumns;
  std::vector<std::uint8_t> occupied(mask.groups() * row_tiles, 0);
  for (std::size_t group = 0; group < mask.groups(); ++group)
    for (std::size_t row = 0; row < mask.rows(); ++row)
      if (mask.words(group)[row] != 0) occupied[group * row_tiles + row / PairMask::kColumns] = 1;
  return occupied;
}

}  // namespace edgewise::attention::reference
