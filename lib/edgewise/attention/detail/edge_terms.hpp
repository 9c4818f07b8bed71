#pragma once

#include "edgewise/attention/detail/head_rows.hpp"
#include "edgewise/core/matrix.hpp"

namespace edgewise::attention::detail {

/// e[u->v] = edge[u->v, :] . weight, with weight [F, heads * width], where e itself, a row of head width for each edge,
/// is never made: a row times e is (row . weightᵀ) times the features, and a weighted sum of e is the weighted sum of
/// the features times the weight. Rows of sums are [heads * F]. Without a weight all of it does nothing.
struct EdgeTerms {
  const Matrix& features;  ///< [slots, F]
  const float* weight;     ///< nullptr: no edge terms.
  HeadShape shape;
  int count = weight == nullptr ? 0 : static_cast<int>(features.cols());  ///< F
  HeadShape sums_shape{shape.heads, count};

  /// Of the sums of `node` in a table of them.
  std::size_t offset(Node node) const { return static_cast<std::size_t>(node) * sums_shape.columns(); }
  const float* features_of(EdgeIndex slot) const {
    return features.data() + slot * static_cast<EdgeIndex>(features.cols());
  }

  /// out[h, f] = row[h, :] . weight[f, h, :]
  void project(const float* row, float* out) const {
    for (int h = 0; h < shape.heads; ++h)
      for (int f = 0; f < count; ++f) {
        const float* head_weight = weight + f * shape.columns() + h * shape.width;
        float sum = 0;
        for (int d = 0; d < shape.width; ++d) sum += row[h * shape.width + d] * head_weight[d];
        out[h * count + f] = sum;
      }
  }
  /// row[h, :] += sum over f of sums[h, f] * weight[f, h, :]
  void add_to_row(const float* sums, float* row) const {
    for (int h = 0; h < shape.heads; ++h)
      for (int f = 0; f < count; ++f) {
        const float* head_weight = weight + f * shape.columns() + h * shape.width;
        for (int d = 0; d < shape.width; ++d) row[h * shape.width + d] += sums[h * count + f] * head_weight[d];
      }
  }
  /// out[e, h] += projected_of(e)[h, :] . features of slot_of(e)
  template <class SlotOf, class ProjectedOf>
  void add_products(int edges, SlotOf slot_of, ProjectedOf projected_of, float* out) const {
    for (int e = 0; e < edges && count > 0; ++e) {
      const float* feature = features_of(slot_of(e));
      const float* projected = projected_of(e);
      for (int h = 0; h < shape.heads; ++h)
        for (int f = 0; f < count; ++f) out[e * shape.heads + h] += projected[h * count + f] * feature[f];
    }
  }
  /// As above for `edges` slots of one destination.
  void add_incoming_products(EdgeIndex slot, int edges, const float* projected, float* out) const {
    add_products(edges, [=](int e) { return slot + static_cast<EdgeIndex>(e); }, [=](int) { return projected; }, out);
  }
  /// sums[h, f] += over e of weights[e, h] * features of slot + e
  void add_features(EdgeIndex slot, int edges, const float* weights, float* sums) const {
    for (int e = 0; e < edges && count > 0; ++e) {
      const float* feature = features_of(slot + static_cast<EdgeIndex>(e));
      for (int h = 0; h < shape.heads; ++h)
        for (int f = 0; f < count; ++f) sums[h * count + f] += weights[e * shape.heads + h] * feature[f];
    }
  }
  /// gradient[f, h, :] += sums[h, f] * row[h, :]
  void add_outer(const float* sums, const float* row, float* gradient) const {
    for (int f = 0; f < count; ++f)
      for (int c = 0; c < shape.columns(); ++c)
        gradient[f * shape.columns() + c] += sums[c / shape.width * count + f] * row[c];
  }
};

}  // namespace edgewise::attention::detail
