#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/text_reader.hpp"

namespace edgewise::io::detail {

/// Streams the lines of a text as fields between blanks, with no rule on their number: lists of neighbours, matrices
/// and the like. In double quotes, if allowed, a field may contain blanks, and \" stands for a quote.
class FieldReader {
 public:
  enum class Quotes { none, allowed };
  explicit FieldReader(const std::string& path, Quotes quotes = Quotes::none) : text_(path), quotes_(quotes) {}

  /// Lines that begin with this character are skipped from now on.
  void set_comment(char character) { comment_ = character; }
  /// From the first line on that has tabs, these alone separate fields.
  void let_tabs_win() { tabs_win_ = true; }
  /// Advances to the next line with a field, or with `keep_empty` to the next line; false at the end.
  bool next(bool keep_empty = false);
  /// Makes the next call of `next` return this line again.
  void hold() { is_held_ = true; }

  /// Fields of the current line and the line itself, valid until the next call of `next`.
  std::span<const std::string_view> fields() const { return fields_; }
  std::string_view text() const { return line_; }
  std::uint64_t line() const { return text_.line_number(); }
  /// Length of the text so far.
  std::uint64_t bytes() const { return bytes_; }
  const std::string& path() const { return text_.path(); }

  /// At the end: throws DataError if there was no text at all.
  void refuse_empty() const;
  /// Throws DataError with the current line.
  [[noreturn]] void fail(const std::string& what) const;
  /// A number from `least` to `most`; otherwise fails.
  std::uint64_t index(std::string_view field, std::string_view what, std::uint64_t least, std::uint64_t most) const;

 private:
  void split();
  std::string_view unquote(std::size_t& at);

  TextReader text_;
  Quotes quotes_;
  char comment_ = '\0';
  bool tabs_win_ = false;
  bool only_tabs_ = false;
  bool is_held_ = false;
  std::string_view line_;
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // the fields of the line that were in quotes
  std::uint64_t bytes_ = 0;
};

}  // namespace edgewise::io::detail
