#include "edgewise/io/graph_formats.hpp"

#include <fmt/format.h>

#include "edgewise/io/detail/field_reader.hpp"
#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io {
namespace {

using detail::FieldReader;
using detail::ValueType;

/// Scans {'name': value, ...} as Python prints it.
class DictionaryScanner {
 public:
  DictionaryScanner(std::string_view text, const FieldReader& reader) : text_(text), reader_(reader) {}

  /// Calls `set(name, value, type)` for texts, numbers and truth values, and `skip(name)` for the rest but None.
  template <class Set, class Skip>
  void read(const Set& set, const Skip& skip) {
    take('{');
    while (!try_take('}')) {
      const std::string name = quoted();
      take(':');
      read_value(name, set, skip);
      if (try_take(',')) continue;
      take('}');
      break;
    }
    skip_blanks();
    if (at_ < text_.size()) fail();
  }

 private:
  template <class Set, class Skip>
  void read_value(const std::string& name, const Set& set, const Skip& skip) {
    skip_blanks();
    if (is_quote(peek())) return set(name, quoted(), ValueType::text);
    const std::size_t start = at_;
    std::size_t depth = 0;
    for (; at_ < text_.size() && (depth > 0 || (text_[at_] != ',' && text_[at_] != '}')); ++at_) {
      const char c = text_[at_];
      if (is_quote(c)) {
        quoted();
        --at_;
      }
      if (c == '[' || c == '(' || c == '{') ++depth;
      if (depth > 0 && (c == ']' || c == ')' || c == '}')) --depth;
    }
    const std::string_view value = text_.substr(start, at_ - start);
    if (value == "True" || value == "False") return set(name, value == "True" ? "true" : "false", ValueType::text);
    if (value == "nan" || value == "inf" || value == "-inf" || is_number(value))
      return set(name, std::string(value), ValueType::number);
    if (value != "None") skip(name);
  }

  /// A text in single or double quotes.
  std::string quoted() {
    skip_blanks();
    const char quote = peek();
    if (!is_quote(quote)) fail();
    std::string text;
    for (++at_; peek() != quote; ++at_) {
      const bool is_escape = peek() == '\\' && at_ + 1 < text_.size();
      if (is_escape && (is_quote(text_[at_ + 1]) || text_[at_ + 1] == '\\')) ++at_;
      if (at_ >= text_.size()) fail();
      text += text_[at_];
    }
    ++at_;
    return text;
  }

  static bool is_quote(char c) { return c == '\'' || c == '"'; }
  char peek() const {
    if (at_ >= text_.size()) fail();
    return text_[at_];
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool try_take(char c) {
    skip_blanks();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void take(char c) {
    if (!try_take(c)) fail();
  }
  [[noreturn]] void fail() const {
    reader_.fail(fmt::format("expected a dictionary of Python such as {{'weight': 4}}, got {}", quote(text_)));
  }

  std::string_view text_;
  const FieldReader& reader_;
  std::size_t at_ = 0;
};

std::string_view dictionary_of(std::string_view line) {
  const std::size_t start = line.find('{');
  return start == std::string_view::npos ? std::string_view() : line.substr(start);
}

}  // namespace

bool is_python_edge(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  const std::string_view dictionary = dictionary_of(line);
  if (!dictionary.ends_with('}')) return false;
  const std::string_view ends = line.substr(0, line.size() - dictionary.size());
  const std::size_t blank = ends.find(' ');
  return blank != std::string_view::npos && ends.ends_with(' ') && ends.find(' ', blank + 1) == ends.size() - 1 &&
         (dictionary == "{}" || dictionary.starts_with("{'") || dictionary.starts_with("{\""));
}

GraphFile read_python_edge_list(const std::string& path, const GraphFileOptions& options) {
  FieldReader reader(path);
  reader.set_comment('#');
  detail::GraphBuilder builder(path, graph::Direction::undirected);
  while (reader.next()) {
    const auto fields = reader.fields();
    builder.set_text_bytes(reader.bytes());
    if (fields.size() < 3) reader.fail("expected two nodes and a dictionary of Python such as {'weight': 4}");
    const graph::Node source = builder.node(fields[0], reader.line());
    builder.add_edge(source, builder.node(fields[1], reader.line()), reader.line());
    const std::size_t start = static_cast<std::size_t>(fields[2].data() - reader.text().data());
    DictionaryScanner(reader.text().substr(start), reader)
        .read(
            [&](const std::string& name, const std::string& value, ValueType type) {
              builder.set_edge(builder.edge_count() - 1, name, value, type);
            },
            [&](const std::string& name) { builder.note_unused(name); });
  }
  return builder.finish(options);
}

}  // namespace edgewise::io
