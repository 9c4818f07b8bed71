#include "edgewise/attention/score_entry.hpp"

#include <array>

#include "edgewise/attention/fused/kernels.hpp"
#include "edgewise/attention/normalisers/all.hpp"
#include "edgewise/attention/reference/opponents.hpp"
#include "edgewise/attention/scores/all.hpp"

namespace edgewise::attention {
namespace {

template <class ScorePolicy, class NormaliserPolicy>
ScoreImplementations implementations() {
  constexpr Score kScore = ScorePolicy::kScore;
  constexpr Normaliser kNormaliser = NormaliserPolicy::kNormaliser;
  return {&kernels(kScore, kNormaliser),
          reference::gather_scatter(kScore, kNormaliser),
          reference::dense_masked(kScore, kNormaliser),
          reference::dense_tiled(kScore, kNormaliser)};
}

template <class ScorePolicy, class... NormaliserPolicies>
ScoreEntry entry(PolicyList<NormaliserPolicies...>) {
  return {score_traits<ScorePolicy>(), {implementations<ScorePolicy, NormaliserPolicies>()...}};
}

template <class... ScorePolicies>
const ScoreEntry& find(Score score, PolicyList<ScorePolicies...>) {
  static const std::array entries{entry<ScorePolicies>(Normalisers())...};
  return entries[static_cast<std::size_t>(score)];
}

}  // namespace

const ScoreEntry& score_entry(Score score) { return find(score, Scores()); }

}  // namespace edgewise::attention
