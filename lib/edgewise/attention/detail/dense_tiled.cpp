#include "edgewise/attention/detail/dense_tiled.hpp"

#include <limits>

#include "edgewise/core/parallel.hpp"

namespace edgewise::attention::detail {
namespace {

static_assert(kTileDestinations == PairMask::kColumns);

/// What is kept of 64 rows while their softmax goes from tile to tile.
struct RunningSoftmax {
  Float16 maximum[kTileVectors];
  Float16 sum[kTileVectors];

  RunningSoftmax() {
    for (int v = 0; v < kTileVectors; ++v) {
      maximum[v] = broadcast_wide(std::numeric_limits<float>::lowest());  // above -infinity, whose weight so is 0
      sum[v] = Float16{};
    }
  }

  /// Goes on to the maxima of one more tile: `factors` is what all sums so far are to be multiplied with.
  void raise(const Float16* to, Float16* factors) {
    for (int v = 0; v < kTileVectors; ++v) {
      factors[v] = exp2_or_zero(maximum[v] - to[v]);
      sum[v] *= factors[v];
      maximum[v] = to[v];
    }
  }

  /// Scores become weights.
  void weigh(float* tile, int count) {
    for (int c = 0; c < count; ++c)
      for (int v = 0; v < kTileVectors; ++v, tile += simd::kWideLanes) {
        const Float16 weight = exp2_or_zero(simd::load_wide(tile) - maximum[v]);
        sum[v] += weight;
        simd::store_wide(tile, weight);
      }
  }

  /// Of the scores, base 2; the lowest number of a row without any.
  void store_log_sum_exp(float* to) const {
    for (int v = 0; v < kTileVectors; ++v)
      for (int lane = 0; lane < simd::kWideLanes; ++lane)
        to[v * simd::kWideLanes + lane] =
            sum[v][lane] > 0.0F ? maximum[v][lane] + std::log2(sum[v][lane]) : maximum[v][lane];
  }
};

/// The scores of a tile, -infinity where the mask has no pair.
template <class Score>
void fill_scores(const Score& score, HeadRows keys, int count, const float* query, const std::uint64_t* pairs,
                 float* tile, Float16* maxima) {
  const Float16 none = broadcast_wide(-std::numeric_limits<float>::infinity());
  pair_rows(score, keys, count, query, [&](int c, int v, Float16 sum) {
    const Float16 masked = select(lanes_of_bits(pairs[c] >> (v * simd::kWideLanes)), sum, none);
    maxima[v] = max(maxima[v], masked);
    simd::store_wide(tile + c * kTileDestinations + v * simd::kWideLanes, masked);
  });
}

}  // namespace

DenseTiled::DenseTiled(const graph::FrozenGraph& mask, const AttentionInputs& inputs, Purpose purpose)
    : inputs_(inputs),
      is_training_(purpose == Purpose::training),
      destinations_(mask.destination_count()),
      sources_(mask.source_count()),
      pairs_(mask, PairMask::Rows::sources),
      occupied_(tiles() * source_tiles(), 0) {
  for (std::size_t tile = 0; tile < tiles(); ++tile)
    for (std::size_t source = 0; source < sources_; ++source)
      if (pairs_.words(tile)[source] != 0) occupied_[tile * source_tiles() + source / kTileSources] = 1;
  if (inputs.score == Score::gatv2) {
    factors_.resize(1, columns_of(inputs));
    offsets_.resize(inputs.heads, static_cast<Eigen::Index>(sources_));
  }
  if (!is_training_) return;
  const auto rows = static_cast<Eigen::Index>(tiles()) * inputs.heads;
  log_sum_exp_.resize(rows, kTileDestinations);
  dot_.resize(rows, kTileDestinations);
  packed_query_.resize(rows * score_width(inputs), kTileDestinations);
  packed_query_gradient_.resize(rows * score_width(inputs), kTileDestinations);
  packed_gradient_.resize(rows * inputs.width, kTileDestinations);
  if (inputs.score != Score::gatv2) return;
  above_.resize(inputs.key.rows(), inputs.key.cols());
  key_sums_.resize(inputs.key.rows(), inputs.heads);
  query_sums_.resize(rows, kTileDestinations);
}

std::size_t DenseTiled::source_tiles() const { return (sources_ + kTileSources - 1) / kTileSources; }

int DenseTiled::destinations_of(std::size_t tile) const {
  return static_cast<int>(std::min<std::size_t>(kTileDestinations, destinations_ - tile * kTileDestinations));
}

bool DenseTiled::is_occupied(std::size_t tile, std::size_t source_tile) const {
  return occupied_[tile * source_tiles() + source_tile] != 0;
}

HeadRows DenseTiled::keys(int head, std::size_t first_source) const { return keys_.rows(head, first_source); }

HeadRows DenseTiled::values(int head, std::size_t first_source) const {
  return is_value_the_key(inputs_.score) ? keys(head, first_source) : values_.rows(head, first_source);
}

void DenseTiled::pack_inputs() {
  keys_.copy(inputs_.key, inputs_.heads);
  if (!is_value_the_key(inputs_.score)) values_.copy(inputs_.value, inputs_.heads);
  if (inputs_.score == Score::gatv2) prepare_gatv2();
}

void DenseTiled::prepare_gatv2() {
  const float slope = inputs_.negative_slope;
  factors_ = inputs_.attention_vector * ((1 - slope) * kLog2OfE);
  parallel_chunks(static_cast<std::size_t>(inputs_.heads), [&](std::size_t head) {
    const auto first = static_cast<Eigen::Index>(head) * inputs_.width;
    for (Eigen::Index source = 0; source < inputs_.key.rows(); ++source)
      offsets_(static_cast<Eigen::Index>(head), source) =
          slope * kLog2OfE *
          inputs_.key.row(source).segment(first, inputs_.width).dot(
              inputs_.attention_vector.row(0).segment(first, inputs_.width));
  });
}

float DenseTiled::packed_factor() const {
  float factor = 1;
  with_score(0, 0, [&](const auto& score) { factor = score.packed_factor(inputs_); });
  return factor;
}

void DenseTiled::forward(Matrix& output) {
  pack_inputs();
  parallel_chunks(static_cast<std::size_t>(inputs_.heads) * tiles(), [&](std::size_t task) {
    forward_tile(static_cast<int>(task / tiles()), task % tiles(), output);
  });
}

void DenseTiled::forward_tile(int head, std::size_t tile, Matrix& output) {
  const int width = inputs_.width;
  const int depth = score_width(inputs_);
  const int destinations = destinations_of(tile);
  const std::size_t first = tile * kTileDestinations;
  Matrix room(depth + width + kTileSources, kTileDestinations);
  float* const query = room.data();
  float* const sums = query + depth * kTileDestinations;
  float* const weights = sums + width * kTileDestinations;
  pack_transposed(head_rows(inputs_.query, first, head, depth), destinations, packed_factor(), query);
  std::fill_n(sums, width * kTileDestinations, 0.0F);
  RunningSoftmax softmax;
  for (std::size_t source_tile = 0; source_tile < source_tiles(); ++source_tile) {
    if (!is_occupied(tile, source_tile)) continue;
    const std::size_t source = source_tile * kTileSources;
    const int count = static_cast<int>(std::min<std::size_t>(kTileSources, sources_ - source));
    Float16 maxima[kTileVectors];
    Float16 factors[kTileVectors];
    std::copy_n(softmax.maximum, kTileVectors, maxima);
    with_score(head, source, [&](const auto& score) {
      fill_scores(score, keys(head, source), count, query, pairs_.words(tile) + source,
                  weights, maxima);
    });
    softmax.raise(maxima, factors);
    softmax.weigh(weights, count);
    sum_over_sources(weights, values(head, source), count, sums,
                     [&](Float16 sum, int v) { return sum * factors[v]; }, MultiplyAdd());
  }
  const MutableHeadRows out = head_rows(output, first, head, width);
  for (int r = 0; r < destinations; ++r) {
    const float sum = softmax.sum[r / simd::kWideLanes][r % simd::kWideLanes];
    const float factor = sum > 0.0F ? 1.0F / sum : 0.0F;
    for (int d = 0; d < width; ++d) out[r][d] = sums[d * kTileDestinations + r] * factor;
  }
  if (is_training_)
    softmax.store_log_sum_exp(packed_row(log_sum_exp_, static_cast<std::size_t>(head) * tiles() + tile));
}

}  // namespace edgewise::attention::detail
