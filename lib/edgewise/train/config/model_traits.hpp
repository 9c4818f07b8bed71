#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// What is known of presets and baselines by their names.
namespace edgewise::train {

/// Between which nodes the ties are that a baseline is for.
enum class TieSides : std::uint8_t { any, one, two };

/// What a preset or a baseline uses, and how it is trained.
struct ModelTraits {
  std::string_view name = {};
  bool is_network = true;  ///< Made of blocks, and trained step by step; otherwise a baseline.
  bool uses_features = true;
  bool uses_graph = true;  ///< Edges, or the order of the nodes.
  bool uses_attention = false;
  bool learns_links = true;          ///< Learns outputs of which numbers are no linear function, see Target::has_link.
  bool weighs_rows = true;           ///< Learns more from rows of a larger DataConfig::row_weight.
  bool is_of_links = false;          ///< A baseline for ties, and only for them.
  TieSides sides = TieSides::any;    ///< Of a baseline for ties: within one kind of nodes, or between two.
  bool leaves_model = true;          ///< Otherwise there are only predictions.
  bool sees_grid = false;            ///< Convolves over the grid of the data, if there is one.
  bool agrees_in_passes = false;     ///< Consistency of several passes is part of its training.
  bool is_sized_for_graphs = false;  ///< Has its own defaults for labels of graphs.
  bool is_relational = false;        ///< Has a layer of each kind of edges.
  bool writes = false;               ///< Reads a source and writes its target: for pairs, and only for them.
  int depth = 1;                     ///< How many of its layers are as deep as one layer of most presets.
  bool is_known = true;              ///< False for blocks, of which only their configuration says what they use.
};

/// The traits of a preset or baseline. For any other name those of a network that uses features and edges, perhaps
/// attention too, so it says nothing about what these contribute.
ModelTraits traits_of(std::string_view model);

/// Presets that are baselines rather than networks made of blocks:
/// - "label_propagation": edges and training labels only (classification of nodes).
/// - "fingerprint": kernel ridge or kernel logistic regression with the Tanimoto similarity of counted Morgan
///   fingerprints (molecules).
/// - "descriptors": the same with a Gaussian kernel on RDKit's descriptors, its width chosen on the validation items.
/// - "boosted_trees": gradient-boosted trees, on RDKit's descriptors and counted Morgan fingerprints (molecules), or on
///   node features.
/// - "random_forest": a forest of trees on these descriptors and fingerprints (molecules).
/// - "neighbour_trees": boosted trees on node features, their means over the neighbours, and degrees
///   (data::columns_with_neighbours); for whole graphs, on statistics of these over the nodes (data::node_statistics).
/// - "common_neighbours", "katz", "nearest_targets", ...: one number of a pair of nodes (LinkGraph::numbers);
///   "link_trees": boosted trees on all of them (ties).
/// - "edge_biases": ridge or logistic regression on the sum of the biases of both ends (labels of edges).
/// - "edge_factors": likewise on this sum with the product of their factors.
/// - "sum_features": ridge or logistic regression on the sums of the node features, ignoring the graph (Errica et al.
///   2020).
///
/// All except label propagation become models made of blocks that can be saved: a linear map of sums over the nodes and
/// of the columns made by DescriptorMap, or of FeatureMap's output for each node.
std::vector<std::string> baseline_names();

}  // namespace edgewise::train
