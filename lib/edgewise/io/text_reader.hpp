#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/io/byte_source.hpp"
#include "edgewise/io/limits.hpp"

namespace edgewise::io {

/// The beginning of a file.
struct TextStart {
  std::string text;
  bool is_whole = false;  ///< This is all.
};

/// What to do with a line that is not UTF-8.
enum class OtherText { is_error, is_latin1 };

/// Reads UTF-8 text, plain or gzip, line by line, with a buffer of about 1 MiB (or the longest line). Lines end with
/// "\n" or "\r\n", optional on the last line. A byte order mark at the start is skipped. In addition to what ByteSource
/// throws, throws DataError for UTF-16, a NUL byte, invalid UTF-8 (unless it is to be read as Latin-1), lines that end
/// with "\r" only, and a line longer than `longest_line` bytes. An empty file has no lines.
class TextReader {
 public:
  explicit TextReader(std::string path, std::uint64_t longest_line = limits().line_bytes,
                      OtherText other_text = OtherText::is_error);

  /// Gets the next line without its terminator; false at the end. `line` is valid until the next call.
  bool next(std::string_view& line);

  /// The first whole lines, up to `bytes`, as they are: not checked, and perhaps no text at all. To be called before
  /// `next`.
  TextStart start(std::size_t bytes);

  const std::string& path() const { return source_.path(); }
  /// Number of the last line returned, counted from 1.
  std::uint64_t line_number() const { return line_number_; }
  /// Whether the last line returned has a terminator: the last one of a file that was cut off has none.
  bool is_terminated() const { return is_terminated_; }

 private:
  bool refill();
  void check_start();
  void check_line_ends(std::string_view line) const;
  /// The line, in UTF-8.
  std::string_view checked(std::string_view line);

  ByteSource source_;
  std::string step_;  // for report_step
  std::uint64_t longest_line_;
  OtherText other_text_;
  std::string converted_;  // a line from Latin-1
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t searched_ = 0;  // no line end in [begin_, searched_)
  bool at_end_ = false;
  bool is_terminated_ = true;
  bool is_plain_ascii_ = true;  // of the buffer: then lines need no UTF-8 check
  std::uint64_t line_number_ = 0;
};

/// The whole text, checked as by TextReader, with every line terminated by "\n". For formats that cannot be streamed.
/// Also throws DataError if it is longer than `Limits::text_bytes`.
std::string read_text(const std::string& path);

/// For messages: the text in quotes, on one line, truncated at 40 characters.
std::string quote(std::string_view text);

}  // namespace edgewise::io
