#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "edgewise/graph/graph.hpp"
#include "edgewise/io/csv.hpp"

namespace edgewise::io {

/// Categories by column name.
using Categories = std::map<std::string, std::vector<std::string>>;

struct EdgeListOptions {
  Delimiter delimiter = Delimiter::automatic;
  /// `automatic`: the first row is a header if it contains one of the usual column names (below) or one requested or
  /// preferred here. It is also a header if it contains no number while both endpoints, or another field, of the second
  /// row are numbers.
  HeaderRow header = HeaderRow::automatic;
  /// Each column is a name in the header or a position counted from 1. If both are empty, the first match is used: the
  /// preferred pair, if the header has it; one of the usual pairs source,target; src,dst; from,to; id_1,id_2; id1,id2;
  /// node_1,node_2; node1,node2; :START_ID,:END_ID (any case); the first two columns that are not a weight.
  std::string source_column = {};
  std::string target_column = {};
  std::string preferred_source = {};
  std::string preferred_target = {};
  /// If empty, the first there is of the preferred column, if the file has a header, and those called "weight" or
  /// "value" (any case).
  std::string weight_column = {};
  std::string preferred_weight = {};
  /// Ignore weights even if there is another column for them than the preferred one.
  bool ignore_weights = false;
  /// Further columns that become edge features, in this order: a number as is, a text as one 0/1 column per category.
  /// The first value that is not missing (see NodeTableOptions) decides; numbers must be there in every row.
  std::vector<std::string> feature_columns = {};
  /// Those of them that are categorical although they hold numbers.
  std::vector<std::string> categorical = {};
  /// Fixed categories by column name, if something else (a model) defines them. An edge with any other value gets none
  /// of them.
  Categories categories = {};
  /// The existing nodes, if something else (a node table) defines them: an edge to any other node is an error, and the
  /// result has these names. Must outlive the call.
  const graph::NodeNames* known_nodes = nullptr;
};

/// How the columns requested as edge features were used.
struct EdgeFeatureReport {
  Categories categories;                 ///< Of the text columns.
  std::uint64_t unknown_categories = 0;  ///< Values that match none of the given categories.
  std::vector<Eigen::Index> numbers;     ///< Numeric columns of `graph::EdgeList::features`.
};

struct EdgeListReport {
  std::uint64_t rows = 0;  ///< Edges read.
  bool has_header = false;
  Delimiter delimiter = Delimiter::automatic;
  std::string source_column;
  std::string target_column;
  std::string weight_column;  ///< Empty if there are no weights.
  std::vector<std::string> unused_columns;
  CommentedRows commented_rows;
  EdgeFeatureReport features;
};

/// From this edge on there is one edge per line, until the next EdgeLine.
struct EdgeLine {
  graph::EdgeIndex edge;
  std::uint64_t line;
};

struct EdgeListResult {
  graph::NodeNames names;  ///< In order of first appearance in the file, or the known ones.
  graph::EdgeList edges;   ///< One per row, in file order; `graph::Graph` handles duplicates.
  EdgeListReport report;
  std::vector<EdgeLine> lines;  ///< One for the first edge and one after each gap (comments, blank lines).

  /// The line of an edge in the file, counted from 1.
  std::uint64_t line_of(graph::EdgeIndex edge) const;
};

/// Streams edges from delimited text (see CsvReader), plain or gzip. Nodes are identified by their text: "7" and "07"
/// are two nodes. Throws DataError with file and line for an endpoint that is empty or unknown, a weight or numeric
/// feature that is missing or not a finite number, more than 1000 categories, rows of different lengths, fewer than two
/// columns, and a file without any rows. A header alone is a list of no edges.
EdgeListResult read_edge_list(const std::string& path, const EdgeListOptions& options = {});

}  // namespace edgewise::io
