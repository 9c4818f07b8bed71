#pragma once

#include <string>
#include <vector>

#include "edgewise/core/json.hpp"

/// @file
/// What is known about models by their names.
namespace edgewise::train {

/// What a model uses.
struct ModelTraits {
  bool uses_features = true;
  bool uses_graph = true;
  bool uses_attention = true;
  bool sees_labels = false;  ///< Labels of training nodes, as input.
  bool is_network = true;    ///< The benefit of attention is measured against other networks that use edges.
};

/// Suffix for a model whose predictions were refined by Correct and Smooth.
inline constexpr const char* kSmoothed = " + smooth";

/// Suffix for a model with neighbour labels as input; " + smooth" follows it.
inline constexpr const char* kWithLabels = " + labels";

/// Suffix for a network that sees no edges. What edges add is measured against it as well: other models without edges
/// may be behind for other reasons.
inline constexpr const char* kWithoutEdges = " without edges";

/// Suffix for a network that sees the identities of the nodes in place of their features.
inline constexpr const char* kWithoutFeatures = " without features";

/// The traits of a preset or baseline, by name.
ModelTraits traits_of(const std::string& model);

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

}  // namespace edgewise::train
