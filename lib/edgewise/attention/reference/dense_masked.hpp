#pragma once

#include <limits>
#include <vector>

#include "edgewise/attention/implementation.hpp"
#include "edgewise/attention/normalisers/row_statistics.hpp"
#include "edgewise/attention/reference/dense_scores.hpp"
#include "edgewise/attention/reference/pair_mask.hpp"
#include "edgewise/attention/reference/policies.hpp"
#include "edgewise/attention/reference/wide_simd.hpp"

namespace edgewise::attention::reference {

/// All pairs, one head at a time: a score matrix [destinations, sources] is normalised along its rows over the pairs in
/// the mask (one bit per pair; all other weights are exactly 0) and multiplied by the values. The products use Eigen.
/// Training keeps one such matrix per head.
template <class ScorePolicy, class NormaliserPolicy>
class DenseMasked final : public Implementation {
 public:
  DenseMasked(const graph::FrozenGraph& mask, const AttentionInputs& inputs, Purpose purpose)
      : mask_(mask),
        inputs_(inputs),
        score_(inputs.options, inputs.width),
        pairs_(mask, PairMask::Rows::destinations),
        scores_(inputs, score_, columns_of(mask), purpose) {
    const auto destinations = static_cast<Eigen::Index>(mask.destination_count());
    const Eigen::Index columns = columns_of(mask);
    kept_.resize(purpose == Purpose::training ? static_cast<std::size_t>(inputs.heads) : 1);
    for (Matrix& kept : kept_) kept.setZero(destinations, columns);
    if (purpose == Purpose::inference) return;
    gradients_.setZero(destinations, columns);
    if (!NormaliserPolicy::kSumsToOne) weights_.setZero(destinations, columns);
  }

  void forward(Matrix& output) override {
    const bool is_training = gradients_.size() > 0;
    for (int head = 0; head < inputs_.heads; ++head) {
      Matrix& kept = kept_[is_training ? static_cast<std::size_t>(head) : 0];
      scores_.fill(head, kept, sources_of(kept));
      Matrix& weights = NormaliserPolicy::kSumsToOne || !is_training ? kept : weights_;
      for_each_dense_row(kept.rows(), [&](Eigen::Index row) { weigh(row, row_of(kept, row), row_of(weights, row)); });
      multiply(sources_of(weights), head_columns(value_of<ScorePolicy>(inputs_), head, inputs_.width),
               head_columns(output, head, inputs_.width), workspace_);
    }
  }

  void backward(const Matrix& output, const Matrix& output_gradient, AttentionGradients& gradients) override {
    const int width = inputs_.width;
    for (int head = 0; head < inputs_.heads; ++head) {
      const Matrix& kept = kept_[static_cast<std::size_t>(head)];
      scores_.begin_gradients(head);
      if (!NormaliserPolicy::kSumsToOne)
        for_each_dense_row(kept.rows(),
                           [&](Eigen::Index row) { weigh(row, row_of(kept, row), row_of(weights_, row)); });
      // Forward was output = weights * values.
      const Matrix& weights = NormaliserPolicy::kSumsToOne ? kept : weights_;
      multiply_transpose(weights.leftCols(inputs_.key.rows()), head_columns(output_gradient, head, width),
                         head_columns(value_of<ScorePolicy>(gradients), head, width), workspace_, Result::add);
      multiply_by_transpose(head_columns(output_gradient, head, width),
                            head_columns(value_of<ScorePolicy>(inputs_), head, width), sources_of(gradients_),
                            workspace_);
      fill_gradients_of_x(output, output_gradient, head, weights, gradients);
      scores_.end_gradients(head, gradients_, sources_of(gradients_), gradients);
    }
  }

 private:
  static Eigen::Index columns_of(const graph::FrozenGraph& mask) {
    return (static_cast<Eigen::Index>(mask.source_count()) + simd::kWideLanes - 1) / simd::kWideLanes *
           simd::kWideLanes;
  }
  /// The columns of weights and their gradients are padded to whole vectors; those after the last source are 0.
  MatrixRef sources_of(Matrix& pairs) const { return pairs.leftCols(inputs_.key.rows()); }
  Lanes pairs_of(Eigen::Index row, Eigen::Index column) const {
    const std::uint64_t word = pairs_.words(static_cast<std::size_t>(column) / PairMask::kColumns)[row];
    return lanes_of_bits(word >> (static_cast<std::size_t>(column) % PairMask::kColumns));
  }
  RowStatistics<Float16> statistics_of(Eigen::Index row) const {
    const auto v = static_cast<std::size_t>(row);
    const auto edges = static_cast<float>(mask_.incoming.offsets[v + 1] - mask_.incoming.offsets[v]);
    return {broadcast_wide(1.0F / edges), Float16{}};
  }

  /// Computes the weights of a row from its scores; `weights` may be `scores`.
  void weigh(Eigen::Index row, const float* scores, float* weights) const {
    if constexpr (NormaliserPolicy::kSumsToOne) return softmax(row, weights);
    const RowStatistics<Float16> statistics = statistics_of(row);
    for (Eigen::Index c = 0; c < column_count(); c += simd::kWideLanes) {
      const Float16 weight = NormaliserPolicy::weight(simd::load_wide(scores + c), statistics);
      simd::store_wide(weights + c, select(pairs_of(row, c), weight, Float16{}));
    }
  }

  Eigen::Index column_count() const { return kept_.front().cols(); }

  /// Softmax of a row, in place: scores of pairs outside the mask count as -infinity.
  void softmax(Eigen::Index row, float* const out) const {
    const Eigen::Index columns = column_count();
    const Float16 none = broadcast_wide(-std::numeric_limits<float>::infinity());
    Float16 maxima = broadcast_wide(std::numeric_limits<float>::lowest());
    for (Eigen::Index c = 0; c < columns; c += simd::kWideLanes) {
      const Float16 score = select(pairs_of(row, c), simd::load_wide(out + c), none);
      maxima = max(maxima, score);
      simd::store_wide(out + c, score);
    }
    float maximum = maxima[0];
    for (int lane = 1; lane < simd::kWideLanes; ++lane) maximum = std::max(maximum, maxima[lane]);
    Float16 sums{};
    for (Eigen::Index c = 0; c < columns; c += simd::kWideLanes) {
      const Float16 weight = exp2_or_zero((simd::load_wide(out + c) - maximum) * kLog2OfE);
      sums += weight;
      simd::store_wide(out + c, weight);
    }
    const float sum = lane_sum(sums);
    const float factor = sum > 0.0F ? 1.0F / sum : 0.0F;
    for (Eigen::Index c = 0; c < columns; c += simd::kWideLanes)
      simd::store_wide(out + c, simd::load_wide(out + c) * factor);
  }

  /// Turns gradients_ from those of the weights into those of x, where score = activate(x).
  void fill_gradients_of_x(const Matrix& output, const Matrix& output_gradient, int head, const Matrix& weights,
                           AttentionGradients& gradients) {
    const int first_column = head * inputs_.width;
    const Matrix& kept = kept_[static_cast<std::size_t>(head)];
    for_each_dense_row(gradients_.rows(), [&](Eigen::Index row) {
      RowStatistics<Float16> statistics = statistics_of(row);
      statistics.delta = broadcast_wide(output.row(row)
                                            .segment(first_column, inputs_.width)
                                            .dot(output_gradient.row(row).segment(first_column, inputs_.width)));
      for_each_piece(gradients_.cols(), [&](Eigen::Index first, Eigen::Index last) {
        float recomputed[kPieceColumns];
        const float* scores = row_of(kept, row) + first;
        if constexpr (kRecomputesScores) {
          scores_.fill_piece(head, row, first, last, recomputed);
          scores = recomputed;
        }
        for (Eigen::Index c = first; c < last; c += simd::kWideLanes) {
          const Float16 score = simd::load_wide(scores + (c - first));
          float* const to = row_of(gradients_, row) + c;
          const Float16 gradient = NormaliserPolicy::gradient(score, simd::load_wide(row_of(weights, row) + c),
                                                              simd::load_wide(to), statistics);
          const Float16 of_x = score_.through(score, gradient) * score_.scale;
          simd::store_wide(to, select(pairs_of(row, c), of_x, Float16{}));
        }
      });
      scores_.add_row_gradients(head, row, gradients_, gradients);  // while the row is still in the cache
    });
  }

  /// Whether scores must be recomputed: only weights are kept, but the gradients need the scores.
  static constexpr bool kRecomputesScores = kHasActivation<ScorePolicy> && NormaliserPolicy::kSumsToOne;

  const graph::FrozenGraph& mask_;
  const AttentionInputs& inputs_;
  ScorePolicy score_;
  PairMask pairs_;  ///< One row per destination, one column per source.
  DenseScores<ScorePolicy> scores_;
  std::vector<Matrix> kept_;  ///< One per head in training, otherwise one: weights if they sum to 1, else scores.
  Matrix weights_;            ///< Of one head, if scores are kept.
  Matrix gradients_;          ///< Of the weights of one head, later of x.
  Workspace workspace_;
};

}  // namespace edgewise::attention::reference
