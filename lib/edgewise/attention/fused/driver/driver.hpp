#pragma once

#include "edgewise/attention/fused/passes/any_passes.hpp"
#include "edgewise/attention/fused/tables.hpp"

/// @file
/// The driver: packs the tables of a call and runs the passes for each group of heads. It is compiled once, for all
/// scores and normalisers.
namespace edgewise::attention::fused {

/// See Kernels.
void attend(const AnyPasses& passes, const graph::FrozenGraph& mask, const Tables& tables, float* output,
            float* row_statistics, Workspace& workspace);
void weigh(const AnyPasses& passes, const graph::FrozenGraph& mask, const Tables& tables, const float* row_statistics,
           float* weights, Workspace& workspace);
void differentiate(const AnyPasses& passes, const graph::FrozenGraph& mask, const Tables& tables, const float* output,
                   const float* output_gradient, const float* row_statistics, const TableGradients& gradients,
                   Workspace& workspace);

}  // namespace edgewise::attention::fused
