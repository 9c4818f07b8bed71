#pragma once

#include <bit>

#include "edgewise/attention/detail/softmax_rows.hpp"
#include "edgewise/core/matrix.hpp"

namespace edgewise::attention::detail {

/// The features of one edge. Most are one-hot codes, so that only those that are not 0 are worth a row of work.
struct EdgeFeatures {
  const float* values;
  int count;

  /// body(f, feature f) for every feature that is not 0.
  template <class Body>
  void for_each(const Body& body) const {
    for (int first = 0; first < count; first += simd::kLanes) {
      const int lanes = std::min(simd::kLanes, count - first);
      for (std::uint32_t bits = simd::nonzero_lanes(simd::load(values + first, lanes)); bits != 0; bits &= bits - 1) {
        const int f = first + std::countr_zero(bits);
        body(f, values[f]);
      }
    }
  }
};

/// e[u->v] = edge[u->v, :] . weight, with weight [F, heads * width], where e itself, a row of head width for each edge,
/// is never made: a row times e is (row . weightᵀ) times the features, and a weighted sum of e is the weighted sum of
/// the features times the weight. Rows of sums are [F, heads]. Without a weight all of it does nothing.
struct EdgeTerms {
  const Matrix& features;  ///< [slots, F]
  const float* weight;     ///< nullptr: no edge terms.
  HeadShape shape;
  int count = weight == nullptr ? 0 : static_cast<int>(features.cols());  ///< F

  int sums_columns() const { return count * shape.heads; }
  /// Of the sums of `node` in a table of them.
  std::size_t offset(Node node) const { return static_cast<std::size_t>(node) * sums_columns(); }
  EdgeFeatures features_of(EdgeIndex slot) const {
    return {features.data() + slot * static_cast<EdgeIndex>(features.cols()), count};
  }

  /// body(f, number) for the rows of the weight from f on, a piece of scores at a time.
  template <class Body>
  void for_each_piece(Body&& body) const {
    for (int f = 0; f < count; f += shape.piece()) body(f, std::min(shape.piece(), count - f));
  }
  GatheredRows<> weight_rows(int f) const { return {weight + f * shape.columns(), kInOrder.data(), shape.columns()}; }

  /// out[f, h] = row[h, :] . weight[f, h, :]
  void project(const float* row, float* out) const {
    for_each_piece([&](int f, int rows) {
      PieceScores sums;
      with_constant_width(shape.width, std::integral_constant<int, 0>(), [&](auto layout) {
        dot_rows<layout()>(shape, repeated_row(row, shape.columns()), weight_rows(f), 1, rows, sums.data());
      });
      std::copy_n(sums.data(), rows * shape.heads, out + f * shape.heads);
    });
  }
  /// row[h, :] += sum over f of sums[f, h] * weight[f, h, :]
  void add_to_row(const float* sums, float* row) const {
    for_each_piece([&](int f, int rows) {
      add_weighted_rows(shape, sums + f * shape.heads, weight_rows(f), rows, row);
    });
  }
  /// out[e, h] += projected[nodes[e]][:, h] . features of slot_of(e) * factor
  template <int kHeads, class SlotOf>
  void add_products(int edges, SlotOf slot_of, const Node* nodes, const float* projected, float factor,
                    float* out) const {
    const int heads = kHeads > 0 ? kHeads : shape.heads;
    for (int e = 0; e < edges && count > 0; ++e, out += heads) {
      const float* of_node = projected + offset(nodes[e]);
      features_of(slot_of(e)).for_each([&](int f, float feature) {
        for (int h = 0; h < heads; ++h) out[h] += factor * feature * of_node[f * heads + h];
      });
    }
  }
  /// sums[f, h] += over e of weights[e, h] * features of slot + e
  template <int kHeads>
  void add_features(EdgeIndex slot, int edges, const float* weights, float* sums) const {
    const int heads = kHeads > 0 ? kHeads : shape.heads;
    for (int e = 0; e < edges && count > 0; ++e, weights += heads)
      features_of(slot + static_cast<EdgeIndex>(e)).for_each([&](int f, float feature) {
        for (int h = 0; h < heads; ++h) sums[f * heads + h] += feature * weights[h];
      });
  }
  /// The part's share of the sums of the features, [F, heads], and at the end of the row of its output.
  template <int kHeads, class Softmax>
  void sum_part(const RowPart& part, const float* weights, const Softmax& softmax, float* sums, float* out) const {
    if (count == 0) return;
    if (part.is_first)
      std::fill_n(sums, sums_columns(), 0.0F);
    else
      scale(softmax.rescale(), sums);
    add_features<kHeads>(part.slot, part.count, weights, sums);
    if (!part.is_last) return;
    scale(softmax.inverse_sums(part.index), sums);
    add_to_row(sums, out);
  }
  /// sums[f, h] *= factors[h]
  void scale(const float* factors, float* sums) const {
    for (int f = 0; f < count; ++f, sums += shape.heads)
      for (int h = 0; h < shape.heads; ++h) sums[h] *= factors[h];
  }
  /// gradient[f, h, :] += sums[f, h] * row[h, :]
  void add_outer(const float* sums, const float* row, float* gradient) const {
    const Node only = 0;
    for (int f = 0; f < count; ++f)
      add_weighted_rows(shape, sums + f * shape.heads, {row, &only, shape.columns()}, 1,
                        gradient + f * shape.columns());
  }
};

}  // namespace edgewise::attention::detail
