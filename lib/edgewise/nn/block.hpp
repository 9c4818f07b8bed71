#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgewise/autograd/part.hpp"
#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/autograd/tape.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/nn/block_traits.hpp"

namespace edgewise::graph {
struct Sample;
}

namespace edgewise::nn {

/// The node set that a model starts with, and those that readouts make of it.
inline constexpr const char* kNodes = "nodes";
inline constexpr const char* kGraphs = "graphs";
inline constexpr const char* kLinks = "links";

/// A node set of a model besides its nodes, such as the one a decoder attends to.
struct NodeSetShape {
  std::string name;
  int columns = 0;

  friend bool operator==(const NodeSetShape&, const NodeSetShape&) = default;
};

/// The node sets that a mask connects, and the number of features per edge.
struct MaskShape {
  std::string name;
  std::string rows = kNodes;     ///< Whose rows attend: destinations, queries.
  std::string columns = kNodes;  ///< Whose rows are attended to: sources, keys.
  int features = 0;              ///< Columns of FrozenGraph::edge_features.
  std::optional<std::size_t> reach = std::nullopt;  ///< Steps along the edges of the data; nothing: maybe any number.
  std::uint32_t relation = 0;  ///< If not 0, it has the edges of the data that are of this relation.

  /// Whether it has edges of the data, and no others: "edges", or those of a relation.
  bool is_along_edges() const { return name == "edges" || relation > 0; }

  friend bool operator==(const MaskShape&, const MaskShape&) = default;
};

/// Widths a model is built for; they come from the data.
struct ModelShape {
  int inputs = 0;         ///< Node feature columns.
  int outputs = 0;        ///< Logits or targets per node, graph or link.
  int edge_features = 0;  ///< Columns of the edge features of the mask "edges".
  int pair_features = 0;  ///< Columns of the edge features of the mask "complete".
  std::vector<NodeSetShape> node_sets = {};
  std::vector<MaskShape> masks = {};  ///< Besides those of graph::mask_rules.

  friend bool operator==(const ModelShape&, const ModelShape&) = default;
};

/// The rows of a node set: dense on the tape, or sparse input features with a dropout still to be applied. Only
/// dropouts and the first linear maps of a model see the sparse form.
struct NodeRows {
  autograd::DenseRows dense = {};
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

/// The two ends of each link: rows of the nodes. They must outlive the record on the tape.
struct LinkEnds {
  std::span<const graph::Node> sources = {};
  std::span<const graph::Node> targets = {};
};

struct KeptRows;

/// The context of a forward pass. Random masks are keyed by (seed, step, block, element).
struct ForwardContext {
  autograd::Tape& tape;
  /// By name; Model::masks lists those a model needs. They must outlive the record on the tape.
  std::map<std::string, const graph::FrozenGraph*> masks = {};
  bool is_training = false;
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::vector<AttentionRecord>* attention = nullptr;  ///< Filled if set.
  Matrix* embeddings = nullptr;                       ///< If set, filled with the rows that the last block gets.
  /// Rows of node sets other than the one that a block works on, by name: those of ModelShape::node_sets, those of the
  /// edges (kEdges) if the model uses them, and those that blocks leave behind when they move on to another set.
  std::map<std::string, NodeRows> node_sets = {};
  std::uint64_t next_mask = 0;  ///< Counts the random masks drawn in this pass.
  KeptRows* kept = nullptr;     ///< If set, this pass is one step of a decoder; see kept_rows.hpp.
  /// If set, the input are the rows of its nodes, and its steps take the place of the mask "edges"; see edges.hpp.
  const graph::Sample* sample = nullptr;
  std::size_t next_step = 0;  ///< Counts the steps along sampled edges in this pass.
  LinkEnds links = {};        ///< Of a link-level model, one or more.
  autograd::Part* part = nullptr;  ///< If set, the nodes are those of a part of a graph; see `sources` in edges.hpp.
};

/// The context in which a block is made. `width` is that of the block's input; its maker replaces it with that of its
/// output.
struct BuildContext {
  ModelShape shape = {};
  int width = 0;
  std::string name;  ///< Of the block; the prefix of its parameters' names: "blocks.1".
  std::uint64_t seed = 0;
  std::uint64_t drawn = 0;        ///< Parameters drawn so far; each has its own random stream.
  std::string node_set = kNodes;  ///< The set whose rows the block gets.
  /// Widths of the rows in ForwardContext::node_sets.
  std::map<std::string, int> widths = {};
  std::vector<MaskShape> masks = {};  ///< The masks that blocks use.
  /// The weight of the first linear block on the rows of each node set: the embeddings, if these are tokens.
  std::map<std::string, autograd::Parameter*> embeddings = {};
  /// Elements that parameters may still take. A model file sets it, so that no configuration takes more than is there.
  std::uint64_t budget = ~std::uint64_t{0};
};

/// One entry of a model's "blocks". Owns its parameters; shapes are fixed at construction.
class Block {
 public:
  virtual ~Block() = default;
  virtual NodeRows forward(ForwardContext& context, const NodeRows& input) = 0;
  virtual BlockTraits traits() const = 0;
  /// In a fixed order, with names that are unique within the model ("blocks.1.weight").
  virtual void collect_parameters(std::vector<autograd::Parameter*>& parameters) = 0;
  /// State that is saved but not trained, such as the running moments of BatchNorm; name and matrix.
  virtual void collect_state(std::vector<std::pair<std::string, Matrix*>>& state) { (void)state; }
};

}  // namespace edgewise::nn
