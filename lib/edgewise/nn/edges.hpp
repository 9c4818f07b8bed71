#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>

#include "edgewise/graph/sample.hpp"
#include "edgewise/nn/block.hpp"

/// @file
/// The edges that a block follows: those of a mask or, in a pass over a sample, those drawn for its next step, of one
/// relation or of all. A step through a sample gives rows for the first of its input rows only; what is combined with
/// them takes its first rows, too.
namespace edgewise::nn {

struct Edges {
  const graph::FrozenGraph& mask;
  const graph::Sample* sample = nullptr;  ///< If set, its nodes have these edges and others of the whole graph.
  const float* importance = nullptr;  ///< Of each slot, see graph::SampledEdges; nullptr: all 1.
  autograd::Part* part = nullptr;     ///< If set, the edges also come from the rows of its halo.
};

/// The rows that a step along `mask` gives.
inline Eigen::Index row_count(const graph::FrozenGraph& mask) {
  return static_cast<Eigen::Index>(mask.destination_count());
}

/// For a block that makes a step along `mask`. Throws ModelError naming `block` if the context has no such mask.
Edges next_edges(ForwardContext& context, const MaskShape& mask, const std::string& block);

/// The rows that the edges come from: `rows` themselves or, in a pass over a part of a graph, also those of its halo.
/// What blocks make of their input before edges use it goes through this, so that no part makes the rows of another. In
/// a pass over a part that is not recorded they are valid until the next call.
autograd::Variable sources(const Edges& edges, autograd::Variable rows);
/// The same for two tables that are used together.
std::pair<autograd::Variable, autograd::Variable> sources(const Edges& edges, autograd::Variable rows,
                                                          autograd::Variable others);

/// For results on the tape from the first-th on that are not needed any more, but for those kept: a pass over a part
/// that is not recorded does not hold them any longer.
void forget(ForwardContext& context, std::size_t first, std::initializer_list<autograd::Variable> kept);

/// The first `rows` rows: those of the nodes that a step along sampled edges gives rows for. All rows are returned as
/// they are.
NodeRows leading(ForwardContext& context, const NodeRows& input, Eigen::Index rows);

/// The sums along the edges, with a weight for each slot, of input * weight [columns, M]: [destinations, M]. A step
/// along sampled edges sums the rows first if that is cheaper, because it has many sources for few destinations.
/// slot_weights: called once the sources are there.
autograd::Variable project_sums(const Edges& edges, const std::function<const float*()>& slot_weights,
                                const NodeRows& input, autograd::Variable weight);

/// A weight for each slot with which a sum along the edges is the mean over all sources of a destination, or an
/// estimate of it; valid as long as the tape's record. Of drawn edges of one relation the importance is taken to add up
/// to how many there are.
const float* mean_weights(autograd::Tape& tape, const Edges& edges);

}  // namespace edgewise::nn
