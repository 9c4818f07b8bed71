#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "edgewise/graph/sample.hpp"

/// @file
/// Parts of a graph for training steps that do not go over all of it: of the neighbours of a few nodes, by cluster, or
/// by random walk. What is drawn depends on the graph and the keys alone, never on the number of threads.
namespace edgewise::graph {

/// The nodes of a training step.
struct SampleBatch {
  std::vector<Node> nodes;  ///< Those with a loss first.
  std::size_t item_count = 0;  ///< The number of those.
  /// A factor of the loss of each item: the mean of factor times loss over the items of a batch estimates the mean of
  /// the loss over all items of the epoch. Empty: all 1.
  std::vector<float> weights = {};

  std::span<const Node> items() const { return std::span(nodes).first(item_count); }
};

/// Draws batches and what they are computed from. Takes 4 bytes per node of the graph, which must outlive it. Not
/// thread-safe; the work within a call is parallel.
class Sampler {
 public:
  virtual ~Sampler() = default;
  /// The batches of an epoch over `items`, which are distinct.
  virtual std::vector<SampleBatch> batches(std::span<const Node> items, std::uint64_t seed, std::uint64_t epoch) = 0;
  /// What a batch is computed from in `steps` steps along the edges.
  virtual Sample draw(const SampleBatch& batch, std::size_t steps, std::uint64_t seed, std::uint64_t epoch) = 0;
};

/// In each step along the edges, up to so many edges into a node, drawn uniformly (Hamilton et al. 2017, GraphSAGE,
/// algorithm 2).
struct NeighbourSampling {
  /// Of each step, in the order in which a model makes them, or one for all steps. The last is that around the items.
  std::vector<std::uint32_t> fan_outs;
  bool replace = false;  ///< Exactly so many draws, in which an edge may occur several times.
  /// If not 0, the fan-outs are for the edges of each of so many relations (relations.hpp); those of none are one more.
  std::uint32_t relations = 0;
  std::size_t batch_size = 1024;
};

/// Batches are runs of the shuffled items. The draw for a node is keyed by (seed, epoch, node, step). The edge of a
/// node from itself is always taken, in addition. d edges of which k are drawn have the importance d / k. If all edges
/// into a node are drawn, they are in the order of the graph.
/// `Sampler::draw` throws UsageError for another number of steps than there are fan-outs, `sample_neighbours` for a
/// batch size of 0.
std::unique_ptr<Sampler> sample_neighbours(EdgeRows whole, const NeighbourSampling& options);

/// Whole clusters with all edges among them (Chiang et al. 2019, Cluster-GCN, algorithm 1).
struct ClusterSampling {
  /// Into which the nodes are divided, in equal parts of `clustering_order`; of the order that there is for a network
  /// in pieces.
  std::size_t clusters = 64;
  std::size_t at_once = 4;    ///< Clusters of a batch, a divisor of `clusters`.
};

/// In an epoch each cluster is in one batch; batches without items are left out. An edge between two clusters is in a
/// batch less often than one within: its importance is (clusters - 1) / (at_once - 1). One cluster at a time has no
/// edges to others: then those that a node keeps stand for all of its edges. Throws UsageError for options that are out
/// of range.
std::unique_ptr<Sampler> sample_clusters(EdgeRows whole, const ClusterSampling& options);

/// The nodes that random walks against the edges visit, with all edges among them (Zeng et al. 2020, GraphSAINT,
/// section 3.4).
struct WalkSampling {
  std::size_t roots = 3000;  ///< Walks of a batch; each starts at an item, drawn uniformly.
  std::size_t length = 2;    ///< Steps of a walk; it ends early at a node without edges.
  std::size_t coverage = 10;  ///< Batches drawn beforehand, in those that it takes to draw as many nodes as there are.
};

/// How often batches have a node and an edge is counted in batches drawn beforehand, once for given items (section
/// 3.2): 4 bytes per edge. C of M have the node v, C' the edge u -> v. The loss of v is divided by C / M, and the edge
/// has the importance (C + 1) / (C' + 1). An epoch has as many batches as it takes to draw as many items as there are.
std::unique_ptr<Sampler> sample_walks(EdgeRows whole, const WalkSampling& options);

}  // namespace edgewise::graph
