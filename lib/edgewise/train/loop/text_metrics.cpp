#include "edgewise/train/loop/text_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <utility>

#include "edgewise/core/check.hpp"
#include "edgewise/core/text.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kLongestNgram = 4;

using Counts = std::map<std::vector<std::string>, std::int64_t>;

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_mark(char c) { return c == '.' || c == ','; }

/// Symbols that are words of their own.
bool is_symbol(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
         (c >= ':' && c <= '@') || c == '/';
}

/// Puts a blank after `before` characters of each two neighbouring characters for which `is_pair`, and `after` behind
/// them, from left to right, as a regular expression replaces them.
template <class IsPair>
std::string apart(std::string_view text, const IsPair& is_pair, const char* before, const char* after) {
  std::string result;
  std::size_t i = 0;
  for (; i + 1 < text.size(); ++i) {
    if (!is_pair(text[i], text[i + 1])) {
      result += text[i];
      continue;
    }
    result.append(before).append(1, text[i]).append(" ").append(1, text[i + 1]).append(after);
    ++i;
  }
  return result.append(text.substr(std::min(i, text.size())));
}

Counts counts_of(const std::vector<std::string>& words, std::size_t order) {
  Counts counts;
  for (std::size_t i = 0; i + order <= words.size(); ++i)
    ++counts[{words.begin() + static_cast<std::ptrdiff_t>(i), words.begin() + static_cast<std::ptrdiff_t>(i + order)}];
  return counts;
}

/// What is counted over a corpus.
struct Sums {
  std::array<std::int64_t, kLongestNgram> right = {}, all = {};
  std::int64_t length = 0, reference_length = 0;

  void add(const std::vector<std::string>& words, const std::vector<std::vector<std::string>>& references) {
    length += std::ssize(words);
    const auto distance = [&](const auto& of) {
      return std::pair(std::abs(std::ssize(of) - std::ssize(words)), std::ssize(of));
    };
    reference_length += std::ssize(*std::ranges::min_element(references, {}, distance));
    for (std::size_t order = 1; order <= kLongestNgram; ++order) {
      Counts most;
      for (const auto& reference : references)
        for (const auto& [sequence, count] : counts_of(reference, order))
          most[sequence] = std::max(most[sequence], count);
      for (const auto& [sequence, count] : counts_of(words, order)) {
        const auto found = most.find(sequence);
        all[order - 1] += count;
        if (found != most.end()) right[order - 1] += std::min(count, found->second);
      }
    }
  }
};

}  // namespace

double sequence_accuracy(std::span<const std::string> texts, std::span<const References> references) {
  check_count("sequence_accuracy", "references", references.size(), texts.size());
  std::size_t right = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) right += std::ranges::count(references[i], texts[i]) > 0 ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(texts.size());
}

std::vector<std::string> bleu_tokens(std::string_view text) {
  std::string line(text);
  replace_all(line, "<skipped>", "");
  for (const auto& [what, by] : {std::pair{"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}})
    replace_all(line, what, by);
  std::string spaced = " ";
  for (const char c : line) {
    if (is_symbol(c))
      spaced.append(" ").append(1, c).append(" ");
    else
      spaced += c;
  }
  spaced += ' ';
  spaced = apart(spaced, [](char a, char b) { return !is_digit(a) && is_mark(b); }, "", " ");
  spaced = apart(spaced, [](char a, char b) { return is_mark(a) && !is_digit(b); }, " ", "");
  spaced = apart(spaced, [](char a, char b) { return is_digit(a) && b == '-'; }, "", " ");
  const std::vector<std::string_view> words = words_of(spaced);
  return {words.begin(), words.end()};
}

double bleu(std::span<const std::string> texts, std::span<const References> references) {
  check_count("bleu", "references", references.size(), texts.size());
  Sums sums;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::vector<std::vector<std::string>> split;
    for (const std::string& reference : references[i]) split.push_back(bleu_tokens(reference));
    sums.add(bleu_tokens(texts[i]), split);
  }
  if (sums.right[0] == 0) return 0;
  double logarithms = 0, smoothing = 1;
  for (std::size_t order = 0; order < kLongestNgram; ++order) {
    if (sums.all[order] == 0) return 0;
    double right = static_cast<double>(sums.right[order]);
    if (sums.right[order] == 0) right = 1 / (smoothing *= 2);
    logarithms += std::log(100 * right / static_cast<double>(sums.all[order]));
  }
  const double ratio = static_cast<double>(sums.reference_length) / static_cast<double>(sums.length);
  const double brevity = sums.length < sums.reference_length ? std::exp(1 - ratio) : 1;
  return brevity * std::exp(logarithms / kLongestNgram);
}

}  // namespace edgewise::train
