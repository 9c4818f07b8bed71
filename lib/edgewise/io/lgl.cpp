#include "edgewise/io/graph_formats.hpp"

#include <optional>

#include "edgewise/io/detail/field_reader.hpp"
#include "edgewise/io/detail/graph_builder.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io {
namespace {

using detail::FieldReader;
using detail::GraphBuilder;

/// Adds an edge to the node in the first of the fields, with the weight in the second, if there is one.
void add_weighted_edge(graph::Node source, std::span<const std::string_view> fields, const FieldReader& reader,
                       GraphBuilder& builder) {
  builder.add_edge(source, builder.node(fields[0], reader.line()), reader.line());
  if (fields.size() < 2) return;
  require_number(fields[1], reader.path(), reader.line(), "weight");
  builder.set_edge(builder.edge_count() - 1, "weight", fields[1], detail::ValueType::number);
}

}  // namespace

GraphFile read_lgl(const std::string& path, const GraphFileOptions& options) {
  FieldReader reader(path);
  GraphBuilder builder(path, graph::Direction::undirected);
  std::optional<graph::Node> source;
  while (reader.next()) {
    const auto fields = reader.fields();
    builder.set_text_bytes(reader.bytes());
    if (fields[0] == "#") {
      if (fields.size() != 2) reader.fail("expected one node after #");
      source = builder.node(fields[1], reader.line());
      continue;
    }
    if (!source) reader.fail("expected a line \"# node\" before its neighbours");
    if (fields.size() > 2) reader.fail("expected a neighbour, or a neighbour and a weight");
    add_weighted_edge(*source, fields, reader, builder);
  }
  reader.refuse_empty();
  return builder.finish(detail::with_weight_by_position(options));
}

GraphFile read_ncol(const std::string& path, const GraphFileOptions& options) {
  FieldReader reader(path);
  reader.set_comment('#');
  GraphBuilder builder(path, graph::Direction::undirected);
  while (reader.next()) {
    const auto fields = reader.fields();
    builder.set_text_bytes(reader.bytes());
    if (fields.size() != 2 && fields.size() != 3) reader.fail("expected two nodes, or two nodes and a weight");
    add_weighted_edge(builder.node(fields[0], reader.line()), fields.subspan(1), reader, builder);
  }
  reader.refuse_empty();
  return builder.finish(detail::with_weight_by_position(options));
}

}  // namespace edgewise::io
