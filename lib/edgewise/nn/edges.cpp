#include "edgewise/nn/edges.hpp"

#include <fmt/format.h>

#include <numeric>
#include <vector>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/leading_rows.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/relations.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

/// The edges of the relation that the mask is of, among `all`, which may be put away before the tape is done.
Edges of_relation(autograd::Tape& tape, const MaskShape& mask, const Edges& all) {
  if (mask.relation == 0) return all;
  const graph::RelationEdges& found = tape.keep(all.mask.relations).edges(all.mask, mask.relation, mask.features);
  if (all.importance == nullptr) return {.mask = found.mask, .part = all.part};
  std::vector<float> importance;
  for (const graph::StoredEdge slot : found.slots) importance.push_back(all.importance[slot]);
  return {.mask = found.mask, .importance = tape.keep(std::move(importance)).data()};
}

const graph::SampledEdges& next_step(ForwardContext& context, const std::string& block) {
  if (context.next_step == context.sample->steps.size())
    throw ModelError(fmt::format("{}: expected a sample of more than {} steps along the edges", block,
                                 context.sample->steps.size()));
  return *context.sample->steps[context.next_step++];
}

}  // namespace

Edges next_edges(ForwardContext& context, const MaskShape& mask, const std::string& block) {
  if (!mask.is_along_edges()) return {mask_of(context, mask, block)};
  if (context.sample != nullptr) {
    const graph::SampledEdges& step = next_step(context, block);
    return of_relation(context.tape, mask, {step.mask, context.sample, step.importance.data()});
  }
  if (mask.relation > 0 && context.masks.contains(mask.name)) return {mask_of(context, mask, block)};
  return of_relation(context.tape, mask, {.mask = mask_of(context, {.name = kEdges}, block), .part = context.part});
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
  if (edges.importance == nullptr) return mean_weights(tape, edges.mask);
  float* weight = tape.scratch(static_cast<Eigen::Index>(edges.mask.slot_count()), 1).data();
  parallel_for(edges.mask.destination_count(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const graph::EdgeIndex first = edges.mask.incoming.offsets[v], last = edges.mask.incoming.offsets[v + 1];
      const auto degree = edges.sample != nullptr
                              ? static_cast<float>(edges.sample->degree(v))
                              : std::accumulate(edges.importance + first, edges.importance + last, 0.0F);
      for (graph::EdgeIndex slot = first; slot < last; ++slot) weight[slot] = edges.importance[slot] / degree;
    }
  });
  return weight;
}

}  // namespace edgewise::nn
