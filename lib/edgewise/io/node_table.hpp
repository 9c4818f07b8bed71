#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/graph/node_names.hpp"
#include "edgewise/io/column.hpp"
#include "edgewise/io/csv.hpp"

namespace edgewise::io {

/// Nodes and what is known of each. Rows are in the order of the file: row r describes `names[r]`.
struct NodeTable {
  std::string file;
  graph::NodeNames names;
  std::vector<Column> columns;       ///< Without the id column.
  std::vector<std::uint64_t> lines;  ///< Line in which each row starts, so that later errors can name it.
  std::string id_column;
  CommentedRows commented_rows;
  std::size_t duplicates_dropped = 0;

  std::size_t rows() const { return names.size(); }
  /// Place of a row, for messages.
  TextLocation where(std::size_t row) const;
  /// The column, or nullptr.
  const Column* find(std::string_view name) const;
  /// The column; DataError that lists what there is when it is missing.
  const Column& at(std::string_view name) const;
};

/// How to treat a second row for the same node.
enum class DuplicateRows { refuse, keep_first };

struct NodeTableOptions {
  Delimiter delimiter = Delimiter::automatic;
  /// `automatic` is `yes` here: tables name their columns. Without a header they are "column 1", "column 2", ...
  HeaderRow header = HeaderRow::automatic;
  /// A name in the header or a position counted from 1. When empty: the preferred one, where the header has it; the
  /// column called "id", "node", "node_id" or "name" (any case, in this order); or else the first.
  std::string id_column = {};
  std::string preferred_id = {};
  /// The rows have no names: they are called 1, 2, ..., and no column is the id.
  bool is_numbered = false;
  /// When not empty, only these columns are kept.
  std::vector<std::string> columns = {};
  /// Columns that are categorical even where all their values are numbers (class numbers, postcodes).
  std::vector<std::string> categorical = {};
  /// Categorical columns of words or texts, in which only nothing at all is missing: "NA" and "?" are words.
  std::vector<std::string> verbatim = {};
  /// Columns that must be numeric: another value is then an error that names its line.
  std::vector<std::string> numeric = {};
  /// Texts that mean "not known", compared exactly.
  std::vector<std::string> missing = {"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"};
  DuplicateRows duplicates = DuplicateRows::refuse;
};

/// Reads a table of nodes from delimited text, plain or gzip. A column is numeric if and only if every value in it that
/// is not missing is a number (`parse_number`) and one at least is; a column of nothing but missing values is numeric,
/// all NaN. Anything else is categorical. The file is read once, or twice when a column turns out to be categorical
/// only after rows of numbers. Throws DataError with file and line for an empty or repeated node, a number beyond the
/// range of a float in a column of numbers, rows of different lengths, repeated column names, an unknown column in the
/// options, and a file without any row; a header alone is a table of no nodes.
NodeTable read_node_table(const std::string& path, const NodeTableOptions& options = {});

}  // namespace edgewise::io
