#pragma once

#include "edgewise/attention/fused/tables.hpp"
#include "edgewise/attention/options.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// Fused attention along the edges of a mask: the driver behind `attend`, on and off the tape. There is one kernel per
/// score and normaliser. Each score is instantiated in its own source (fused/instance.cpp.in).
namespace edgewise::attention {

/// The kernels of the library.
const Kernels& kernels(Score score, Normaliser normaliser);

/// The number of floats that the forward pass keeps for the backward pass: two per destination and head, with heads
/// rounded up. First come the log-sum-exps of all rows, then what was subtracted from their scores: 0, or the maximum
/// in rows whose scores are too large or too small for exp.
std::size_t row_statistics_size(const graph::FrozenGraph& mask, int heads, int width);

}  // namespace edgewise::attention
