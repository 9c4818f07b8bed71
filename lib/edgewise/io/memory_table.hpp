#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// @file
/// Tables that a program has in memory, which the readers of delimited text take in place of files.
namespace edgewise::io {

/// Numbers in memory that belongs to someone else, `stride` bytes apart.
template <class Number>
struct NumbersInMemory {
  const std::byte* first = nullptr;
  std::ptrdiff_t stride = sizeof(Number);

  Number operator[](std::size_t row) const {
    Number value;
    std::memcpy(&value, first + static_cast<std::ptrdiff_t>(row) * stride, sizeof value);
    return value;
  }
};

/// The values of a column, which stay where they are. NaN and the empty text are missing.
using MemoryValues = std::variant<NumbersInMemory<float>, NumbersInMemory<double>, NumbersInMemory<std::int32_t>,
                                  NumbersInMemory<std::int64_t>, std::span<const std::string>>;

struct MemoryColumn {
  std::string name;
  MemoryValues values;

  bool holds_numbers() const { return !std::holds_alternative<std::span<const std::string>>(values); }
  /// Nothing for a text, and for a number that is not finite or that a float may not hold: those are read as texts.
  /// NaN where missing.
  std::optional<float> number(std::size_t row) const;

  using Buffer = std::array<char, 40>;
  /// The value as a file would have it; numbers as Python writes them, "" where missing. It may be in `buffer`.
  std::string_view text(std::size_t row, Buffer& buffer) const;
};

/// A table with a header: the names of the columns are line 1, row r is line r + 2.
struct MemoryTable {
  std::vector<MemoryColumn> columns;
  std::size_t rows = 0;
  std::string comment = {};  ///< As in a file above the header, without the #.
};

/// Calls `take` with the lines of a file of comma-separated values that holds the same, until it returns false.
void for_each_line(const MemoryTable& table, const std::function<bool(std::string_view line)>& take);

/// While it exists, this thread finds the tables at these paths, where no file needs to be. Those of the one before it
/// return afterwards.
class TablesInMemory {
 public:
  using Tables = std::map<std::string, const MemoryTable*>;

  explicit TablesInMemory(Tables tables);
  TablesInMemory(const TablesInMemory&) = delete;
  TablesInMemory& operator=(const TablesInMemory&) = delete;
  ~TablesInMemory();

 private:
  Tables tables_;
  const Tables* previous_;
};

/// The table at this path, or nullptr.
const MemoryTable* table_in_memory(const std::string& path);

/// Whether what is at the path can be read more than once: a table in memory, a file, or a pipe that has a copy.
bool can_be_read_twice(const std::string& path);

}  // namespace edgewise::io
