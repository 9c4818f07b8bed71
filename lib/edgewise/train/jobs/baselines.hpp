#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/train/jobs/run.hpp"

namespace edgewise::train {

/// Presets that are no models of blocks but something to compare with:
/// - "label_propagation": edges and training labels only (nodes in classes).
/// - "fingerprint": kernel ridge or kernel logistic regression by the Tanimoto likeness of counted Morgan fingerprints
///   (molecules).
/// - "descriptors": the same by a Gaussian kernel on RDKit's descriptors, its width chosen on the validation items.
/// - "boosted_trees": gradient-boosted trees, on RDKit's descriptors and counted Morgan fingerprints (molecules), or on
///   the features of nodes.
/// - "neighbour_trees": the same on the features of nodes, their means over the neighbours, and degrees
///   (data::columns_with_neighbours); of whole graphs on statistics of these over the nodes (data::node_statistics).
/// - "sum_features": ridge or logistic regression on the sums of the nodes' features, no graph at all (Errica et al.
///   2020).
/// All but label propagation become models of blocks that can be kept: a linear map of sums over the nodes and of the
/// columns that DescriptorMap makes, or of what FeatureMap makes of each node.
std::vector<std::string> baseline_names();
bool is_baseline(const json::Value& model);
/// Whether a baseline gives predictions alone.
bool has_no_model(const json::Value& model);

/// Metrics of `predictions` on each part of the split; `report.scaler` knows the deviations of targets.
void evaluate_parts(const data::Labels& labels, const data::Split& split, const Matrix& predictions, Report& report);

/// One of the presets of `is_baseline` on one split, that of run `run`; of the hooks `should_stop` is asked, while
/// trees grow. Throws UsageError when it is not for this data.
Run run_baseline(const Config& config, const JobData& data, data::Split split, std::int64_t run,
                 const FitHooks& hooks = {});

}  // namespace edgewise::train
