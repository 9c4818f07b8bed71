#pragma once

#include <span>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::autograd {

/// Row i of the result is row order[i] of x; `order` is a permutation of the rows and must outlive the tape's record.
/// x and result [N, C].
Variable permute_rows(Variable x, std::span<const graph::Node> order);

}  // namespace edgewise::autograd
