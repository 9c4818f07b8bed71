#pragma once

#include <cstddef>
#include <span>

#include "edgewise/autograd/linear.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::autograd {

/// Which rows of x are in each group: rows[begins[g]] ... rows[begins[g + 1] - 1], none twice in a group.
struct RowGroups {
  std::span<const graph::Node> rows;
  std::span<const std::size_t> begins;

  std::size_t count() const { return begins.size() - 1; }
};

/// Maps of groups of rows, with factors of each group: row i of a result is x[rows[i]] * weight + bias of its group.
/// x [N, K], results [rows, M]. `factors` has one to `kMaxMaps` factors for each group, group by group; biases are set
/// in all groups or in none. Results after the last are unset. What `groups` refers to must outlive the record.
std::array<Variable, kMaxMaps> linear_groups(Variable x, const RowGroups& groups,
                                              std::span<const LinearFactor> factors);

}  // namespace edgewise::autograd
