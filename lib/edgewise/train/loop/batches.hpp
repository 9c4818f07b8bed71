#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/model.hpp"

namespace edgewise::train {

/// Options of a forward pass. Random masks are keyed by (seed, step).
struct PassOptions {
  autograd::Tape& tape;
  bool is_training = false;
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::vector<nn::AttentionRecord>* attention = nullptr;  ///< Filled if set.
  Matrix* embeddings = nullptr;                           ///< Filled if set: the input rows of the last block.
};

/// The data that a model is trained on or predicts: the nodes of one graph, or many graphs. An *item* is what has a
/// label: a node, or a graph.
class Batches {
 public:
  virtual ~Batches() = default;

  virtual std::size_t item_count() const = 0;
  /// The items whose predictions are wanted once a model is trained: all, in order.
  virtual std::vector<graph::Node> items_to_predict() const;
  /// Columns of the outputs that `evaluate_outputs` writes.
  virtual Eigen::Index output_columns(const nn::Model& model) const { return model.shape().outputs; }
  /// Whether a pass does not see the items that it is asked for, so that it can be asked for a few of a graph only.
  virtual bool hides_items() const { return false; }
  /// Throws ModelError naming what does not fit: feature columns, edge feature columns, numbers of rows.
  virtual void check_fits(const nn::Model& model) const = 0;
  /// Splits `items`, in the order of one epoch, into the batches for the training steps of `model`.
  virtual std::vector<std::vector<graph::Node>> training_batches(const nn::Model& model, std::vector<graph::Node> items,
                                                                 std::uint64_t seed, std::uint64_t epoch) = 0;
  /// Factors of the losses of the items of the last pass in training, see graph::SampleBatch; empty: all 1.
  virtual std::span<const float> loss_weights() const { return {}; }
  /// The outputs of the model, row i for items[i]. They, and what they refer to, are valid until the next call and as
  /// long as this object lives.
  virtual autograd::Variable forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) = 0;
  /// Splits `items` into the batches that `evaluate_outputs` processes one at a time: by default all in one.
  virtual std::vector<std::vector<graph::Node>> of_evaluation(const nn::Model& model,
                                                              std::span<const graph::Node> items) const;
  /// Whether the outputs of all items are held at once to be measured. If not, `fit` only knows accuracy, as
  /// "accuracy", and does not measure the training items.
  virtual bool keeps_outputs() const { return true; }
};

/// The node ranges of many graphs: graph g has nodes offsets[g] ... offsets[g + 1] - 1. No offsets: one graph.
struct GraphLayout {
  std::vector<graph::Node> offsets = {};
  std::uint32_t grid_columns = 0;  ///< As in graph::MaskInput.
  std::size_t items = 0;           ///< The first nodes, which have the labels; 0: all.
};

/// Builds the masks that `model` needs, except "edges", those of ModelShape::masks and those that already exist. Throws
/// UsageError for one that would be too large.
void add_masks(const nn::Model& model, const graph::MaskInput& input, std::map<std::string, graph::FrozenGraph>& masks);

/// The context for a pass over `edges` and the masks built by `add_masks`, without node sets.
nn::ForwardContext make_context(const PassOptions& pass, const graph::FrozenGraph& edges,
                                const std::map<std::string, graph::FrozenGraph>& masks);

/// For data without links: throws ModelError if the model labels links, or if it needs node sets other than `there`, or
/// masks that the data does not have.
void check_node_sets(const nn::Model& model, const std::vector<nn::NodeSetShape>& there = {});

/// Throws ModelError unless the model is made for this many feature columns of nodes and of edges.
void check_feature_columns(const nn::Model& model, Eigen::Index of_nodes, Eigen::Index of_edges);

/// Writes the outputs of `items`, without dropout, to their rows of `outputs` [item count, output columns]; the other
/// rows are undefined.
void evaluate_outputs(nn::Model& model, Batches& batches, std::span<const graph::Node> items, autograd::Tape& tape,
                      Matrix& outputs);

}  // namespace edgewise::train
