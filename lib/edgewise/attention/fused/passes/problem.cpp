#include "edgewise/attention/fused/passes/problem.hpp"

namespace edgewise::attention::fused {

Traversal Group::traversal(End own, const graph::BlockedEdges* blocks) const {
  const bool is_destination = own == End::destination;
  const graph::Csr& edges = is_destination ? mask.incoming : mask.outgoing;
  const Tiles rows(is_destination ? mask.incoming_chunks : mask.outgoing_chunks);
  if (blocks != nullptr) return {edges, rows, is_destination ? &blocks->incoming : &blocks->outgoing};
  return {edges, mask.columns_ascend ? tiles(own) : rows};
}

const graph::BlockedEdges* Group::blocks(graph::LazyBlockedEdges::Make make) const {
  using Blocks = graph::LazyBlockedEdges;
  if (!mask.columns_ascend || column_blocks == 1) return nullptr;
  const auto get = [&](const graph::BlockCounts& counts, Blocks::If condition) {
    return mask.blocks.get(mask.both_ways(), counts, make, condition);
  };
  if (column_blocks > 0) return get({column_blocks, column_blocks}, Blocks::If::always);
  const std::size_t row_bytes = static_cast<std::size_t>(layout.columns()) * sizeof(float);
  const auto counts_for = [&](std::size_t sources, std::size_t destinations) {
    return graph::BlockCounts{block_count(sources, row_bytes, mask.incoming),
                              block_count(destinations, row_bytes, mask.outgoing)};
  };
  if (counts_for(mask.source_count(), mask.destination_count()) == graph::BlockCounts{} ||
      tiles(End::destination).are_used() || tiles(End::source).are_used())
    return nullptr;
  const graph::BlockCounts busy = mask.blocks.busy(mask.both_ways()),
                           counts = counts_for(busy.sources, busy.destinations);
  return counts == graph::BlockCounts{} ? nullptr : get(counts, Blocks::If::they_pay);
}

Tiles Group::tiles(End own) const {
  const bool is_destination = own == End::destination;
  const std::size_t tables = is_per_head ? 1 : 2;
  const std::size_t far_rows = is_destination ? mask.source_count() : mask.destination_count();
  return {is_destination ? mask.incoming : mask.outgoing, is_destination ? mask.incoming_chunks : mask.outgoing_chunks,
          far_rows, tables * static_cast<std::size_t>(layout.columns()) * sizeof(float), near_bytes};
}

}  // namespace edgewise::attention::fused
