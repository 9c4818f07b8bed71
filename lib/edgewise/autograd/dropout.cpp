#include "edgewise/autograd/dropout.hpp"

#include <cassert>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::autograd {

using detail::for_each_block;
using Eigen::Index;

namespace {

/// The counter has 32 bits; each 2^32 elements take another key. Blocks never straddle such a border.
std::uint64_t key_of_block(std::uint64_t key, Index begin) {
  return key + (static_cast<std::uint64_t>(begin) >> 32) * 0x9e3779b97f4a7c15ULL;
}

}  // namespace

Variable dropout(Variable x, float probability, std::uint64_t key) {
  assert(probability >= 0 && probability < 1);
  if (probability == 0) return x;
  const std::uint32_t threshold = dropout_threshold(probability);
  const float factor = 1.0F / (1.0F - probability);
  Variable y = x.tape().make(x.rows(), x.cols(), x.needs_gradient());
  for_each_block(y.value().size(), [&, in = x.value().data(), out = y.value().data()](Index begin, Index count) {
    const std::uint64_t block_key = key_of_block(key, begin);
    for (Index i = begin; i < begin + count; ++i) {
      const bool is_kept = random_bits(block_key, static_cast<std::uint32_t>(i)) >= threshold;
      out[i] = is_kept ? in[i] * factor : 0.0F;
    }
  });
  x.tape().on_backward(y, [x, y, threshold, factor, key] {
    float* gradient = x.gradient().data();
    const float* upstream = y.gradient().data();
    for_each_block(y.value().size(), [&](Index begin, Index count) {
      const std::uint64_t block_key = key_of_block(key, begin);
      for (Index i = begin; i < begin + count; ++i) {
        const bool is_kept = random_bits(block_key, static_cast<std::uint32_t>(i)) >= threshold;
        gradient[i] += is_kept ? upstream[i] * factor : 0.0F;
      }
    });
  });
  return y;
}

}  // namespace edgewise::autograd
