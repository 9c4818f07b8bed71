#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace edgewise::data {

/// What the last piece of a word ends with.
inline constexpr std::string_view kWordEnd = "</w>";

/// Byte-pair encoding (Sennrich et al. 2016): a word starts as its characters, and pairs of neighbouring pieces are
/// merged, those that were merged first in learning before others.
class BytePairs {
 public:
  using Merge = std::pair<std::string, std::string>;

  BytePairs() = default;
  explicit BytePairs(std::vector<Merge> merges);

  /// Merges the most frequent pair of the words of `texts`, up to `count` times; of equally frequent ones the first by
  /// its bytes. Stops when no pair is there twice.
  static BytePairs learn(std::span<const std::string> texts, std::size_t count);

  /// A file of subword-nmt: a line `#version: 0.2`, then the two pieces of a merge a line. Throws DataError naming the
  /// line, for merges of version 0.1, which split words otherwise, and for vocabularies and merges of other programs
  /// (SentencePiece, bytes), which would never apply.
  static BytePairs read(const std::string& path);

  /// The pieces of one word.
  std::vector<std::string> split(std::string_view word) const;
  const std::vector<Merge>& merges() const { return merges_; }

 private:
  std::vector<Merge> merges_;
  std::map<Merge, std::size_t> ranks_;
};

/// The characters of a text (UTF-8).
std::vector<std::string_view> characters_of(std::string_view text);

}  // namespace edgewise::data
