#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/io/byte_source.hpp"
#include "edgewise/io/limits.hpp"

namespace edgewise::io {

/// The lines of a UTF-8 text, plain or gzip, without holding more of it than a buffer of about 1 MiB (or the longest
/// line). Lines end with "\n" or "\r\n"; the last one may lack it. A byte order mark at the start is skipped.
/// Throws DataError, besides what ByteSource throws, for UTF-16, a NUL byte, bytes that are not UTF-8, and a line
/// longer than `longest_line` bytes; an empty file has no lines.
class TextReader {
 public:
  explicit TextReader(std::string path, std::uint64_t longest_line = limits().line_bytes);

  /// Gives the next line without its end; false when there is none. `line` is valid until the next call.
  bool next(std::string_view& line);

  const std::string& path() const { return source_.path(); }
  /// Of the line given last; the first one is 1.
  std::uint64_t line_number() const { return line_number_; }

 private:
  bool refill();
  void check_start();
  void check_line(std::string_view line) const;

  ByteSource source_;
  std::uint64_t longest_line_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t searched_ = 0;  // there is no line end in [begin_, searched_)
  bool at_end_ = false;
  bool is_plain_ascii_ = true;  // of the buffer: then no line needs a closer look
  std::uint64_t line_number_ = 0;
};

/// The whole text, checked as TextReader does, every line ended by "\n". For formats that cannot be streamed. Throws
/// DataError also when it is longer than `Limits::text_bytes`.
std::string read_text(const std::string& path);

/// For messages: "text" in quotes, on one line, cut at 40 characters.
std::string quote(std::string_view text);

}  // namespace edgewise::io
