#pragma once

#include "edgewise/attention/fused/instantiate.hpp"
#include "edgewise/attention/fused/library_flags.hpp"
#include "edgewise/attention/reference/dense_masked.hpp"
#include "edgewise/attention/reference/dense_tiled.hpp"
#include "edgewise/attention/reference/gather_scatter.hpp"
#include "edgewise/attention/reference/opponents.hpp"
#include "edgewise/attention/score_entry.hpp"

/// @file
/// Custom scores: everything that computes one is compiled where `score_entry<Policy>()` is called, with the flags of
/// the library (the CMake target edgewise_flags), and linked to its opponents (edgewise_opponents); with another -march
/// the program does not link.
namespace edgewise::attention {

namespace detail {

template <class ScorePolicy, class NormaliserPolicy>
ScoreImplementations implementations_with(const std::vector<Kernels>& kernels) {
  using namespace reference;
  return {&kernels[static_cast<std::size_t>(NormaliserPolicy::kNormaliser)],
          &make<GatherScatter<ScorePolicy, NormaliserPolicy>>,
          &make<DenseMasked<ScorePolicy, NormaliserPolicy>>,
          &make<DenseTiled<ScorePolicy, NormaliserPolicy>>};
}

template <class ScorePolicy, class... NormaliserPolicies>
ScoreEntry entry_with_each(const std::vector<Kernels>& kernels, PolicyList<NormaliserPolicies...>) {
  return {score_traits<ScorePolicy>(), {implementations_with<ScorePolicy, NormaliserPolicies>(kernels)...}};
}

}  // namespace detail

/// What `Attention` and the benchmark need to know about a score policy; scores/column_score.hpp says what a policy is.
template <class ScorePolicy>
const ScoreEntry& score_entry() {
  fused::require_flags_of_library<fused::kRegisterBits>();
  static const std::vector<Kernels> kernels = fused::drivers<ScorePolicy>();
  static const ScoreEntry entry = detail::entry_with_each<ScorePolicy>(kernels, Normalisers());
  return entry;
}

}  // namespace edgewise::attention
