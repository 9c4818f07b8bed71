#pragma once

#include "edgewise/attention/reference/policies.hpp"
#include "edgewise/attention/reference/rows.hpp"
#include "edgewise/attention/reference/wide_simd.hpp"
#include "edgewise/attention/scores/dot_product.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/product.hpp"

/// @file
/// The scores of all pairs of one head, and their contribution to the gradients of the inputs.
namespace edgewise::attention::reference {

inline constexpr std::size_t kDenseRows = 32;                         ///< Rows processed at a time.
inline constexpr Eigen::Index kPieceColumns = 16 * simd::kWideLanes;  ///< Columns of a piece that fits the L1 cache.

inline auto head_columns(const Matrix& matrix, int head, int width) { return matrix.middleCols(head * width, width); }
inline auto head_columns(Matrix& matrix, int head, int width) { return matrix.middleCols(head * width, width); }

/// body(row) for all rows, in parallel.
template <class Body>
void for_each_dense_row(Eigen::Index rows, Body&& body) {
  parallel_for(static_cast<std::size_t>(rows), kDenseRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) body(static_cast<Eigen::Index>(row));
  });
}

/// body(first, last) for pieces of the columns of a padded matrix.
template <class Body>
void for_each_piece(Eigen::Index columns, Body&& body) {
  for (Eigen::Index first = 0; first < columns; first += kPieceColumns)
    body(first, std::min(first + kPieceColumns, columns));
}

/// Any score: each pair and column is evaluated separately, sixteen sources at a time.
template <class ScorePolicy>
class DenseScores {
 public:
  /// `columns`: of the pair matrices, a whole number of vectors.
  DenseScores(const AttentionInputs& inputs, const ScorePolicy& score, Eigen::Index columns, Purpose purpose)
      : inputs_(inputs), score_(score), width_(score_width<ScorePolicy>(inputs)) {
    keys_.setZero(width_, columns);
    if (purpose == Purpose::inference) return;
    key_gradients_.resize(width_, columns);
    if (ScorePolicy::kHasVector)
      partials_.resize(
          (inputs.query.rows() + static_cast<Eigen::Index>(kDenseRows) - 1) / static_cast<Eigen::Index>(kDenseRows),
          width_);
  }

  /// Fills all scores of a head; `sources` is `scores` without the columns after the last source.
  void fill(int head, Matrix& scores, MatrixRef /*sources*/) {
    pack_keys(head);
    for_each_dense_row(scores.rows(), [&](Eigen::Index row) {
      for_each_piece(scores.cols(), [&](Eigen::Index first, Eigen::Index last) {
        fill_piece(head, row, first, last, row_of(scores, row) + first);
      });
    });
  }

  /// Fills scores[c - first] for the sources c from `first` to `last`; the keys of the head must be packed.
  void fill_piece(int head, Eigen::Index row, Eigen::Index first, Eigen::Index last, float* scores) const {
    const float* const query = row_of(inputs_.query, row) + head * width_;
    if constexpr (ScorePolicy::kIsPerHead) {
      for (Eigen::Index c = first; c < last; c += simd::kWideLanes) {
        const Float16 value = score_.value(broadcast_wide(*query), simd::load_wide(keys_.data() + c));
        simd::store_wide(scores + (c - first), score_.activate(value * score_.scale));
      }
      return;
    }
    const auto factors = ColumnFactors<ScorePolicy>::of(inputs_, head);
    std::fill(scores, scores + (last - first), 0.0F);
    for (int d = 0; d < width_; ++d) {
      const Float16 of_query = broadcast_wide(query[d]);
      const float* const keys = row_of(keys_, d);
      for (Eigen::Index c = first; c < last; c += simd::kWideLanes) {
        float* const to = scores + (c - first);
        const Float16 value = score_.value(of_query, simd::load_wide(keys + c));
        simd::store_wide(to, simd::load_wide(to) + factors.times(d, value));
      }
    }
    if constexpr (kHasActivation<ScorePolicy>)
      for (Eigen::Index c = 0; c < last - first; c += simd::kWideLanes)
        simd::store_wide(scores + c, score_.activate(simd::load_wide(scores + c) * score_.scale));
    else if (score_.scale != 1.0F)
      for (Eigen::Index c = 0; c < last - first; c += simd::kWideLanes)
        simd::store_wide(scores + c, simd::load_wide(scores + c) * score_.scale);
  }

  /// Called before the rows of a head.
  void begin_gradients(int head) {
    pack_keys(head);
    partials_.setZero();
  }

  /// Adds the contribution of one row of the gradients of x, which already include the scale, to the gradients of its
  /// query and of the attention vector.
  void add_row_gradients(int head, Eigen::Index row, const Matrix& of_x, AttentionGradients& gradients) {
    const float* const query = row_of(inputs_.query, row) + head * width_;
    float* const query_gradient = row_of(gradients.query, row) + head * width_;
    const auto factors = ColumnFactors<ScorePolicy>::of(inputs_, head);
    for_each_piece(of_x.cols(), [&](Eigen::Index first, Eigen::Index last) {
      for (int d = 0; d < width_; ++d) {
        Float16 sum{};
        Float16 vector_sum{};
        for (Eigen::Index c = first; c < last; c += simd::kWideLanes) {
          const ColumnGradient<Float16> gradient = gradient_of(query[d], d, c, row_of(of_x, row));
          sum += gradient.query;
          vector_sum += gradient.vector;
        }
        query_gradient[d] += factors.times(d, lane_sum(sum));
        if constexpr (ScorePolicy::kHasVector)
          row_of(partials_, row / static_cast<Eigen::Index>(kDenseRows))[d] += lane_sum(vector_sum);
      }
    });
  }

  /// Called after the rows of a head: adds the gradients of the keys and of the attention vector.
  void end_gradients(int head, const Matrix& of_x, MatrixRef /*sources*/, AttentionGradients& gradients) {
    key_gradients_.setZero();
    parallel_for(static_cast<std::size_t>(keys_.cols()), kPieceColumns, [&](std::size_t first, std::size_t last) {
      for (Eigen::Index row = 0; row < of_x.rows(); ++row)
        add_key_gradients(head, row, of_x, static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(last));
    });
    head_columns(gradients.key, head, width_) += key_gradients_.leftCols(inputs_.key.rows()).transpose();
    if constexpr (ScorePolicy::kHasVector)
      for (Eigen::Index block = 0; block < partials_.rows(); ++block)
        head_columns(gradients.attention_vector, head, width_) += partials_.row(block);
  }

 private:
  void pack_keys(int head) { keys_.leftCols(inputs_.key.rows()) = head_columns(inputs_.key, head, width_).transpose(); }

  ColumnGradient<Float16> gradient_of(float query, int d, Eigen::Index column, const float* of_x) const {
    return score_.gradient(broadcast_wide(query), simd::load_wide(row_of(keys_, d) + column),
                           simd::load_wide(of_x + column));
  }

  void add_key_gradients(int head, Eigen::Index row, const Matrix& of_x, Eigen::Index first, Eigen::Index last) {
    const float* const query = row_of(inputs_.query, row) + head * width_;
    const auto factors = ColumnFactors<ScorePolicy>::of(inputs_, head);
    for (int d = 0; d < width_; ++d)
      for (Eigen::Index c = first; c < last; c += simd::kWideLanes) {
        float* const to = row_of(key_gradients_, d) + c;
        const Float16 gradient = gradient_of(query[d], d, c, row_of(of_x, row)).key;
        simd::store_wide(to, simd::load_wide(to) + factors.times(d, gradient));
      }
  }

  const AttentionInputs& inputs_;
  const ScorePolicy& score_;
  int width_;
  Matrix keys_;           ///< Of one head, transposed: [width, columns].
  Matrix key_gradients_;  ///< Same layout.
  Matrix partials_;       ///< Partial sums of the attention vector's gradient, [row blocks, width].
};

/// The scores are a single matrix product, and so is each gradient: 1.4 times as fast forward, 1.7 times backward
/// (4 heads x 16).
template <>
class DenseScores<DotProduct> {
 public:
  DenseScores(const AttentionInputs& inputs, const DotProduct& score, Eigen::Index /*columns*/, Purpose /*purpose*/)
      : inputs_(inputs), score_(score) {}

  void begin_gradients(int /*head*/) {}
  void add_row_gradients(int /*head*/, Eigen::Index /*row*/, const Matrix& /*of_x*/, AttentionGradients& /*to*/) {}

  void fill(int head, Matrix& /*scores*/, MatrixRef sources) {
    const Matrix query = head_columns(inputs_.query, head, inputs_.width) * score_.scale;
    multiply_by_transpose(query, head_columns(inputs_.key, head, inputs_.width), sources, workspace_);
  }

  /// Forward was scores = scale * query * key^T; the gradients of x already include the scale.
  void end_gradients(int head, const Matrix& /*of_x*/, MatrixRef sources, AttentionGradients& gradients) {
    const int width = inputs_.width;
    multiply(sources, head_columns(inputs_.key, head, width), head_columns(gradients.query, head, width), workspace_,
             Result::add);
    multiply_transpose(sources, head_columns(inputs_.query, head, width), head_columns(gradients.key, head, width),
                       workspace_, Result::add);
  }

 private:
  const AttentionInputs& inputs_;
  const DotProduct& score_;
  Workspace workspace_;
};

}  // namespace edgewise::attention::reference
