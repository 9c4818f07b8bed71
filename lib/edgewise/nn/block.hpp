#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/autograd/tape.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::nn {

/// Widths a model is made for; they come from the data.
struct ModelShape {
  int inputs = 0;         ///< Node feature columns.
  int outputs = 0;        ///< Logits or targets a node, or a graph.
  int edge_features = 0;  ///< Columns of FrozenGraph::edge_features.
  int pair_features = 0;  ///< Columns of the edge features of the complete mask.

  friend bool operator==(const ModelShape&, const ModelShape&) = default;
};

/// The node matrix between two blocks: dense on the tape, or the sparse input features with a dropout to come. Only
/// dropouts and the first linear maps of a model ever see the sparse form.
struct Signal {
  autograd::Variable dense;
  autograd::SparseFeatures sparse = {};  ///< When set, `dense` is unused.
};

/// What a block attends over: the edges of the graph, all pairs of nodes inside each graph of a union, or (readouts)
/// the nodes of each graph.
enum class MaskKind { edges, complete, readout };

/// Attention weights of one layer in one forward pass: [slots, heads], slot order of the mask. A readout has one slot
/// a node, in the order of the nodes.
struct AttentionRecord {
  std::string layer;
  Matrix weights;
  MaskKind mask = MaskKind::edges;
};

/// What a forward pass runs in. Random masks are keyed by (seed, step, block, element).
struct ForwardContext {
  autograd::Tape& tape;
  const graph::FrozenGraph& graph;
  bool is_training = false;
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::vector<AttentionRecord>* attention = nullptr;  ///< Filled when set.
  /// Graph-level models: graph::readout_mask of the union, and graph::complete_mask where a block asks for it.
  const graph::FrozenGraph* readout = nullptr;
  const graph::FrozenGraph* complete = nullptr;
  std::uint64_t next_mask = 0;  ///< Counts the random masks drawn in this pass.
};

/// What a block is made in. `width` is that of the signal: a maker reads its input's and leaves its output's.
struct BuildContext {
  ModelShape shape;
  int width = 0;
  std::string name;  ///< Of the block, in front of its parameters' names: "blocks.1".
  std::uint64_t seed = 0;
  std::uint64_t drawn = 0;  ///< Parameters drawn so far; each has a random stream of its own.
  bool is_graph_level = false;      ///< A readout stands before: the signal has one row a graph.
  bool uses_complete_mask = false;  ///< Set by blocks that attend over all pairs.
  /// Elements that parameters may still take. A model file sets it: no configuration asks for more than is there.
  std::uint64_t budget = ~std::uint64_t{0};
};

/// One entry of a model's "blocks". Owns its parameters; shapes are fixed when it is made.
class Block {
 public:
  virtual ~Block() = default;
  virtual Signal forward(ForwardContext& context, const Signal& input) = 0;
  /// In a fixed order, names unique within the model ("blocks.1.weight").
  virtual void collect_parameters(std::vector<autograd::Parameter*>& parameters) = 0;
  /// State that is saved but not trained, such as the running moments of BatchNorm; name and matrix.
  virtual void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) { (void)state; }
};

}  // namespace edgewise::nn
