#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/detail/edge_list_sample.hpp"
#include "edgewise/io/edge_list_options.hpp"
#include "edgewise/io/edge_list_result.hpp"

namespace edgewise::io::detail {

/// The meaning of each field of a row.
struct EdgeColumns {
  std::size_t source = 0;
  std::size_t target = 1;
  std::optional<std::size_t> weight;
  std::optional<std::size_t> type;
  std::vector<std::size_t> features;
  std::vector<std::string> names;
  bool are_ends_requested = false;
  bool are_ends_named = false;  // by the header, in the usual way or as preferred
};

/// Whether the first row names the columns. `second` is the row after it, or empty if there is none.
bool is_header(const std::vector<std::string>& first, std::span<const std::string_view> second,
               const EdgeListSample& sample, const EdgeListOptions& options);

/// The names of the columns if a comment before the first row holds them, else nothing. The first row is the current
/// record. Counts other comments like rows.
std::vector<std::string> take_commented_header(const CsvReader& reader, const EdgeListSample& sample,
                                               const EdgeListOptions& options, CommentedRows& rows);

/// Throws UsageError if a column that is asked for is not there, or has two meanings.
EdgeColumns choose_columns(std::vector<std::string> names, bool has_header, const EdgeListOptions& options,
                           const std::string& path);

/// The column that may hold the types of edges, unless it has another meaning.
std::optional<std::size_t> find_types(const EdgeColumns& columns);

/// What a report says of the columns.
EdgeListReport describe(const EdgeColumns& columns, bool has_header, Delimiter delimiter);

}  // namespace edgewise::io::detail
