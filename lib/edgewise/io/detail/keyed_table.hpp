#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/column.hpp"
#include "edgewise/io/csv.hpp"

namespace edgewise::io::detail {

/// What is common to tables in which one column, the key, is special: the name of a node, the SMILES of a molecule.
struct KeyedTableOptions {
  Delimiter delimiter = Delimiter::automatic;
  HeaderRow header = HeaderRow::automatic;  ///< `automatic` is `yes`.
  std::string expected;                     ///< What the file is to hold, for messages: "a table of nodes".
  std::span<const std::string> columns;     ///< When not empty, only these columns are kept.
  std::span<const std::string> categorical;
  std::span<const std::string> verbatim;  ///< As categorical, and only an empty text is missing.
  std::span<const std::string> numeric;
  std::span<const std::string> missing;
};

/// What `KeyHandler::choose` gives for a table whose rows have no names: no column is the key, and keys are empty.
inline constexpr std::size_t kNoKey = ~std::size_t{0};

/// How keys are handled. The file may be read twice (see `read_node_table`); then `start` is called twice.
struct KeyHandler {
  std::function<std::size_t(const std::vector<std::string>& header)> choose;  ///< The column of the keys.
  std::function<void(const std::string& column)> start;
  std::function<bool(std::string_view key, std::uint64_t line)> add;  ///< False when the row is to be skipped.
  std::function<void(const CommentedRows&)> end = [](const CommentedRows&) {};  ///< Behind the last row.
};

/// Reads all columns but the key's. Throws as `read_node_table` does.
std::vector<Column> read_keyed_table(const std::string& path, const KeyedTableOptions& options,
                                     const KeyHandler& handler);

}  // namespace edgewise::io::detail
