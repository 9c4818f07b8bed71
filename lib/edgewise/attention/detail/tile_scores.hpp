#pragma once

#include "edgewise/attention/detail/tile_products.hpp"
#include "edgewise/attention/detail/variant_inputs.hpp"

/// @file
/// The scores of a tile of one head, times log2(e), so that weights are powers of 2. The destinations' side is packed
/// once with what multiplies it; what pair_rows then does with a source and 64 destinations is told here.
namespace edgewise::attention::detail {

/// Columns of a head in the tables that the score looks at.
inline int score_width(const AttentionInputs& inputs) {
  return inputs.score == Score::additive ? 1 : inputs.width;
}

/// A plain product, for weights' gradients as for scores.
struct Product {
  Float16 start(int) const { return Float16{}; }
  Float16 combine(Float16 sum, Float16 source, Float16 destination, int) const { return sum + source * destination; }
};

struct DotProductScore : Product {
  static float packed_factor(const AttentionInputs& inputs) { return kLog2OfE * dot_product_scale(inputs); }
};

/// Packed: destination score * log2(e).
struct AdditiveScore {
  float negative_slope;

  static float packed_factor(const AttentionInputs&) { return kLog2OfE; }
  Float16 start(int) const { return Float16{}; }
  Float16 combine(Float16, Float16 source, Float16 destination, int) const {
    const Float16 x = source * kLog2OfE + destination;
    return select(is_greater(x, Float16{}), x, x * negative_slope);
  }
};

/// LeakyReLU(k + q) = slope * (k + q) + (1 - slope) * max(k + q, 0), and max(k + q, 0) = max(k, -q) + q. What depends
/// on the destination alone falls out of the softmax; what depends on the source alone is where its sum starts; a
/// maximum and a product remain for each pair and column. Packed: -query.
struct Gatv2Score {
  const float* factors;  ///< [width]: attention vector * (1 - slope) * log2(e).
  const float* offsets;  ///< [sources]: slope * attention vector . key * log2(e).

  static float packed_factor(const AttentionInputs&) { return -1.0F; }
  Float16 start(int source) const { return broadcast_wide(offsets[source]); }
  Float16 combine(Float16 sum, Float16 source, Float16 destination, int d) const {
    return sum + factors[d] * max(source, destination);
  }
};

/// Sums of score gradients over the pairs of a source and a destination whose key + query is above 0, one for each
/// column: what the attention vector is multiplied with in GATv2's gradients, but for the negative slope.
struct WhereAbove {
  const float* columns = nullptr;  ///< -query, packed.

  Float16 operator()(Float16 sum, Float16 weight, Float16 key, int d, int v) const {
    const Float16 below = simd::load_wide(columns + d * kTileDestinations + v * simd::kWideLanes);
    return add_where(is_greater(key, below), sum, weight);
  }
  Float16 operator()(Float16 sum, Float16 weight, Float16 query, Float16 key) const {
    return add_where(is_greater(key, -query), sum, weight);
  }
};

}  // namespace edgewise::attention::detail
