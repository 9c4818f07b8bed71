#include "edgewise/attention/detail/dense_masked.hpp"

#include <limits>

#include "edgewise/attention/detail/variant_inputs.hpp"
#include "edgewise/attention/detail/wide_simd.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/product.hpp"

namespace edgewise::attention::detail {
namespace {

constexpr std::size_t kRows = 32;                        ///< Worked on at a time.
constexpr Eigen::Index kColumns = 16 * simd::kWideLanes; ///< Worked on at a time, where they are met again and again.

Float16 leaky_relu(Float16 x, Float16 of, float negative_slope) {
  return select(is_greater(x, Float16{}), of, of * negative_slope);
}

float* row_of(Matrix& matrix, Eigen::Index row) { return matrix.data() + row * matrix.cols(); }
const float* row_of(const Matrix& matrix, Eigen::Index row) { return matrix.data() + row * matrix.cols(); }

/// The columns of a head.
auto columns_of_head(const Matrix& matrix, int head, int width) { return matrix.middleCols(head * width, width); }
auto columns_of_head(Matrix& matrix, int head, int width) { return matrix.middleCols(head * width, width); }

/// body(row) for all rows, in parallel.
template <class Body>
void for_each_row(Eigen::Index rows, Body&& body) {
  parallel_for(static_cast<std::size_t>(rows), kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) body(static_cast<Eigen::Index>(row));
  });
}

/// body(first, last) for pieces of the columns of a padded matrix.
template <class Body>
void for_each_piece(Eigen::Index columns, Body&& body) {
  for (Eigen::Index first = 0; first < columns; first += kColumns) body(first, std::min(first + kColumns, columns));
}

}  // namespace

DenseMasked::DenseMasked(const graph::FrozenGraph& mask, const AttentionInputs& inputs, Purpose purpose)
    : inputs_(inputs), pairs_(mask, PairMask::Rows::destinations) {
  const auto destinations = static_cast<Eigen::Index>(mask.destination_count());
  const auto sources = static_cast<Eigen::Index>(mask.source_count());
  const Eigen::Index columns = (sources + simd::kWideLanes - 1) / simd::kWideLanes * simd::kWideLanes;
  weights_.resize(purpose == Purpose::training ? static_cast<std::size_t>(inputs.heads) : 1);
  for (Matrix& weights : weights_) weights.setZero(destinations, columns);
  if (inputs.score != Score::dot_product)
    keys_.setZero(inputs.score == Score::gatv2 ? inputs.width : 1, columns);
  if (purpose == Purpose::inference) return;
  weight_gradients_.setZero(destinations, columns);
  key_gradients_.resize(keys_.rows(), keys_.cols());
  partials_.resize((destinations + static_cast<Eigen::Index>(kRows) - 1) / static_cast<Eigen::Index>(kRows),
                   keys_.rows());
}

void DenseMasked::forward(Matrix& output) {
  for (int head = 0; head < inputs_.heads; ++head) {
    Matrix& weights = weights_[weights_.size() > 1 ? static_cast<std::size_t>(head) : 0];
    fill_scores(head, weights);
    softmax(weights);
    multiply(sources_of(weights), columns_of_head(value_of(inputs_), head, inputs_.width),
             columns_of_head(output, head, inputs_.width));
  }
}

void DenseMasked::pack_keys(int head) {
  const Eigen::Index width = keys_.rows();
  keys_.leftCols(inputs_.key.rows()) = columns_of_head(inputs_.key, head, width).transpose();
}

void DenseMasked::fill_scores(int head, Matrix& scores) {
  const int width = inputs_.width;
  if (inputs_.score == Score::dot_product) {
    const Matrix query = columns_of_head(inputs_.query, head, width) * dot_product_scale(inputs_);
    return multiply_by_transpose(query, columns_of_head(inputs_.key, head, width), sources_of(scores));
  }
  pack_keys(head);
  const float slope = inputs_.negative_slope;
  for_each_row(scores.rows(), [&](Eigen::Index row) {
    float* const out = row_of(scores, row);
    if (inputs_.score == Score::additive) {
      for (Eigen::Index c = 0; c < scores.cols(); c += simd::kWideLanes) {
        const Float16 x = inputs_.query(row, head) + simd::load_wide(keys_.data() + c);
        simd::store_wide(out + c, leaky_relu(x, x, slope));
      }
      return;
    }
    const float* query = row_of(inputs_.query, row) + head * width;
    const float* vector = inputs_.attention_vector.data() + head * width;
    for_each_piece(scores.cols(), [&](Eigen::Index first, Eigen::Index last) {
      std::fill(out + first, out + last, 0.0F);
      for (int d = 0; d < width; ++d)
        for (Eigen::Index c = first; c < last; c += simd::kWideLanes) {
          const Float16 x = query[d] + simd::load_wide(row_of(keys_, d) + c);
          simd::store_wide(out + c, simd::load_wide(out + c) + vector[d] * leaky_relu(x, x, slope));
        }
    });
  });
}

void DenseMasked::softmax(Matrix& scores) {
  const Float16 none = broadcast_wide(-std::numeric_limits<float>::infinity());
  for_each_row(scores.rows(), [&](Eigen::Index row) {
    float* const out = row_of(scores, row);
    Float16 maxima = broadcast_wide(std::numeric_limits<float>::lowest());
    for (Eigen::Index c = 0; c < scores.cols(); c += simd::kWideLanes) {
      const std::uint64_t word = pairs_.words(static_cast<std::size_t>(c) / PairMask::kColumns)[row];
      const auto lanes = lanes_of_bits(word >> (static_cast<std::size_t>(c) % PairMask::kColumns));
      const Float16 score = select(lanes, simd::load_wide(out + c), none);
      maxima = max(maxima, score);
      simd::store_wide(out + c, score);
    }
    float maximum = maxima[0];
    for (int lane = 1; lane < simd::kWideLanes; ++lane) maximum = std::max(maximum, maxima[lane]);
    Float16 sums{};
    for (Eigen::Index c = 0; c < scores.cols(); c += simd::kWideLanes) {
      const Float16 weight = exp2_or_zero((simd::load_wide(out + c) - maximum) * kLog2OfE);
      sums += weight;
      simd::store_wide(out + c, weight);
    }
    const float sum = lane_sum(sums);
    const float factor = sum > 0.0F ? 1.0F / sum : 0.0F;
    for (Eigen::Index c = 0; c < scores.cols(); c += simd::kWideLanes)
      simd::store_wide(out + c, simd::load_wide(out + c) * factor);
  });
}

void DenseMasked::backward(const Matrix& output, const Matrix& output_gradient, AttentionGradients& gradients) {
  Matrix& value_gradient = value_of(gradients, inputs_.score);
  for (int head = 0; head < inputs_.heads; ++head) {
    Matrix& weights = weights_[static_cast<std::size_t>(head)];
    multiply_transpose(sources_of(weights), columns_of_head(output_gradient, head, inputs_.width),
                       columns_of_head(value_gradient, head, inputs_.width), Result::add);
    fill_score_gradients(output, output_gradient, head, weights);
    add_score_gradients(head, gradients);
  }
}

void DenseMasked::fill_score_gradients(const Matrix& output, const Matrix& output_gradient, int head,
                                       const Matrix& weights) {
  const int width = inputs_.width;
  multiply_by_transpose(columns_of_head(output_gradient, head, width),
                        columns_of_head(value_of(inputs_), head, width), sources_of(weight_gradients_));
  for_each_row(weights.rows(), [&](Eigen::Index row) {
    const float dot =
        output.row(row).segment(head * width, width).dot(output_gradient.row(row).segment(head * width, width));
    float* const gradient = row_of(weight_gradients_, row);
    const float* const weight = row_of(weights, row);
    for (Eigen::Index c = 0; c < weights.cols(); c += simd::kWideLanes)
      simd::store_wide(gradient + c, simd::load_wide(weight + c) * (simd::load_wide(gradient + c) - dot));
  });
}

void DenseMasked::add_score_gradients(int head, AttentionGradients& gradients) {
  if (inputs_.score == Score::additive) return add_additive_gradients(head, gradients);
  if (inputs_.score == Score::gatv2) return add_gatv2_gradients(head, gradients);
  const float scale = dot_product_scale(inputs_);
  const Matrix key = columns_of_head(inputs_.key, head, inputs_.width) * scale;
  const Matrix query = columns_of_head(inputs_.query, head, inputs_.width) * scale;
  multiply(sources_of(weight_gradients_), key, columns_of_head(gradients.query, head, inputs_.width), Result::add);
  multiply_transpose(sources_of(weight_gradients_), query, columns_of_head(gradients.key, head, inputs_.width),
                     Result::add);
}

void DenseMasked::add_additive_gradients(int head, AttentionGradients& gradients) {
  pack_keys(head);
  for_each_row(weight_gradients_.rows(), [&](Eigen::Index row) {
    float* const gradient = row_of(weight_gradients_, row);
    Float16 sum{};
    for (Eigen::Index c = 0; c < weight_gradients_.cols(); c += simd::kWideLanes) {
      const Float16 x = inputs_.query(row, head) + simd::load_wide(keys_.data() + c);
      const Float16 through = leaky_relu(x, simd::load_wide(gradient + c), inputs_.negative_slope);
      sum += through;
      simd::store_wide(gradient + c, through);
    }
    gradients.query(row, head) += lane_sum(sum);
  });
  key_gradients_.setZero();
  add_column_sums(weight_gradients_, key_gradients_);
  gradients.key.col(head) += key_gradients_.leftCols(inputs_.key.rows()).transpose();
}

void DenseMasked::add_gatv2_gradients(int head, AttentionGradients& gradients) {
  const int width = inputs_.width;
  const float slope = inputs_.negative_slope;
  const float* const vector = inputs_.attention_vector.data() + head * width;
  pack_keys(head);
  partials_.setZero();
  for_each_row(weight_gradients_.rows(), [&](Eigen::Index row) {
    const float* const gradient = row_of(weight_gradients_, row);
    const float* const query = row_of(inputs_.query, row) + head * width;
    float* const query_gradient = row_of(gradients.query, row) + head * width;
    float* const partial = row_of(partials_, row / static_cast<Eigen::Index>(kRows));
    for_each_piece(weight_gradients_.cols(), [&](Eigen::Index first, Eigen::Index last) {
      for (int d = 0; d < width; ++d) {
        Float16 sum{};
        Float16 vector_sum{};
        for (Eigen::Index c = first; c < last; c += simd::kWideLanes) {
          const Float16 x = query[d] + simd::load_wide(row_of(keys_, d) + c);
          const Float16 through = leaky_relu(x, simd::load_wide(gradient + c), slope);
          sum += through;
          vector_sum += through * x;
        }
        query_gradient[d] += vector[d] * lane_sum(sum);
        partial[d] += lane_sum(vector_sum);
      }
    });
  });
  key_gradients_.setZero();
  parallel_for(static_cast<std::size_t>(keys_.cols()), kColumns, [&](std::size_t first, std::size_t last) {
    for (Eigen::Index row = 0; row < weight_gradients_.rows(); ++row)
      for (int d = 0; d < width; ++d)
        for (std::size_t c = first; c < last; c += simd::kWideLanes) {
          const Float16 x = inputs_.query(row, head * width + d) + simd::load_wide(row_of(keys_, d) + c);
          const Float16 through = leaky_relu(x, simd::load_wide(row_of(weight_gradients_, row) + c), slope);
          float* to = row_of(key_gradients_, d) + c;
          simd::store_wide(to, simd::load_wide(to) + vector[d] * through);
        }
  });
  columns_of_head(gradients.key, head, width) += key_gradients_.leftCols(inputs_.key.rows()).transpose();
  MatrixRef vector_gradient = columns_of_head(gradients.attention_vector, head, width);
  for (Eigen::Index block = 0; block < partials_.rows(); ++block) vector_gradient += partials_.row(block);
}

}  // namespace edgewise::attention::detail
