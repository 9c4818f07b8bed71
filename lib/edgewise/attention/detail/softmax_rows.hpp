#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "edgewise/attention/detail/head_values.hpp"
#include "edgewise/attention/detail/pieces.hpp"
#include "edgewise/core/detail/dropout_mask.hpp"

/// The softmax over the edges of each row, forward and backward, on the flat scores of a piece; nothing of the size
/// [edges, heads, width] is ever made.
namespace edgewise::attention::detail {

using edgewise::detail::DropoutMask;

/// Up to here e^score can be summed as it is; beyond, the maximum of the row is subtracted before.
inline constexpr float kSafeScore = 40;

/// Makes the weights of a piece from its scores, row by row. Between the parts of a row that is longer than a piece the
/// sums are rescaled to the larger maximum (Milakov and Gimelshein 2018), so that any score is safe.
template <int kHeads>
class RowSoftmax {
 public:
  explicit RowSoftmax(const HeadShape& shape) : heads_(shape.heads) {}

  /// In place: exp(score - maximum of its row so far), or exp(score) where no score so far was large. For rows that end
  /// here `log_sum_exp` [destinations, heads] is filled, -infinity where a row is empty.
  void apply(const Piece& piece, float* values, float* log_sum_exp) {
    if (piece.is_first && piece.is_last)
      apply_to_rows(piece, values);
    else
      apply_to_part(piece, values);
    if (piece.is_last) finish(piece, log_sum_exp + static_cast<std::size_t>(piece.row) * heads());
  }

  /// 1 / sum, a number a head, for a row that ends in this piece, by its index.
  const float* inverse_sums(int index) const { return sums_.values + index * heads(); }
  /// What the sums of the earlier parts of the row are to be multiplied by, a number a head.
  const float* rescale() const { return rescale_.values; }

 private:
  int heads() const { return kHeads > 0 ? kHeads : heads_; }
  RowValues<kHeads> of_row(const Piece& piece, int r, float* values) const {
    return {values + piece.starts[r] * heads(), piece.count_of(r), heads()};
  }

  void apply_to_rows(const Piece& piece, float* values) {
    float* maxima = maxima_.data() + piece.index * heads();
    if (are_within(kSafeScore, values, piece.count * heads()))
      std::fill_n(maxima, piece.rows * heads(), 0.0F);
    else
      for (int r = 0; r < piece.rows; ++r) of_row(piece, r, values).subtract_maxima(true, maxima + r * heads());
    exp_in_place(values, piece.count * heads());
    float* sums = sums_.data() + piece.index * heads();
    for (int r = 0; r < piece.rows; ++r) of_row(piece, r, values).add_columns(true, sums + r * heads());
  }

  /// As long as no score of a row was large its maxima count as 0.
  void apply_to_part(const Piece& piece, float* values) {
    float* maxima = maxima_.data() + piece.index * heads();
    float* sums = sums_.data() + piece.index * heads();
    if (piece.is_first) std::fill_n(maxima, heads(), 0.0F);
    const bool is_plain = std::all_of(maxima, maxima + heads(), [](float maximum) { return maximum == 0; }) &&
                          are_within(kSafeScore, values, piece.count * heads());
    std::copy_n(maxima, heads(), rescale_.data());
    if (!is_plain) of_row(piece, 0, values).subtract_maxima(piece.is_first, maxima);
    for (int h = 0; h < heads() && !piece.is_first; ++h) {
      rescale_[h] = is_plain ? 1 : std::exp(rescale_[h] - maxima[h]);
      sums[h] *= rescale_[h];
    }
    exp_in_place(values, piece.count * heads());
    of_row(piece, 0, values).add_columns(piece.is_first, sums);
  }

  /// The sums of the rows of a piece become their inverses; the sum of an empty row counts as 1.
  void finish(const Piece& piece, float* log_sum_exp) {
    const int count = piece.rows * heads();
    const float* maxima = maxima_.data() + piece.index * heads();
    float* sums = sums_.data() + piece.index * heads();
    for (int i = 0; i < count; i += simd::kLanes) {
      const int lanes = std::min(simd::kLanes, count - i);
      Float8 sum = simd::load(sums + i);
      sum = sum == 0.0F ? simd::broadcast(1.0F) : sum;
      simd::store(log_sum_exp + i, simd::load(maxima + i) + simd::log(sum), lanes);
      simd::store(sums + i, 1.0F / sum, lanes);
    }
  }

  int heads_;
  PieceScores maxima_, sums_, rescale_;
};

/// The part's share of out[h, :], the sum of its rows weighted by the softmax.
template <Layout kLayout, Storage kStorage>
void sum_part(const HeadShape& shape, const RowPart& part, const float* weights, const GatheredRows<kStorage>& rows,
              const RowSoftmax<kLayout.heads>& softmax, float* out) {
  const float* factors = part.is_last ? softmax.inverse_sums(part.index) : nullptr;
  if (part.is_first) return sum_rows<kLayout, Start::zero>(shape, weights, rows, part.count, factors, out);
  scale_heads(shape, softmax.rescale(), out);
  sum_rows<kLayout, Start::present>(shape, weights, rows, part.count, factors, out);
}

/// The flat numbers of one part of a row.
struct PartWeights {
  const float* weights;  ///< exp(score - maximum).
  const float* dropped;  ///< The same after dropout.
  const float* scores;   ///< Only when they are kept.
};

/// For all rows: `scores(piece, out)` fills the flat scores of a piece; `sum(part, weights, softmax)` sums the values of
/// the part of a row that is in it.
template <int kHeads, bool kKeepsScores = false, class Scores, class Sum>
void attend_rows(const HeadShape& shape, const Traversal& traversal, const DropoutMask& mask,
                 float* log_sum_exp, Scores&& scores, Sum&& sum) {
  for_each_chunk_of_rows(shape, traversal, [&](PieceRows& rows, std::size_t) {
    RowSoftmax<kHeads> softmax(shape);
    PieceScores weights, factors, kept;
    rows.for_each_piece(shape, [&](const Piece& piece) {
      scores(piece, weights.data());
      if constexpr (kKeepsScores) std::copy_n(weights.data(), piece.count * shape.heads, kept.data());
      softmax.apply(piece, weights.data(), log_sum_exp);
      if (mask.is_active()) {
        mask.draw(piece.slot * static_cast<EdgeIndex>(shape.heads), piece.count * shape.heads, factors.data());
        multiply_in_place(factors.data(), weights.data(), piece.count * shape.heads);
      }
      const float* dropped = mask.is_active() ? factors.data() : weights.data();
      for (int r = 0; r < piece.rows; ++r) {
        const int at = piece.starts[r] * shape.heads;
        sum(piece.part(r), PartWeights{weights.data() + at, dropped + at, kept.data() + at}, softmax);
      }
    });
  });
}

/// weights[slot, h], from the scores and their log-sum-exp; what attention looks like without dropout.
template <class Scores>
void weights_of_rows(const HeadShape& shape, const Traversal& traversal, const float* log_sum_exp, float* weights,
                     Scores&& scores) {
  for_each_chunk_of_rows(shape, traversal, [&](PieceRows& rows, std::size_t) {
    PieceScores values, of_rows;
    rows.for_each_piece(shape, [&](const Piece& piece) {
      scores(piece, values.data());
      gather_heads<0>(log_sum_exp, piece.row_of, piece.count, shape.heads, of_rows.data());
      exp_of_difference(values.data(), of_rows.data(), piece.count * shape.heads);
      std::copy_n(values.data(), piece.count * shape.heads,
                  weights + piece.slot * static_cast<EdgeIndex>(shape.heads));
    });
  });
}

/// dot[i, h] = output[first + i, h, :] . output gradient[first + i, h, :] for `count` rows, at most as many as fit a
/// piece: what the softmax subtracts from each weight's gradient. It holds with dropout as well, since the output is made
/// of the dropped weights (Dao et al. 2022, appendix B). `output_gradient` is as kStorage has it.
template <Layout kLayout, Storage kStorage>
void dot_of_rows(const HeadShape& shape, std::size_t first, int count, const float* output,
                 const float* output_gradient, float* dot) {
  const auto stored = static_cast<std::size_t>(RowVectors<kLayout>{shape}.template stored_columns<kStorage>());
  const std::size_t at = first * static_cast<std::size_t>(shape.columns());
  PieceScores sums;
  dot_rows<kLayout>(shape, GatheredRows<>{output + at, kInOrder.data(), shape.columns()},
                    GatheredRows<kStorage>{output_gradient + first * stored, kInOrder.data(), shape.columns()}, 1, count,
                    sums.data());
  std::copy_n(sums.data(), count * shape.heads, dot);
}

/// The flat numbers of a piece in the backward pass.
struct PieceGradients {
  PieceScores weights;    ///< After dropout.
  PieceScores gradients;  ///< Of the scores: weight * (gradient of the weight - dot).
};

/// From the scores in `piece.weights` and the gradients of the weights in `piece.gradients`; `destinations` are those of
/// the `count` edges. `draw(factors)` draws their dropout. The gradients of the scores come multiplied by `factor`.
template <int kHeads, class Draw>
void differentiate_softmax(int heads, int count, const Node* destinations, const RowStatistics& statistics,
                           float factor, bool has_dropout, Draw&& draw, PieceGradients& piece) {
  PieceScores factors;
  float* weights = piece.weights.data();
  float* gradients = piece.gradients.data();
  if (has_dropout) {
    draw(factors.data());
    multiply_in_place(gradients, factors.data(), count * heads);
  }
  const auto differentiate = [=](int i, simd::Native log_sum_exp, simd::Native dot) {
    const simd::Native weight = simd::exp(load_native(weights + i) - log_sum_exp);
    simd::store_as(gradients + i, weight * (load_native(gradients + i) - dot) * factor);
    simd::store_as(weights + i, weight);
  };
  int e = 0;
  if constexpr (kHeads > 1) {
    constexpr int kEdges = simd::kNativeLanes / kHeads;
    for (; e + kEdges <= count; e += kEdges)
      differentiate(e * kHeads, gather_vector<kHeads>(statistics.log_sum_exp, destinations + e),
                    gather_vector<kHeads>(statistics.dot, destinations + e));
  }
  PieceScores log_sum_exp, dot;
  gather_heads<kHeads>(statistics.log_sum_exp, destinations + e, count - e, heads, log_sum_exp.data());
  gather_heads<kHeads>(statistics.dot, destinations + e, count - e, heads, dot.data());
  for_each_native((count - e) * heads, [&](int i) {
    differentiate(e * heads + i, load_native(log_sum_exp.data() + i), load_native(dot.data() + i));
  });
  if (has_dropout) multiply_in_place(weights, factors.data(), count * heads);
}

/// Asks for what `differentiate_softmax` will read.
inline void prefetch_statistics(const RowStatistics& statistics, const Node* destinations, int count, int heads) {
  for (int e = 0; e < count; ++e) {
    const std::size_t at = static_cast<std::size_t>(destinations[e]) * static_cast<std::size_t>(heads);
    __builtin_prefetch(statistics.log_sum_exp + at);
    __builtin_prefetch(statistics.dot + at);
  }
}

/// Backward over the rows of destinations. `scores(piece, out)`, `weight_gradients(piece, out)`, which fills value .
/// output gradient, and `consume(part, score_gradients, chunk)`, which gets them multiplied by `factor`; `begin(piece,
/// chunk)` goes before them where rows begin.
template <int kHeads, class Begin, class Scores, class WeightGradients, class Consume>
void differentiate_rows(const HeadShape& shape, const Traversal& incoming, const DropoutMask& mask,
                        const RowStatistics& statistics, float factor, Begin&& begin, Scores&& scores,
                        WeightGradients&& weight_gradients, Consume&& consume) {
  for_each_chunk_of_rows(shape, incoming, [&](PieceRows& rows, std::size_t chunk) {
    PieceGradients flat;
    rows.for_each_piece(shape, [&](const Piece& piece) {
      if (piece.is_first) begin(piece, chunk);
      scores(piece, flat.weights.data());
      weight_gradients(piece, flat.gradients.data());
      differentiate_softmax<kHeads>(
          shape.heads, piece.count, piece.row_of, statistics, factor, mask.is_active(),
          [&](float* factors) {
            mask.draw(piece.slot * static_cast<EdgeIndex>(shape.heads), piece.count * shape.heads, factors);
          },
          flat);
      for (int r = 0; r < piece.rows; ++r)
        consume(piece.part(r), flat.gradients.data() + piece.starts[r] * shape.heads, chunk);
    });
  });
}

/// Backward over the rows of sources, on the transpose: a "slot" is a position p of `outgoing` here, which stands for
/// the slot outgoing_slot[p]. `consume(part, weights, score_gradients, chunk)` gets the dropped weights. Before it,
/// `through(piece, scores, score_gradients)` sees the scores that are kept, and may change their gradients.
template <int kHeads, bool kKeepsScores = false, class Scores, class WeightGradients, class Through, class Consume>
void differentiate_columns(const EdgeEnds& ends, const DropoutMask& mask, const RowStatistics& statistics,
                           float factor, Scores&& scores,
                           WeightGradients&& weight_gradients, Through&& through, Consume&& consume) {
  const graph::FrozenGraph& graph = ends.graph;
  const HeadShape& shape = ends.shape;
  const bool is_far = graph.destination_count() * static_cast<std::size_t>(shape.heads) * sizeof(float) > kNearBytes;
  for_each_chunk_of_rows(shape, ends.outgoing(), [&](PieceRows& rows, std::size_t chunk) {
    PieceGradients flat;
    PieceScores kept;
    rows.for_each_piece(shape, [&](const Piece& piece) {
      if (is_far) prefetch_statistics(statistics, graph.outgoing.columns.data() + piece.slot, piece.count, shape.heads);
      scores(piece, flat.weights.data());
      if constexpr (kKeepsScores) std::copy_n(flat.weights.data(), piece.count * shape.heads, kept.data());
      weight_gradients(piece, flat.gradients.data());
      differentiate_softmax<kHeads>(
          shape.heads, piece.count, graph.outgoing.columns.data() + piece.slot, statistics, factor, mask.is_active(),
          [&](float* factors) {
            const auto slot_of = ends.outgoing_slots(piece.slot);
            mask.draw_rows(slot_of, piece.count, shape.heads, factors);
          },
          flat);
      through(piece, kept.data(), flat.gradients.data());
      for (int r = 0; r < piece.rows; ++r) {
        const int at = piece.starts[r] * shape.heads;
        consume(piece.part(r), flat.weights.data() + at, flat.gradients.data() + at, chunk);
      }
    });
  });
}

/// out[i] += sum over the `chunks` rows of `partials`, in their order.
inline void add_partials(const float* partials, std::size_t chunks, std::size_t columns, float* out) {
  for (std::size_t chunk = 0; chunk < chunks; ++chunk)
    for (std::size_t i = 0; i < columns; ++i) out[i] += partials[chunk * columns + i];
}

}  // namespace edgewise::attention::detail
