#include "edgewise/io/graph_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/detail/xml.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

struct Token {
  enum class Kind { key, number, text, open, close, end } kind = Kind::end;
  std::string_view text;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

class Scanner {
 public:
  Scanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Token next() {
    skip_blanks();
    Token token{Token::Kind::end, {}, line_, static_cast<std::uint32_t>(at_ - line_start_ + 1)};
    if (at_ == text_.size()) return token;
    const char c = text_[at_];
    if (c == '[' || c == ']') {
      token.kind = c == '[' ? Token::Kind::open : Token::Kind::close;
      token.text = text_.substr(at_++, 1);
    } else if (c == '"') {
      token.kind = Token::Kind::text;
      token.text = quoted(token);
    } else {
      const std::size_t start = at_;
      while (at_ < text_.size() && !is_blank(text_[at_]) && !is_sign(text_[at_])) ++at_;
      token.text = text_.substr(start, at_ - start);
      token.kind = is_letter(c) ? Token::Kind::key : Token::Kind::number;
    }
    return token;
  }

  TextLocation where(const Token& token) const { return {file_, token.line, token.column}; }
  [[noreturn]] void expected(const char* what, const Token& token) const {
    throw DataError(where(token),
                    fmt::format("expected {}, found {}", what,
                                token.kind == Token::Kind::end ? "the end of the file" : quote(token.text)));
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
  static bool is_sign(char c) { return c == '[' || c == ']' || c == '"'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  void step() {
    if (text_[at_++] != '\n') return;
    ++line_;
    line_start_ = at_;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || (text_[at_] == '#' && at_ == line_start_))) {
      if (text_[at_] == '#')
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      else
        step();
    }
  }
  std::string_view quoted(const Token& token) {
    const std::size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') step();
    if (at_ == text_.size()) throw DataError(where(token), "a quote is opened here and never closed");
    return text_.substr(start, at_++ - start);
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
};

struct Attribute {
  std::string_view name;
  Token value;
};

/// A node or an edge. Attributes in brackets are skipped.
struct Record {
  Token key;  // "node" or "edge"
  std::vector<Attribute> attributes;

  const Attribute* find(std::string_view name) const {
    const auto found =
        std::find_if(attributes.begin(), attributes.end(), [&](const Attribute& a) { return a.name == name; });
    return found == attributes.end() ? nullptr : &*found;
  }
  std::string_view number(const char* name, const Scanner& scanner) const {
    const Attribute* attribute = find(name);
    if (attribute == nullptr)
      throw DataError(scanner.where(key), fmt::format("expected an attribute {}, found none", quote(name)));
    if (attribute->value.kind != Token::Kind::number) scanner.expected("a node's number", attribute->value);
    return attribute->value.text;
  }
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : scanner_(text, file), file_(file) {}

  void read() {
    bool has_graph = false;
    for (Token key = scanner_.next(); key.kind != Token::Kind::end; key = scanner_.next()) {
      if (key.kind != Token::Kind::key) expected("a key such as \"graph\"", key);
      const Token value = scanner_.next();
      if (key.text != "graph") {
        skip(value);
        continue;
      }
      if (value.kind != Token::Kind::open) expected("[ after \"graph\"", value);
      if (has_graph) throw DataError(scanner_.where(key), "a second graph begins here; expected one graph per file");
      has_graph = true;
      read_graph();
    }
    if (!has_graph) throw DataError(fmt::format("{}: holds no \"graph [ ... ]\"; is it GML?", file_));
  }

  const Scanner& scanner() const { return scanner_; }

  std::vector<Record> nodes;
  std::vector<Record> edges;
  graph::Direction direction = graph::Direction::undirected;
  bool is_multigraph = false;  ///< The "key" of an edge then tells it from others between the same nodes.

 private:
  [[noreturn]] void expected(const char* what, const Token& token) const { scanner_.expected(what, token); }

  /// Skips a value, including the contents of a list.
  void skip(Token value) {
    if (value.kind == Token::Kind::close || value.kind == Token::Kind::end) expected("a value", value);
    for (std::size_t depth = value.kind == Token::Kind::open; depth > 0;) {
      value = scanner_.next();
      if (value.kind == Token::Kind::end) expected("]", value);
      if (value.kind == Token::Kind::open) ++depth;
      if (value.kind == Token::Kind::close) --depth;
    }
  }

  void read_graph() {
    for (Token key = scanner_.next(); key.kind != Token::Kind::close; key = scanner_.next()) {
      if (key.kind != Token::Kind::key) expected("a key or ]", key);
      const Token value = scanner_.next();
      if (key.text == "node" || key.text == "edge") {
        if (value.kind != Token::Kind::open) expected("[", value);
        (key.text == "node" ? nodes : edges).push_back(read_record(key));
      } else {
        if (key.text == "directed" && is_one(value)) direction = graph::Direction::directed;
        if (key.text == "multigraph") is_multigraph = is_one(value);
        skip(value);
      }
    }
  }

  bool is_one(const Token& value) const {
    if (value.text != "1" && value.text != "0") expected("0 or 1", value);
    return value.text == "1";
  }

  Record read_record(const Token& start) {
    Record record{start, {}};
    for (Token key = scanner_.next(); key.kind != Token::Kind::close; key = scanner_.next()) {
      if (key.kind != Token::Kind::key) expected("a key or ]", key);
      const Token value = scanner_.next();
      float number = 0.0f;
      if (value.kind == Token::Kind::number && parse_number(value.text, number) == NumberFault::not_a_number &&
          !equals_ignoring_case(value.text, "nan"))
        expected("a number, a text in quotes or [", value);
      if (value.kind == Token::Kind::number || value.kind == Token::Kind::text)
        record.attributes.push_back({key.text, value});
      else if (value.kind == Token::Kind::key && equals_ignoring_case(value.text, "nan"))
        continue;  // an unknown number
      else if (value.kind == Token::Kind::open)
        skip(value);
      else
        expected("a number, a text in quotes or [", value);
    }
    return record;
  }

  Scanner scanner_;
  const std::string& file_;
};

/// Whether all nodes have labels and these are distinct.
bool labels_are_names(const std::vector<Record>& nodes) {
  graph::NodeNames labels;
  for (const Record& node : nodes) {
    const Attribute* label = node.find("label");
    if (label == nullptr || label->value.text.empty()) return false;
    labels.add(detail::xml_unescape(label->value.text));
  }
  return labels.size() == nodes.size();
}

using Names = std::set<std::string_view>;

/// `structural`, and the attributes that some record has more than once. Those are lists, as networkx writes them, and
/// are noted.
Names names_to_leave_out(Names structural, const std::vector<Record>& records, const Scanner& scanner,
                         detail::GraphBuilder& builder) {
  Names lists;
  std::vector<std::string_view> names;
  for (const Record& record : records) {
    names.clear();
    for (const Attribute& attribute : record.attributes) names.push_back(attribute.name);
    std::ranges::sort(names);
    for (std::size_t i = 1; i < names.size(); ++i) {
      if (names[i] != names[i - 1]) continue;
      if (structural.contains(names[i]))
        throw DataError(scanner.where(record.key), fmt::format("expected one {}, found several", quote(names[i])));
      lists.insert(names[i]);
    }
  }
  for (const std::string_view name : lists) builder.note_unused(std::string(name));
  structural.merge(lists);
  return structural;
}

/// Calls `set(name, text, type)` for all attributes except those in `left_out`.
template <class Set>
void each_attribute(const Record& record, const Names& left_out, Set&& set) {
  for (const Attribute& attribute : record.attributes) {
    if (left_out.contains(attribute.name)) continue;
    const bool is_text = attribute.value.kind == Token::Kind::text;
    set(attribute.name, is_text ? detail::xml_unescape(attribute.value.text) : std::string(attribute.value.text),
        is_text ? detail::ValueType::text : detail::ValueType::unknown);
  }
}

void add_nodes(const Reader& reader, graph::NodeNames& ids, detail::GraphBuilder& builder) {
  const bool use_labels = labels_are_names(reader.nodes);
  Names structural = {"id"};
  if (use_labels) structural.insert("label");
  const Names left_out = names_to_leave_out(std::move(structural), reader.nodes, reader.scanner(), builder);
  for (const Record& record : reader.nodes) {
    const std::string_view id = record.number("id", reader.scanner());
    if (ids.find(id))
      throw DataError(reader.scanner().where(record.key), fmt::format("node {} appears here a second time", id));
    ids.add(id);
    const std::string name =
        use_labels ? detail::xml_unescape(record.find("label")->value.text) : std::string(id);
    const graph::Node node = builder.add_node(name, record.key.line);
    each_attribute(record, left_out,
                   [&](std::string_view attribute, std::string_view value, detail::ValueType type) {
                     builder.set_node(node, attribute, value, type);
                   });
  }
}

void add_edges(const Reader& reader, const graph::NodeNames& ids, detail::GraphBuilder& builder) {
  Names structural = {"source", "target", "id"};
  if (reader.is_multigraph) structural.insert("key");
  const Names left_out = names_to_leave_out(std::move(structural), reader.edges, reader.scanner(), builder);
  for (const Record& record : reader.edges) {
    const auto endpoint = [&](const char* which) {
      const std::string_view id = record.number(which, reader.scanner());
      if (const auto node = ids.find(id)) return *node;
      throw DataError(reader.scanner().where(record.key), fmt::format("{} {}: no node has this id", which, id));
    };
    const graph::Node source = endpoint("source");
    builder.add_edge(source, endpoint("target"), record.key.line);
    each_attribute(record, left_out,
                   [&](std::string_view attribute, std::string_view value, detail::ValueType type) {
                     builder.set_edge(builder.edge_count() - 1, attribute, value, type);
                   });
  }
}

}  // namespace

GraphFile read_gml(const std::string& path, const GraphFileOptions& options) {
  const std::string text = read_text(path);
  Reader reader(text, path);
  reader.read();
  detail::GraphBuilder builder(path, reader.direction);
  builder.set_text_bytes(text.size());
  graph::NodeNames ids;
  add_nodes(reader, ids, builder);
  add_edges(reader, ids, builder);
  return builder.finish(options);
}

}  // namespace edgewise::io
