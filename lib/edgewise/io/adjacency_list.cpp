#include "edgewise/io/graph_formats.hpp"

#include <fmt/format.h>

#include "edgewise/core/text.hpp"
#include "edgewise/io/detail/field_reader.hpp"
#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io {
namespace {

using detail::FieldReader;
using detail::GraphBuilder;
using detail::ValueType;

struct MetisHeader {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  bool has_sizes = false;
  std::uint64_t node_weights = 0;
  bool has_edge_weights = false;
  std::uint64_t line = 0;
};

MetisHeader read_metis_header(FieldReader& reader) {
  if (!reader.next()) throw DataError(fmt::format("{}: is empty, expected a graph of METIS", reader.path()));
  const auto fields = reader.fields();
  if (fields.size() < 2 || fields.size() > 4) reader.fail("expected the numbers of nodes and edges");
  const std::uint64_t most = ~std::uint32_t{0};
  MetisHeader header{.nodes = reader.index(fields[0], "a number of nodes", 0, most),
                     .edges = reader.index(fields[1], "a number of edges", 0, most),
                     .line = reader.line()};
  std::string format(fields.size() > 2 ? fields[2] : "0");
  if (format.size() > 3 || format.find_first_not_of("01") != std::string::npos)
    reader.fail(fmt::format("expected a format of three digits 0 or 1, got {}", quote(fields[2])));
  format.insert(0, 3 - format.size(), '0');
  header.has_sizes = format[0] == '1';
  header.node_weights = format[1] == '1' ? 1 : 0;
  header.has_edge_weights = format[2] == '1';
  if (fields.size() == 4) header.node_weights = reader.index(fields[3], "a number of weights", 0, 1000);
  return header;
}

class MetisReader {
 public:
  explicit MetisReader(const std::string& path) : reader_(path), builder_(path, graph::Direction::undirected) {
    reader_.set_comment('%');
  }

  GraphFile read(const GraphFileOptions& options) {
    header_ = read_metis_header(reader_);
    graph::Node node = 0;
    while (reader_.next(true)) {
      if (node == header_.nodes && reader_.fields().empty()) continue;  // lines after the last
      if (node == header_.nodes)
        reader_.fail(fmt::format("a line more than the {} nodes that line {} states", header_.nodes, header_.line));
      builder_.set_text_bytes(reader_.bytes());
      read_node(node++);
    }
    const TextLocation where{reader_.path(), header_.line, 0};
    if (node < header_.nodes)
      throw DataError(where, fmt::format("states {} nodes, but only {} lines follow", header_.nodes, node));
    if (ends_ != 2 * header_.edges)
      throw DataError(where, fmt::format("states {} edges, each listed at both ends, but {} ends follow", header_.edges,
                                         ends_));
    return builder_.finish(options);
  }

 private:
  void read_node(graph::Node node) {
    builder_.add_node(fmt::format_int(node + 1).c_str(), reader_.line());
    const auto fields = reader_.fields();
    std::size_t at = 0;
    const auto next = [&](std::string_view what) {
      if (at == fields.size()) reader_.fail(fmt::format("expected {} at the end of the line", what));
      require_number(fields[at], reader_.path(), reader_.line(), what);
      return fields[at++];
    };
    if (header_.has_sizes) builder_.set_node(node, "size", next("size"), ValueType::number);
    for (std::uint64_t i = 1; i <= header_.node_weights; ++i)
      builder_.set_node(node, header_.node_weights == 1 ? "weight" : fmt::format("weight_{}", i), next("weight"),
                        ValueType::number);
    while (at < fields.size()) {
      const auto neighbour = static_cast<graph::Node>(reader_.index(fields[at++], "a node", 1, header_.nodes) - 1);
      const std::string_view weight = header_.has_edge_weights ? next("weight") : std::string_view();
      ++ends_;
      if (neighbour < node) continue;  // listed before
      if (neighbour == node)
        reader_.fail(fmt::format("node {} is its own neighbour, which METIS does not allow", node + 1));
      builder_.add_edge(node, neighbour, reader_.line());
      if (!weight.empty()) builder_.set_edge(builder_.edge_count() - 1, "weight", weight, ValueType::number);
    }
  }

  FieldReader reader_;
  GraphBuilder builder_;
  MetisHeader header_;
  std::uint64_t ends_ = 0;  // of edges, as listed
};

}  // namespace

GraphFile read_adjacency_list(const std::string& path, const GraphFileOptions& options) {
  FieldReader reader(path);
  reader.set_comment('#');
  GraphBuilder builder(path, graph::Direction::undirected);
  while (reader.next()) {
    builder.set_text_bytes(reader.bytes());
    const graph::Node source = builder.node(reader.fields()[0], reader.line());
    for (const std::string_view target : reader.fields().subspan(1))
      builder.add_edge(source, builder.node(target, reader.line()), reader.line());
  }
  reader.refuse_empty();
  return builder.finish(options);
}

GraphFile read_metis(const std::string& path, const GraphFileOptions& options) {
  return MetisReader(path).read(options);
}

}  // namespace edgewise::io
