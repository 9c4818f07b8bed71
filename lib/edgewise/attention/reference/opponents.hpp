#pragma once

#include <array>

#include "edgewise/attention/normalisers/all.hpp"
#include "edgewise/attention/score_implementations.hpp"
#include "edgewise/attention/scores/all.hpp"

/// @file
/// The opponents (baselines) of the fused kernels, over the same scores and normalisers. Each is instantiated for all
/// combinations in one source.
namespace edgewise::attention::reference {

using Make = ScoreImplementations::Make;

Make gather_scatter(Score score, Normaliser normaliser);
Make dense_masked(Score score, Normaliser normaliser);
Make dense_tiled(Score score, Normaliser normaliser);

template <class Opponent>
std::unique_ptr<Implementation> make(const graph::FrozenGraph& mask, const AttentionInputs& inputs, Purpose purpose) {
  return std::make_unique<Opponent>(mask, inputs, purpose);
}

template <template <class, class> class Opponent, class ScorePolicy, class... NormaliserPolicies>
constexpr std::array<Make, sizeof...(NormaliserPolicies)> make_with_each(PolicyList<NormaliserPolicies...>) {
  return {&make<Opponent<ScorePolicy, NormaliserPolicies>>...};
}

/// The functions that make `Opponent` for each score (row) and normaliser (column).
template <template <class, class> class Opponent, class... ScorePolicies>
constexpr auto make_table(PolicyList<ScorePolicies...>) {
  return std::array{make_with_each<Opponent, ScorePolicies>(Normalisers())...};
}

template <template <class, class> class Opponent>
Make find(Score score, Normaliser normaliser) {
  static constexpr auto kTable = make_table<Opponent>(Scores());
  return kTable[static_cast<std::size_t>(score)][static_cast<std::size_t>(normaliser)];
}

}  // namespace edgewise::attention::reference
