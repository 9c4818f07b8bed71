#include "edgewise/autograd/dropout.hpp"

#include <cassert>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::autograd {

using detail::for_each_block;
using Eigen::Index;

namespace {

/// `put(i, in[i] * factor or 0)` for the `count` elements from `begin` on. The counter has 32 bits: each 2^32 elements
/// take another key; blocks never straddle such a border. Written so that the compiler vectorises it.
template <class Put>
void drop_block(std::uint64_t key, std::uint32_t threshold, float factor, Index begin, Index count, const float* in,
                const Put& put) {
  const std::uint64_t block_key = key + (static_cast<std::uint64_t>(begin) >> 32) * 0x9e3779b97f4a7c15ULL;
  const auto first = static_cast<std::uint32_t>(begin);
  const auto size = static_cast<std::uint32_t>(count);
  for (std::uint32_t i = 0; i < size; ++i) {
    const float scaled = in[i] * factor;
    put(i, random_bits(block_key, first + i) >= threshold ? scaled : 0.0F);
  }
}

}  // namespace

Variable dropout(Variable x, float probability, std::uint64_t key) {
  assert(probability >= 0 && probability < 1);
  if (probability == 0) return x;
  const std::uint32_t threshold = dropout_threshold(probability);
  const float factor = 1.0F / (1.0F - probability);
  Variable y = x.tape().make(x.rows(), x.cols(), x.needs_gradient());
  for_each_block(y.value().size(), [&](Index begin, Index count) {
    float* out = y.value().data() + begin;
    drop_block(key, threshold, factor, begin, count, x.value().data() + begin, [out](std::uint32_t i, float kept) {
      out[i] = kept;
    });
  });
  x.tape().on_backward(y, [x, y, threshold, factor, key] {
    GradientRoom room = x.gradient_room();
    const float* upstream = y.gradient().data();
    for_each_block(y.value().size(), [&](Index begin, Index count) {
      float* gradient = room.gradient.data() + begin;
      const auto replace = [gradient](std::uint32_t i, float kept) { gradient[i] = kept; };
      const auto add = [gradient](std::uint32_t i, float kept) { gradient[i] += kept; };
      if (room.is_empty)
        drop_block(key, threshold, factor, begin, count, upstream + begin, replace);
      else
        drop_block(key, threshold, factor, begin, count, upstream + begin, add);
    });
  });
  return y;
}

}  // namespace edgewise::autograd
