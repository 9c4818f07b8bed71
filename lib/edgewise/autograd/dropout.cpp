#include "edgewise/autograd/dropout.hpp"

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/detail/dropout_mask.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/core/detail/simd.hpp"

namespace edgewise::autograd {

using detail::for_each_block;
using detail::for_each_rows;
using Eigen::Index;

namespace {

/// What happens to the values already in `out`.
enum class Present { replaced, added_to };

/// out[i] = or += in[i] * factor or 0, for the `count` elements from `begin` on. The counter has 32 bits: every 2^32
/// elements use another key, and blocks never straddle such a boundary.
template <Present kPresent>
void drop_block(std::uint64_t key, std::uint32_t threshold, float factor, Index begin, Index count, const float* in,
                float* out) {
  const std::uint64_t block_key = edgewise::detail::mask_key(key, static_cast<std::uint64_t>(begin));
  const auto first = static_cast<std::uint32_t>(begin);
  const auto size = static_cast<std::uint32_t>(count);
  std::uint32_t i = 0;
  for (; i + simd::kNativeLanes <= size; i += simd::kNativeLanes) {
    const simd::Native scaled = simd::load_as<simd::Native>(in + i) * factor;
    simd::Native kept = random_bits(block_key, simd::count_from(first + i)) >= threshold ? scaled : simd::Native{};
    if constexpr (kPresent == Present::added_to) kept += simd::load_as<simd::Native>(out + i);
    simd::store_as(out + i, kept);
  }
  for (; i < size; ++i) {
    const float kept = random_bits(block_key, first + i) >= threshold ? in[i] * factor : 0.0F;
    out[i] = kPresent == Present::added_to ? out[i] + kept : kept;
  }
}

}  // namespace

Variable dropout(Variable x, float probability, std::uint64_t key) {
  check_probability("dropout", probability);
  if (probability == 0) return x;
  const std::uint32_t threshold = dropout_threshold(probability);
  const float factor = 1.0F / (1.0F - probability);
  Variable y = x.tape().make(x.rows(), x.cols(), x.needs_gradient());
  for_each_block(y.value().size(), [&](Index begin, Index count) {
    drop_block<Present::replaced>(key, threshold, factor, begin, count, x.value().data() + begin,
                                  y.value().data() + begin);
  });
  x.tape().on_backward(y, [x, y, threshold, factor, key] {
    GradientTarget target = x.gradient_target();
    for_each_block(y.value().size(), [&](Index begin, Index count) {
      const float* upstream = y.gradient().data() + begin;
      float* gradient = target.gradient.data() + begin;
      if (target.is_empty)
        drop_block<Present::replaced>(key, threshold, factor, begin, count, upstream, gradient);
      else
        drop_block<Present::added_to>(key, threshold, factor, begin, count, upstream, gradient);
    });
  });
  return y;
}

Variable drop_rows(Variable x, float probability, std::uint64_t key) {
  check_probability("drop_rows", probability);
  if (probability == 0) return x;
  const std::uint32_t threshold = dropout_threshold(probability);
  const auto factor_of = [=](Index row) {
    return random_bits(key, static_cast<std::uint32_t>(row)) >= threshold ? 1.0F / (1.0F - probability) : 0.0F;
  };
  Variable y = x.tape().make(x.rows(), x.cols(), x.needs_gradient());
  for_each_rows(x.rows(), x.cols(), [&](Index begin, Index count) {
    for (Index i = begin; i < begin + count; ++i) y.value().row(i) = factor_of(i) * x.value().row(i);
  });
  x.tape().on_backward(y, [x, y, factor_of] {
    MatrixMap gradient = x.gradient();
    for_each_rows(x.rows(), x.cols(), [&](Index begin, Index count) {
      for (Index i = begin; i < begin + count; ++i) gradient.row(i) += factor_of(i) * y.gradient().row(i);
    });
  });
  return y;
}

}  // namespace edgewise::autograd
