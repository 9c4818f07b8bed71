#pragma once

#include <vector>

#include "edgewise/attention/score_implementations.hpp"
#include "edgewise/attention/score_traits.hpp"

/// @file
/// A score with its implementations, for code that compares these.
namespace edgewise::attention {

/// `score_entry(Score)` returns those of the library; custom_score.hpp makes one from any score policy.
struct ScoreEntry : ScoreTraits {
  std::vector<ScoreImplementations> with;  ///< Indexed by Normaliser.
};

const ScoreEntry& score_entry(Score score);

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
