#include "edgewise/io/kind_columns.hpp"

#include <algorithm>

#include "edgewise/io/detail/edge_list_header.hpp"
#include "edgewise/io/detail/node_kinds.hpp"

namespace edgewise::io {

std::optional<std::pair<std::size_t, std::size_t>> find_kinds(std::span<const std::string> header,
                                                             std::string_view source, std::string_view target) {
  const auto find = [&](std::string_view kind) {
    return std::ranges::find_if(header, [&](const std::string& column) { return detail::names_kind(column, kind); });
  };
  const auto first = find(source), second = find(target);
  if (first == header.end() || second == header.end() || first == second) return std::nullopt;
  return std::pair<std::size_t, std::size_t>(first - header.begin(), second - header.begin());
}

std::optional<std::pair<std::size_t, std::size_t>> find_ends(std::span<const std::string> header) {
  return detail::find_endpoints(header);
}

}  // namespace edgewise::io
