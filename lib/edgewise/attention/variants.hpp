#pragma once

#include <memory>
#include <string_view>

#include "edgewise/attention/options.hpp"
#include "edgewise/attention/score_entry.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// The same attention along the edges of a mask, computed in four ways with one interface, forward and backward, so
/// that they can be checked against one another and compared in time and memory.
namespace edgewise::attention {

enum class Variant {
  sparse_fused,    ///< Ours: fused/kernels.hpp.
  gather_scatter,  ///< The usual pipeline: gather, score, normalise, weigh, scatter; rows for every edge.
  dense_masked,    ///< All pairs: a full score matrix for each head, with the mask, on Eigen.
  dense_tiled,     ///< All pairs, a tile at a time; tiles without any pair are skipped.
};

/// "sparse_fused", "gather_scatter", "dense_masked" and "dense_tiled".
std::string_view name(Variant variant);

/// What attention starts from: the projections are already made. No edge features and no dropout.
struct AttentionInputs {
  AnyScore score = Score::dot_product;
  Normaliser normaliser = Normaliser::softmax;
  ScoreOptions options;
  int heads = 1;
  int width = 1;            ///< Of a head.
  Matrix query;             ///< [destinations, heads * width]; [destinations, heads] where the score is per head.
  Matrix key;               ///< [sources, heads * width]; [sources, heads] where the score is per head.
  Matrix value;             ///< [sources, heads * width]; empty where the key is the value (GATv2, as in the paper).
  Matrix attention_vector;  ///< [1, heads * width], for scores that have one.
  Precision precision = Precision::float32;  ///< Of sparse_fused; the others keep rows as they are.
};

/// Shaped as the inputs. Where the key is the value, the value's part is in the key's.
struct AttentionGradients {
  Matrix query;
  Matrix key;
  Matrix value;
  Matrix attention_vector;
};

/// One variant on one mask with buffers of its own, kept from call to call. The mask and the inputs must outlive it;
/// the numbers of the inputs may change between calls. The same bits at any number of threads. Throws UsageError when
/// the shapes do not fit the mask, and for a dense variant when the mask has a pair of nodes twice.
class Attention {
 public:
  Attention(Variant variant, Purpose purpose, const graph::FrozenGraph& mask, const AttentionInputs& inputs);
  ~Attention();
  Attention(Attention&&) noexcept;
  Attention& operator=(Attention&&) noexcept;

  /// [destinations, heads * width]; a node with nothing to attend to gets zeros.
  const Matrix& forward();
  /// Of the inputs, from that of the output; after `forward`, and only with Purpose::training.
  const AttentionGradients& backward(const Matrix& output_gradient);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace edgewise::attention
