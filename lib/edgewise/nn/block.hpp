#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/autograd/tape.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::nn {

/// The node set that a model begins with, and the one that a readout makes of it.
inline constexpr const char* kNodes = "nodes";
inline constexpr const char* kGraphs = "graphs";

/// A node set of a model besides its nodes, such as what a decoder attends to.
struct NodeSetShape {
  std::string name;
  int columns = 0;

  friend bool operator==(const NodeSetShape&, const NodeSetShape&) = default;
};

/// From which node set to which a mask lets attention go, and with how many features an edge.
struct MaskShape {
  std::string name;
  std::string rows = kNodes;     ///< Whose rows attend: destinations, queries.
  std::string columns = kNodes;  ///< Whose rows are attended to: sources, keys.
  int features = 0;              ///< Columns of FrozenGraph::edge_features.

  friend bool operator==(const MaskShape&, const MaskShape&) = default;
};

/// Widths a model is made for; they come from the data.
struct ModelShape {
  int inputs = 0;         ///< Node feature columns.
  int outputs = 0;        ///< Logits or targets a node, or a graph.
  int edge_features = 0;  ///< Columns of the edge features of the mask "edges".
  int pair_features = 0;  ///< Columns of the edge features of the mask "complete".
  std::vector<NodeSetShape> node_sets = {};
  std::vector<MaskShape> masks = {};  ///< Besides those of graph::mask_rules.

  friend bool operator==(const ModelShape&, const ModelShape&) = default;
};

/// The rows of a node set: dense on the tape, or the sparse input features with a dropout to come. Only dropouts and
/// the first linear maps of a model ever see the sparse form.
struct NodeRows {
  autograd::Variable dense = {};
  autograd::SparseFeatures sparse = {};  ///< When set, `dense` is unused.

  Eigen::Index count() const { return sparse.is_set() ? sparse.input->rows() : dense.rows(); }
  Eigen::Index columns() const { return sparse.is_set() ? sparse.input->columns() : dense.cols(); }
};

/// Attention weights of one layer in one forward pass: [slots, heads], slot order of the mask.
struct AttentionRecord {
  std::string layer;
  Matrix weights;
  std::string mask = "edges";
};

/// What a forward pass runs in. Random masks are keyed by (seed, step, block, element).
struct ForwardContext {
  autograd::Tape& tape;
  /// By name; Model::masks says which a model needs. They must outlive the record on the tape.
  std::map<std::string, const graph::FrozenGraph*> masks = {};
  bool is_training = false;
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::vector<AttentionRecord>* attention = nullptr;  ///< Filled when set.
  Matrix* embeddings = nullptr;                       ///< Filled when set: the rows that the last block gets.
  /// Rows of node sets other than the one that a block works on, by name: those of ModelShape::node_sets, those of the
  /// edges (kEdges) where the model uses them, and what blocks leave behind on their way to another set.
  std::map<std::string, NodeRows> node_sets = {};
  std::uint64_t next_mask = 0;  ///< Counts the random masks drawn in this pass.
};

/// What a block is made in. `width` is that of its input: a maker reads it and leaves its output's.
struct BuildContext {
  ModelShape shape;
  int width = 0;
  std::string name;  ///< Of the block, in front of its parameters' names: "blocks.1".
  std::uint64_t seed = 0;
  std::uint64_t drawn = 0;        ///< Parameters drawn so far; each has a random stream of its own.
  std::string node_set = kNodes;  ///< Whose rows the block gets.
  /// Of the rows in ForwardContext::node_sets.
  std::map<std::string, int> widths = {};
  std::vector<MaskShape> masks = {};  ///< That blocks use.
  /// Elements that parameters may still take. A model file sets it: no configuration asks for more than is there.
  std::uint64_t budget = ~std::uint64_t{0};
};

/// One entry of a model's "blocks". Owns its parameters; shapes are fixed when it is made.
class Block {
 public:
  virtual ~Block() = default;
  virtual NodeRows forward(ForwardContext& context, const NodeRows& input) = 0;
  /// In a fixed order, names unique within the model ("blocks.1.weight").
  virtual void collect_parameters(std::vector<autograd::Parameter*>& parameters) = 0;
  /// State that is saved but not trained, such as the running moments of BatchNorm; name and matrix.
  virtual void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) { (void)state; }
};

}  // namespace edgewise::nn
