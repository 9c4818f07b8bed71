#pragma once

#include <memory>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/data/path_lengths.hpp"
#include "edgewise/graph/graph_union.hpp"
#include "edgewise/train/loop/batches.hpp"

namespace edgewise::train {

/// Whether graphs have the labels, or their nodes.
enum class Labelled { graphs, nodes };

/// Nodes whose features a model is to guess: see jobs/masked_atoms.hpp.
struct MaskedNodes {
  Eigen::Index columns = 0;  ///< The first ones of the features, zeros for nodes that are asked for; 0: none.
  double share = 1;          ///< Of the training nodes, drawn anew in each epoch, that are asked for.
};

struct GraphBatchOptions {
  std::size_t batch_size = 64;     ///< Graphs a step, at most.
  std::size_t batch_slots = std::size_t{1} << 20;  ///< Slots of a mask a step, at most; one graph may have more.
  Labelled labelled = Labelled::graphs;
  Eigen::Index sign_columns = 0;   ///< The last columns of the features: training draws a sign for each and graph.
  const data::PathLengths* paths = nullptr;  ///< Features of the complete mask; must outlive the batches.
  std::uint32_t grid_columns = 0;            ///< As in graph::MaskInput.
  /// [graphs, columns], the node set "descriptors", where there are some; must outlive the batches.
  const Matrix* descriptors = nullptr;
  MaskedNodes masked = {};  ///< Where nodes are labelled and have dense features.
};

/// Many graphs: a pass goes over the disjoint union of those that are asked for, or whose nodes are. `features` must
/// outlive this.
class GraphBatches : public Batches {
 public:
  /// Throws UsageError for a batch size of 0, and for sparse features with columns of signs or masked nodes.
  GraphBatches(const data::Features& features, graph::GraphUnion graphs, const GraphBatchOptions& options = {});

  std::size_t item_count() const override;
  void check_fits(const nn::Model& model) const override;
  /// Graphs are shuffled by (seed, epoch); batches of numbers of graphs that differ by at most one, and those that
  /// would have too many slots are cut further.
  std::vector<std::vector<graph::Node>> of_epoch(const nn::Model& model, std::vector<graph::Node> items,
                                                 std::uint64_t seed, std::uint64_t epoch) const override;
  std::vector<std::vector<graph::Node>> of_evaluation(const nn::Model& model,
                                                      std::span<const graph::Node> items) const override;
  autograd::Variable forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) override;
  /// What the last `forward` went over.
  const graph::GraphUnion& batch() const { return batch_.graphs; }

 private:
  /// A union and what a model wants besides. Kept while the tape refers to it.
  struct Batch {
    graph::GraphUnion graphs;
    std::map<std::string, graph::FrozenGraph> masks;
    Matrix dense;
    Matrix edge_rows;  ///< Where the model has them.
    Matrix descriptors;  ///< Of the graphs.
    std::unique_ptr<autograd::SparseInput> sparse;
    std::vector<graph::Node> rows;  ///< Of the nodes that are asked for.
  };
  /// Some items of one graph.
  struct Group {
    graph::GraphIndex graph;
    std::vector<graph::Node> items;
  };
  std::vector<Group> groups_of(std::span<const graph::Node> items) const;
  std::vector<std::vector<graph::Node>> cut(const nn::Model& model, std::span<const Group> groups,
                                            std::size_t batch_size) const;
  void fill_batch(const nn::Model& model, std::span<const graph::GraphIndex> members);
  void fill_features(std::span<const graph::GraphIndex> members);
  void fill_rows(std::span<const graph::GraphIndex> members, std::span<const graph::Node> items);
  int pair_features() const;
  std::vector<nn::NodeSetShape> node_sets() const;

  const data::Features& features_;
  graph::GraphUnion all_;
  GraphBatchOptions options_;
  Batch batch_;
};

}  // namespace edgewise::train
