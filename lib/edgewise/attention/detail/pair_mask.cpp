#include "edgewise/attention/detail/pair_mask.hpp"

#include <fmt/format.h>

namespace edgewise::attention::detail {

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
        throw UsageError(fmt::format("attention: dense variants expect a pair of nodes once in the mask, but source {} "
                                     "and destination {} stand twice in it",
                                     rows == Rows::sources ? row : column, rows == Rows::sources ? column : row));
      word |= bit;
    }
}

}  // namespace edgewise::attention::detail
