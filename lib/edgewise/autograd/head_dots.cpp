#include "edgewise/autograd/head_dots.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/detail/simd.hpp"

namespace edgewise::autograd {
namespace {

using Eigen::Index;
using simd::Float8;
using simd::kLanes;

constexpr Index kBlockRows = 64;  // stay in L1 while looping over the heads
constexpr Index kMaxSums = 16;   // partial sums of the vectors' gradients

/// A row of H heads of width D, in vectors; the last vector of a head may be partial.
struct HeadShape {
  Index heads;
  Index width;

  Index per_head() const { return (width + kLanes - 1) / kLanes; }
  int lanes(Index d) const { return static_cast<int>(std::min<Index>(kLanes, width - d)); }
};

Float8 load(const float* from, int lanes) { return lanes == kLanes ? simd::load(from) : simd::load(from, lanes); }

void store(float* to, Float8 value, int lanes) {
  if (lanes == kLanes) return simd::store(to, value);
  simd::store(to, value, lanes);
}

/// The lane-wise terms of the dot product of one head of a row with `vector`. `kIsOneVector`: a head is exactly one
/// vector.
template <bool kIsOneVector>
[[gnu::always_inline]] inline Float8 head_terms(const HeadShape& shape, Index head, const float* row,
                                                const float* vector) {
  const Index first = head * (kIsOneVector ? kLanes : shape.width);
  if constexpr (kIsOneVector) return simd::load(row + first) * simd::load(vector + first);
  Float8 terms{};
  for (Index d = 0; d < shape.width; d += kLanes)
    terms += load(row + first + d, shape.lanes(d)) * load(vector + first + d, shape.lanes(d));
  return terms;
}

/// The dot products of the heads of a row with a vector, for as many heads at once as there are lanes.
template <bool kIsOneVector>
void dot_row(const HeadShape& shape, const float* row, const float* vector, const float* bias, float* out) {
  Index first = 0;
  for (; first + kLanes <= shape.heads; first += kLanes) {
    Float8 terms[kLanes];
#pragma GCC unroll 8
    for (int h = 0; h < kLanes; ++h) terms[h] = head_terms<kIsOneVector>(shape, first + h, row, vector);
    const Float8 start = bias == nullptr ? Float8{} : simd::load(bias + first);
    simd::store(out + first, start + simd::lane_sums(terms));
  }
  if (first == shape.heads) return;
  const int count = static_cast<int>(shape.heads - first);
  Float8 terms[kLanes] = {};
  for (int h = 0; h < count; ++h) terms[h] = head_terms<kIsOneVector>(shape, first + h, row, vector);
  const Float8 start = bias == nullptr ? Float8{} : simd::load(bias + first, count);
  simd::store(out + first, start + simd::lane_sums(terms), count);
}

/// As `dot_row` for `count` rows from `begin` on.
void dot_rows(const HeadShape& shape, Index begin, Index count, const float* x, const HeadVector& side, Variable out) {
  const float* bias = side.bias.is_set() ? side.bias.value().data() : nullptr;
  const float* vector = side.vector.value().data();
  float* to = out.value().data();
  const Index columns = shape.heads * shape.width;
  const auto dot = shape.width == kLanes ? dot_row<true> : dot_row<false>;
  for (Index n = begin; n < begin + count; ++n) dot(shape, x + n * columns, vector, bias, to + n * shape.heads);
}

/// One of the two vectors in the backward pass. `sums` and `bias_sums` accumulate its gradients over some rows,
/// starting from zeros.
struct Side {
  const float* vector;
  const float* upstream;  // [N, H]
  float* sums;
  float* bias_sums;
};

/// Adds the gradients for the lanes from `d` on of head h, from rows `begin` to `end`. Forward was
/// y[n, h] += x[n, h] . a[h], so dx[n, h] += dy[n, h] * a[h], da[h] += dy[n, h] * x[n, h], and the bias gradient +=
/// dy[n, h].
void add_gradients(const HeadShape& shape, Index begin, Index end, Index h, Index d, const float* x, const Side& source,
                   const Side& destination, float* x_gradient, bool is_replaced) {
  const Index columns = shape.heads * shape.width, first = h * shape.width + d;
  const int lanes = shape.lanes(d);
  const Float8 a = load(source.vector + first, lanes), b = load(destination.vector + first, lanes);
  Float8 a_sum = load(source.sums + first, lanes), b_sum = load(destination.sums + first, lanes);
  float a_bias = source.bias_sums[h], b_bias = destination.bias_sums[h];
  for (Index n = begin; n < end; ++n) {
    const float s = source.upstream[n * shape.heads + h], t = destination.upstream[n * shape.heads + h];
    const Float8 in = load(x + n * columns + first, lanes);
    a_sum += s * in;
    b_sum += t * in;
    a_bias += s;
    b_bias += t;
    if (x_gradient == nullptr) continue;
    float* to = x_gradient + n * columns + first;
    const Float8 passed = s * a + t * b;
    store(to, is_replaced ? passed : load(to, lanes) + passed, lanes);
  }
  store(source.sums + first, a_sum, lanes);
  store(destination.sums + first, b_sum, lanes);
  if (d > 0) return;  // once per head
  source.bias_sums[h] = a_bias;
  destination.bias_sums[h] = b_bias;
}

void backward(Variable x, const HeadVector& source, const HeadVector& destination, const HeadDots& y, Index heads) {
  const HeadShape shape{heads, x.cols() / heads};
  const Index rows = x.rows(), columns = x.cols(), side = columns + heads;
  GradientTarget target = x.needs_gradient() ? x.gradient_target() : GradientTarget{{nullptr, 0, 0}, true};
  const float* in = x.value().data();
  float* to = x.needs_gradient() ? target.gradient.data() : nullptr;
  const std::pair upstream{y.source.gradient().data(), y.destination.gradient().data()};
  const std::pair vectors{source.vector.value().data(), destination.vector.value().data()};
  const Index grain = std::max(4 * kBlockRows, (rows + kMaxSums - 1) / kMaxSums);
  const Index chunks = (rows + grain - 1) / grain;
  MatrixMap partials = x.tape().scratch(chunks, 2 * side);
  const auto chunk_rows = static_cast<std::size_t>(grain);
  parallel_for(static_cast<std::size_t>(rows), chunk_rows, [&](std::size_t from, std::size_t until) {
    const auto last = static_cast<Index>(until);
    float* partial = partials.row(static_cast<Index>(from) / grain).data();
    std::fill_n(partial, 2 * side, 0.0F);
    const Side s{vectors.first, upstream.first, partial, partial + columns};
    const Side t{vectors.second, upstream.second, partial + side, partial + side + columns};
    for (auto begin = static_cast<Index>(from); begin < last; begin += kBlockRows)
      for (Index h = 0; h < heads; ++h)
        for (Index d = 0; d < shape.width; d += kLanes)
          add_gradients(shape, begin, std::min(begin + kBlockRows, last), h, d, in, s, t, to, target.is_empty);
  });
  const auto add = [&](Variable parameter, Index first) {
    if (!parameter.is_set() || !parameter.needs_gradient()) return;
    MatrixMap gradient = parameter.gradient();
    for (Index chunk = 0; chunk < chunks; ++chunk) gradient += partials.block(chunk, first, 1, gradient.cols());
  };
  add(source.vector, 0);
  add(source.bias, columns);
  add(destination.vector, side);
  add(destination.bias, side + columns);
}

}  // namespace

HeadDots head_dots(Variable x, const HeadVector& source, const HeadVector& destination, int heads) {
  check_heads("head_dots", heads, x.cols());
  Tape& tape = x.tape();
  bool needs_gradient = x.needs_gradient();
  for (const HeadVector* side : {&source, &destination}) {
    check_shape("head_dots", "vector", shape_of(side->vector), {1, x.cols()});
    if (side->bias.is_set()) check_shape("head_dots", "bias", shape_of(side->bias), {1, heads});
    needs_gradient =
        needs_gradient || side->vector.needs_gradient() || (side->bias.is_set() && side->bias.needs_gradient());
  }
  const HeadDots y{tape.make(x.rows(), heads, needs_gradient), tape.make(x.rows(), heads, needs_gradient)};
  const HeadShape shape{heads, x.cols() / heads};
  const float* in = x.value().data();
  detail::for_each_rows(x.rows(), x.cols(), [&](Index begin, Index count) {
    for (Index n = begin; n < begin + count; n += kBlockRows) {
      const Index rows = std::min(kBlockRows, begin + count - n);
      dot_rows(shape, n, rows, in, source, y.source);
      dot_rows(shape, n, rows, in, destination, y.destination);
    }
  });
  tape.on_backward(std::array{y.source, y.destination},
                   [x, source, destination, y, heads] { backward(x, source, destination, y, heads); });
  return y;
}

}  // namespace edgewise::autograd
