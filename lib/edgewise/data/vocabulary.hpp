#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/data/byte_pairs.hpp"

namespace edgewise::data {

/// What a text is cut into.
enum class Tokens { words, characters, pieces };
std::vector<std::string> tokens_names();

struct VocabularyOptions {
  Tokens tokens = Tokens::characters;
  std::size_t least_count = 1;  ///< Rarer words are unknown.
  std::size_t pieces = 4000;    ///< Merges of byte pairs to learn.
  std::string merges = {};      ///< A file of merges, in place of learning them.
};

/// The tokens that a model knows, by number. Number 0 is the mark before and after a text, 1 any unknown token; then
/// the most frequent ones first.
class Vocabulary {
 public:
  static constexpr std::int32_t kMark = 0;
  static constexpr std::int32_t kUnknown = 1;

  Vocabulary() = default;
  static Vocabulary learn(std::span<const std::string> texts, const VocabularyOptions& options);

  /// The numbers of the tokens of a text, without marks.
  std::vector<std::int32_t> encode(std::string_view text) const;
  /// The text that the tokens spell.
  std::string decode(std::span<const std::int32_t> tokens) const;
  /// The tokens themselves: those of numbers 0 and 1 are "</s>" and "<unk>".
  const std::vector<std::string>& names() const { return names_; }
  std::size_t size() const { return names_.size(); }

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json`.
  static Vocabulary from_json(const json::Value& value);

 private:
  void set_names(std::vector<std::string> names);
  std::vector<std::string> cut(std::string_view text) const;

  Tokens tokens_ = Tokens::characters;
  BytePairs byte_pairs_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t> numbers_;
};

}  // namespace edgewise::data
