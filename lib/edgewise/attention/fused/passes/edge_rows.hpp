#pragma once

#include <vector>

#include "edgewise/attention/fused/passes/gradients.hpp"
#include "edgewise/attention/fused/passes/problem.hpp"
#include "edgewise/attention/fused/traversal/row_blocks.hpp"

/// @file
/// Edge features in attention. The edge term e[u->v] = features[u->v, :] . weight is added to the key or value of the
/// edge. Its rows exist only for the edges of a block, in a scratch buffer that stays in the L1 cache.
namespace edgewise::attention::fused {

/// 0, 1, 2, ...: the nodes of scratch rows as Gathered.
inline constexpr std::array<Node, kMaxRows + kLanes> kInOrder = [] {
  std::array<Node, kMaxRows + kLanes> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Node>(i);
  return rows;
}();

/// Scratch rows for the edges of a block of at most kMaxRows edges.
class EdgeRows {
 public:
  explicit EdgeRows(int columns) : columns_(columns), data_((kMaxRows + kLanes) * static_cast<std::size_t>(columns)) {}

  /// row e = row_of(e) + features of slot_of(e) . weight, for edges `begin` to `end` of a block.
  template <class Layout, class RowOf, class SlotOf>
  EDGEWISE_INLINE void fill(const Layout& layout, const FeatureTable& table, const Rows<const float>& weight, int begin,
                            int end, const RowOf& row_of, const SlotOf& slot_of) {
    layout.for_each_block([&, features = table](int first, auto size) EDGEWISE_INLINE_LAMBDA {
      const Rows<const float> terms{weight.data + first * kLanes, weight.stride};
      for (int e = begin; e < end; ++e) {
        const float* from = row_of(e) + first * kLanes;
        Floats sums[size];
        for (int v = 0; v < size; ++v) sums[v] = load(from + v * kLanes);
        features[slot_of(e)].for_each([&](int f, float feature) EDGEWISE_INLINE_LAMBDA {
          const float* term = terms[static_cast<Node>(f)];
          for (int v = 0; v < size; ++v) sums[v] += feature * load(term + v * kLanes);
        });
        float* to = at(e, first);
        for (int v = 0; v < size; ++v) store(to + v * kLanes, sums[v]);
      }
    });
  }

  /// sums[f, :] += feature f of slot_of(e) * row e, for the first `count` edges of a block.
  template <class Layout, class SlotOf>
  EDGEWISE_INLINE void add_products(const Layout& layout, const FeatureTable& features, int count,
                                    const SlotOf& slot_of, float* sums) const {
    layout.for_each_block([&](int first, auto size) EDGEWISE_INLINE_LAMBDA {
      if (!features.is_dense()) {
        for (int e = 0; e < count; ++e) add_product<size>(features[slot_of(e)], at(e, first), sums + first * kLanes);
        return;
      }
      constexpr int kTogether = std::max(1, kSumsInRegisters / size);
      int f = 0;
      for (; f + kTogether <= features.count(); f += kTogether)
        add_dense_products<kTogether, size>(features, f, first, count, slot_of, sums);
      for (; f < features.count(); ++f) add_dense_products<1, size>(features, f, first, count, slot_of, sums);
    });
  }

  /// Row e, from vector `first` on.
  EDGEWISE_INLINE float* at(int e, int first) { return data_.data() + offset(e, first); }
  EDGEWISE_INLINE const float* at(int e, int first) const { return data_.data() + offset(e, first); }

  Gathered rows() const { return {{data_.data(), static_cast<std::size_t>(columns_)}, kInOrder.data()}; }

 private:
  static constexpr int kSumsInRegisters = kLanes;  // half of the registers, with AVX-512 as with AVX2

  EDGEWISE_INLINE std::size_t offset(int e, int first) const {
    return static_cast<std::size_t>(e) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(first * kLanes);
  }

  template <int kSize>
  EDGEWISE_INLINE void add_product(const EdgeFeatures& features, const float* row, float* sums) const {
    features.for_each([&](int f, float feature) EDGEWISE_INLINE_LAMBDA {
      float* to = sums + static_cast<std::size_t>(f) * static_cast<std::size_t>(columns_);
      for (int v = 0; v < kSize * kLanes; v += kLanes) store(to + v, load(to + v) + feature * load(row + v));
    });
  }

  /// For kFeatures features from `f` on, with the sums in registers.
  template <int kFeatures, int kSize, class SlotOf>
  EDGEWISE_INLINE void add_dense_products(const FeatureTable& table, int f, int first, int count, const SlotOf& slot_of,
                                          float* sums) const {
    Floats of_features[kFeatures][kSize]{};
    const float* row = at(0, first);
    const auto stride = static_cast<std::size_t>(columns_);
    const FeatureTable features = table;
    for (int e = 0; e < count; ++e, row += stride) {
      const float* values = features[slot_of(e)].values + f;
      Floats of_edge[kSize];
      for (int v = 0; v < kSize; ++v) of_edge[v] = load(row + v * kLanes);
      for (int i = 0; i < kFeatures; ++i)
        for (int v = 0; v < kSize; ++v) of_features[i][v] += values[i] * of_edge[v];
    }
    for (int i = 0; i < kFeatures; ++i)
      add_to(sums + static_cast<std::size_t>(f + i) * stride, first, of_features[i], kSize);
  }

  int columns_;
  std::vector<float> data_;
};

/// bias[e, h] = features of slot_of(e) . weight[:, h] for the first `count` edges of a block. Writes whole vectors.
template <class SlotOf>
EDGEWISE_INLINE void fill_edge_bias(const FeatureTable& table, const Rows<const float>& weight, int heads, int count,
                                    const SlotOf& slot_of, float* bias) {
  const FeatureTable features = table;
  for (int e = 0; e < count; ++e, bias += heads) {
    Floats sum{};
    features[slot_of(e)].for_each([&](int f, float feature) EDGEWISE_INLINE_LAMBDA {
      sum += feature * simd::load_first(weight[static_cast<Node>(f)], heads);
    });
    store(bias, sum);
  }
}

/// sums[f, :] += feature f of slot_of(e) * gradients[e, :] for `count` edges and kSize features from `first` on.
template <int kSize, class SlotOf>
EDGEWISE_INLINE void add_bias_gradients(const FeatureTable& features, int first, int heads, int count,
                                        const SlotOf& slot_of, const float* gradients, float* sums) {
  Floats of_features[kSize]{};
  for (int e = 0; e < count; ++e, gradients += heads) {
    const float* values = features[slot_of(e)].values + first;
    const Floats of_heads = load(gradients);
    for (int f = 0; f < kSize; ++f) of_features[f] += values[f] * of_heads;
  }
  sums += first * heads;
  for (int f = 0; f < kSize; ++f, sums += heads)
    simd::store_first(sums, simd::load_first(sums, heads) + of_features[f], heads);
}

}  // namespace edgewise::attention::fused
