#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "edgewise/io/csv.hpp"

namespace edgewise::io::detail {

struct SampleRow {
  std::uint64_t line;
  std::vector<std::string_view> fields;  // without quotes and blanks at their ends
};

/// The first rows of an edge list, which may have different numbers of fields. Views into the text it was taken from.
struct EdgeListSample {
  std::vector<SampleRow> rows;
  bool is_whole = false;  ///< These are all rows of the file.
};

using SampleRows = std::span<const SampleRow>;

/// Rows without the header.
SampleRows body_of(const EdgeListSample& sample, bool has_header);

bool have_width(SampleRows rows, std::size_t width);

/// A column of rows that have it.
struct ColumnSample {
  std::vector<std::string_view> values;
  std::unordered_set<std::string_view> distinct;
  bool is_numeric = true;

  bool differs_everywhere() const { return distinct.size() == values.size(); }
};

ColumnSample column_of(SampleRows rows, std::size_t column);

/// The number of values that both columns have.
std::size_t shared_values(const ColumnSample& a, const ColumnSample& b);
/// The same as a share of the column with more of them.
double overlap(const ColumnSample& a, const ColumnSample& b);

/// Splits `start`, whole lines of a file. A field that contains line breaks is split there.
EdgeListSample sample_edge_list(std::string_view start, bool is_whole, Delimiter delimiter);

}  // namespace edgewise::io::detail
