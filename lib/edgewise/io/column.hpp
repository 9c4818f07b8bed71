#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace edgewise::io {

/// The texts that mean "not known" in a table unless others are given: empty cells and
/// `?, NA, N/A, n/a, #N/A, #NA, <NA>, NaN, nan, -NaN, -nan, NULL, null, None, \N`.
const std::vector<std::string>& default_missing_texts();

/// A user's texts that mean "not known": `given`, with the default ones unless "empty" is among them, which stands for
/// empty cells. Empty cells are always missing.
std::vector<std::string> missing_texts(const std::vector<std::string>& given);

/// One attribute for all rows of a table.
struct Column {
  std::string name;
  bool is_numeric = true;
  std::vector<float> numbers;           ///< If numeric: one per row, NaN where missing.
  std::vector<std::int32_t> codes;      ///< If categorical: one per row, index into `categories`, -1 where missing.
  std::vector<std::string> categories;  ///< Sorted by value if all are numbers, else bytewise.
  std::size_t missing = 0;              ///< Rows without a value.
  std::size_t marked = 0;               ///< Those of them whose cell is not empty when the file is read.
  std::string marker = {};              ///< The first such cell, such as "NA".
  /// Of measurements, if some are bounds: one per row, 1 if the number is a lower bound of the value, -1 if it is an
  /// upper one, 0 if it is the value. See data::take_bounds.
  std::vector<std::int8_t> bounds = {};
  std::string zero_led = {};            ///< If numeric: the first whole number with a leading zero, such as "007".
  std::string rounded = {};             ///< If numeric: the first whole number with more digits than a float holds.

  std::size_t size() const { return is_numeric ? numbers.size() : codes.size(); }
  bool is_missing(std::size_t row) const;
  /// The row's value as text, "" where missing.
  std::string text(std::size_t row) const;
};

/// Columns to be read as texts even if all their values are numbers, which keeps their spelling: "007" stays itself.
/// Names that a file does not have are ignored.
struct ReadAsText {
  std::vector<std::string> names;
  bool is_all = false;  ///< All columns.

  bool contains(std::string_view column) const;
};

/// Whether the column, from first to last row, is 0, 1, 2, ... or 1, 2, 3, ..., with at least ten rows; it may begin
/// anew, as where files were joined.
bool counts_rows(const Column& column);
/// Whether the column has no name and numbers the rows, as programs write them in front of a table: in order, or as
/// whole numbers of which each is there once.
bool is_unnamed_index(const Column& column);

/// The column, or nullptr.
const Column* find_column(std::span<const Column> columns, std::string_view name);
/// Finds many columns, in constant time each. They must outlive it and stay in place.
class ColumnIndex {
 public:
  explicit ColumnIndex(std::span<const Column> columns);
  /// The column, or nullptr.
  const Column* find(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, const Column*> places_;
};

std::vector<std::string> names_of(std::span<const Column> columns);

/// Throws DataError for a column that is not one of those of `file`, which it lists.
[[noreturn]] void refuse_column(const std::vector<std::string>& known, std::string_view name, const std::string& file);

/// The column. If missing, throws DataError listing the columns of `file`.
const Column& column_at(std::span<const Column> columns, std::string_view name, const std::string& file);

}  // namespace edgewise::io
