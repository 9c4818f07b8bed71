#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/io/column.hpp"
#include "edgewise/io/sparse_features.hpp"

namespace edgewise::io {

/// Reads `node,feature,value` (features counted from 0, absent ones are 0) from delimited text, plain or gzip. Columns
/// are found by these names; otherwise the first three are used. Without a third column all values are 1. A leading
/// comment "# nodes=N features=F nnz=Z" is honoured and checked. Throws DataError with file and line for unknown nodes,
/// features that are not integers or out of range, values that are not finite numbers, a repeated node and feature, and
/// counts that contradict the comment.
SparseFeatures read_sparse_features(const std::string& path, const SparseFeaturesOptions& options = {});

/// Features of nodes as a table has them: either sparse, or a column for each feature.
struct FeatureTable {
  std::optional<SparseFeatures> sparse;
  std::vector<Column> columns;    ///< [known nodes], all numeric, NaN where missing; "feature 1", ... without a header.
  std::size_t without_row = 0;  ///< Known nodes that a dense table does not list.
};

/// Reads a table that is sparse, as above, or dense: `node x1 ... xN`, with or without a header, or after a line "N D"
/// as word embeddings have it. `options` must have known nodes and, if the number of features is given, the table is
/// sparse. A table is dense if it has more than three columns, or if the second one holds other numbers than those of
/// features; it is sparse if a column is called "feature" or the like, or a node has several rows. Throws DataError if
/// it could be either, with what to do; for a dense table, with file and line, for an unknown or repeated node, and for
/// a cell that is neither a number nor one of `missing`.
FeatureTable read_feature_table(const std::string& path, const SparseFeaturesOptions& options,
                                const std::vector<std::string>& missing = default_missing_texts());

}  // namespace edgewise::io
