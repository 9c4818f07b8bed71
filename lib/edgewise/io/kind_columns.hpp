#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace edgewise::io {

/// The columns of sources and targets in a header that names the kinds of both: "product_id" and "person".
std::optional<std::pair<std::size_t, std::size_t>> find_kinds(std::span<const std::string> header,
                                                             std::string_view source, std::string_view target);

/// Those whose names usually mean the ends of an edge: "from" and "to", "item" and "user", "gene A" and "gene B".
std::optional<std::pair<std::size_t, std::size_t>> find_ends(std::span<const std::string> header);

}  // namespace edgewise::io
