#include "edgewise/io/category.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "edgewise/io/csv.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

constexpr std::array<std::pair<std::string_view, bool>, 8> kTruths = {{{"true", true},
                                                                       {"false", false},
                                                                       {"yes", true},
                                                                       {"no", false},
                                                                       {"t", true},
                                                                       {"f", false},
                                                                       {"y", true},
                                                                       {"n", false}}};

std::optional<bool> truth_of_word(std::string_view text) {
  for (const auto& [word, truth] : kTruths)
    if (equals_ignoring_case(text, word)) return truth;
  return std::nullopt;
}

/// Nothing for a code such as "007".
std::optional<double> number_of(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+') || digits.starts_with('-')) digits.remove_prefix(1);
  const bool has_leading_zero = digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9';
  double number = 0;
  if (has_leading_zero || parse_number(text, number) != NumberFault::none) return std::nullopt;
  return number;
}

bool is_letter_of(std::string_view text, std::string_view letters) {
  return text.size() == 1 && letters.find(text[0]) != std::string_view::npos;
}

}  // namespace

std::optional<bool> parse_truth(std::string_view text) {
  if (const std::optional<bool> truth = truth_of_word(text)) return truth;
  const std::optional<double> number = number_of(text);
  return number == 0 || number == 1 ? std::optional(*number == 1) : std::nullopt;
}

std::string_view require_boolean(std::string_view text, const TextLocation& where, std::string_view attribute) {
  for (const std::string_view word : {"true", "false"})
    if (equals_ignoring_case(text, word)) return word;
  const std::optional<bool> truth = is_number(text) ? parse_truth(text) : std::nullopt;
  if (truth) return *truth ? "true" : "false";
  throw DataError(where, fmt::format("attribute {}: expected a boolean, true or false, got {}", quote(attribute),
                                     quote(text)));
}

bool are_truths(std::span<const std::string> categories) {
  const auto any = [&](auto&& is) { return std::ranges::any_of(categories, is); };
  if (any([](const std::string& text) { return !parse_truth(text); })) return false;
  const bool has_words = any([](const std::string& text) { return truth_of_word(text).has_value(); });
  const bool has_t = any([](const std::string& text) { return is_letter_of(text, "tTfF"); });
  const bool has_y = any([](const std::string& text) { return is_letter_of(text, "yYnN"); });
  return !(has_t && has_y) && (has_words || categories.size() == 2);
}

CategoryMatch::CategoryMatch(std::span<const std::string> categories) {
  const bool has_truths = are_truths(categories);
  for (std::size_t i = 0; i < categories.size(); ++i) {
    by_text_.emplace(categories[i], i);
    if (const std::optional<double> number = number_of(categories[i])) by_number_.emplace(*number, i);
    if (has_truths) by_truth_.emplace(*parse_truth(categories[i]), i);
  }
}

std::optional<std::size_t> CategoryMatch::find(std::string_view text) const {
  const auto place_in = [](const auto& places, const auto& key) {
    const auto found = places.find(key);
    return found == places.end() ? std::nullopt : std::optional(found->second);
  };
  if (const auto exact = place_in(by_text_, text)) return exact;
  if (const std::optional<double> number = number_of(text))
    if (const auto same = place_in(by_number_, *number)) return same;
  const std::optional<bool> truth = by_truth_.empty() ? std::nullopt : parse_truth(text);
  return truth ? place_in(by_truth_, *truth) : std::nullopt;
}

void UnseenValues::add(std::string_view text) {
  constexpr std::size_t kExamples = 3;
  ++count_;
  if (examples_.size() < kExamples && std::ranges::count(examples_, text) == 0) examples_.emplace_back(text);
}

void UnseenValues::check(std::size_t known_rows, std::span<const std::string> categories, const std::string& column,
                         const TextLocation& where) const {
  constexpr std::size_t kFewestRows = 2;
  constexpr std::size_t kExpected = 5;
  if (known_rows > 0 || count_ < kFewestRows) return;
  const auto list = [](std::span<const std::string> texts) {
    std::vector<std::string> quoted;
    for (const std::string& text : texts) quoted.push_back(quote(text));
    return fmt::format("{}", fmt::join(quoted, ", "));
  };
  throw DataError(where, fmt::format("column {}: none of its values was seen in training: found {}, expected {}{}; "
                                     "empty cells are read as not known",
                                     quote(column), list(examples_),
                                     list(categories.first(std::min(categories.size(), kExpected))),
                                     categories.size() > kExpected ? ", ..." : ""));
}

}  // namespace edgewise::io
