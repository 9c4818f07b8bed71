#include "edgewise/io/graph_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "edgewise/core/text.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/detail/field_reader.hpp"
#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io {
namespace {

using detail::FieldReader;
using detail::GraphBuilder;
using detail::ValueType;
using PajekFields = std::span<const std::string_view>;

/// How Pajek draws a vertex or a line.
constexpr std::string_view kDrawing[] = {"x_fact", "y_fact", "s_size", "phi", "ic",   "bc", "bw", "lc", "la", "lr",
                                         "lphi",   "lp",     "fos",    "font", "c",   "p",  "h1", "h2", "k1", "k2",
                                         "a1",     "a2"};

class PajekReader {
 public:
  explicit PajekReader(const std::string& path)
      : reader_(path, FieldReader::Quotes::allowed), builder_(path, graph::Direction::undirected) {
    reader_.set_comment('%');
    builder_.set_kind_of_edges("relation");
  }

  GraphFile read(const GraphFileOptions& options) {
    while (reader_.next()) {
      if (reader_.fields()[0].starts_with('*'))
        begin_section();
      else
        read_line();
      builder_.set_text_bytes(reader_.bytes());
    }
    if (!has_vertices_)
      throw DataError(fmt::format("{}: holds no \"*Vertices\"; is it a network of Pajek?", reader_.path()));
    if (section_ == Section::matrix) check_matrix_ends();
    if (has_arcs_) builder_.set_direction(graph::Direction::directed);
    add_vertices();
    if (has_times_) builder_.note("the network changes over time: it is read as that of all times");
    return builder_.finish(options);
  }

 private:
  enum class Section { none, skipped, vertices, edges, arcs, edges_list, arcs_list, matrix };
  struct Vertex {
    std::string label;
    std::uint64_t line;
  };

  void begin_section() {
    static constexpr std::pair<std::string_view, Section> kSections[] = {
        {"*network", Section::none},       {"*vertices", Section::vertices}, {"*edges", Section::edges},
        {"*arcs", Section::arcs},          {"*edgeslist", Section::edges_list}, {"*arcslist", Section::arcs_list},
        {"*matrix", Section::matrix}};
    const std::string_view name = reader_.fields()[0];
    if (section_ == Section::matrix) check_matrix_ends();
    const auto* const found = std::ranges::find_if(
        kSections, [&](const auto& section) { return equals_ignoring_case(section.first, name); });
    section_ = found == std::end(kSections) ? Section::skipped : found->second;
    if (section_ == Section::skipped) builder_.note(fmt::format("{} is not used", printable(name, 40)));
    if (section_ == Section::vertices) return begin_vertices();
    if (section_ > Section::vertices && !has_vertices_)
      reader_.fail(fmt::format("expected \"*Vertices\" before {}", name));
    if (section_ == Section::matrix) has_arcs_ = true;
    relation_ = relation_of(reader_.fields().subspan(1));
  }

  /// "likes" from :2 "likes", or its number.
  static std::string relation_of(PajekFields fields) {
    if (fields.empty() || !fields[0].starts_with(':')) return {};
    return std::string(fields.size() > 1 ? fields[1] : fields[0].substr(1));
  }

  void begin_vertices() {
    if (has_vertices_) reader_.fail("a second network begins here; expected one per file");
    has_vertices_ = true;
    const PajekFields fields = reader_.fields();
    if (fields.size() < 2) reader_.fail("expected the number of vertices after \"*Vertices\"");
    vertices_ = reader_.index(fields[1], "a number of vertices", 0, ~std::uint32_t{0});
    vertices_line_ = reader_.line();
    if (fields.size() > 2)
      builder_.note(fmt::format("two kinds of nodes (the first {} and the others) are read as one kind", fields[2]));
  }

  void read_line() {
    switch (section_) {
      case Section::none:
        reader_.fail(fmt::format("expected a line such as \"*Vertices 10\", found {}", quote(reader_.text())));
      case Section::skipped:
        return;
      case Section::vertices:
        return read_vertex();
      case Section::edges:
      case Section::arcs:
        return read_edge();
      case Section::edges_list:
      case Section::arcs_list:
        return read_list();
      case Section::matrix:
        return read_row();
    }
  }

  graph::Node vertex(std::string_view field) const {
    return static_cast<graph::Node>(reader_.index(field, "a vertex", 1, vertices_) - 1);
  }

  void read_vertex() {
    PajekFields fields = reader_.fields();
    const graph::Node node = vertex(fields[0]);
    const bool has_label = fields.size() > 1;
    if (!labels_.emplace(node, Vertex{std::string(has_label ? fields[1] : ""), reader_.line()}).second)
      reader_.fail(fmt::format("vertex {} appears here a second time", node + 1));
    fields = fields.subspan(has_label ? 2 : 1);
    for (int i = 0; i < 3 && !fields.empty() && is_number(fields[0]); ++i) fields = fields.subspan(1);  // position
    if (count_of_pairs(fields) % 2 == 1) fields = fields.subspan(1);                                    // shape
    each_pair(fields, [&](std::string_view name, std::string_view value) {
      builder_.set_node(node, name, value, ValueType::unknown);
    });
  }

  void read_edge() {
    PajekFields fields = reader_.fields();
    std::string relation = relation_;
    if (fields[0].ends_with(':')) {  // "2: 1 5" is an edge of the relation 2
      relation = fields[0].substr(0, fields[0].size() - 1);
      fields = fields.subspan(1);
    }
    if (fields.size() < 2) reader_.fail("expected two vertices");
    add(vertex(fields[0]), vertex(fields[1]), section_ == Section::arcs, relation);
    fields = fields.subspan(2);
    if (!fields.empty() && is_number(fields[0])) {
      builder_.set_edge(builder_.edge_count() - 1, "weight", fields[0], ValueType::number);
      fields = fields.subspan(1);
    }
    each_pair(fields, [&](std::string_view name, std::string_view value) {
      builder_.set_edge(builder_.edge_count() - 1, name == "l" ? "label" : name, value, ValueType::unknown);
    });
  }

  void read_list() {
    const graph::Node source = vertex(reader_.fields()[0]);
    for (const std::string_view target : reader_.fields().subspan(1))
      add(source, vertex(target), section_ == Section::arcs_list, relation_);
  }

  void read_row() {
    const PajekFields fields = reader_.fields();
    if (row_ == vertices_) reader_.fail(fmt::format("expected {} rows in the matrix, found another one", vertices_));
    if (fields.size() != vertices_)
      reader_.fail(fmt::format("expected {} numbers in a row of the matrix, found {}", vertices_, fields.size()));
    for (std::size_t column = 0; column < fields.size(); ++column) {
      if (require_number(fields[column], reader_.path(), reader_.line(), "matrix") == 0.0F) continue;
      add(static_cast<graph::Node>(row_), static_cast<graph::Node>(column), true, relation_);
      builder_.set_edge(builder_.edge_count() - 1, "weight", fields[column], ValueType::number);
    }
    ++row_;
  }

  void check_matrix_ends() {
    if (row_ < vertices_)
      throw DataError({reader_.path(), reader_.line(), 0},
                      fmt::format("the matrix ends after {} of {} rows", row_, vertices_));
    row_ = 0;
  }

  void add(graph::Node source, graph::Node target, bool is_arc, std::string_view relation) {
    if (is_arc) {
      builder_.add_edge(source, target, reader_.line());
      has_arcs_ = true;
    } else {
      builder_.add_two_way_edge(source, target, reader_.line());
    }
    if (!relation.empty())
      builder_.set_edge(builder_.edge_count() - 1, "relation", relation, ValueType::text);
  }

  /// Fields other than times, such as [1-3].
  static std::size_t count_of_pairs(PajekFields fields) {
    return static_cast<std::size_t>(std::ranges::count_if(fields, [](std::string_view f) { return !is_time(f); }));
  }
  static bool is_time(std::string_view field) { return field.starts_with('[') && field.ends_with(']'); }

  template <class Set>
  void each_pair(PajekFields fields, const Set& set) {
    std::vector<std::string_view> words;
    for (const std::string_view field : fields) {
      has_times_ = has_times_ || is_time(field);
      if (!is_time(field)) words.push_back(field);
    }
    for (std::size_t i = 0; i + 1 < words.size(); i += 2)
      if (std::ranges::find(kDrawing, words[i]) == std::end(kDrawing)) set(words[i], words[i + 1]);
  }

  bool labels_are_names() const {
    if (labels_.size() < vertices_) return false;
    graph::NodeNames labels;
    for (const auto& [node, vertex] : labels_) {
      if (vertex.label.empty()) return false;
      labels.add(vertex.label);
    }
    return labels.size() == vertices_;
  }

  void add_vertices() {
    detail::check_declared_nodes(vertices_, reader_.bytes(), {reader_.path(), vertices_line_, 0});
    const bool use_labels = labels_are_names();
    auto next = labels_.begin();
    for (graph::Node node = 0; node < vertices_; ++node) {
      const bool is_listed = next != labels_.end() && next->first == node;
      const std::uint64_t line = is_listed ? next->second.line : vertices_line_;
      const std::string number = fmt::format("{}", node + 1);
      builder_.add_node(use_labels ? next->second.label : number, line);
      if (is_listed && !use_labels && !next->second.label.empty())
        builder_.set_node(node, "label", next->second.label, ValueType::text);
      if (is_listed) ++next;
    }
  }

  FieldReader reader_;
  GraphBuilder builder_;
  Section section_ = Section::none;
  std::string relation_;
  std::map<graph::Node, Vertex> labels_;  // the listed vertices: all of 1 to `vertices_` exist
  std::uint64_t vertices_ = 0;
  std::uint64_t vertices_line_ = 0;
  std::uint64_t row_ = 0;  // of the matrix
  bool has_vertices_ = false;
  bool has_arcs_ = false;
  bool has_times_ = false;
};

}  // namespace

GraphFile read_pajek(const std::string& path, const GraphFileOptions& options) {
  GraphFile file = PajekReader(path).read(detail::with_weight_by_position(options));
  detail::drop_repeated_names(file, "label");
  return file;
}

}  // namespace edgewise::io
