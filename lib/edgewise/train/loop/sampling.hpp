#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "edgewise/graph/sampling.hpp"
#include "edgewise/nn/model.hpp"

/// @file
/// Training on samples of one graph, as "training.sample" asks for it.
namespace edgewise::train {

using Sampling = std::variant<graph::NeighbourSampling, graph::ClusterSampling, graph::WalkSampling>;

/// How to sample: "15,10", the edges into a node in each step; "clusters:64/4", four of 64 clusters at once;
/// "walks:3000x2", walks of two steps. The others are for sampled neighbours. Throws UsageError naming the setting that
/// is wrong.
Sampling read_sampling(const std::string& text, bool replace, std::int64_t batch_size);

std::unique_ptr<graph::Sampler> make_sampler(graph::EdgeRows whole, const Sampling& sampling);

/// Throws UsageError unless the model computes a node from the rows that edges lead to, in as many steps as `sampling`
/// has.
void check_sampling(const Sampling& sampling, const nn::Model& model);

/// Batch size of sampled neighbours if none is given.
inline constexpr std::int64_t kSampledBatch = 1024;

}  // namespace edgewise::train
