#pragma once

#include <cmath>
#include <limits>

#include "edgewise/attention/normalisers/softmax.hpp"
#include "edgewise/attention/reference/tile_products.hpp"

/// @file
/// Turns the scores of a tile into weights, and gradients of weights into gradients of scores.
namespace edgewise::attention::reference {

/// Any normaliser whose weights depend only on their score and the row's number. The weight of a pair that is not in
/// the mask is exactly 0.
template <class NormaliserPolicy>
class TileWeights {
 public:
  /// `rows` [64]: RowStatistics::row of each destination.
  explicit TileWeights(const float* rows) : rows_(rows) {}

  /// tile[c][r] = the weight. `pairs` [count] is the mask, one bit per destination. Returns what the sums of earlier
  /// tiles must be multiplied by, or nullptr for 1.
  template <class TileScores>
  const Float16* fill(const TileScores& scores, HeadRows keys, int count, const float* query,
                      const std::uint64_t* pairs, float* tile) {
    pair_rows(scores, keys, count, query, [&](int c, int v, Float16 sum) {
      const Lanes lanes = lanes_of_bits(pairs[c] >> (v * simd::kWideLanes));
      simd::store_wide(tile + c * kTileDestinations + v * simd::kWideLanes,
                       weight(scores.finish(sum), lanes, simd::load_wide(rows_ + v * simd::kWideLanes)));
    });
    return nullptr;
  }
  /// What the sum of a row must be multiplied by after the last tile.
  float factor(int /*row*/) const { return 1; }
  /// Stores what `weight` below takes as `row`.
  void store_rows(float* /*to*/) const {}

  static Float16 weight(Float16 score, Lanes pairs, Float16 row) {
    return select(pairs, NormaliserPolicy::weight(score, RowStatistics<Float16>{row, Float16{}}), Float16{});
  }
  static Float16 gradient(Float16 score, Lanes pairs, Float16 weight, Float16 gradient, Float16 row, Float16 delta) {
    const RowStatistics<Float16> of{row, delta};
    return select(pairs, NormaliserPolicy::gradient(score, weight, gradient, of), Float16{});
  }

 private:
  const float* rows_;
};

/// Online softmax with a running maximum from tile to tile (Milakov and Gimelshein 2018): no second pass over the
/// scores. It uses powers of 2, which are exactly 0 for pairs outside the mask, as their score is -infinity.
template <>
class TileWeights<Softmax> {
 public:
  explicit TileWeights(const float* /*rows*/) {
    for (int v = 0; v < kTileVectors; ++v) {
      maximum_[v] = broadcast_wide(kLowest);
      sum_[v] = Float16{};
    }
  }

  template <class TileScores>
  const Float16* fill(const TileScores& scores, HeadRows keys, int count, const float* query,
                      const std::uint64_t* pairs, float* tile) {
    Float16 maxima[kTileVectors];
    std::copy_n(maximum_, kTileVectors, maxima);
    pair_rows(scores, keys, count, query, [&](int c, int v, Float16 sum) {
      const Float16 score = masked(scores.finish(sum), lanes_of_bits(pairs[c] >> (v * simd::kWideLanes)));
      maxima[v] = max(maxima[v], score);
      simd::store_wide(tile + c * kTileDestinations + v * simd::kWideLanes, score);
    });
    for (int v = 0; v < kTileVectors; ++v) {
      factors_[v] = exp2_or_zero((maximum_[v] - maxima[v]) * kLog2OfE);
      sum_[v] *= factors_[v];
      maximum_[v] = maxima[v];
      maxima[v] *= kLog2OfE;
    }
    for (int c = 0; c < count; ++c)
      for (int v = 0; v < kTileVectors; ++v, tile += simd::kWideLanes) {
        const Float16 weight = exp2_or_zero(simd::load_wide(tile) * kLog2OfE - maxima[v]);
        sum_[v] += weight;
        simd::store_wide(tile, weight);
      }
    return factors_;
  }

  float factor(int row) const {
    const float sum = sum_[row / simd::kWideLanes][row % simd::kWideLanes];
    return sum > 0.0F ? 1.0F / sum : 0.0F;
  }

  /// The log-sum-exp to base 2.
  void store_rows(float* to) const {
    for (int v = 0; v < kTileVectors; ++v)
      for (int lane = 0; lane < simd::kWideLanes; ++lane) {
        const float maximum = maximum_[v][lane] * kLog2OfE;
        to[v * simd::kWideLanes + lane] = sum_[v][lane] > 0.0F ? maximum + std::log2(sum_[v][lane]) : maximum;
      }
  }

  static Float16 weight(Float16 score, Lanes pairs, Float16 row) {
    return exp2_or_zero(masked(score, pairs) * kLog2OfE - row);
  }
  static Float16 gradient(Float16 score, Lanes /*pairs*/, Float16 weight, Float16 gradient, Float16 /*row*/,
                          Float16 delta) {
    return Softmax::gradient(score, weight, gradient, RowStatistics<Float16>{Float16{}, delta});
  }

 private:
  static constexpr float kLowest = -1e38F;  ///< Above -infinity, which thus gets weight 0; log2(e) times it is finite.

  static Float16 masked(Float16 score, Lanes pairs) {
    return select(pairs, score, broadcast_wide(-std::numeric_limits<float>::infinity()));
  }

  Float16 maximum_[kTileVectors];
  Float16 sum_[kTileVectors];
  Float16 factors_[kTileVectors];
};

}  // namespace edgewise::attention::reference
