#pragma once

#include <algorithm>
#include <bit>

#include "edgewise/attention/fused/lanes/layout.hpp"
#include "edgewise/core/matrix.hpp"

namespace edgewise::attention::fused {

/// The features of one edge.
struct EdgeFeatures {
  const float* values;
  int count;
  bool is_dense;

  EDGEWISE_INLINE void prefetch() const { fused::prefetch(values, 0, count); }

  /// Calls body(f, feature f) for every feature, or, if few are nonzero, only for those.
  template <class Body>
  EDGEWISE_INLINE void for_each(const Body& body) const {
    if (is_dense) {
      for (int f = 0; f < count; ++f) body(f, values[f]);
      return;
    }
    for (int first = 0; first < count; first += simd::kLanes) {
      const int lanes = std::min(simd::kLanes, count - first);
      for (std::uint32_t bits = simd::nonzero_lanes(simd::load(values + first, lanes)); bits != 0; bits &= bits - 1) {
        const int f = first + std::countr_zero(bits);
        body(f, values[f]);
      }
    }
  }
};

/// The features of all edges, by slot. If few are nonzero, as in one-hot codes, the zeros are skipped.
class FeatureTable {
 public:
  explicit FeatureTable(const graph::FrozenGraph& mask)
      : values_(mask.edge_features.data()),
        slots_(mask.slot_count()),
        count_(static_cast<int>(mask.edge_features.cols())),
        is_dense_(is_dense(mask.edge_features)) {}

  int count() const { return count_; }
  bool is_dense() const { return is_dense_; }
  std::size_t bytes() const { return slots_ * static_cast<std::size_t>(count_) * sizeof(float); }

  EDGEWISE_INLINE EdgeFeatures operator[](EdgeIndex slot) const {
    return {values_ + slot * static_cast<EdgeIndex>(count_), count_, is_dense_};
  }

  /// For a pass over consecutive edges, now at the `count` edges from `slot` on: prefetches as many later ones.
  EDGEWISE_INLINE void prefetch_after(EdgeIndex slot, int count) const {
    constexpr EdgeIndex kAhead = 128;  // edges
    const EdgeIndex end = std::min<EdgeIndex>(slot + kAhead + static_cast<EdgeIndex>(count), slots_);
    for (EdgeIndex later = slot + kAhead; later < end; ++later) (*this)[later].prefetch();
  }

 private:
  /// Judged by the first edges: dense if at least a quarter of their features is nonzero.
  static bool is_dense(const Matrix& features) {
    constexpr Eigen::Index kSample = 256;  // edges
    const auto sample = features.topRows(std::min(kSample, features.rows()));
    return 4 * (sample.array() != 0).count() >= sample.size();
  }

  const float* values_;
  std::size_t slots_;
  int count_;
  bool is_dense_;
};

}  // namespace edgewise::attention::fused
