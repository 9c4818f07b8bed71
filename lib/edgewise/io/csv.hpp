#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {

/// The field separator. `whitespace` is any run of spaces and tabs.
enum class Delimiter : char { automatic = 0, comma = ',', tab = '\t', semicolon = ';', whitespace = ' ' };

/// Whether the first record holds the column names.
enum class HeaderRow { automatic, yes, no };

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
/// - With `automatic`, the delimiter is whichever of tab, comma and semicolon is most frequent in the first record, or
///   whitespace if the record has none of these but has spaces. A first line "sep=;", written by Excel, overrides this
///   and is skipped; DataError for another character in it.
/// - A field may be in double quotes; it may then contain delimiters, line breaks and doubled quotes. A quote inside an
///   unquoted field is an ordinary character. Spaces around an unquoted field are dropped.
/// - Lines that start with # or % are comments (quote the field to start a record with one); empty lines are skipped.
/// - Every record must have as many fields as the first; otherwise a RaggedRecord names the line.
///
/// Also throws DataError for a quote not closed within `Limits::line_bytes`, for more than `Limits::columns` fields,
/// and for anything TextReader rejects.
class CsvReader {
 public:
  explicit CsvReader(std::string path, Delimiter delimiter = Delimiter::automatic);

  /// See TextReader::start. To be called before `next`.
  TextStart start(std::size_t bytes) { return text_.start(bytes); }

  /// Advances to the next record; false at the end.
  bool next();
  /// Makes the next call of `next` return this record again.
  void hold() { is_held_ = true; }

  /// Fields of the current record, valid until the next call of `next`.
  std::span<const std::string_view> fields() const { return fields_; }
  /// Line on which the record starts.
  std::uint64_t line() const { return line_; }
  TextLocation where() const { return {text_.path(), line_, 0}; }
  const std::string& path() const { return text_.path(); }
  /// Known after the first record.
  Delimiter delimiter() const { return delimiter_; }
  /// Comment lines before the first record, without the # or %; at most the first 64 KiB.
  const std::vector<std::string>& comments() const { return comments_; }
  /// Comment lines after the first record; they may be rows whose names begin with # or %.
  const CommentedRows& commented_rows() const { return commented_rows_; }

 private:
  bool take_separator(std::string_view line);
  void add_comment(std::string_view line);
  void count_commented_row();
  void add_field(std::string_view text);
  void read_more_of_record();
  void split_plain(std::string_view line);
  void split_whitespace(std::string_view line);
  void split_quoted(std::string_view line);

  TextReader text_;
  Delimiter delimiter_;
  std::vector<std::string_view> fields_;
  std::vector<std::string> comments_;
  std::size_t comment_bytes_ = 0;
  CommentedRows commented_rows_;
  std::string record_;    // a record with quotes, possibly spanning several lines
  std::string unquoted_;  // its fields without the quotes
  std::size_t width_ = 0;
  std::uint64_t line_ = 0;
  bool is_held_ = false;
};

/// For messages: what made rows comments, and how to avoid it.
std::string to_string(const CommentedRows& rows);

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

/// Name prefix of an unnamed column; its number follows.
inline constexpr std::string_view kUnnamedColumn = "column ";

/// "column 1", "column 2", ...
std::vector<std::string> numbered_columns(std::size_t count);

}  // namespace edgewise::io
