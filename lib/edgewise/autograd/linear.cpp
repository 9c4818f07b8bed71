#include "edgewise/autograd/linear.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "edgewise/attention/detail/head_rows.hpp"
#include "edgewise/core/detail/dropout_mask.hpp"
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

  /// Asks for a value that comes a few entries later where they do not stand in order; `count` entries from `first` on.
  void prefetch_value(graph::EdgeIndex first, int e, int count) const {
    constexpr int kAhead = 16;
    if (positions != nullptr && e + kAhead < count)
      __builtin_prefetch(values + positions[first + static_cast<graph::EdgeIndex>(e + kAhead)]);
  }

  /// weights[e, h] for `count` entries from `first` on; runs over the end by less than a vector.
  template <int kHeads>
  void mask_values(graph::EdgeIndex first, int count, float* weights) const {
    const int heads = kHeads > 0 ? kHeads : shape.heads;
    const auto position_of = [=, this](int e) { return position(first + static_cast<graph::EdgeIndex>(e)); };
    const edgewise::detail::DropoutMask mask(dropout.probability, dropout.key);
    mask.draw_rows(position_of, count, heads, weights);
    for (int e = 0; e < count; ++e, weights += heads) {
      prefetch_value(first, e, count);
      const float value = values[position_of(e)];
      for (int h = 0; h < heads; ++h) weights[h] *= value;
    }
  }

  template <attention::detail::Layout kLayout>
  void add_row(graph::Node row, const float* table, float* out) const {
    using namespace attention::detail;
    PieceScores room;
    const int piece = shape.piece();
    for (graph::EdgeIndex k = offsets[row]; k < offsets[row + 1]; k += static_cast<graph::EdgeIndex>(piece)) {
      const int count = static_cast<int>(std::min<graph::EdgeIndex>(piece, offsets[row + 1] - k));
      const float* weights = room.data();
      if (shape.heads > 1)
        mask_values<kLayout.heads>(k, count, room.data());
      else if (positions == nullptr)
        weights = values + k;
      else
        for (int e = 0; e < count; ++e) room[e] = values[positions[k + static_cast<graph::EdgeIndex>(e)]];
      const GatheredRows<> gathered{table, columns + k, shape.columns(), static_cast<int>(offsets[row + 1] - k)};
      sum_rows<kLayout, Start::present>(shape, weights, gathered, count, nullptr, out);
    }
  }

  /// `begin(row)` is where the sums of a row go.
  template <class Begin>
  void add_rows(const std::vector<graph::Node>& chunks, const float* table, Begin&& begin) const {
    attention::detail::with_layout(shape, [&](auto layout) {
      parallel_chunks(chunks.size() - 1, [&](std::size_t chunk) {
        for (graph::Node row = chunks[chunk]; row < chunks[chunk + 1]; ++row) add_row<layout()>(row, table, begin(row));
      });
    });
  }
};

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
  rows.add_rows(input.row_chunks, weight.value().data(), [&](graph::Node row) {
    float* to = out.value().data() + row * width;
    if (bias.is_set())
      std::copy_n(bias.value().data(), width, to);
    else
      std::fill_n(to, width, 0.0F);
    return to;
  });
  tape.on_backward(out, [&input, values, weight, bias, out, shape, dropout, width] {
    const MatrixMap gradient = out.gradient();
    if (bias.is_set() && bias.needs_gradient()) add_column_sums(gradient, bias.gradient());
    if (!weight.needs_gradient()) return;
    const SparseRows transposed{input.transposed.offsets.data(), input.transposed.columns.data(), values,
                                input.transposed_position.data(), shape, dropout};
    float* weight_gradient = weight.gradient().data();
    transposed.add_rows(input.transposed_chunks, gradient.data(),
                        [&](graph::Node row) { return weight_gradient + row * width; });
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
