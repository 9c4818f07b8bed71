#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace edgewise::io {

/// One attribute of all rows of a table.
struct Column {
  std::string name;
  bool is_numeric = true;
  std::vector<float> numbers;           ///< When numeric: one a row, NaN where missing.
  std::vector<std::int32_t> codes;      ///< When categorical: one a row, index into `categories`, -1 where missing.
  std::vector<std::string> categories;  ///< By value when all are numbers, else by their bytes; whatever the row order.
  std::size_t missing = 0;              ///< Rows without a value.

  std::size_t size() const { return is_numeric ? numbers.size() : codes.size(); }
  bool is_missing(std::size_t row) const;
  /// The text of the row, "" where missing.
  std::string text(std::size_t row) const;
};

/// Whether the numbers of a column are 0, 1, 2, ... or 1, 2, 3, ... from its first row to its last, of ten or more.
bool counts_rows(const Column& column);

/// A categorical column of these texts; an empty one is missing.
Column categorical_column(std::string name, std::span<const std::string> texts);

/// The column, or nullptr.
const Column* find_column(std::span<const Column> columns, std::string_view name);
/// The column; DataError that lists what there is in `file` when it is missing.
const Column& column_at(std::span<const Column> columns, std::string_view name, const std::string& file);

}  // namespace edgewise::io
