#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/column.hpp"
#include "edgewise/io/csv.hpp"

namespace edgewise::io::detail {

/// Options shared by tables with a special key column: the name of a node, the SMILES of a molecule.
struct KeyedTableOptions {
  std::string expected;                  ///< What the file should contain, for messages: "a table of nodes".
  std::span<const std::string> columns;  ///< If not empty, only these columns are kept.
  std::span<const std::string> categorical;
  std::span<const std::string> verbatim;  ///< Categorical, with only an empty text counted as missing.
  ReadAsText texts;                      ///< Categorical too.
  std::span<const std::string> numeric;
  std::span<const std::string> missing;
  std::vector<std::string> usual = {};  ///< Names of columns by which to know a header, besides those above.
};

/// Returned by `KeyHandler::choose` for a table whose rows have no names: there is no key column, and keys are empty.
inline constexpr std::size_t kNoKey = ~std::size_t{0};

/// The columns of a table with a special meaning.
struct SpecialColumns {
  std::size_t key = kNoKey;
  std::optional<std::size_t> verbatim = {};  ///< One more verbatim column.
};

/// Callbacks for keys. The file may be read twice (see `read_node_table`); `start` is then called twice.
struct KeyHandler {
  std::function<SpecialColumns(const std::vector<std::string>& header)> choose;
  std::function<void(const std::string& column)> start;
  std::function<bool(std::string_view key, std::uint64_t line)> add;  ///< False to skip the row.
  /// Whether a row that starts with this cell is skipped, before `add`.
  std::function<bool(std::string_view first)> skips = [](std::string_view) { return false; };
  /// Called before the rows of a file: the first is 0.
  std::function<void(std::size_t file)> begin_file = [](std::size_t) {};
};

/// Reads all columns except the key, of several files as of one. Throws as `read_node_table` does.
std::vector<Column> read_keyed_table(const FileList& files, const KeyedTableOptions& options,
                                     const KeyHandler& handler);

}  // namespace edgewise::io::detail
