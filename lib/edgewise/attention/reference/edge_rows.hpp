#pragma once

#include <algorithm>
#include "edgewise/attention/reference/rows.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/detail/simd.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// Tables with one row per slot, and functions that move rows between the slots and the nodes at their ends.
namespace edgewise::attention::reference {

using graph::EdgeIndex;
using graph::Node;

/// body(destination, first slot, slot after the last, chunk) for every destination, chunks in parallel.
template <class Body>
void for_each_row(const graph::Csr& csr, const std::vector<Node>& chunks, Body&& body) {
  parallel_chunks(chunks.size() - 1, [&](std::size_t chunk) {
    for (Node row = chunks[chunk]; row < chunks[chunk + 1]; ++row)
      body(row, csr.offsets[row], csr.offsets[row + 1], chunk);
  });
}

/// body(first, count) for blocks of up to eight numbers of [0, count), in parallel.
template <class Body>
void for_each_block(std::size_t count, Body&& body) {
  constexpr std::size_t kGrain = 4096;
  parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; i += simd::kLanes)
      body(i, static_cast<int>(std::min<std::size_t>(simd::kLanes, end - i)));
  });
}

/// to[slot] = from[the source of the slot]
void gather_sources(const graph::FrozenGraph& mask, const Matrix& from, Matrix& to);

/// to[slot] = from[the destination of the slot]
void gather_destinations(const graph::FrozenGraph& mask, const Matrix& from, Matrix& to);

/// to[destination] += the sum of from[slot] over its slots.
void add_to_destinations(const graph::FrozenGraph& mask, const Matrix& from, Matrix& to);

/// to[source] += the sum of from[slot] over its slots, through the transpose.
void add_to_sources(const graph::FrozenGraph& mask, const Matrix& from, Matrix& to);

/// out[slot, h] = a[slot, h, :] . b[slot, h, :]
void dot_heads(const graph::FrozenGraph& mask, int heads, const Matrix& a, const Matrix& b, Matrix& out);

/// out[slot, h, :] = rows[slot, h, :] * factors[slot, h]; `out` may be `rows`.
void scale_heads(const graph::FrozenGraph& mask, int heads, const Matrix& rows, const Matrix& factors, Matrix& out);

/// out[destination, h] = log of the sum of exp(scores[slot, h]) over its slots; -infinity if it has none.
void log_sum_exp(const graph::FrozenGraph& mask, const Matrix& scores, Matrix& out);

inline float lane_sum(simd::Float8 sum) {
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

}  // namespace edgewise::attention::reference
