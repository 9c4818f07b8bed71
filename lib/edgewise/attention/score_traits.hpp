#pragma once

#include <string_view>

#include "edgewise/attention/options.hpp"

namespace edgewise::attention {

/// What is known about a score at run time: its name and the shapes of its tables.
struct ScoreTraits {
  std::string_view name;
  bool has_vector;    ///< Whether it takes an attention vector, [1, heads * width].
  bool is_per_head;   ///< Whether queries and keys are [nodes, heads] rather than [nodes, heads * width].
  bool value_is_key;  ///< Whether it takes no value because the key is also the value, when implementations compare.
  bool takes_scale;   ///< Whether ScoreOptions::scale changes anything.

  /// Columns of queries and keys.
  int columns(int heads, int width) const { return is_per_head ? heads : heads * width; }
};

/// Those of a score of the library.
const ScoreTraits& score_traits(Score score);

template <class ScorePolicy>
ScoreTraits score_traits() {
  constexpr int kSomeWidth = 4;
  const auto scale = [](bool is_on) { return ScorePolicy(ScoreOptions{.scale = is_on}, kSomeWidth).scale; };
  return {ScorePolicy::kName, ScorePolicy::kHasVector, ScorePolicy::kIsPerHead, ScorePolicy::kValueIsKey,
          scale(true) != scale(false)};
}

}  // namespace edgewise::attention
