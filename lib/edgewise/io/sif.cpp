#include "edgewise/io/graph_formats.hpp"

#include "edgewise/io/detail/field_reader.hpp"
#include "edgewise/io/detail/graph_builder.hpp"

namespace edgewise::io {

GraphFile read_sif(const std::string& path, const GraphFileOptions& options) {
  detail::FieldReader reader(path);
  reader.let_tabs_win();
  detail::GraphBuilder builder(path, graph::Direction::undirected);
  builder.set_kind_of_edges("interaction");
  while (reader.next()) {
    const auto fields = reader.fields();
    builder.set_text_bytes(reader.bytes());
    if (fields.size() == 2)
      reader.fail("expected a node, a relation and nodes, or a node alone, found two fields; is it an edge list?");
    const graph::Node source = builder.node(fields[0], reader.line());
    if (fields.size() == 1) continue;
    const auto relation = builder.store(fields[1]);
    for (const std::string_view target : fields.subspan(2)) {
      builder.add_edge(source, builder.node(target, reader.line()), reader.line());
      builder.set_edge(builder.edge_count() - 1, "interaction", relation, detail::ValueType::text);
    }
  }
  reader.refuse_empty();
  return builder.finish(options);
}

}  // namespace edgewise::io
