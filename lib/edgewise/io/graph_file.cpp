#include "edgewise/io/graph_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/graph_formats.hpp"
#include "edgewise/io/memory_table.hpp"

namespace edgewise::io {
namespace {

using GraphReader = GraphFile (*)(const std::string&, const GraphFileOptions&);

constexpr std::pair<std::string_view, GraphReader> kByExtension[] = {
    {".graphml", &read_graphml},    {".gexf", &read_gexf},       {".gml", &read_gml},
    {".dot", &read_graphviz},       {".gv", &read_graphviz},     {".json", &read_node_link_json},
    {".cyjs", &read_node_link_json}, {".mtx", &read_matrix_market}, {".net", &read_pajek},
    {".paj", &read_pajek},          {".sif", &read_sif},         {".lgl", &read_lgl},
    {".ncol", &read_ncol},          {".adjlist", &read_adjacency_list}, {".graph", &read_metis},
    {".metis", &read_metis}};

/// The first bytes of a file, unpacked; none of what could not be read again.
std::string beginning_of(const std::string& path) {
  constexpr std::size_t kBytes = std::size_t{1} << 12;
  if (table_in_memory(path) != nullptr) return CsvReader(path).start(kBytes).text;
  if (!can_be_read_twice(path)) return {};
  std::string bytes(kBytes, '\0');
  ByteSource source(path);
  std::size_t size = 0;
  for (std::size_t count = 1; count > 0 && size < bytes.size(); size += count)
    count = source.read(bytes.data() + size, bytes.size() - size);
  bytes.resize(size);
  return bytes.starts_with("\xef\xbb\xbf") ? bytes.substr(3) : bytes;
}

bool begins_ignoring_case(std::string_view text, std::string_view start) {
  return equals_ignoring_case(text.substr(0, start.size()), start);
}

/// The first line that is no comment.
std::string_view first_line(std::string_view text) {
  while (text.starts_with('#') && text.find('\n') != std::string_view::npos) text.remove_prefix(text.find('\n') + 1);
  return text.substr(0, text.find('\n'));
}

GraphReader reader_of_table(const std::string& path, std::string_view first_line) {
  if (first_line.find("_id") == std::string_view::npos && first_line.find("interaction") == std::string_view::npos)
    return nullptr;
  CsvReader reader(path);
  if (!reader.next()) return nullptr;
  const std::vector<std::string> columns(reader.fields().begin(), reader.fields().end());
  if (is_neo4j_export(columns)) return &read_neo4j_export;
  return is_cytoscape_edges(columns) ? &read_cytoscape_edges : nullptr;
}

/// For what comes without a name that says what it is, such as a pipe.
GraphReader reader_without_name(std::string_view text) {
  if (text.starts_with('{') && text.find("\"nodes\"") != std::string_view::npos) return &read_node_link_json;
  const std::size_t bracket = text.find_first_of("[{");
  if (bracket == std::string_view::npos) return nullptr;
  if (begins_ignoring_case(text, "graph")) return text[bracket] == '[' ? &read_gml : &read_graphviz;
  if (begins_ignoring_case(text, "creator ")) return &read_gml;
  return begins_ignoring_case(text, "digraph") || begins_ignoring_case(text, "strict ") ? &read_graphviz : nullptr;
}

GraphReader reader_by_content(const std::string& path) {
  const std::string text = beginning_of(path);
  if (begins_ignoring_case(text, "%%MatrixMarket")) return &read_matrix_market;
  if (begins_ignoring_case(text, "*Vertices") || begins_ignoring_case(text, "*Network")) return &read_pajek;
  if (text.starts_with('<') && text.find("<graphml") != std::string::npos) return &read_graphml;
  if (text.starts_with('<') && text.find("<gexf") != std::string::npos) return &read_gexf;
  if (!std::filesystem::path(path).has_extension())
    if (const GraphReader reader = reader_without_name(text)) return reader;
  const std::string_view first = first_line(text);
  return is_python_edge(first) ? &read_python_edge_list : reader_of_table(path, first);
}

/// The reader for the file, or nullptr.
GraphReader graph_reader(const std::string& path) {
  const std::string_view name = without_gz(path);
  for (const auto& [extension, reader] : kByExtension)
    if (ends_with_ignoring_case(name, extension))
      return reader;
  return reader_by_content(path);
}

}  // namespace

bool is_graph_file(const std::string& path) { return graph_reader(path) != nullptr; }

GraphFile read_graph_file(const std::string& path, const GraphFileOptions& options) {
  if (const GraphReader read = graph_reader(path)) return read(path, options);
  const ByteSource file(path);  // throws if it cannot be read
  std::string extensions;
  for (const auto& [extension, reader] : kByExtension) extensions += fmt::format(", {}", extension);
  throw UsageError(
      fmt::format("{}: expected a file that ends in one of{} (or one of them and .gz); a list of edges goes "
                  "to {}",
                  path, extensions.substr(1), setting("data.edges")));
}

}  // namespace edgewise::io
