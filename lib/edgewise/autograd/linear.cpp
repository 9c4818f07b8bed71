#include "edgewise/autograd/linear.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "edgewise/attention/detail/head_rows.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/product.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/core/simd.hpp"

namespace edgewise::autograd {
namespace {

constexpr std::size_t kDropoutGrain = 1 << 15;

bool any_needs_gradient(Variable weight, Variable bias) {
  return weight.needs_gradient() || (bias.is_set() && bias.needs_gradient());
}

/// out[row, h, :] += sum over the entries of a sparse row of its value, as head h sees it, * table[column, h, :].
struct SparseRows {
  const graph::EdgeIndex* offsets;
  const graph::Node* columns;
  const float* values;
  const std::int32_t* positions;  // of each entry in `values`; nullptr when they stand in order
  attention::detail::HeadShape shape;
  HeadDropout dropout;

  std::uint32_t position(graph::EdgeIndex entry) const {
    return positions == nullptr ? entry : static_cast<std::uint32_t>(positions[entry]);
  }

  /// weights[e, h] for `count` entries from `first` on; runs over the end by less than a vector.
  void mask_values(graph::EdgeIndex first, int count, float* weights) const {
    const std::uint32_t threshold = dropout_threshold(dropout.probability);
    const float scale = 1.0F / (1.0F - dropout.probability);
    const auto heads = static_cast<std::uint32_t>(shape.heads);
    for (int e = 0; e < count; ++e, weights += heads) {
      const std::uint32_t at = position(first + static_cast<graph::EdgeIndex>(e));
      const simd::Float8 value = simd::broadcast(scale * values[at]);
      for (std::uint32_t h = 0; h < heads; h += simd::kLanes) {
        const simd::Uint8 counters = simd::Uint8{0, 1, 2, 3, 4, 5, 6, 7} + (at * heads + h);
        simd::store(weights + h, random_bits(dropout.key, counters) >= threshold ? value : simd::Float8{});
      }
    }
  }

  void add_row(graph::Node row, const float* table, float* out) const {
    attention::detail::PieceScores room;
    const int piece = shape.piece();
    for (graph::EdgeIndex k = offsets[row]; k < offsets[row + 1]; k += static_cast<graph::EdgeIndex>(piece)) {
      const int count = static_cast<int>(std::min<graph::EdgeIndex>(piece, offsets[row + 1] - k));
      const float* weights = room.data();
      if (shape.heads > 1)
        mask_values(k, count, room.data());
      else if (positions == nullptr)
        weights = values + k;
      else
        for (int e = 0; e < count; ++e) room[e] = values[positions[k + static_cast<graph::EdgeIndex>(e)]];
      attention::detail::add_weighted_rows(shape, weights, {table, columns + k, shape.columns()}, count, out);
    }
  }
};

template <class Body>
void for_each_row(const std::vector<graph::Node>& chunks, Body&& body) {
  parallel_chunks(chunks.size() - 1, [&](std::size_t chunk) {
    for (graph::Node row = chunks[chunk]; row < chunks[chunk + 1]; ++row) body(row);
  });
}

}  // namespace

Variable linear(Variable x, Variable weight, Variable bias) {
  assert(x.cols() == weight.rows());
  Tape& tape = x.tape();
  Variable out = tape.make(x.rows(), weight.cols(), x.needs_gradient() || any_needs_gradient(weight, bias));
  if (bias.is_set())
    multiply_and_add_row(x.value(), weight.value(), bias.value(), out.value());
  else
    multiply(x.value(), weight.value(), out.value());
  tape.on_backward(out, [x, weight, bias, out] {
    const MatrixMap gradient = out.gradient();
    const bool has_bias = bias.is_set() && bias.needs_gradient();
    if (weight.needs_gradient() && has_bias)
      add_transposed_product_and_sums(x.value(), gradient, weight.gradient(), bias.gradient());
    else if (weight.needs_gradient())
      multiply_transpose(x.value(), gradient, weight.gradient(), Result::add);
    else if (has_bias)
      add_column_sums(gradient, bias.gradient());
    if (!x.needs_gradient()) return;
    const GradientRoom room = x.gradient_room();
    multiply_by_transpose(gradient, weight.value(), room.gradient, room.is_empty ? Result::replace : Result::add);
  });
  return out;
}

SparseInput::SparseInput(const SparseMatrix& features) : matrix(&features) {
  assert(features.isCompressed());
  const auto rows = static_cast<std::size_t>(features.rows());
  const auto columns = static_cast<std::size_t>(features.cols());
  const auto count = static_cast<std::size_t>(features.nonZeros());
  row_offsets.assign(features.outerIndexPtr(), features.outerIndexPtr() + rows + 1);
  transposed.offsets.assign(columns + 1, 0);
  for (std::size_t i = 0; i < count; ++i) ++transposed.offsets[features.innerIndexPtr()[i] + 1];
  std::partial_sum(transposed.offsets.begin(), transposed.offsets.end(), transposed.offsets.begin());
  transposed.columns.resize(count);
  transposed_position.resize(count);
  std::vector<graph::EdgeIndex> next(transposed.offsets.begin(), transposed.offsets.end() - 1);
  for (std::size_t row = 0; row < rows; ++row)
    for (auto i = features.outerIndexPtr()[row]; i < features.outerIndexPtr()[row + 1]; ++i) {
      const graph::EdgeIndex at = next[static_cast<std::size_t>(features.innerIndexPtr()[i])]++;
      transposed.columns[at] = static_cast<graph::Node>(row);
      transposed_position[at] = i;
    }
  row_chunks = graph::balanced_chunks(row_offsets);
  transposed_chunks = graph::balanced_chunks(transposed.offsets);
}

Variable sparse_linear(const SparseInput& input, const float* values, Variable weight, Variable bias,
                       const HeadDropout& dropout) {
  assert(input.matrix->cols() == weight.rows() && weight.cols() % dropout.heads == 0);
  assert(dropout.heads <= attention::detail::kPieceScores);
  Tape& tape = weight.tape();
  Variable out = tape.make(input.matrix->rows(), weight.cols(), any_needs_gradient(weight, bias));
  const auto width = static_cast<std::size_t>(weight.cols());
  const attention::detail::HeadShape shape(dropout.heads, static_cast<int>(width) / dropout.heads);
  const auto* columns = reinterpret_cast<const graph::Node*>(input.matrix->innerIndexPtr());  // never negative
  const SparseRows rows{input.row_offsets.data(), columns, values, nullptr, shape, dropout};
  for_each_row(input.row_chunks, [&](graph::Node row) {
    float* to = out.value().data() + row * width;
    if (bias.is_set())
      std::copy_n(bias.value().data(), width, to);
    else
      std::fill_n(to, width, 0.0F);
    rows.add_row(row, weight.value().data(), to);
  });
  tape.on_backward(out, [&input, values, weight, bias, out, shape, dropout, width] {
    const MatrixMap gradient = out.gradient();
    if (bias.is_set() && bias.needs_gradient()) add_column_sums(gradient, bias.gradient());
    if (!weight.needs_gradient()) return;
    const SparseRows transposed{input.transposed.offsets.data(), input.transposed.columns.data(), values,
                                input.transposed_position.data(), shape, dropout};
    float* weight_gradient = weight.gradient().data();
    for_each_row(input.transposed_chunks,
                 [&](graph::Node row) { transposed.add_row(row, gradient.data(), weight_gradient + row * width); });
  });
  return out;
}

const float* sparse_dropout(Tape& tape, const SparseInput& input, const float* values, float probability,
                            std::uint64_t key) {
  const auto count = static_cast<std::size_t>(input.matrix->nonZeros());
  float* dropped = tape.scratch(1, static_cast<Eigen::Index>(count)).data();
  const std::uint32_t threshold = dropout_threshold(probability);
  const float scale = 1.0F / (1.0F - probability);
  parallel_for(count, kDropoutGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; i += simd::kLanes) {
      const int lanes = static_cast<int>(std::min<std::size_t>(simd::kLanes, end - i));
      const simd::Uint8 counters = simd::Uint8{0, 1, 2, 3, 4, 5, 6, 7} + static_cast<std::uint32_t>(i);
      const simd::Float8 kept = random_bits(key, counters) >= threshold ? simd::broadcast(scale) : simd::Float8{};
      simd::store(dropped + i, simd::load(values + i, lanes) * kept, lanes);
    }
  });
  return dropped;
}

}  // namespace edgewise::autograd
