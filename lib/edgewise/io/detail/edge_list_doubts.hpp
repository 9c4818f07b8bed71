#pragma once

#include <string>
#include <vector>

#include "edgewise/io/detail/edge_list_check.hpp"

namespace edgewise::io::detail {

/// Why an edge list that was read may be another graph than the user means, one sentence each.
std::vector<std::string> doubts_about(const EdgeListSample& sample, const GuessedColumns& columns,
                                      const EdgeListResult& result);

}  // namespace edgewise::io::detail
