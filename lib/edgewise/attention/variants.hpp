#pragma once

#include <memory>
#include <string_view>

#include "edgewise/attention/options.hpp"
#include "edgewise/attention/score_entry.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// The same attention along the edges of a mask, computed in four ways behind one interface, forward and backward, so
/// that they can be checked against one another and compared in time and memory.
namespace edgewise::attention {

enum class Variant {
  sparse_fused,    ///< Ours: fused/kernels.hpp.
  gather_scatter,  ///< The usual pipeline: gather, score, normalise, weigh, scatter; one row per edge.
  dense_masked,    ///< All pairs: a full score matrix per head, with the mask, using Eigen.
  dense_tiled,     ///< All pairs, one tile at a time; tiles without any pair are skipped.
};

/// "sparse_fused", "gather_scatter", "dense_masked" and "dense_tiled".
std::string_view name(Variant variant);

/// Inputs of attention, already projected. No edge features and no dropout.
struct AttentionInputs {
  AnyScore score = Score::dot_product;
  Normaliser normaliser = Normaliser::softmax;
  ScoreOptions options;
  int heads = 1;
  int width = 1;            ///< Columns per head.
  Matrix query;             ///< [destinations, heads * width]; [destinations, heads] if the score is per head.
  Matrix key;               ///< [sources, heads * width]; [sources, heads] if the score is per head.
  Matrix value;             ///< [sources, heads * width]; empty if the key is the value (GATv2, as in the paper).
  Matrix attention_vector;  ///< [1, heads * width], for scores that have one.
};

/// Same shapes as the inputs. If the key is the value, the key's gradient includes the value's.
struct AttentionGradients {
  Matrix query;
  Matrix key;
  Matrix value;
  Matrix attention_vector;
};

/// One variant on one mask, with its own buffers, which are kept between calls. The mask and the inputs must outlive
/// it; the numbers in the inputs may change between calls. Results are bit-identical for any number of threads. Throws
/// UsageError if the shapes do not match the mask, or for a dense variant if the mask has a pair of nodes twice.
class Attention {
 public:
  Attention(Variant variant, Purpose purpose, const graph::FrozenGraph& mask, const AttentionInputs& inputs);
  ~Attention();
  Attention(Attention&&) noexcept;
  Attention& operator=(Attention&&) noexcept;

  /// [destinations, heads * width]; a node with nothing to attend to gets zeros.
  const Matrix& forward();
  /// Gradients of the inputs, from that of the output. Only after `forward`, and with Purpose::training.
  const AttentionGradients& backward(const Matrix& output_gradient);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace edgewise::attention
