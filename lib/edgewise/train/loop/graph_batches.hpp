#pragma once

#include <memory>
#include <span>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/data/path_lengths.hpp"
#include "edgewise/graph/graph_union.hpp"
#include "edgewise/train/loop/batches.hpp"

namespace edgewise::train {

/// Whether the graphs or their nodes have the labels.
enum class Labelled { graphs, nodes };

/// Nodes whose features are hidden and must be predicted: see source/pretraining.hpp.
struct MaskedNodes {
  Eigen::Index columns = 0;  ///< Leading feature columns, zeroed for predicted nodes; 0: none.
  double share = 1;          ///< Share of the training nodes to predict, redrawn in each epoch.
};

/// Parts of graphs, as many of each: the mask and the node set "components". What is referred to must outlive the
/// batches.
struct GraphParts {
  std::size_t of_each = 0;                  ///< 0: there are none.
  std::span<const graph::Node> offsets = {};  ///< Part p of graph g is the range g * of_each + p of nodes.
  const Matrix* weights = nullptr;            ///< [parts of all graphs, 1]
};

struct GraphBatchOptions {
  std::size_t batch_size = 64;     ///< Maximum graphs per step.
  std::size_t batch_slots = std::size_t{1} << 20;  ///< Maximum slots of a mask per step; one graph may have more.
  Labelled labelled = Labelled::graphs;
  Eigen::Index sign_columns = 0;   ///< Last feature columns; training draws a sign for each column and graph.
  const data::PathLengths* paths = nullptr;  ///< Features of the complete mask; must outlive the batches.
  std::uint32_t grid_columns = 0;            ///< As in graph::MaskInput.
  /// [graphs, columns], the node set "descriptors", if there are any; must outlive the batches.
  const Matrix* descriptors = nullptr;
  GraphParts parts = {};
  MaskedNodes masked = {};  ///< For labelled nodes.
};

/// Batches of many graphs: a pass covers the disjoint union of the requested graphs, or of those that contain the
/// requested nodes. `features` must outlive this.
class GraphBatches : public Batches {
 public:
  /// Throws UsageError for a batch size of 0, for sparse features together with sign columns, for masked graphs, for
  /// more masked columns than feature columns, for features or descriptors of other numbers of rows than there are
  /// nodes and graphs, and for offsets that do not ascend from 0 to the number of nodes.
  GraphBatches(const data::Features& features, graph::GraphUnion graphs, const GraphBatchOptions& options = {});

  std::size_t item_count() const override;
  bool hides_items() const override { return options_.masked.columns > 0; }
  void check_fits(const nn::Model& model) const override;
  /// Graphs are shuffled by (seed, epoch) and split into batches whose sizes differ by at most one; batches with too
  /// many slots are split further.
  std::vector<std::vector<graph::Node>> training_batches(const nn::Model& model, std::vector<graph::Node> items,
                                                         std::uint64_t seed, std::uint64_t epoch) override;
  std::vector<std::vector<graph::Node>> of_evaluation(const nn::Model& model,
                                                      std::span<const graph::Node> items) const override;
  /// Throws UsageError for items that do not exist, and in training for more sign columns than feature columns.
  autograd::Variable forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) override;
  /// The union used by the last `forward`.
  const graph::GraphUnion& batch() const { return batch_.graphs; }

 private:
  /// A union and further model input. Kept while the tape refers to it.
  struct Batch {
    graph::GraphUnion graphs;
    std::map<std::string, graph::FrozenGraph> masks;
    Matrix dense;
    Matrix edge_rows;  ///< If the model uses them.
    Matrix descriptors;  ///< Per graph.
    Matrix weights;      ///< Of the parts.
    std::unique_ptr<autograd::SparseInput> sparse;
    std::vector<graph::Node> rows;  ///< Rows of the requested nodes.
  };
  /// Some items of one graph.
  struct Group {
    graph::GraphIndex graph;
    std::vector<graph::Node> items;
  };
  std::vector<Group> groups_of(std::span<const graph::Node> items) const;
  std::vector<std::vector<graph::Node>> cut(const nn::Model& model, std::span<const Group> groups,
                                            std::size_t batch_size) const;
  /// Returns the offsets of the parts of the batch.
  std::vector<graph::Node> fill_parts(std::span<const graph::GraphIndex> members);
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
