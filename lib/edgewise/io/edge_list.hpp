#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "edgewise/graph/graph.hpp"
#include "edgewise/io/csv.hpp"

namespace edgewise::io {

/// The texts of columns, by the name of the column.
using Categories = std::map<std::string, std::vector<std::string>>;

struct EdgeListOptions {
  Delimiter delimiter = Delimiter::automatic;
  /// `automatic`: the first row is a header when it holds one of the usual column names (below) or one that is asked
  /// for or preferred here, or when nothing in it is a number while both endpoints of the second row are, or another
  /// field.
  HeaderRow header = HeaderRow::automatic;
  /// Columns are a name in the header or a position counted from 1. When both are empty: the preferred pair, where the
  /// header has it; the usual pairs source,target; src,dst; from,to; id_1,id_2; id1,id2; node_1,node_2; node1,node2
  /// (any case); or else the first two columns that are no weight.
  std::string source_column = {};
  std::string target_column = {};
  std::string preferred_source = {};
  std::string preferred_target = {};
  /// When empty, the column called "weight" or "value" (any case), if there is one.
  std::string weight_column = {};
  /// Leave weights out, even where there is a column for them.
  bool ignore_weights = false;
  /// Further columns that become edge features, in this order: a number as it is, a text (told by the first row) as a
  /// column of 0 and 1 for each category.
  std::vector<std::string> feature_columns = {};
  /// Those of them that are categories although they hold numbers.
  std::vector<std::string> categorical = {};
  /// By the name of the column: the categories that there are, where something else (a model) says so. An edge of
  /// another has none of them.
  Categories categories = {};
  /// The nodes that exist, when something else (a node table) says so: an edge to any other is then an error, and the
  /// result has these names. It must outlive the call.
  const graph::NodeNames* known_nodes = nullptr;
};

/// What became of the columns that were asked for as features of the edges.
struct EdgeFeatureReport {
  Categories categories;                 ///< Of those that are texts.
  std::uint64_t unknown_categories = 0;  ///< Values that are none of the categories that there are.
  std::vector<Eigen::Index> numbers;     ///< Columns of `graph::EdgeList::features` that are no categories.
};

struct EdgeListReport {
  std::uint64_t rows = 0;  ///< Edges read.
  bool has_header = false;
  Delimiter delimiter = Delimiter::automatic;
  std::string source_column;
  std::string target_column;
  std::string weight_column;  ///< Empty when there are no weights.
  std::vector<std::string> unused_columns;
  CommentedRows commented_rows;
  EdgeFeatureReport features;
};

/// From this edge on there is one edge per line, up to the next such place.
struct EdgeLine {
  graph::EdgeIndex edge;
  std::uint64_t line;
};

struct EdgeListResult {
  graph::NodeNames names;  ///< In the order in which the file names them, or the known ones.
  graph::EdgeList edges;   ///< One a row, in the order of the file; rules for duplicates are `graph::Graph`'s.
  EdgeListReport report;
  std::vector<EdgeLine> lines;  ///< One entry at the first edge and after each gap (comments, blank lines).

  /// The line of an edge in the file, counted from 1.
  std::uint64_t line_of(graph::EdgeIndex edge) const;
};

/// Reads edges from delimited text (CsvReader says what that may be), plain or gzip, without holding it.
/// Nodes are whatever their text is: "7" and "07" are two nodes.
/// Throws DataError with file and line for an endpoint that is empty or not known, a weight, or a feature in a
/// column of numbers, that is not a finite number, more than 1000 categories, rows of different lengths, fewer than two
/// columns, and for a file without any row; a header alone is a list of no edges.
EdgeListResult read_edge_list(const std::string& path, const EdgeListOptions& options = {});

}  // namespace edgewise::io
