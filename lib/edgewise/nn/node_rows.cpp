#include "edgewise/nn/node_rows.hpp"

#include <fmt/format.h>

#include <array>

#include "edgewise/attention/options.hpp"
#include "edgewise/autograd/dropout.hpp"
#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::nn {

std::uint64_t next_mask_key(ForwardContext& context) {
  const std::uint64_t part = context.part != nullptr ? context.part->index() : 0;
  return random_key(context.seed, Stream::dropout, context.step, part << 32 | context.next_mask++);
}

autograd::ElementDropout next_dropout(ForwardContext& context, float probability) {
  if (!context.is_training || probability == 0) return {};
  return {probability, next_mask_key(context)};
}

autograd::Variable drop(ForwardContext& context, autograd::Variable input, float probability) {
  if (!context.is_training || probability == 0) return input;
  return autograd::dropout(input, probability, next_mask_key(context));
}

autograd::Variable drop_rows(ForwardContext& context, autograd::Variable input, float probability) {
  if (!context.is_training || probability == 0) return input;
  return autograd::drop_rows(input, probability, next_mask_key(context));
}

NodeRows drop(ForwardContext& context, const NodeRows& input, float probability) {
  if (!context.is_training || probability == 0) return input;
  if (!input.sparse.is_set()) return {.dense = drop(context, input.dense, probability)};
  const EntryDropout dropout{probability, next_mask_key(context)};
  return {.dense = {}, .sparse = autograd::sparse_dropout(context.tape, input.sparse, dropout)};
}

autograd::Variable project(const NodeRows& input, autograd::Variable weight, autograd::Variable bias) {
  return project_each(input, std::array{autograd::LinearFactor{weight, bias}})[0];
}

std::array<autograd::Variable, kMaxMaps> project_each(const NodeRows& input,
                                                       std::span<const autograd::LinearFactor> factors) {
  if (!input.sparse.is_set()) return autograd::linear_each(input.dense, factors);
  std::array<autograd::Variable, kMaxMaps> results;
  for (std::size_t i = 0; i < factors.size(); ++i)
    results[i] = autograd::sparse_linear(input.sparse, factors[i].weight, factors[i].bias);
  return results;
}

autograd::Variable project_per_head(ForwardContext& context, const NodeRows& input, autograd::Variable weight,
                                    int heads, float probability) {
  if (input.sparse.is_set()) {
    const EntryDropout dropout{probability, next_mask_key(context), heads};
    return autograd::sparse_linear(autograd::sparse_dropout(context.tape, input.sparse, dropout), weight);
  }
  std::array<std::uint64_t, kMaxHeads> keys;
  for (int h = 0; h < heads; ++h) keys[static_cast<std::size_t>(h)] = next_mask_key(context);
  return autograd::linear_by_head(input.dense, weight, probability, {keys.data(), static_cast<std::size_t>(heads)});
}

autograd::Variable dense(const NodeRows& input, const std::string& block) {
  if (!input.sparse.is_set()) return input.dense;
  throw UsageError(fmt::format(
      "{}: expected a dense input, got sparse features: begin the model with a linear or an attention block", block));
}

Matrix* record_attention(ForwardContext& context, const std::string& block, const std::string& mask) {
  if (context.attention == nullptr) return nullptr;
  context.attention->push_back({block, {}, mask});
  return &context.attention->back().weights;
}

}  // namespace edgewise::nn
