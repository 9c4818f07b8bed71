#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "edgewise/autograd/bias_activation.hpp"
#include "edgewise/autograd/linear.hpp"
#include "edgewise/nn/block.hpp"

/// @file
/// Operations of blocks on their input, dense or sparse.
namespace edgewise::nn {

/// A key for the next random mask of this pass.
std::uint64_t next_mask_key(ForwardContext& context);

/// The next dropout of this pass in training, otherwise none.
autograd::ElementDropout next_dropout(ForwardContext& context, float probability);

/// Dropout in training, otherwise the input itself. For sparse input, at the cost of its non-zeros.
NodeRows drop(ForwardContext& context, const NodeRows& input, float probability);
autograd::Variable drop(ForwardContext& context, autograd::Variable input, float probability);
autograd::Variable drop_rows(ForwardContext& context, autograd::Variable input, float probability);

/// input * weight + bias; the bias may be unset.
autograd::Variable project(const NodeRows& input, autograd::Variable weight, autograd::Variable bias = {});

/// As `project` for each of up to `kMaxMaps` factors, for dense rows in one pass. Results after the last are unset.
std::array<autograd::Variable, kMaxMaps> project_each(const NodeRows& input,
                                                       std::span<const autograd::LinearFactor> factors);

/// As `project`, but each of `heads` groups of columns sees the input through its own dropout mask.
autograd::Variable project_per_head(ForwardContext& context, const NodeRows& input, autograd::Variable weight,
                                    int heads, float probability);

/// The dense matrix. Throws UsageError naming the block if the input is sparse.
autograd::Variable dense(const NodeRows& input, const std::string& block);

/// Where the next attention layer stores its weights, or nullptr if they are not recorded.
Matrix* record_attention(ForwardContext& context, const std::string& block, const std::string& mask = "edges");

}  // namespace edgewise::nn
