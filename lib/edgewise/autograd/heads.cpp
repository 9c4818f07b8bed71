#include "edgewise/autograd/heads.hpp"

#include <algorithm>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/detail/simd.hpp"

namespace edgewise::autograd {

using detail::for_each_rows;
using Eigen::Index;

namespace {

/// to[d] = the mean over the heads h of from[h * width + d].
void mean_of_row(const float* from, int heads, Index width, float* to) {
  const float share = 1.0F / static_cast<float>(heads);
  for (Index d = 0; d < width; d += simd::kNativeLanes) {
    const int lanes = static_cast<int>(std::min<Index>(simd::kNativeLanes, width - d));
    simd::Native sum = simd::load_first(from + d, lanes);
    for (Index h = 1; h < heads; ++h) sum += simd::load_first(from + h * width + d, lanes);
    simd::store_first(to + d, share * sum, lanes);
  }
}

/// to[h * width + d] += upstream[d] / heads, or = if `is_replaced`.
void add_mean_gradient(const float* upstream, int heads, Index width, bool is_replaced, float* to) {
  const float share = 1.0F / static_cast<float>(heads);
  for (Index d = 0; d < width; d += simd::kNativeLanes) {
    const int lanes = static_cast<int>(std::min<Index>(simd::kNativeLanes, width - d));
    const simd::Native passed = share * simd::load_first(upstream + d, lanes);
    for (float* at = to + d; at < to + heads * width; at += width)
      simd::store_first(at, is_replaced ? passed : simd::load_first(at, lanes) + passed, lanes);
  }
}

}  // namespace

Variable mean_over_heads(Variable x, int heads) {
  check_heads("mean_over_heads", heads, x.cols());
  if (heads == 1) return x;
  const Index width = x.cols() / heads;
  Variable y = x.tape().make(x.rows(), width, x.needs_gradient());
  for_each_rows(x.rows(), x.cols(), [&](Index begin, Index count) {
    for (Index n = begin; n < begin + count; ++n)
      mean_of_row(x.value().row(n).data(), heads, width, y.value().row(n).data());
  });
  x.tape().on_backward(y, [x, y, heads, width] {
    const MatrixMap upstream = y.gradient();
    GradientTarget target = x.gradient_target();
    for_each_rows(x.rows(), x.cols(), [&](Index begin, Index count) {
      for (Index n = begin; n < begin + count; ++n)
        add_mean_gradient(upstream.row(n).data(), heads, width, target.is_empty, target.gradient.row(n).data());
    });
  });
  return y;
}

}  // namespace edgewise::autograd
