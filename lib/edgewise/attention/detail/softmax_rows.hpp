#pragma once

#include <cmath>
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

  /// factors[i] = 0 or 1 / (1 - probability), for the elements first, first + 1, ...
  void draw(EdgeIndex first, int count, float* factors) const {
    const auto start = static_cast<std::uint32_t>(first);
#pragma omp simd
    for (int i = 0; i < count; ++i)
      factors[i] = random_bits(key_, start + static_cast<std::uint32_t>(i)) >= threshold_ ? scale_ : 0.0F;
  }

 private:
  std::uint64_t key_;
  std::uint32_t threshold_;
  float scale_;
};

/// Calls `body` with the number of heads as a constant where it is a usual one, and 0 where it is not.
template <class Body>
void with_constant_heads(int heads, Body&& body) {
  switch (heads) {
    case 1: return body(std::integral_constant<int, 1>());
    case 2: return body(std::integral_constant<int, 2>());
    case 4: return body(std::integral_constant<int, 4>());
    case 8: return body(std::integral_constant<int, 8>());
    default: return body(std::integral_constant<int, 0>());
  }
}

/// values[i] = exp(values[i]), in whole vectors: the padding of PieceScores is worked on too.
inline void exp_in_place(float* values, int count) {
  for (int i = 0; i < count; i += simd::kLanes) simd::store(values + i, simd::exp(simd::load(values + i)));
}

inline void multiply_in_place(float* values, const float* factors, int count) {
#pragma omp simd
  for (int i = 0; i < count; ++i) values[i] *= factors[i];
}

/// values[e, h] -= row[h]
template <int kHeads>
void subtract_row(float* values, const float* row, int count, int heads) {
  const int h_end = kHeads > 0 ? kHeads : heads;
  for (int e = 0; e < count; ++e)
    for (int h = 0; h < h_end; ++h) values[e * h_end + h] -= row[h];
}

template <int kHeads>
void raise_maxima(const float* values, int count, int heads, float* maxima) {
  const int h_end = kHeads > 0 ? kHeads : heads;
  for (int e = 0; e < count; ++e)
    for (int h = 0; h < h_end; ++h) maxima[h] = std::max(maxima[h], values[e * h_end + h]);
}

template <int kHeads>
void add_columns(const float* values, int count, int heads, float* sums) {
  const int h_end = kHeads > 0 ? kHeads : heads;
  for (int e = 0; e < count; ++e)
    for (int h = 0; h < h_end; ++h) sums[h] += values[e * h_end + h];
}

inline void scale_heads(const HeadShape& shape, const float* factors, float* row) {
  for (int h = 0; h < shape.heads; ++h)
    for (int d = 0; d < shape.width; ++d) row[h * shape.width + d] *= factors[h];
}

struct RowSlots {
  EdgeIndex begin;
  EdgeIndex end;
};

/// One destination: sums its values weighted by the softmax of their scores. `scores(slot,
/// count, out)` fills the flat scores of `count` slots from `slot` on; `add(slot, count, weights)` adds the weighted
/// values of a piece to the output, which the caller has zeroed; `scale(factors)` multiplies it head by head. Between
/// pieces the sums are rescaled to the larger maximum (Milakov and Gimelshein 2018), so that any score is safe.
template <int kHeads, class Scores, class Add, class Scale>
void attend_row(const HeadShape& shape, RowSlots slots, const DropoutMask& mask, float* log_sum_exp, Scores&& scores,
                Add&& add, Scale&& scale) {
  const int heads = kHeads > 0 ? kHeads : shape.heads;
  std::fill_n(log_sum_exp, heads, -std::numeric_limits<float>::infinity());
  if (slots.begin == slots.end) return;
  PieceScores weights, factors;
  float maxima[kPieceScores], old_maxima[kPieceScores], sums[kPieceScores];
  std::fill_n(maxima, heads, -std::numeric_limits<float>::infinity());
  std::fill_n(sums, heads, 0.0F);
  for (EdgeIndex slot = slots.begin; slot < slots.end;) {
    const int count = static_cast<int>(std::min<EdgeIndex>(shape.piece(), slots.end - slot));
    scores(slot, count, weights.data());
    std::copy_n(maxima, heads, old_maxima);
    raise_maxima<kHeads>(weights.data(), count, heads, maxima);
    if (slot != slots.begin) {
      for (int h = 0; h < heads; ++h) {
        const float factor = std::exp(old_maxima[h] - maxima[h]);
        sums[h] *= factor;
        old_maxima[h] = factor;
      }
      scale(old_maxima);
    }
    subtract_row<kHeads>(weights.data(), maxima, count, heads);
    exp_in_place(weights.data(), count * heads);
    add_columns<kHeads>(weights.data(), count, heads, sums);
    if (mask.is_active()) {
      mask.draw(slot * static_cast<EdgeIndex>(heads), count * heads, factors.data());
      multiply_in_place(weights.data(), factors.data(), count * heads);
    }
    add(slot, count, weights.data());
    slot += static_cast<EdgeIndex>(count);
  }
  for (int h = 0; h < heads; ++h) {
    log_sum_exp[h] = maxima[h] + std::log(sums[h]);
    sums[h] = 1.0F / sums[h];
  }
  scale(sums);
}

/// weights[slot, h] of one row, from its scores and log-sum-exp; what attention looks like without dropout.
template <class Scores>
void weights_of_row(const HeadShape& shape, RowSlots slots, const float* log_sum_exp, float* weights,
                    Scores&& scores) {
  PieceScores piece;
  for (EdgeIndex slot = slots.begin; slot < slots.end;) {
    const int count = static_cast<int>(std::min<EdgeIndex>(shape.piece(), slots.end - slot));
    scores(slot, count, piece.data());
    subtract_row<0>(piece.data(), log_sum_exp, count, shape.heads);
    exp_in_place(piece.data(), count * shape.heads);
    std::copy_n(piece.data(), count * shape.heads, weights + slot * static_cast<EdgeIndex>(shape.heads));
    slot += static_cast<EdgeIndex>(count);
  }
}

/// dot[h] = output_gradient[h, :] . output[h, :], which is what the softmax subtracts from each weight's gradient: it
/// holds with dropout as well, since the output is made of the dropped weights (Dao et al. 2022, appendix B).
inline void row_dot(const HeadShape& shape, const float* output_gradient, const float* output, float* dot) {
  for (int h = 0; h < shape.heads; ++h) {
    float sum = 0;
    for (int d = h * shape.width; d < (h + 1) * shape.width; ++d) sum += output_gradient[d] * output[d];
    dot[h] = sum;
  }
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
    subtract_row<kHeads>(weights.data(), log_sum_exp, count, heads);
    exp_in_place(weights.data(), count * heads);
    weight_gradients(slot, count, gradients.data());
    if (mask.is_active()) {
      mask.draw(slot * static_cast<EdgeIndex>(heads), count * heads, factors.data());
      multiply_in_place(gradients.data(), factors.data(), count * heads);
    }
    subtract_row<kHeads>(gradients.data(), dot, count, heads);
    multiply_in_place(gradients.data(), weights.data(), count * heads);
    consume(slot, count, gradients.data());
    slot += static_cast<EdgeIndex>(count);
  }
}

/// Backward of one source, over the transpose: position p of `outgoing` is the slot outgoing_slot[p], its destination
/// is outgoing.columns[p]. `consume(position, count, weights, score_gradients)` gets the dropped weights.
template <int kHeads, class Scores, class WeightGradients, class Consume>
void differentiate_column(const HeadShape& shape, const graph::FrozenGraph& graph, RowSlots positions,
                          const DropoutMask& mask, const RowStatistics& statistics, Scores&& scores,
                          WeightGradients&& weight_gradients, Consume&& consume) {
  const int heads = kHeads > 0 ? kHeads : shape.heads;
  PieceScores weights, gradients, factors;
  for (EdgeIndex position = positions.begin; position < positions.end;) {
    const int count = static_cast<int>(std::min<EdgeIndex>(shape.piece(), positions.end - position));
    const Node* destinations = graph.outgoing.columns.data() + position;
    scores(position, count, weights.data());
    for (int e = 0; e < count; ++e) {
      const float* row = statistics.log_sum_exp + static_cast<std::size_t>(destinations[e]) * heads;
      for (int h = 0; h < heads; ++h) weights[e * heads + h] -= row[h];
    }
    exp_in_place(weights.data(), count * heads);
    weight_gradients(position, count, gradients.data());
    if (mask.is_active()) {
      for (int e = 0; e < count; ++e)
        mask.draw(graph.outgoing_slot[position + static_cast<EdgeIndex>(e)] * static_cast<EdgeIndex>(heads), heads,
                  factors.data() + e * heads);
      multiply_in_place(gradients.data(), factors.data(), count * heads);
    }
    for (int e = 0; e < count; ++e) {
      const float* row = statistics.dot + static_cast<std::size_t>(destinations[e]) * heads;
      for (int h = 0; h < heads; ++h) gradients[e * heads + h] -= row[h];
    }
    multiply_in_place(gradients.data(), weights.data(), count * heads);
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
