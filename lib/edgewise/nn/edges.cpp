#include "edgewise/nn/edges.hpp"

#include <fmt/format.h>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/leading_rows.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

Edges next_edges(ForwardContext& context, const MaskShape& mask, const std::string& block) {
  if (mask.name != kEdges) return {mask_of(context, mask, block)};
  if (context.sample == nullptr) return {.mask = mask_of(context, mask, block), .part = context.part};
  if (context.next_step == context.sample->steps.size())
    throw ModelError(fmt::format("{}: expected a sample of more than {} steps along the edges", block,
                                 context.sample->steps.size()));
  const graph::SampledEdges& step = *context.sample->steps[context.next_step++];
  return {step.mask, context.sample, step.importance.data()};
}

autograd::Variable sources(const Edges& edges, autograd::Variable rows) {
  return edges.part != nullptr ? autograd::with_halo(*edges.part, rows) : rows;
}

std::pair<autograd::Variable, autograd::Variable> sources(const Edges& edges, autograd::Variable rows,
                                                          autograd::Variable others) {
  if (edges.part == nullptr) return {rows, others};
  return autograd::with_halo(*edges.part, rows, others);
}

void forget(ForwardContext& context, std::size_t first, std::initializer_list<autograd::Variable> kept) {
  if (context.part == nullptr || context.tape.is_recording()) return;
  context.part->forget(first, {kept.begin(), kept.size()});
}

NodeRows leading(ForwardContext& context, const NodeRows& input, Eigen::Index rows) {
  if (rows == input.count()) return input;
  if (!input.sparse.is_set()) return {.dense = autograd::leading_rows(input.dense, rows)};
  return {.dense = {}, .sparse = autograd::leading_rows(context.tape, input.sparse, rows)};
}

autograd::Variable project_sums(const Edges& edges, const std::function<const float*()>& slot_weights,
                                const NodeRows& input, autograd::Variable weight) {
  const graph::FrozenGraph& mask = edges.mask;
  const auto cost = [&](std::size_t projected, Eigen::Index summed) {
    return static_cast<Eigen::Index>(projected) * weight.rows() * weight.cols() +
           static_cast<Eigen::Index>(mask.slot_count()) * summed;
  };
  const auto sums_first = [&] {
    if (input.sparse.is_set()) return false;
    if (edges.part != nullptr) return weight.rows() < weight.cols();  // narrower rows of the halo
    return mask.destination_count() < mask.source_count() &&
           cost(mask.destination_count(), weight.rows()) < cost(mask.source_count(), weight.cols());
  };
  const bool are_summed_first = sums_first();
  const autograd::DenseRows rows = are_summed_first ? input.dense : autograd::DenseRows(project(input, weight));
  const autograd::DenseRows seen = edges.part != nullptr ? autograd::DenseRows(sources(edges, rows)) : rows;
  const autograd::Variable sums = autograd::aggregate(mask, slot_weights(), seen);
  return are_summed_first ? project({.dense = sums}, weight) : sums;
}

const float* mean_weights(autograd::Tape& tape, const Edges& edges) {
  if (edges.sample == nullptr) return mean_weights(tape, edges.mask);
  float* weight = tape.scratch(static_cast<Eigen::Index>(edges.mask.slot_count()), 1).data();
  parallel_for(edges.mask.destination_count(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const auto degree = static_cast<float>(edges.sample->degree(v));
      for (graph::EdgeIndex slot = edges.mask.incoming.offsets[v]; slot < edges.mask.incoming.offsets[v + 1]; ++slot)
        weight[slot] = edges.importance[slot] / degree;
    }
  });
  return weight;
}

}  // namespace edgewise::nn
