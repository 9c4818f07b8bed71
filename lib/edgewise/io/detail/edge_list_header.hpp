#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "edgewise/io/detail/edge_list_sample.hpp"

namespace edgewise::io::detail {

/// Columns of the source and the target.
using Endpoints = std::pair<std::size_t, std::size_t>;

/// The columns whose names usually mean the ends of an edge: "source" and "target", "citing_paper" and "cited_paper",
/// "gene A" and "gene B".
std::optional<Endpoints> find_endpoints(std::span<const std::string> header);

/// Whether the first row names the columns, as far as its texts and the rows below tell.
bool names_columns(std::span<const std::string> first, std::span<const std::string_view> second,
                   const EdgeListSample& sample);

}  // namespace edgewise::io::detail
