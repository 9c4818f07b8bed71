#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/graph/node_names.hpp"
#include "edgewise/io/column.hpp"
#include "edgewise/io/csv.hpp"

namespace edgewise::io::detail {

/// How a table of features is laid out.
struct FeatureLayout {
  bool is_dense = false;
  std::vector<std::string> header = {};      ///< Of a dense table; empty if it has none.
  bool is_header_commented = false;
  std::optional<std::uint64_t> rows = {};    ///< As the line "N D" before the rows of a dense table says.
};

/// The layout of a table that begins with `start`, of which the current record is the first. Throws DataError if that
/// does not show.
FeatureLayout layout_of(const CsvReader& reader, const TextStart& start);

/// A dense table: see FeatureTable.
struct DenseFeatures {
  std::vector<Column> columns;
  std::size_t without_row = 0;
};

/// Reads a dense table, of which the current record is the first. Throws as `read_feature_table` does.
DenseFeatures read_dense_rows(CsvReader& reader, const FeatureLayout& layout, const graph::NodeNames& nodes,
                              const std::vector<std::string>& missing);

}  // namespace edgewise::io::detail
