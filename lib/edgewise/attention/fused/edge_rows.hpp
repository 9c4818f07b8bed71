#pragma once

#include <vector>

#include "edgewise/attention/fused/problem.hpp"
#include "edgewise/attention/fused/row_blocks.hpp"

/// @file
/// Edge features in attention. e[u->v] = features[u->v, :] . weight is a row for each edge that is added to its key or
/// value; it exists only for the edges of a block, in scratch that stays in the nearest cache.
namespace edgewise::attention::fused {

/// 0, 1, 2, ...: the scratch rows of a block, as Gathered.
inline constexpr std::array<Node, kMostRows + kLanes> kInOrder = [] {
  std::array<Node, kMostRows + kLanes> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Node>(i);
  return rows;
}();

/// Scratch rows of the edges of a block of at most kMostRows edges.
class EdgeRows {
 public:
  explicit EdgeRows(int columns) : columns_(columns), data_((kMostRows + kLanes) * static_cast<std::size_t>(columns)) {}

  /// row e = row_of(e) + features of slot_of(e) . weight, for the edges of a block from `begin` to `end`.
  template <class RowOf, class SlotOf>
  void fill(const graph::FrozenGraph& mask, const Rows<const float>& weight, int begin, int end, const RowOf& row_of,
            const SlotOf& slot_of) {
    for (int e = begin; e < end; ++e) {
      float* to = data_.data() + static_cast<std::size_t>(e) * static_cast<std::size_t>(columns_);
      const float* from = row_of(e);
      const EdgeFeatures features(mask, slot_of(e));
      int c = 0;
      for (; c + kBlock <= columns_; c += kBlock) add_terms<kBlockVectors>(features, weight, from, c, to);
      for (; c < columns_; c += kLanes) add_terms<1>(features, weight, from, c, to);
    }
  }

  Gathered<float> rows() const { return {{data_.data(), static_cast<std::size_t>(columns_)}, kInOrder.data()}; }

 private:
  static constexpr int kBlock = kBlockVectors * kLanes;

  /// Of the columns from c on, with the sums in registers.
  template <int kSize>
  EDGEWISE_INLINE static void add_terms(const EdgeFeatures& features, const Rows<const float>& weight,
                                        const float* from, int c, float* to) {
    Floats sums[kSize];
    for (int v = 0; v < kSize; ++v) sums[v] = load(from + c + v * kLanes);
    features.for_each([&](int f, float feature) EDGEWISE_INLINE_LAMBDA {
      const float* of_feature = weight[static_cast<Node>(f)] + c;
      for (int v = 0; v < kSize; ++v) sums[v] += feature * load(of_feature + v * kLanes);
    });
    for (int v = 0; v < kSize; ++v) store(to + c + v * kLanes, sums[v]);
  }

  int columns_;
  std::vector<float> data_;
};

/// sums[f, :] += feature f of `slot` * row, kLanes * kSize columns of each.
template <int kSize>
void add_outer_product(const graph::FrozenGraph& mask, EdgeIndex slot, const Floats* row, int columns, float* sums) {
  EdgeFeatures(mask, slot).for_each([&](int f, float feature) {
    float* to = sums + f * columns;
    for (int v = 0; v < kSize; ++v) store(to + v * kLanes, load(to + v * kLanes) + feature * row[v]);
  });
}

/// x[e, h] += features of slot_of(e) . bias[:, h] for `count` edges.
template <class SlotOf>
void add_edge_bias(const graph::FrozenGraph& mask, const Rows<const float>& bias, int heads, int count,
                   const SlotOf& slot_of, float* x) {
  for (int e = 0; e < count; ++e, x += heads)
    EdgeFeatures(mask, slot_of(e)).for_each([&](int f, float feature) {
      const float* of_feature = bias[static_cast<Node>(f)];
      for (int h = 0; h < heads; ++h) x[h] += feature * of_feature[h];
    });
}

}  // namespace edgewise::attention::fused
