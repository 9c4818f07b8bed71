#pragma once

#include "edgewise/data/node_data.hpp"
#include "edgewise/data/path_lengths.hpp"
#include "edgewise/graph/graph_union.hpp"
#include "edgewise/train/loop/batches.hpp"

namespace edgewise::train {

struct GraphBatchOptions {
  std::size_t batch_size = 64;     ///< Graphs a step, at most.
  Eigen::Index sign_columns = 0;   ///< The last columns of the features: training draws a sign for each and graph.
  const data::PathLengths* paths = nullptr;  ///< Features of the complete mask; must outlive the batches.
};

/// Many graphs: a pass goes over the disjoint union of those that are asked for. `features` (dense) must outlive this.
class GraphBatches : public Batches {
 public:
  /// Throws UsageError for sparse features or a batch size of 0.
  GraphBatches(const data::Features& features, graph::GraphUnion graphs, const GraphBatchOptions& options = {});

  std::size_t item_count() const override { return all_.graph_count(); }
  void check_fits(const nn::Model& model) const override;
  /// Shuffled by (seed, epoch); batches of sizes that differ by at most one.
  std::vector<std::vector<graph::Node>> of_epoch(std::vector<graph::Node> items, std::uint64_t seed,
                                              std::uint64_t epoch) const override;
  autograd::Variable forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) override;
  bool gives_all() const override { return false; }
  /// What the last `forward` went over.
  const graph::GraphUnion& batch() const { return batch_.graphs; }

 private:
  /// A union and what a model wants besides. Kept while the tape refers to it.
  struct Batch {
    graph::GraphUnion graphs;
    std::map<std::string, graph::FrozenGraph> masks;
    Matrix features;
  };
  void fill_batch(const nn::Model& model, std::span<const graph::Node> items);
  int pair_features() const;

  const data::Features& features_;
  graph::GraphUnion all_;
  GraphBatchOptions options_;
  Batch batch_;
};

}  // namespace edgewise::train
