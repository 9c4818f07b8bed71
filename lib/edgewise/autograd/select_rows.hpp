#pragma once

#include <span>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::autograd {

/// Row i of the result is row rows[i] of x; rows may repeat. x [N, C], result [M, C]. `rows` must outlive the record.
Variable select_rows(Variable x, std::span<const graph::Node> rows);

}  // namespace edgewise::autograd
