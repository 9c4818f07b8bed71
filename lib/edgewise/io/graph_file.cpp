#include "edgewise/io/graph_file.hpp"

#include <fmt/format.h>

#include "edgewise/io/gml.hpp"
#include "edgewise/io/graphml.hpp"
#include "edgewise/io/graphviz.hpp"
#include "edgewise/io/node_link_json.hpp"

namespace edgewise::io {

GraphFile read_graph_file(const std::string& path, const GraphFileOptions& options) {
  std::string_view name = path;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".graphml")) return read_graphml(path, options);
  if (name.ends_with(".dot") || name.ends_with(".gv")) return read_graphviz(path, options);
  if (name.ends_with(".json")) return read_node_link_json(path, options);
  if (name.ends_with(".gml")) return read_gml(path, options);
  throw UsageError(fmt::format(
      "{}: expected a file that ends in .graphml, .dot, .gv, .json or .gml (or one of them and .gz)", path));
}

}  // namespace edgewise::io
