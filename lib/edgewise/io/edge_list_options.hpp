#pragma once

#include <functional>
#include <string>
#include <vector>

#include "edgewise/graph/graph.hpp"
#include "edgewise/graph/node_names.hpp"
#include "edgewise/io/column.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/edge_feature_report.hpp"

namespace edgewise::io {

/// What happens to an edge whose node is not among the known ones.
enum class UnknownNodes { refuse, drop, add };

struct EdgeListOptions {
  /// Each column is a name in the header or a position counted from 1. If both are empty, the first match is used: the
  /// preferred pair, if the header has it; a usual pair such as source,target; src,dst; from,to; node_1,node_2;
  /// sender_id,receiver_id; :START_ID,:END_ID (any case); the first two columns that are neither a weight nor a feature
  /// nor unnamed row numbers. Naming them also says that the rows are edges, whatever they look like.
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
  /// The first value that is not missing decides; numbers must be there in every row.
  std::vector<std::string> feature_columns = {};
  std::vector<std::string> missing = default_missing_texts();  ///< Texts that mean "not known".
  /// Those of them that are categorical although they hold numbers.
  std::vector<std::string> categorical = {};
  /// Fixed categories by column name, if something else (a model) defines them. An edge with any other value gets none
  /// of them.
  Categories categories = {};
  /// The existing nodes, if something else (a node table) defines them. The result has these names, followed by others
  /// if they are added. Must outlive the call.
  const graph::NodeNames* known_nodes = nullptr;
  /// The name of the column of a table that gives them: it may be a node if the table lacks a header.
  std::string nodes_header = {};
  /// What sources and targets are called, if they are nodes of two kinds; else empty. Columns with these names are
  /// preferred to a usual pair: "product_id" and "person_id", for persons that buy products. A name in both columns is
  /// that of two nodes: the result numbers names, and leaves it to the caller to tell the two apart.
  std::string source_kind = {};
  std::string target_kind = {};
  /// Whether a column "Type" with Directed, Undirected or Mutual in each row, as Gephi writes it, says the direction.
  bool reads_types = true;
  /// For edges to other nodes than these.
  UnknownNodes unknown_nodes = UnknownNodes::refuse;
  /// If set, it gets the edges piece by piece, with their nodes numbered as in the result, which has none. There are no
  /// feature columns then, and no doubts.
  std::function<void(const graph::EdgeList& piece)> take = {};
};

}  // namespace edgewise::io
