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

/// How a forward pass is made. Random masks are keyed by (seed, step).
struct PassOptions {
  autograd::Tape& tape;
  bool is_training = false;
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::vector<nn::AttentionRecord>* attention = nullptr;  ///< Filled when set.
  Matrix* embeddings = nullptr;                           ///< Filled when set: the rows that the last block gets.
};

/// What a model is trained on and asked about: the nodes of one graph, or many graphs. An *item* is what has a label:
/// a node, or a graph.
class Batches {
 public:
  virtual ~Batches() = default;

  virtual std::size_t item_count() const = 0;
  /// Throws ModelError naming what does not fit: feature columns, edge feature columns, numbers of rows.
  virtual void check_fits(const nn::Model& model) const = 0;
  /// `items` in the order of one epoch, cut into what each step of training `model` takes.
  virtual std::vector<std::vector<graph::Node>> of_epoch(const nn::Model& model, std::vector<graph::Node> items,
                                                         std::uint64_t seed, std::uint64_t epoch) const = 0;
  /// The outputs of the model, row i for items[i], valid until the next call. What it refers to lives as long as this,
  /// until the next call.
  virtual autograd::Variable forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) = 0;
  /// `items` cut into what `evaluate_outputs` asks for at a time.
  virtual std::vector<std::vector<graph::Node>> of_evaluation(const nn::Model& model,
                                                              std::span<const graph::Node> items) const;
};

/// How the nodes of many graphs lie: graph g has offsets[g] ... offsets[g + 1] - 1. No offsets: one graph.
struct GraphLayout {
  std::vector<graph::Node> offsets = {};
  std::uint32_t grid_columns = 0;  ///< As in graph::MaskInput.
};

/// Makes the masks that `model` needs by their rules, but for "edges" and those that are there. Throws UsageError for
/// one that would be too large.
void add_masks(const nn::Model& model, const graph::MaskInput& input, std::map<std::string, graph::FrozenGraph>& masks);

/// What a model is given for a pass over `edges` and the masks that `add_masks` made: all but node sets.
nn::ForwardContext make_context(const PassOptions& pass, const graph::FrozenGraph& edges,
                                const std::map<std::string, graph::FrozenGraph>& masks);

/// Throws ModelError when the model is made for node sets, besides `there`, or masks that the data does not have.
void check_node_sets(const nn::Model& model, const std::vector<nn::NodeSetShape>& there = {});

/// Outputs of `items` without dropout, into their rows of `outputs` [item count, model outputs]; the others are
/// undefined.
void evaluate_outputs(nn::Model& model, Batches& batches, std::span<const graph::Node> items, autograd::Tape& tape,
                      Matrix& outputs);

}  // namespace edgewise::train
