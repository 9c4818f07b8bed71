#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/file_list.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/edge_feature_report.hpp"

namespace edgewise::io {

/// Edges to nodes that are not among the known ones, if they are not refused.
struct UnknownNodeReport {
  std::uint64_t edges = 0;
  std::uint64_t nodes = 0;
  std::string first;  ///< The first such node.
  std::string place;  ///< Where: "line 12"; empty if that is not known.
  bool is_header = false;  ///< One of them is EdgeListOptions::nodes_header.
};

struct EdgeListReport {
  std::uint64_t rows = 0;  ///< Edges read.
  bool has_header = false;
  Delimiter delimiter = Delimiter::automatic;
  std::string source_column;
  std::string target_column;
  std::string weight_column;  ///< Empty if there are no weights.
  std::vector<std::string> unused_columns;
  CommentedRows commented_rows;  ///< Before the first row, those with as many fields that are neither header nor prose.
  EdgeFeatureReport features;
  UnknownNodeReport unknown;
  bool is_directed = false;   ///< As a column "Type" says, see EdgeListOptions::reads_types.
  std::uint64_t two_way = 0;  ///< Edges of a directed list that are undirected there: two edges each.
  std::vector<std::string> doubts;  ///< Why this may be another graph than the user means, one sentence each.
};

/// From this edge on there is one edge per line, until the next EdgeLine.
struct EdgeLine {
  graph::EdgeIndex edge;
  std::uint64_t line;
  std::size_t file = 0;
};

struct EdgeListResult {
  FileList files;
  graph::NodeNames names;  ///< In order of first appearance in the file, or the known ones.
  graph::EdgeList edges;   ///< One per row, in file order; `graph::Graph` handles duplicates.
  EdgeListReport report;
  std::vector<EdgeLine> lines;  ///< One for the first edge of a file and one after each gap (comments, blank lines).

  /// The place of an edge; line 0 if it is not known.
  EdgeLine line_at(graph::EdgeIndex edge) const;
  TextLocation where(graph::EdgeIndex edge) const;
  /// The same within the list: "line 12", or "line 12 of b.csv" if there are several files.
  std::string place_of(graph::EdgeIndex edge) const;
};

}  // namespace edgewise::io
