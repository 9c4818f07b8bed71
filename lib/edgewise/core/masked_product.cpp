#include "edgewise/core/masked_product.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <type_traits>
#include <vector>

#include "edgewise/core/detail/dropout_mask.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/detail/simd.hpp"

namespace edgewise {
namespace {

using Eigen::Index;
using simd::kNativeLanes;
using simd::Native;

constexpr std::size_t kMaskWordsPerChunk = 4096;
constexpr std::size_t kRowGrain = 128;
constexpr std::size_t kMaxSums = 16;  // partial sums of the gradient of b
constexpr Index kBlockRows = 64;       // stay in L1 while looping over heads and columns
constexpr int kMaxOutputs = 4;        // of one head, with their sums in registers

Index padded(Index columns) { return (columns + kNativeLanes - 1) / kNativeLanes * kNativeLanes; }

/// b^T times the scale of the masks, with rows zero-padded to whole vectors.
std::vector<float> scaled_transpose(const ConstMatrixRef& b, float scale) {
  const Index columns = padded(b.rows());
  std::vector<float> transpose(static_cast<std::size_t>(b.cols() * columns));
  MatrixMap(transpose.data(), b.cols(), columns).leftCols(b.rows()) = scale * b.transpose();
  return transpose;
}

/// A row of the matrix as a head sees it, vector by vector; the last vector may be partial.
struct MaskedRow {
  const float* data;
  const std::uint32_t* bits;
  std::uint64_t first_bit;
  Index columns;

  MaskedRow(const ConstMatrixRef& a, const HeadMasks& masks, int head, Index r)
      : data(a.data() + r * a.outerStride()),
        bits(masks.bits + static_cast<std::size_t>(head) * masks.head_words),
        first_bit(static_cast<std::uint64_t>(r * a.cols())),
        columns(a.cols()) {}

  int lanes(Index column) const { return static_cast<int>(std::min<Index>(kNativeLanes, columns - column)); }
  std::uint32_t kept(Index column) const {
    const std::uint64_t at = first_bit + static_cast<std::uint64_t>(column);
    std::uint32_t word;  // at least 25 of its bits are valid
    std::memcpy(&word, reinterpret_cast<const unsigned char*>(bits) + at / 8, sizeof(word));
    return word >> at % 8;
  }
  /// With more than one vector at a time, all are whole.
  template <int kVectors>
  Native load(Index column) const {
    if (kVectors > 1 || column + kNativeLanes <= columns) return simd::load_as<Native>(data + column);
    return simd::load_first(data + column, lanes(column));
  }
};

/// `body(column, vectors)` over the columns of a row; `vectors` (an integral constant) are whole, or a single one may
/// be partial.
template <int kMaxVectors, class Body>
void for_each_tile(Index columns, const Body& body) {
  Index column = 0;
  for (; column + kMaxVectors * kNativeLanes <= columns; column += kMaxVectors * kNativeLanes)
    body(column, std::integral_constant<int, kMaxVectors>());
  for (; column < columns; column += kNativeLanes) body(column, std::integral_constant<int, 1>());
}

/// `body(first, outputs)` for the columns of a head of the result, a few at a time; `outputs` is an integral constant.
template <class Body>
void for_each_outputs(int width, const Body& body) {
  int first = 0;
  for (; first + kMaxOutputs <= width; first += kMaxOutputs) body(first, std::integral_constant<int, kMaxOutputs>());
  switch (width - first) {
    case 1: return body(first, std::integral_constant<int, 1>());
    case 2: return body(first, std::integral_constant<int, 2>());
    case 3: return body(first, std::integral_constant<int, 3>());
  }
}

/// sums[o] = the lane-wise terms of the dot product of the row with row o of b; rows are `stride` apart.
void sum_products(const MaskedRow& a, const float* b, Index stride, int width, Native* sums) {
  if (a.columns == 0) std::fill_n(sums, width, Native{});
  for_each_tile<4>(a.columns, [&](Index column, auto vectors) {
    Native seen[vectors()];
    for (int v = 0; v < vectors(); ++v) {
      const Index at = column + v * kNativeLanes;
      seen[v] = simd::keep(a.load<vectors()>(at), a.kept(at));
    }
    for (int o = 0; o < width; ++o) {
      Native sum = column == 0 ? Native{} : sums[o];
      for (int v = 0; v < vectors(); ++v)
        sum += seen[v] * simd::load_as<Native>(b + o * stride + column + v * kNativeLanes);
      sums[o] = sum;
    }
  });
}

/// Row r of the product; reduces as many sums at a time as there are lanes.
void multiply_row(const ConstMatrixRef& a, const HeadMasks& masks, Index r, const float* transpose, int width,
                  Native* sums, float* out) {
  const Index stride = padded(a.cols());
  int filled = 0;
  for (int head = 0; head < masks.heads; ++head) {
    sum_products({a, masks, head, r}, transpose + head * width * stride, stride, width, sums + filled);
    filled += width;
    for (; filled >= kNativeLanes; out += kNativeLanes) {
      simd::store_as(out, simd::lane_sums(sums));
      filled -= kNativeLanes;
      for (int i = 0; i < filled; ++i) sums[i] = sums[kNativeLanes + i];
    }
  }
  if (filled == 0) return;
  for (int i = filled; i < kNativeLanes; ++i) sums[i] = Native{};
  simd::store_first(out, simd::lane_sums(sums), filled);
}

/// A few columns of the result, all of one head.
struct Outputs {
  int head;
  Index first;
  const float* b;   // their rows of the transpose of b
  float* gradient;  // the same rows of its gradient
};

/// Both gradients for a block of rows and some columns of a. Forward was out[r, o] = seen[r] . b[o], so the gradient of
/// b[o] += g[r, o] * seen[r], and that of a[r] += the sum over o of g[r, o] * b[o] where it was seen.
template <int kOutputs, int kVectors>
void add_gradients(const ConstMatrixRef& a, const HeadMasks& masks, Index begin, Index end, Index column,
                   const Outputs& outputs, const ConstMatrixRef& gradient, float* a_gradient, bool is_replaced) {
  const Index stride = padded(a.cols());
  Native factor[kOutputs][kVectors], sum[kOutputs][kVectors];
  const auto at = [=](int o, int v) { return o * stride + column + v * kNativeLanes; };
  for (int o = 0; o < kOutputs; ++o)
    for (int v = 0; v < kVectors; ++v) {
      factor[o][v] = simd::load_as<Native>(outputs.b + at(o, v));
      sum[o][v] = simd::load_as<Native>(outputs.gradient + at(o, v));
    }
  for (Index r = begin; r < end; ++r) {
    const MaskedRow row(a, masks, outputs.head, r);
    const float* g = gradient.data() + r * gradient.outerStride() + outputs.first;
    for (int v = 0; v < kVectors; ++v) {
      const Index from = column + v * kNativeLanes;
      const std::uint32_t kept = row.kept(from);
      const Native seen = simd::keep(row.load<kVectors>(from), kept);
      Native passed = g[0] * factor[0][v];
      for (int o = 1; o < kOutputs; ++o) passed += g[o] * factor[o][v];
      for (int o = 0; o < kOutputs; ++o) sum[o][v] += g[o] * seen;
      if (a_gradient == nullptr) continue;
      float* to = a_gradient + r * a.cols() + from;
      passed = simd::keep(passed, kept);
      if (const int lanes = row.lanes(from); kVectors > 1 || lanes == kNativeLanes)
        simd::store_as(to, is_replaced ? passed : passed + simd::load_as<Native>(to));
      else
        simd::store_first(to, is_replaced ? passed : passed + simd::load_first(to, lanes), lanes);
    }
  }
  for (int o = 0; o < kOutputs; ++o)
    for (int v = 0; v < kVectors; ++v) simd::store_as(outputs.gradient + at(o, v), sum[o][v]);
}

/// Rows per partial sum, for at most kMaxSums sums.
std::size_t rows_per_sum(std::size_t rows) { return std::max(2 * kRowGrain, (rows + kMaxSums - 1) / kMaxSums); }

}  // namespace

std::size_t mask_words(std::size_t elements) { return (elements + 31) / 32 + 1; }  // words may be read from any byte on

HeadMasks draw_masks(float probability, std::span<const std::uint64_t> keys, std::size_t elements,
                     std::uint32_t* bits) {
  const std::size_t head_words = mask_words(elements);
  for (std::size_t head = 0; head < keys.size(); ++head)
    parallel_for(head_words, kMaskWordsPerChunk, [&](std::size_t begin, std::size_t end) {
      const detail::DropoutMask mask(probability, detail::mask_key(keys[head], 32 * std::uint64_t{begin}));
      mask.draw_bits(32 * begin, end - begin, bits + head * head_words + begin);
    });
  const float scale = detail::DropoutMask(probability, 0).scale();
  return {static_cast<int>(keys.size()), scale, head_words, bits};
}

void multiply_masked(ConstMatrixRef a, const HeadMasks& masks, ConstMatrixRef b, MatrixRef out) {
  assert(a.cols() == b.rows() && out.rows() == a.rows() && out.cols() == b.cols() && b.cols() % masks.heads == 0);
  const std::vector<float> transpose = scaled_transpose(b, masks.scale);
  const int width = static_cast<int>(b.cols()) / masks.heads;
  parallel_for(static_cast<std::size_t>(a.rows()), kRowGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Native> sums(static_cast<std::size_t>(width + 2 * kNativeLanes));
    for (auto r = static_cast<Index>(begin); r < static_cast<Index>(end); ++r)
      multiply_row(a, masks, r, transpose.data(), width, sums.data(), out.data() + r * out.outerStride());
  });
}

void multiply_masked_backward(ConstMatrixRef a, const HeadMasks& masks, ConstMatrixRef b, ConstMatrixRef out_gradient,
                              MaskedGradients gradients) {
  const std::vector<float> transpose = scaled_transpose(b, masks.scale);
  const int width = static_cast<int>(b.cols()) / masks.heads;
  const Index stride = padded(a.cols());
  const auto count = static_cast<std::size_t>(a.rows());
  const std::size_t grain = rows_per_sum(count);
  const Index size = b.cols() * stride;
  std::vector<float> partials((count + grain - 1) / grain * static_cast<std::size_t>(size));
  float* a_gradient = gradients.a_gradient.rows() == 0 ? nullptr : gradients.a_gradient.data();
  parallel_for(count, grain, [&](std::size_t chunk_begin, std::size_t chunk_end) {
    float* partial = partials.data() + chunk_begin / grain * static_cast<std::size_t>(size);
    const auto last = static_cast<Index>(chunk_end);
    for (auto begin = static_cast<Index>(chunk_begin); begin < last; begin += kBlockRows)
      for (int head = 0; head < masks.heads; ++head)
        for_each_outputs(width, [&](int first, auto outputs) {
          const Index output = head * width + first;
          const Outputs some{head, output, transpose.data() + output * stride, partial + output * stride};
          const bool is_replaced = output == 0 && gradients.is_a_replaced;
          const Index end = std::min(begin + kBlockRows, last);
          for_each_tile<2>(a.cols(), [&](Index column, auto vectors) {
            add_gradients<outputs(), vectors()>(a, masks, begin, end, column, some, out_gradient, a_gradient,
                                                is_replaced);
          });
        });
  });
  if (gradients.b_gradient.rows() == 0) return;
  for (std::size_t i = 0; i < partials.size(); i += static_cast<std::size_t>(size))
    gradients.b_gradient +=
        masks.scale * MatrixMap(partials.data() + i, b.cols(), stride).leftCols(b.rows()).transpose();
}

}  // namespace edgewise
