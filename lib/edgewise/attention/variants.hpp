#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "edgewise/attention/options.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// The same attention along the edges of a mask, computed in four ways behind one interface, forward and backward, so
/// that they can be checked against one another and compared in time and memory.
namespace edgewise::attention {

enum class Score {
  additive,     ///< GAT: additive.hpp.
  gatv2,        ///< GATv2: gatv2.hpp.
  dot_product,  ///< Scaled dot product: dot_product.hpp.
};

enum class Variant {
  sparse_fused,     ///< Ours: a row of edges at a time, nothing is kept for each edge.
  sparse_edgewise,  ///< The usual pipeline: gather, score, segment softmax, weigh, scatter; rows for every edge.
  dense_masked,     ///< All pairs: a full score matrix for each head, with the mask, on Eigen.
  dense_tiled,      ///< All pairs, a tile at a time with an online softmax; tiles without any pair are skipped.
};

/// "gat", "gatv2" and "dot_product"; "sparse_fused", "sparse_edgewise", "dense_masked" and "dense_tiled"; "float32" and
/// "bfloat16".
std::string_view name(Score score);
std::string_view name(Variant variant);
std::string_view name(Storage storage);

/// What attention starts from: the projections are already made. No edge features and no dropout.
struct AttentionInputs {
  Score score = Score::dot_product;
  int heads = 1;
  int width = 1;            ///< Of a head.
  Matrix query;             ///< [destinations, heads * width]; additive: the destination scores, [destinations, heads].
  Matrix key;               ///< [sources, heads * width]; additive: the source scores, [sources, heads].
  Matrix value;             ///< [sources, heads * width]. GATv2: must be empty, its value is the key (as in the paper).
  Matrix attention_vector;  ///< GATv2: [1, heads * width].
  float negative_slope = 0.2F;
  Storage storage = Storage::float32;  ///< Of sparse_fused; the others keep rows as they are.
};

/// Shaped as the inputs. GATv2: the value's part is in the key's.
struct AttentionGradients {
  Matrix query;
  Matrix key;
  Matrix value;
  Matrix attention_vector;
};

enum class Purpose { inference, training };

/// One variant on one mask with buffers of its own, which stay from call to call. The mask and the inputs must outlive
/// it; the numbers of the inputs may change between calls. The same bits at any number of threads. Throws UsageError
/// when the shapes do not fit the mask, and for a dense variant when a pair of nodes stands twice in the mask.
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
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace edgewise::attention
