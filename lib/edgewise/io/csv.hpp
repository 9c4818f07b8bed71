#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {

/// What separates fields. `whitespace` is any run of blanks and tabs.
enum class Delimiter : char { automatic = 0, comma = ',', tab = '\t', semicolon = ';', whitespace = ' ' };

/// Whether the first record holds the names of the columns.
enum class HeaderRow { automatic, yes, no };

struct CommentedRows {
  std::uint64_t count = 0;
  std::uint64_t first_line = 0;
};

/// Records of a delimited text file, streaming (RFC 4180 and what is common beside it):
/// - The delimiter, when `automatic`, is the one of tab, comma and semicolon that the first record has most of, and
///   whitespace when it has none of them but blanks.
/// - A field may be in double quotes, and may then contain delimiters, line ends, and doubled quotes. A quote inside an
///   unquoted field is an ordinary character. Blanks around an unquoted field are dropped.
/// - Lines that start with # or % are comments (quote the field to start a record with one); empty lines are skipped.
/// - Every record has as many fields as the first; another number is a DataError naming its line.
/// Throws DataError also for a quote that is not closed within `Limits::line_bytes`, for more than `Limits::columns`
/// fields, and for what TextReader refuses.
class CsvReader {
 public:
  explicit CsvReader(std::string path, Delimiter delimiter = Delimiter::automatic);

  /// Goes to the next record; false when there is none.
  bool next();
  /// Makes the next call of `next` give this record once more.
  void hold() { is_held_ = true; }

  /// Fields of the record, valid until the next call of `next`.
  std::span<const std::string_view> fields() const { return fields_; }
  /// Line in which the record starts.
  std::uint64_t line() const { return line_; }
  TextLocation where() const { return {text_.path(), line_, 0}; }
  const std::string& path() const { return text_.path(); }
  /// Known once there was a record.
  Delimiter delimiter() const { return delimiter_; }
  /// Comment lines in front of the first record, without the # or %: the first 64 KiB of them.
  const std::vector<std::string>& comments() const { return comments_; }
  /// Comment lines behind the first record: maybe rows of names that begin with # or %.
  const CommentedRows& commented_rows() const { return commented_rows_; }

 private:
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
  std::string record_;    // a record with quotes, maybe of several lines
  std::string unquoted_;  // its fields without them
  std::size_t width_ = 0;
  std::uint64_t line_ = 0;
  bool is_held_ = false;
};

/// Column names from the fields of a header. A repeated name is a DataError; an empty one becomes "column N", N
/// counted from 1.
std::vector<std::string> header_names(std::span<const std::string_view> fields, const TextLocation& where);

/// Which column `wanted` means: a name in `header`, or else a position counted from 1. Throws DataError that lists the
/// columns when it is neither. `header` holds one name a column ("column N" where the file has no header).
std::size_t column_index(const std::vector<std::string>& header, const std::string& wanted, const std::string& path);

/// For messages: the first of them in quotes.
std::string list_of_columns(const std::vector<std::string>& header);

/// For the usual column names: letters A to Z count as a to z.
bool equals_ignoring_case(std::string_view a, std::string_view b);

/// What a column without a name is called, with its number behind it.
inline constexpr std::string_view kUnnamedColumn = "column ";

/// "column 1", "column 2", ...
std::vector<std::string> numbered_columns(std::size_t count);

}  // namespace edgewise::io
