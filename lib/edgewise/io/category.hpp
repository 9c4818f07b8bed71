#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "edgewise/core/error.hpp"

namespace edgewise::io {

/// The truth value that a text spells: true, false, yes, no, t, f, y or n in any case, or a number that is 1 or 0.
std::optional<bool> parse_truth(std::string_view text);

/// "true" or "false" for an attribute that a graph file declares boolean: either of these words in any case, or 1 or 0.
/// Throws DataError at `where` for anything else.
std::string_view require_boolean(std::string_view text, const TextLocation& where, std::string_view attribute);

/// Whether these are spellings of truth values: words, along with numbers or not, or just "0" and "1". T and F are not
/// mixed with Y and N.
bool are_truths(std::span<const std::string> categories);

/// Finds texts among the categories of a column, which must outlive this. A text that is not one of them may still
/// spell one in another way:
/// - a truth value, if the categories are truth values: "TRUE" and "1" for "True";
/// - a number: "10.0", "1e1" and "+10" for "10". Leading zeros belong to codes: "010" is none of these.
class CategoryMatch {
 public:
  explicit CategoryMatch(std::span<const std::string> categories);

  /// The index of the category; the first one if it is spelt in several ways. Nothing if it is none of them.
  std::optional<std::size_t> find(std::string_view text) const;

 private:
  std::unordered_map<std::string_view, std::size_t> by_text_;
  std::unordered_map<double, std::size_t> by_number_;
  std::unordered_map<bool, std::size_t> by_truth_;  // empty unless the categories are truth values
};

/// The values of a column in new data that are none of a model's categories.
class UnseenValues {
 public:
  void add(std::string_view text);
  std::size_t count() const { return count_; }
  /// Throws DataError at `where` if no row has a known value and several have others: the values are spelt or coded in
  /// another way, or the column is another one. One row alone may well be the first of its kind.
  void check(std::size_t known_rows, std::span<const std::string> categories, const std::string& column,
             const TextLocation& where) const;

 private:
  std::size_t count_ = 0;
  std::vector<std::string> examples_;
};

}  // namespace edgewise::io
