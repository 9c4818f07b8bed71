#include "edgewise/io/detail/dot_scanner.hpp"

#include <fmt/format.h>

#include "edgewise/io/text_reader.hpp"

namespace edgewise::io::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_plain(char c) { return starts_name(c) || is_digit(c) || c == '.'; }

}  // namespace

void DotScanner::fail(std::uint64_t line, const std::string& what) const {
  throw DataError(TextLocation{file_, line, 0}, "not valid DOT: " + what);
}

void DotScanner::step() {
  if (text_[at_++] == '\n') ++line_;
}

void DotScanner::skip_comment(std::string_view end) {
  const std::uint64_t start = line_;
  at_ += peek() == '/' ? 2 : 1;
  while (at_ < text_.size() && !text_.substr(at_).starts_with(end)) step();
  if (at_ == text_.size()) fail(start, "a comment that never ends");
  for (std::size_t i = 0; i < end.size(); ++i) step();
}

void DotScanner::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = peek();
    const bool is_line_start = at_ == 0 || text_[at_ - 1] == '\n';
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
      step();
    else if ((c == '/' && peek(1) == '/') || (c == '#' && is_line_start))
      skip_comment("\n");  // read_text ends every line with "\n"
    else if (c == '/' && peek(1) == '*')
      skip_comment("*/");
    else
      return;
  }
}

/// \" is a quote, and a backslash at the end of a line joins it with the next; other backslashes stay, as DOT has it.
std::string DotScanner::read_quoted() {
  const std::uint64_t start = line_;
  std::string text;
  for (step(); at_ < text_.size() && peek() != '"'; step()) {
    const char escaped = peek() == '\\' ? peek(1) : '\0';
    if (escaped == '"' || escaped == '\n' || escaped == '\\') step();
    if (escaped == '\\') text += '\\';
    if (escaped != '\n') text += peek();
  }
  if (at_ == text_.size()) fail(start, "a quote is opened here and never closed");
  step();
  return text;
}

/// <...> with nested markup, including the angle brackets.
std::string DotScanner::read_markup() {
  const std::uint64_t start = line_;
  const std::size_t begin = at_;
  std::size_t depth = 0;
  do {
    if (at_ == text_.size()) fail(start, "a < is opened here and never closed");
    if (peek() == '<') ++depth;
    if (peek() == '>') --depth;
    step();
  } while (depth > 0);
  return std::string(text_.substr(begin, at_ - begin));
}

std::string DotScanner::read_number() {
  const std::size_t begin = at_;
  if (peek() == '-') step();
  bool has_digit = false, has_point = false;
  for (; is_digit(peek()) || (peek() == '.' && !has_point); step()) {
    has_digit = has_digit || is_digit(peek());
    has_point = has_point || peek() == '.';
  }
  if (!has_digit) fail(line_, fmt::format("expected a number, found {}", quote(text_.substr(begin, 8))));
  return std::string(text_.substr(begin, at_ - begin));
}

std::string DotScanner::read_name() {
  const std::size_t begin = at_;
  while (starts_name(peek()) || is_digit(peek())) step();
  return std::string(text_.substr(begin, at_ - begin));
}

/// DOT takes 1e-05 for the two words 1e and -05, which nobody means.
void DotScanner::check_end_of_word(std::size_t begin) const {
  const auto goes_on = [&](std::size_t at) {
    const bool is_minus = text_[at] == '-' && at + 1 < text_.size() && is_plain(text_[at + 1]);
    return is_minus || is_plain(text_[at]);
  };
  std::size_t end = at_;
  while (end < text_.size() && goes_on(end)) ++end;
  if (end == at_) return;
  fail(line_, fmt::format("expected a name or a number, found {}, which DOT splits into several; put it in quotes",
                          quote(text_.substr(begin, end - begin))));
}

void DotScanner::join_strings(std::string& text) {
  for (skip_blanks(); peek() == '+'; skip_blanks()) {
    step();
    skip_blanks();
    if (peek() != '"') fail(line_, "expected a text in quotes behind +");
    text += read_quoted();
  }
}

DotToken DotScanner::next() {
  skip_blanks();
  DotToken token;
  token.line = line_;
  if (at_ == text_.size()) return token;
  const char c = peek();
  const std::size_t begin = at_;
  token.kind = DotToken::Kind::id;
  if (c == '"') {
    token.text = read_quoted();
    join_strings(token.text);
  } else if (c == '<') {
    token.text = read_markup();
  } else if (c == '-' && (peek(1) == '-' || peek(1) == '>')) {
    token.kind = DotToken::Kind::edge;
    token.sign = peek(1);
    at_ += 2;
  } else if (is_digit(c) || c == '.' || c == '-') {
    token.text = read_number();
    check_end_of_word(begin);
  } else if (starts_name(c)) {
    token.text = read_name();
    token.is_keyword = true;
    check_end_of_word(begin);
  } else if (std::string_view("{}[];,=:").find(c) != std::string_view::npos) {
    token.kind = DotToken::Kind::sign;
    token.sign = c;
    step();
  } else {
    fail(line_, fmt::format("found {}", quote(text_.substr(at_, 1))));
  }
  return token;
}

}  // namespace edgewise::io::detail
