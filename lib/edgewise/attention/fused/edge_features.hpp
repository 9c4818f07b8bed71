#pragma once

#include <bit>

#include "edgewise/core/matrix.hpp"
#include "edgewise/core/detail/simd.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::attention::fused {

/// The features of one edge. Most are one-hot codes, so only those that are not 0 are worth a row of work.
struct EdgeFeatures {
  const float* values;
  int count;

  EdgeFeatures(const graph::FrozenGraph& mask, graph::EdgeIndex slot)
      : values(mask.edge_features.data() + slot * static_cast<graph::EdgeIndex>(mask.edge_features.cols())),
        count(static_cast<int>(mask.edge_features.cols())) {}

  /// body(f, feature f) for every feature that is not 0.
  template <class Body>
  [[gnu::always_inline]] void for_each(const Body& body) const {
    for (int first = 0; first < count; first += simd::kLanes) {
      const int lanes = std::min(simd::kLanes, count - first);
      for (std::uint32_t bits = simd::nonzero_lanes(simd::load(values + first, lanes)); bits != 0; bits &= bits - 1) {
        const int f = first + std::countr_zero(bits);
        body(f, values[f]);
      }
    }
  }
};

}  // namespace edgewise::attention::fused
