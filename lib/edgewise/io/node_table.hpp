#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/graph/node_names.hpp"
#include "edgewise/io/column.hpp"
#include "edgewise/io/csv.hpp"

namespace edgewise::io {

/// Nodes and their attributes. Rows are in file order: row r describes `names[r]`.
struct NodeTable {
  FileList file;  ///< Several were read one after the other.
  graph::NodeNames names;
  std::vector<Column> columns;       ///< Without the id column.
  std::vector<std::uint64_t> lines;  ///< Line on which each row starts, for later error messages.
  std::vector<std::uint16_t> parts;  ///< If there are several files: which of them each row is in.
  /// The columns of the file, for messages, if some were made into nodes and are no longer among `columns`.
  std::vector<std::string> header;
  std::vector<std::string> file_columns;  ///< All columns of the file, in order; empty if it has none.
  std::string id_column;
  std::string usual_id;              ///< A column that may name numbered rows, see NodeTableOptions::may_name_rows.
  bool is_id_guessed = false;  ///< The first column names the nodes because neither options nor its name say which.
  std::size_t duplicates_dropped = 0;

  std::size_t rows() const { return names.size(); }
  /// The message about a table that has no rows.
  std::string no_rows() const;
  /// Location of a row, for messages.
  TextLocation where(std::size_t row) const;
  /// The same within the table: "line 12", "line 12 of b.csv", "row 12".
  std::string place_of(std::size_t row) const;
  /// The column that a name, or a position in the file from 1, refers to; `wanted` itself if there is none.
  std::string name_of(const std::string& wanted) const;
  /// A value of a column, NaN if missing. Throws DataError with the line for a text that is not a number.
  float number(const Column& column, std::size_t row) const;
  /// The column, or nullptr.
  const Column* find(std::string_view name) const;
  /// The column. If missing, throws DataError listing the columns.
  const Column& at(std::string_view name) const;
};

/// A table of one row of another, in all its columns.
NodeTable row_of(const NodeTable& table, std::size_t row);
/// The same of several, which may repeat; they are called 1, 2, ...
NodeTable rows_of(const NodeTable& table, const std::vector<std::size_t>& rows);

/// The column of a header that usually names the rows: Neo4j's ":ID", "id", "node", "node_id" or "name" (in this
/// order).
std::optional<std::size_t> usual_id_column(const std::vector<std::string>& header);

/// How to treat a second row for the same node.
enum class DuplicateRows { refuse, keep_first };

struct NodeTableOptions {
  /// What the file should contain, for messages.
  std::string expected = "a table of nodes";
  /// A name in the header or a position counted from 1. If empty: the preferred one, if the header has it; else the
  /// column called "id", "node", "node_id" or "name" (any case, in this order); else the first.
  std::string id_column = {};
  std::string preferred_id = {};
  /// The rows have no names: nodes are called 1, 2, ..., and there is no id column.
  bool is_numbered = false;
  /// For numbered rows: whether the usual id column may hold names all the same. It is then read like those in
  /// `verbatim` and reported in NodeTable::usual_id.
  std::function<bool(const std::string& column)> may_name_rows = {};
  /// If not empty, only these columns are kept.
  std::vector<std::string> columns = {};
  /// Columns that are categorical even if all their values are numbers (class numbers, postcodes).
  std::vector<std::string> categorical = {};
  /// Categorical columns of words or texts in which only the empty text is missing; "NA" and "?" are words.
  std::vector<std::string> verbatim = {};
  ReadAsText texts = {};
  /// Columns that must be numeric; any other value is an error that names its line.
  std::vector<std::string> numeric = {};
  /// Texts that mean "not known", compared exactly.
  std::vector<std::string> missing = default_missing_texts();
  DuplicateRows duplicates = DuplicateRows::refuse;
};

/// Reads a table of nodes from delimited text, plain or gzip; of several files as CsvReader does. A column is numeric
/// if it has at least one non-missing value and all of them are numbers (`parse_number`). A column with only missing
/// values is numeric, all NaN. Any other column is categorical. The file is read once, or twice if a column turns out
/// to be categorical only after rows of numbers. Throws DataError with file and line for an empty or repeated node, a
/// number beyond the range of float in a numeric column, rows of different lengths, repeated column names, an unknown
/// column in the options, and a file without any rows. A header alone is a table of no nodes.
NodeTable read_node_table(const FileList& files, const NodeTableOptions& options = {});

}  // namespace edgewise::io
