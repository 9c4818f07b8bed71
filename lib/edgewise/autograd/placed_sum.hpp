#pragma once

#include <span>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/graph.hpp"

namespace edgewise::autograd {

/// Rows, and which rows of a sum they are added to: none twice.
struct PlacedRows {
  Variable rows;
  std::span<const graph::Node> places;
};

/// y[v] = the sum of the rows whose place is v, or zeros: [rows, cols]. `places` must outlive the record.
Variable placed_sum(Tape& tape, Eigen::Index rows, Eigen::Index cols, std::span<const PlacedRows> parts);

}  // namespace edgewise::autograd
