#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/file_list.hpp"
#include "edgewise/io/memory_table.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {

/// The field separator. `whitespace` is any run of spaces and tabs, `automatic` none yet.
enum class Delimiter : char { automatic = 0, comma = ',', tab = '\t', semicolon = ';', bar = '|', whitespace = ' ' };

/// Which lines that start with # or % are comments: those before the first record, and of the others ...
enum class Comments {
  leading,        ///< none: they are records.
  unless_fitting,  ///< those that do not have as many fields as the first record.
  anywhere,       ///< all.
};

/// A comment that has as many fields as the first record.
struct CommentedRecord {
  std::vector<std::string> fields;
  std::uint64_t line = 0;
  bool could_be_header = false;  ///< The fields are all different, and none is a number or empty.
  bool may_be_prose = false;     ///< Blanks separate fields, and one follows the #.
};

/// Comments that may be meant as rows.
struct CommentedRows {
  std::uint64_t count = 0;
  std::uint64_t first_line = 0;
};

/// A record with another number of fields than the first one.
class RaggedRecord : public DataError {
 public:
  using DataError::DataError;
};

/// Streams records of a delimited text file (RFC 4180 and common extensions):
/// - The delimiter is whichever of tab, comma and semicolon is most frequent in the first record; if it has none of
///   these, a vertical bar without a blank before it, or else whitespace if it has blanks. A first line "sep=;",
///   written by Excel, overrides this and is skipped; DataError for another character in it.
/// - A field may be in double quotes; it may then contain delimiters, line breaks and doubled quotes. A quote inside an
///   unquoted field is an ordinary character. Spaces around an unquoted field are dropped.
/// - Lines that start with # or % before the first record are comments (quote the field to start a record with one);
///   later ones are records unless `set_comments` says otherwise. Empty lines are skipped.
/// - Every record must have as many fields as the first; otherwise a RaggedRecord names the line.
///
/// Also throws DataError for a quote not closed within `Limits::line_bytes`, for one that is closed after lines that
/// look like records, for more than `Limits::columns` fields, and for anything TextReader rejects.
///
/// Several files are read one after the other, as one table: each has the columns of the first, in any order if they
/// have names (see `keep_names`); otherwise a DataError names the file.
///
/// A table in memory at the path is read in place of a file: its header, which is no comment whatever it begins with,
/// and its rows, with commas between their fields.
class CsvReader {
 public:
  explicit CsvReader(FileList files);

  /// See TextReader::start. To be called before `next`.
  TextStart start(std::size_t bytes);

  /// Advances to the next record; false at the end.
  bool next();
  /// The same within the file; false at its end.
  bool next_in_file();
  /// The table, if it is one in memory, else nullptr.
  const MemoryTable* memory() const { return memory_; }
  /// Leaves a field of a table in memory empty, as its column is read otherwise. To be called after the header.
  void leave_out(std::size_t field) { is_left_out_[field] = true; }
  /// Makes the next call of `next` return this record again.
  void hold() { is_held_ = true; }
  /// The current record, the first, is none: the next one decides how many fields there are.
  void forget_width() { width_ = 0; }
  void set_comments(Comments comments) { comments_after_ = comments; }
  /// Lines before the first record that start with # or % are records all the same if `is_row` is true of them, without
  /// blanks around.
  void set_row_test(std::function<bool(std::string_view line)> is_row) { is_row_ = std::move(is_row); }
  /// The first record, or a comment before it, holds these names of the columns. To be called before that of a later
  /// file is read.
  void keep_names(std::vector<std::string> names) { names_ = std::move(names); }
  /// Whether the line of the current record starts with # or %.
  bool looks_commented() const { return looks_commented_; }
  /// Counts the current record among the commented rows.
  void drop_as_comment() { count_commented_row(line_); }

  /// Fields of the current record, valid until the next call of `next`.
  std::span<const std::string_view> fields() const { return fields_; }
  /// Which of the files the record is in, from 0.
  std::size_t file() const { return file_; }
  /// Line on which the record starts.
  std::uint64_t line() const { return line_; }
  TextLocation where() const { return {path_, line_, 0}; }
  /// The file that the record is in.
  const std::string& path() const { return path_; }
  /// Known after the first record.
  Delimiter delimiter() const { return delimiter_; }
  /// Comment lines before the first record, without the # or %; at most the first 64 KiB.
  const std::vector<std::string>& comments() const { return comments_; }
  /// Comments before the first record with as many fields: a header, rows, or chance. Known after the first record.
  const std::vector<CommentedRecord>& commented_records() const { return commented_records_; }
  /// Comments after the first record; they may be rows whose names begin with # or %.
  const CommentedRows& commented_rows() const { return commented_rows_; }

 private:
  bool next_in_memory();
  bool begin_file();
  bool take_names();
  void set_places(const std::vector<std::size_t>& places);
  void arrange();
  bool take_separator(std::string_view line);
  void add_comment(std::string_view line);
  void count_commented_row(std::uint64_t line);
  void examine_comments(std::size_t fields);
  void split(std::string_view line);
  void add_field(std::string_view text);
  void read_more_of_record();
  void split_plain(std::string_view line);
  void split_whitespace(std::string_view line);
  void split_quoted(std::string_view line);
  /// A quoted field of several lines.
  struct QuotedLines {
    std::size_t field;
    std::uint64_t first_line;
    std::uint64_t last_line;
  };
  void check_quoted(const QuotedLines& quoted) const;

  FileList files_;
  std::size_t file_ = 0;
  std::string path_;
  const MemoryTable* memory_;
  std::vector<bool> is_left_out_;  // of the columns in memory
  std::vector<MemoryColumn::Buffer> buffers_;
  std::optional<TextReader> text_;  // unless in memory
  Delimiter delimiter_ = Delimiter::automatic;
  std::vector<std::string> names_;   // of the columns, if they have any
  std::vector<std::size_t> places_;  // of the first file's columns in this one; empty: the same
  std::vector<std::string_view> fields_;
  Comments comments_after_ = Comments::leading;
  std::function<bool(std::string_view)> is_row_;
  bool looks_commented_ = false;
  std::vector<std::string> comments_;
  std::vector<std::uint64_t> comment_lines_;
  std::vector<CommentedRecord> commented_records_;
  std::size_t comment_bytes_ = 0;
  CommentedRows commented_rows_;
  std::string record_;    // a record with quotes, possibly spanning several lines
  std::string unquoted_;  // its fields without the quotes
  std::size_t width_ = 0;
  std::uint64_t line_ = 0;
  bool is_held_ = false;
};

/// For messages about a comment in the place of a row.
inline constexpr const char* kRowLikeComment =
    "a comment that looks like a row: put a name that begins with # or % in quotes";

/// For messages about a header that looks like a row.
inline constexpr const char* kHeaderIsRow = "the first row looks like data: give the table a header";

/// For messages: what made rows comments, and how to avoid it.
std::string to_string(const CommentedRows& rows);

/// Reads the names of the columns of a table; `next` then returns the first row. They are in the first record, or in a
/// comment before it that could be a header ("#node<TAB>name"). The comment is taken if one of its fields but none of
/// the record is `wanted`, in any case; if the record has a number; or if neither helps and the comment does not look
/// like prose. The reader must not have read a record. Throws DataError without any record, saying what was `expected`,
/// for a comment like a row after such a header, and as `header_names`.
std::vector<std::string> read_header(CsvReader& reader, std::span<const std::string> wanted,
                                     const std::string& expected);

/// Column names from the fields of a header. A repeated name is a DataError; an empty one becomes "column N", with N
/// counted from 1. A header for neo4j-admin loses its types: "age:int" becomes "age", ":ID(People)" becomes ":ID".
std::vector<std::string> header_names(std::span<const std::string_view> fields, const TextLocation& where);

/// The column that `wanted` refers to: a name in `header`, else a position counted from 1. If it is neither, throws
/// DataError listing the columns. `header` holds one name per column ("column N" if the file has no header).
std::size_t column_index(const std::vector<std::string>& header, const std::string& wanted, const std::string& path);

/// For messages: the first few column names, in quotes.
std::string list_of_columns(const std::vector<std::string>& header);

/// For the usual column names; A to Z match a to z.
bool equals_ignoring_case(std::string_view a, std::string_view b);
bool ends_with_ignoring_case(std::string_view text, std::string_view end);

/// Name prefix of an unnamed column; its number follows.
inline constexpr std::string_view kUnnamedColumn = "column ";

/// "column 1", "column 2", ...
std::vector<std::string> numbered_columns(std::size_t count);

}  // namespace edgewise::io
