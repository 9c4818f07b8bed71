#include "edgewise/nn/block_traits.hpp"

#include <algorithm>

namespace edgewise::nn {
namespace {

/// What either does; as far as `reach` says.
BlockTraits both(const BlockTraits& first, const BlockTraits& second, std::size_t reach) {
  return {.reach = first.reach && second.reach ? std::optional(reach) : std::nullopt,
          .weighs_by_degree = first.weighs_by_degree || second.weighs_by_degree,
          .uses_attention = first.uses_attention || second.uses_attention,
          .uses_edge_features = first.uses_edge_features || second.uses_edge_features,
          .has_batch_moments = first.has_batch_moments || second.has_batch_moments};
}

}  // namespace

BlockTraits in_sequence(const BlockTraits& first, const BlockTraits& second) {
  return both(first, second, first.reach.value_or(0) + second.reach.value_or(0));
}

std::optional<std::size_t> repeated(std::optional<std::size_t> reach, int times) {
  if (reach) *reach *= static_cast<std::size_t>(times);
  return reach;
}

BlockTraits in_parallel(const BlockTraits& first, const BlockTraits& second) {
  return both(first, second, std::max(first.reach.value_or(0), second.reach.value_or(0)));
}

}  // namespace edgewise::nn
