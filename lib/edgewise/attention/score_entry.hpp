#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/attention/options.hpp"
#include "edgewise/attention/score_implementations.hpp"

/// @file
/// What is known about a score at run time: its name, the shapes of its tables, and its implementations.
namespace edgewise::attention {

/// A score, for code that compares implementations. `score_entry(Score)` returns those of the library; custom_score.hpp
/// makes one from any score policy.
struct ScoreEntry {
  std::string_view name;
  bool has_vector;    ///< Whether it takes an attention vector, [1, heads * width].
  bool is_per_head;   ///< Whether queries and keys are [nodes, heads] rather than [nodes, heads * width].
  bool value_is_key;  ///< Whether it takes no value because the key is also the value.
  bool takes_scale;   ///< Whether ScoreOptions::scale changes anything.
  std::vector<ScoreImplementations> with;  ///< Indexed by Normaliser.

  /// Columns of queries and keys.
  int columns(int heads, int width) const { return is_per_head ? heads : heads * width; }
};

const ScoreEntry& score_entry(Score score);

/// The entry of a score policy, given its implementations.
template <class ScorePolicy>
ScoreEntry make_score_entry(std::vector<ScoreImplementations> with) {
  constexpr int kSomeWidth = 4;
  const auto scale = [](bool is_on) { return ScorePolicy(ScoreOptions{.scale = is_on}, kSomeWidth).scale; };
  return {ScorePolicy::kName,       ScorePolicy::kHasVector,     ScorePolicy::kIsPerHead,
          ScorePolicy::kValueIsKey, scale(true) != scale(false), std::move(with)};
}

/// A score of the library, or a custom entry, which must outlive this object.
class AnyScore {
 public:
  AnyScore(Score score) : entry_(&score_entry(score)) {}  // NOLINT: implicit on purpose
  AnyScore(const ScoreEntry& entry) : entry_(&entry) {}   // NOLINT

  const ScoreEntry& operator*() const { return *entry_; }
  const ScoreEntry* operator->() const { return entry_; }

 private:
  const ScoreEntry* entry_;
};

}  // namespace edgewise::attention
