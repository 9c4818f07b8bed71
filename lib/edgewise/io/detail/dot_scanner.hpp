#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "edgewise/core/error.hpp"

namespace edgewise::io::detail {

/// A token of the DOT language.
struct DotToken {
  enum class Kind { id, sign, edge, end };
  Kind kind = Kind::end;
  char sign = '\0';         ///< One of { } [ ] ; , = : or, for an edge, > (directed) or - (undirected).
  bool is_keyword = false;  ///< An unquoted id may be a keyword.
  std::string text;         ///< For an id: without quotes, "+" joined, \" unescaped.
  std::uint64_t line = 0;
};

/// Splits DOT text into tokens; comments and preprocessor lines are skipped. https://graphviz.org/doc/info/lang.html
class DotScanner {
 public:
  /// `text` and `file` must outlive the scanner.
  DotScanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  /// Throws DataError with the line for a character that starts no token, for unterminated quotes and comments, and for
  /// names and numbers that follow each other without a blank.
  DotToken next();
  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const;

 private:
  void skip_blanks();
  void skip_comment(std::string_view end);
  void step();
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  std::string read_quoted();
  std::string read_markup();
  std::string read_number();
  std::string read_name();
  void check_end_of_word(std::size_t begin) const;
  void join_strings(std::string& text);

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
};

}  // namespace edgewise::io::detail
