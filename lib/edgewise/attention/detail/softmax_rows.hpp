#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "edgewise/attention/detail/head_rows.hpp"
#include "edgewise/attention/options.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"

/// The softmax over the edges of a row, fused with the weighted sum; forward and backward. A score is a callable that
/// fills the flat scores of a piece; nothing of the size [edges, heads, width] is ever made.
namespace edgewise::attention::detail {

/// The random mask of WeightDropout, drawn where it is needed.
class DropoutMask {
 public:
  explicit DropoutMask(const WeightDropout& dropout)
      : key_(dropout.key),
        threshold_(dropout_threshold(dropout.probability)),
        scale_(1.0F / (1.0F - dropout.probability)) {}

  bool is_active() const { return threshold_ != 0; }

  /// factors[i] = 0 or 1 / (1 - probability), for the elements first, first + 1, ...; in whole vectors.
  void draw(EdgeIndex first, int count, float* factors) const {
    const simd::Uint8 start = simd::Uint8{0, 1, 2, 3, 4, 5, 6, 7} + static_cast<std::uint32_t>(first);
    for (int i = 0; i < count; i += simd::kLanes) {
      const simd::Uint8 bits = random_bits(key_, start + static_cast<std::uint32_t>(i));
      simd::store(factors + i, bits >= threshold_ ? simd::broadcast(scale_) : Float8{});
    }
  }

 private:
  std::uint64_t key_;
  std::uint32_t threshold_;
  float scale_;
};

/// A row of numbers, one a head, laid over the flat values of a piece: lane l of every vector belongs to head
/// l % kHeads. kHeads is 1, 2, 4 or 8.
template <int kHeads>
Float8 repeat_heads(const float* row) {
  if constexpr (kHeads == 8) return simd::load(row);
  if constexpr (kHeads == 1) return simd::broadcast(row[0]);
  const Float8 start = simd::load(row, kHeads);
  if constexpr (kHeads == 4) return __builtin_shuffle(start, simd::Int8{0, 1, 2, 3, 0, 1, 2, 3});
  return __builtin_shuffle(start, simd::Int8{0, 1, 0, 1, 0, 1, 0, 1});
}

/// Combines the lanes of each head, so that every lane holds its head's result.
template <int kHeads, class Combine>
Float8 fold_heads(Float8 v, Combine&& combine) {
  using simd::Int8;
  if constexpr (kHeads < 8) v = combine(v, __builtin_shuffle(v, Int8{4, 5, 6, 7, 0, 1, 2, 3}));
  if constexpr (kHeads < 4) v = combine(v, __builtin_shuffle(v, Int8{2, 3, 0, 1, 6, 7, 4, 5}));
  if constexpr (kHeads < 2) v = combine(v, __builtin_shuffle(v, Int8{1, 0, 3, 2, 5, 4, 7, 6}));
  return v;
}

/// Calls body(i, row vector) for each vector of flat values [count, heads], with the numbers of `row` in their places.
template <int kHeads, class Body>
void for_each_vector(const float* row, int count, int heads, Body&& body) {
  if constexpr (kHeads > 0) {
    const Float8 pattern = repeat_heads<kHeads>(row);
    for (int i = 0; i < count * kHeads; i += simd::kLanes) body(i, pattern);
  } else {
    PieceScores repeated;
    for (int e = 0; e < count; ++e) std::copy_n(row, heads, repeated.data() + e * heads);
    for (int i = 0; i < count * heads; i += simd::kLanes) body(i, simd::load(repeated.data() + i));
  }
}

/// maxima[h] = max(maxima[h], values[e, h] of all e)
template <int kHeads>
void raise_maxima(const float* values, int count, int heads, float* maxima) {
  if constexpr (kHeads > 0) {
    Float8 maximum = repeat_heads<kHeads>(maxima);
    for (int i = 0; i < count * kHeads; i += simd::kLanes) maximum = simd::max(maximum, simd::load(values + i));
    simd::store(maxima, fold_heads<kHeads>(maximum, [](Float8 a, Float8 b) { return simd::max(a, b); }));
  } else {
    for (int e = 0; e < count; ++e)
      for (int h = 0; h < heads; ++h) maxima[h] = std::max(maxima[h], values[e * heads + h]);
  }
}

/// sums[h] += values[e, h] of all e; `values` ends in zeros.
template <int kHeads>
void add_columns(const float* values, int count, int heads, float* sums) {
  if constexpr (kHeads > 0) {
    Float8 sum{};
    for (int i = 0; i < count * kHeads; i += simd::kLanes) sum += simd::load(values + i);
    sum = fold_heads<kHeads>(sum, [](Float8 a, Float8 b) { return a + b; });
    simd::store(sums, simd::load(sums, kHeads) + sum, kHeads);
  } else {
    for (int e = 0; e < count; ++e)
      for (int h = 0; h < heads; ++h) sums[h] += values[e * heads + h];
  }
}

/// Fills the rest of the last vector of `count` values.
inline void pad(float* values, int count, float with) { simd::store(values + count, simd::broadcast(with)); }

/// values[i] *= factors[i], in whole vectors.
inline void multiply_in_place(float* values, const float* factors, int count) {
  for (int i = 0; i < count; i += simd::kLanes)
    simd::store(values + i, simd::load(values + i) * simd::load(factors + i));
}

/// values[e, h] = exp(values[e, h] - row[h]); values that stood at -infinity become 0.
template <int kHeads>
void exp_of_difference(float* values, const float* row, int count, int heads) {
  for_each_vector<kHeads>(row, count, heads, [&](int i, Float8 by) {
    simd::store(values + i, simd::exp(simd::load(values + i) - by));
  });
}

/// row[h, :] *= factors[h]
inline void scale_heads(const HeadShape& shape, const float* factors, float* row) {
  for (int h = 0; h < shape.heads; ++h) {
    float* head = row + h * shape.width;
    int d = 0;
    for (; d + simd::kLanes <= shape.width; d += simd::kLanes)
      simd::store(head + d, simd::load(head + d) * simd::broadcast(factors[h]));
    for (; d < shape.width; ++d) head[d] *= factors[h];
  }
}

/// Numbers kept for each head of one row, with room for whole vectors.
struct alignas(32) HeadValues {
  float values[kMaximalHeads + simd::kLanes];
  float* data() { return values; }
  float& operator[](int i) { return values[i]; }
};

struct RowSlots {
  EdgeIndex begin;
  EdgeIndex end;
};

/// One destination: sums its values weighted by the softmax of their scores. `scores(slot,
/// count, out)` fills the flat scores of `count` slots from `slot` on; `add(slot, count, weights,
/// dropped)` adds the values of a piece, weighted after dropout, to the output, which the caller has zeroed;
/// `scale(factors)` multiplies it head by head. Between
/// pieces the sums are rescaled to the larger maximum (Milakov and Gimelshein 2018), so that any score is safe.
template <int kHeads, class Scores, class Add, class Scale>
void attend_row(const HeadShape& shape, RowSlots slots, const DropoutMask& mask, float* log_sum_exp, Scores&& scores,
                Add&& add, Scale&& scale) {
  const int heads = kHeads > 0 ? kHeads : shape.heads;
  std::fill_n(log_sum_exp, heads, -std::numeric_limits<float>::infinity());
  if (slots.begin == slots.end) return;
  PieceScores weights, factors;
  HeadValues maxima, factor, sums;
  std::fill_n(maxima.data(), heads, -std::numeric_limits<float>::infinity());
  std::fill_n(sums.data(), heads, 0.0F);
  for (EdgeIndex slot = slots.begin; slot < slots.end;) {
    const int count = static_cast<int>(std::min<EdgeIndex>(shape.piece(), slots.end - slot));
    scores(slot, count, weights.data());
    pad(weights.data(), count * heads, -std::numeric_limits<float>::infinity());
    std::copy_n(maxima.data(), heads, factor.data());
    raise_maxima<kHeads>(weights.data(), count, heads, maxima.data());
    if (slot != slots.begin) {
      for (int h = 0; h < heads; ++h) {
        factor[h] = std::exp(factor[h] - maxima[h]);
        sums[h] *= factor[h];
      }
      scale(factor.data());
    }
    exp_of_difference<kHeads>(weights.data(), maxima.data(), count, heads);
    add_columns<kHeads>(weights.data(), count, heads, sums.data());
    if (mask.is_active()) {
      mask.draw(slot * static_cast<EdgeIndex>(heads), count * heads, factors.data());
      multiply_in_place(factors.data(), weights.data(), count * heads);
    }
    add(slot, count, weights.data(), mask.is_active() ? factors.data() : weights.data());
    slot += static_cast<EdgeIndex>(count);
  }
  for (int h = 0; h < heads; h += simd::kLanes) {
    const int lanes = std::min(simd::kLanes, heads - h);
    const Float8 sum = simd::load(sums.data() + h);
    simd::store(log_sum_exp + h, simd::load(maxima.data() + h) + simd::log(sum), lanes);
    simd::store(factor.data() + h, 1.0F / sum);
  }
  scale(factor.data());
}

/// weights[slot, h] of one row, from its scores and log-sum-exp; what attention looks like without dropout.
template <class Scores>
void weights_of_row(const HeadShape& shape, RowSlots slots, const float* log_sum_exp, float* weights,
                    Scores&& scores) {
  PieceScores piece;
  for (EdgeIndex slot = slots.begin; slot < slots.end;) {
    const int count = static_cast<int>(std::min<EdgeIndex>(shape.piece(), slots.end - slot));
    scores(slot, count, piece.data());
    exp_of_difference<0>(piece.data(), log_sum_exp, count, shape.heads);
    std::copy_n(piece.data(), count * shape.heads, weights + slot * static_cast<EdgeIndex>(shape.heads));
    slot += static_cast<EdgeIndex>(count);
  }
}

/// dot[h] = output_gradient[h, :] . output[h, :], which is what the softmax subtracts from each weight's gradient: it
/// holds with dropout as well, since the output is made of the dropped weights (Dao et al. 2022, appendix B).
inline void row_dot(const HeadShape& shape, const float* output_gradient, const float* output, float* dot) {
  const Node only = 0;
  PieceScores sums;
  dot_rows(shape, output_gradient, {output, &only, shape.columns()}, 1, sums.data());
  std::copy_n(sums.data(), shape.heads, dot);
}

/// Backward of one destination row. `weight_gradients(slot, count, out)` fills value . output gradient; then
/// `consume(slot, count, score_gradients)` gets weight * (weight gradient - dot).
template <int kHeads, class Scores, class WeightGradients, class Consume>
void differentiate_row(const HeadShape& shape, RowSlots slots, const DropoutMask& mask, const float* log_sum_exp,
                       const float* dot, Scores&& scores, WeightGradients&& weight_gradients, Consume&& consume) {
  const int heads = kHeads > 0 ? kHeads : shape.heads;
  PieceScores weights, gradients, factors;
  for (EdgeIndex slot = slots.begin; slot < slots.end;) {
    const int count = static_cast<int>(std::min<EdgeIndex>(shape.piece(), slots.end - slot));
    scores(slot, count, weights.data());
    exp_of_difference<kHeads>(weights.data(), log_sum_exp, count, heads);
    weight_gradients(slot, count, gradients.data());
    if (mask.is_active()) {
      mask.draw(slot * static_cast<EdgeIndex>(heads), count * heads, factors.data());
      multiply_in_place(gradients.data(), factors.data(), count * heads);
    }
    for_each_vector<kHeads>(dot, count, heads, [&](int i, Float8 by) {
      const Float8 gradient = simd::load(gradients.data() + i) - by;
      simd::store(gradients.data() + i, simd::load(weights.data() + i) * gradient);
    });
    pad(gradients.data(), count * heads, 0.0F);
    consume(slot, count, gradients.data());
    slot += static_cast<EdgeIndex>(count);
  }
}

/// out[e, h] = table[rows[e], h]
template <int kHeads>
void gather_heads(const float* table, const Node* rows, int count, int heads, float* out) {
  const auto columns = static_cast<std::size_t>(kHeads > 0 ? kHeads : heads);
  for (int e = 0; e < count; ++e, out += columns) std::memcpy(out, table + rows[e] * columns, columns * sizeof(float));
}

/// Backward of one source, over the transpose: position p of `outgoing` is the slot outgoing_slot[p], its destination
/// is outgoing.columns[p]. `consume(position, count, weights, score_gradients)` gets the dropped weights.
template <int kHeads, class Scores, class WeightGradients, class Consume>
void differentiate_column(const HeadShape& shape, const graph::FrozenGraph& graph, RowSlots positions,
                          const DropoutMask& mask, const RowStatistics& statistics, Scores&& scores,
                          WeightGradients&& weight_gradients, Consume&& consume) {
  const int heads = kHeads > 0 ? kHeads : shape.heads;
  PieceScores weights, gradients, factors, of_rows;
  for (EdgeIndex position = positions.begin; position < positions.end;) {
    const int count = static_cast<int>(std::min<EdgeIndex>(shape.piece(), positions.end - position));
    const Node* destinations = graph.outgoing.columns.data() + position;
    scores(position, count, weights.data());
    gather_heads<kHeads>(statistics.log_sum_exp, destinations, count, heads, of_rows.data());
    for (int i = 0; i < count * heads; i += simd::kLanes)
      simd::store(weights.data() + i,
                  simd::exp(simd::load(weights.data() + i) - simd::load(of_rows.data() + i)));
    weight_gradients(position, count, gradients.data());
    if (mask.is_active()) {
      for (int e = 0; e < count; ++e)
        mask.draw(graph.outgoing_slot[position + static_cast<EdgeIndex>(e)] * static_cast<EdgeIndex>(heads), heads,
                  factors.data() + e * heads);
      multiply_in_place(gradients.data(), factors.data(), count * heads);
    }
    gather_heads<kHeads>(statistics.dot, destinations, count, heads, of_rows.data());
    for (int i = 0; i < count * heads; i += simd::kLanes) {
      const Float8 gradient = simd::load(gradients.data() + i) - simd::load(of_rows.data() + i);
      simd::store(gradients.data() + i, simd::load(weights.data() + i) * gradient);
    }
    pad(gradients.data(), count * heads, 0.0F);
    if (mask.is_active()) multiply_in_place(weights.data(), factors.data(), count * heads);
    consume(position, count, weights.data(), gradients.data());
    position += static_cast<EdgeIndex>(count);
  }
}

/// out[i] += sum over the `chunks` rows of `partials`, in their order.
inline void add_partials(const float* partials, std::size_t chunks, std::size_t columns, float* out) {
  for (std::size_t chunk = 0; chunk < chunks; ++chunk)
    for (std::size_t i = 0; i < columns; ++i) out[i] += partials[chunk * columns + i];
}

/// body(row, slots, chunk) for every row of `csr`, chunk by chunk, chunks in parallel.
template <class Body>
void for_each_row(const graph::Csr& csr, const std::vector<Node>& chunks, Body&& body) {
  parallel_chunks(chunks.size() - 1, [&](std::size_t chunk) {
    for (Node row = chunks[chunk]; row < chunks[chunk + 1]; ++row)
      body(row, RowSlots{csr.offsets[row], csr.offsets[row + 1]}, chunk);
  });
}

}  // namespace edgewise::attention::detail
