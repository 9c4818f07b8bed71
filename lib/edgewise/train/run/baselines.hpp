#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/train/run/run.hpp"

namespace edgewise::train {

/// Presets that are baselines rather than networks made of blocks:
/// - "label_propagation": edges and training labels only (classification of nodes).
/// - "fingerprint": kernel ridge or kernel logistic regression with the Tanimoto similarity of counted Morgan
///   fingerprints (molecules).
/// - "descriptors": the same with a Gaussian kernel on RDKit's descriptors, its width chosen on the validation items.
/// - "boosted_trees": gradient-boosted trees, on RDKit's descriptors and counted Morgan fingerprints (molecules), or on
///   node features.
/// - "neighbour_trees": the same on node features, their means over the neighbours, and degrees
///   (data::columns_with_neighbours); for whole graphs, on statistics of these over the nodes (data::node_statistics).
/// - "sum_features": ridge or logistic regression on the sums of the node features, ignoring the graph (Errica et al.
///   2020).
///
/// All except label propagation become models made of blocks that can be saved: a linear map of sums over the nodes and
/// of the columns made by DescriptorMap, or of FeatureMap's output for each node.
std::vector<std::string> baseline_names();
bool is_baseline(const json::Value& model);
/// Whether a baseline gives only predictions.
bool has_no_model(const json::Value& model);

/// Members of "training" among those in `given` that have no effect on any baseline.
std::vector<std::string> unused_by_baselines(const json::Value& given);

/// Computes the metrics of `predictions` on each part of the split; `report.scaler` provides the deviations of targets.
void evaluate_parts(const data::Labels& labels, const data::Split& split, const Matrix& predictions, Report& report);

/// Runs a preset of `is_baseline` on the split of run `run`. Of the hooks only `should_stop` is used, while trees grow.
/// Throws UsageError if the preset does not suit this data.
Run run_baseline(const Config& config, const JobData& data, data::Split split, std::int64_t run,
                 const FitHooks& hooks = {});

}  // namespace edgewise::train
