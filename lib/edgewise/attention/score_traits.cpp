#include "edgewise/attention/score_traits.hpp"

#include <array>

#include "edgewise/attention/scores/all.hpp"

namespace edgewise::attention {
namespace {

template <class... ScorePolicies>
const ScoreTraits& find(Score score, PolicyList<ScorePolicies...>) {
  static const std::array traits{score_traits<ScorePolicies>()...};
  return traits[static_cast<std::size_t>(score)];
}

}  // namespace

const ScoreTraits& score_traits(Score score) { return find(score, Scores()); }

}  // namespace edgewise::attention
