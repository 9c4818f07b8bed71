#include "edgewise/data/byte_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::data {
namespace {

using Merge = BytePairs::Merge;

std::vector<std::string> characters_of_word(std::string_view word) {
  std::vector<std::string> pieces;
  for (const std::string_view character : characters_of(word)) pieces.emplace_back(character);
  if (!pieces.empty()) pieces.back() += kWordEnd;
  return pieces;
}

void merge(const Merge& pair, std::vector<std::string>& pieces) {
  std::vector<std::string> merged;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool is_pair = i + 1 < pieces.size() && pieces[i] == pair.first && pieces[i + 1] == pair.second;
    merged.push_back(is_pair ? pieces[i] + pieces[i + 1] : std::move(pieces[i]));
    if (is_pair) ++i;
  }
  pieces = std::move(merged);
}

/// The words of the texts in pieces, and how often each pair of neighbouring pieces is there.
class PairCounts {
 public:
  explicit PairCounts(std::span<const std::string> texts) {
    std::map<std::string_view, std::size_t> counts;
    for (const std::string& text : texts)
      for (const std::string_view word : words_of(text)) ++counts[word];
    for (const auto& [word, count] : counts) words_.push_back({characters_of_word(word), count});
    for (std::size_t word = 0; word < words_.size(); ++word) count(word, 1);
  }

  /// The most frequent pair, with its count; a count of 0 if there is none.
  std::pair<Merge, std::size_t> most() const {
    std::pair<Merge, std::size_t> best{{}, 0};
    for (const auto& [pair, of_pair] : pairs_)
      if (of_pair.count > best.second) best = {pair, of_pair.count};
    return best;
  }

  void apply(const Merge& pair) {
    const std::set<std::size_t> words = pairs_.at(pair).words;
    for (const std::size_t word : words) {
      count(word, -1);
      merge(pair, words_[word].pieces);
      count(word, 1);
    }
  }

 private:
  struct Word {
    std::vector<std::string> pieces;
    std::size_t count;
  };
  struct OfPair {
    std::size_t count = 0;
    std::set<std::size_t> words;
  };

  /// Adds the pairs of a word, or with `sign` -1 removes them.
  void count(std::size_t word, int sign) {
    const std::vector<std::string>& pieces = words_[word].pieces;
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
      const Merge pair{pieces[i], pieces[i + 1]};
      OfPair& of_pair = pairs_[pair];
      of_pair.count += sign > 0 ? words_[word].count : -words_[word].count;
      if (sign > 0) of_pair.words.insert(word);
      if (sign < 0) of_pair.words.erase(word);
      if (of_pair.count == 0) pairs_.erase(pair);
    }
  }

  std::vector<Word> words_;
  std::map<Merge, OfPair> pairs_;
};

[[noreturn]] void refuse_version(const io::TextReader& reader, const std::string& path, std::string_view line) {
  throw DataError({.file = path, .line = reader.line_number()},
                  fmt::format("expected merges of \"#version: 0.2\", got \"{}\"; learn them again with a current "
                              "subword-nmt: subword-nmt learn-bpe -s 8000 < TEXT > MERGES",
                              line));
}

/// Whether this is the version, which a file may begin with. Throws DataError for other versions than 0.2.
bool reads_version(const io::TextReader& reader, const std::string& path, std::string_view line) {
  if (reader.line_number() != 1 || !line.starts_with("#version")) return false;
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() < 2 || words[1] != "0.2") refuse_version(reader, path, line);
  return true;
}

bool ends_words(const Merge& merge) { return merge.second.ends_with(kWordEnd); }

/// Whether a piece begins with a character that stands for a blank, as those of SentencePiece (U+2581) and of merges of
/// bytes (U+0120) do.
bool marks_blanks(const Merge& merge) {
  return std::ranges::any_of(
      std::array{std::string_view(merge.first), std::string_view(merge.second)},
      [](std::string_view piece) { return piece.starts_with("\u2581") || piece.starts_with("\u0120"); });
}

bool is_counted_piece(const Merge& merge) { return io::is_number(merge.second); }

/// Throws DataError for a vocabulary, and for merges of another program, of which none would ever apply.
void check_merges(const std::string& path, std::span<const Merge> merges) {
  const char* what = nullptr;
  if (std::ranges::none_of(merges, ends_words) && std::ranges::any_of(merges, marks_blanks))
    what = "these are pieces of SentencePiece or of bytes (as GPT-2 has them)";
  else if (merges.size() > 1 && std::ranges::all_of(merges, is_counted_piece) &&
           !std::ranges::all_of(merges, io::is_number, &Merge::first))
    what = "this is a vocabulary, with a number beside each piece";
  if (what == nullptr) return;
  throw DataError(
      fmt::format("{}: expected merges of subword-nmt, {}; make them: subword-nmt learn-bpe -s 8000 < TEXT > "
                  "MERGES, or have them learnt ({})",
                  path, what, setting("data.pieces")));
}

/// Throws DataError for the tokenizer.json of Hugging Face, which holds merges among other things.
void refuse_tokenizer(const std::string& path, std::string_view first_line) {
  if (first_line != "{" && !first_line.starts_with("{\"")) return;
  throw DataError(
      fmt::format("{}: expected merges of subword-nmt, this is JSON, as a tokenizer of Hugging Face is; make "
                  "merges: subword-nmt learn-bpe -s 8000 < TEXT > MERGES, or have them learnt ({})",
                  path, setting("data.pieces")));
}

}  // namespace

BytePairs::BytePairs(std::vector<Merge> merges) : merges_(std::move(merges)) {
  for (std::size_t rank = 0; rank < merges_.size(); ++rank) ranks_.emplace(merges_[rank], rank);
}

BytePairs BytePairs::learn(std::span<const std::string> texts, std::size_t count) {
  PairCounts counts(texts);
  std::vector<Merge> merges;
  while (merges.size() < count) {
    const auto [pair, times] = counts.most();
    if (times < 2) break;
    counts.apply(pair);
    merges.push_back(pair);
  }
  return BytePairs(std::move(merges));
}

BytePairs BytePairs::read(const std::string& path) {
  io::TextReader reader(path);
  std::vector<Merge> merges;
  std::string_view line;
  bool has_version = false;
  while (reader.next(line)) {
    if (reader.line_number() == 1) refuse_tokenizer(path, line);
    if (reads_version(reader, path, line)) {
      has_version = true;
      continue;
    }
    const std::vector<std::string_view> pieces = words_of(line);
    if (pieces.size() != 2)
      throw DataError({.file = path, .line = reader.line_number()},
                      fmt::format("expected the two pieces of a merge, got {}", counted(pieces.size(), "piece")));
    // Version 0.1 has no such line, and the end of a word as a piece of its own.
    if (!has_version && pieces[1] == kWordEnd) refuse_version(reader, path, line);
    merges.emplace_back(pieces[0], pieces[1]);
  }
  check_merges(path, merges);
  return BytePairs(std::move(merges));
}

std::vector<std::string> BytePairs::split(std::string_view word) const {
  std::vector<std::string> pieces = characters_of_word(word);
  while (pieces.size() > 1) {
    auto best = ranks_.end();
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
      const auto found = ranks_.find({pieces[i], pieces[i + 1]});
      if (found != ranks_.end() && (best == ranks_.end() || found->second < best->second)) best = found;
    }
    if (best == ranks_.end()) break;
    merge(best->first, pieces);
  }
  return pieces;
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    characters.push_back(text.substr(0, std::max<std::size_t>(1, utf8_length(text))));
    text.remove_prefix(characters.back().size());
  }
  return characters;
}

}  // namespace edgewise::data
