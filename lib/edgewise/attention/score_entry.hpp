#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/attention/options.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// What is known of a score at run time: its name, the shapes of its tables, and all that computes it.
namespace edgewise::attention {

class Implementation;
struct AttentionInputs;
struct Kernels;

enum class Purpose { inference, training };

/// What computes a score with one of the normalisers.
struct ScoreImplementations {
  using Make = std::unique_ptr<Implementation> (*)(const graph::FrozenGraph& mask, const AttentionInputs& inputs,
                                                   Purpose purpose);

  std::array<const Kernels*, 2> fused;  ///< By Precision.
  Make gather_scatter;
  Make dense_masked;
  Make dense_tiled;
};

/// A score for those who compare: `score_entry(Score)` has those of the library, custom_score.hpp makes one of any
/// score policy.
struct ScoreEntry {
  std::string_view name;
  bool has_vector;    ///< Whether it takes an attention vector, [1, heads * width].
  bool is_per_head;   ///< Whether queries and keys are [nodes, heads] rather than [nodes, heads * width].
  bool value_is_key;  ///< Whether it takes no value, as its key is also that.
  bool takes_scale;   ///< Whether ScoreOptions::scale changes anything.
  std::vector<ScoreImplementations> with;  ///< By Normaliser.

  /// Columns of queries and keys.
  int columns(int heads, int width) const { return is_per_head ? heads : heads * width; }
};

const ScoreEntry& score_entry(Score score);

/// The entry of a score policy, given what computes it.
template <class ScorePolicy>
ScoreEntry make_score_entry(std::vector<ScoreImplementations> with) {
  constexpr int kSomeWidth = 4;
  const auto scale = [](bool is_on) { return ScorePolicy(ScoreOptions{.scale = is_on}, kSomeWidth).scale; };
  return {ScorePolicy::kName,       ScorePolicy::kHasVector,     ScorePolicy::kIsPerHead,
          ScorePolicy::kValueIsKey, scale(true) != scale(false), std::move(with)};
}

/// A score of the library or an entry of one's own, which must outlive it.
class AnyScore {
 public:
  AnyScore(Score score) : entry_(&score_entry(score)) {}  // NOLINT: meant to convert
  AnyScore(const ScoreEntry& entry) : entry_(&entry) {}   // NOLINT

  const ScoreEntry& operator*() const { return *entry_; }
  const ScoreEntry* operator->() const { return entry_; }

 private:
  const ScoreEntry* entry_;
};

}  // namespace edgewise::attention
