#include "edgewise/attention/detail/dense_tiled.hpp"

#include <limits>

#include "edgewise/attention/detail/tile_scores.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::attention::detail {
namespace {

constexpr std::size_t kGroups = 8;  ///< Of the backward pass.

static_assert(kTileDestinations == PairMask::kColumns);

/// Where a group of `count` tiles begins.
std::size_t group_begin(std::size_t count, std::size_t group) { return count * group / kGroups; }

float* packed_row(Matrix& packed, std::size_t row) { return packed.data() + row * kTileDestinations; }

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

/// The weights of a tile from the log-sum-exp; exactly 0 where the mask has no pair.
template <class Score>
void fill_weights(const Score& score, HeadRows keys, int count, const float* query, const std::uint64_t* pairs,
                  const float* log_sum_exp, float* tile) {
  const Float16 none = broadcast_wide(-std::numeric_limits<float>::infinity());
  pair_rows(score, keys, count, query, [&](int c, int v, Float16 sum) {
    const Float16 masked = select(lanes_of_bits(pairs[c] >> (v * simd::kWideLanes)), sum, none);
    const Float16 weight = exp2_or_zero(masked - simd::load_wide(log_sum_exp + v * simd::kWideLanes));
    simd::store_wide(tile + c * kTileDestinations + v * simd::kWideLanes, weight);
  });
}

/// score_gradients = weights * (value . output gradient - dot) * factor
void fill_score_gradients(HeadRows values, int count, const float* output_gradient, const float* weights,
                          const float* dot, float factor, float* score_gradients) {
  pair_rows(Product(), values, count, output_gradient, [&](int c, int v, Float16 sum) {
    const int at = c * kTileDestinations + v * simd::kWideLanes;
    const Float16 of_row = simd::load_wide(dot + v * simd::kWideLanes);
    simd::store_wide(score_gradients + at, simd::load_wide(weights + at) * (sum - of_row) * factor);
  });
}

/// source_sums[c * stride] += the sum of tile[c], destination_sums += those of the lanes.
void add_sums(const float* tile, int count, MutableHeadRows source_sums, float* destination_sums) {
  Float16 of_destinations[kTileVectors];
  for (int v = 0; v < kTileVectors; ++v) of_destinations[v] = simd::load_wide(destination_sums + v * simd::kWideLanes);
  for (int c = 0; c < count; ++c) {
    Float16 of_source{};
    for (int v = 0; v < kTileVectors; ++v, tile += simd::kWideLanes) {
      of_source += simd::load_wide(tile);
      of_destinations[v] += simd::load_wide(tile);
    }
    *source_sums[c] += lane_sum(of_source);
  }
  for (int v = 0; v < kTileVectors; ++v) simd::store_wide(destination_sums + v * simd::kWideLanes, of_destinations[v]);
}

/// Score gradients become those of what LeakyReLU is taken of.
void through_leaky_relu(const AdditiveScore& score, HeadRows keys, int count, const float* query, float* tile) {
  for (int c = 0; c < count; ++c)
    for (int v = 0; v < kTileVectors; ++v, tile += simd::kWideLanes) {
      const Float16 x = *keys[c] * broadcast_wide(kLog2OfE) + simd::load_wide(query + v * simd::kWideLanes);
      const Float16 gradient = simd::load_wide(tile);
      simd::store_wide(tile, select(is_greater(x, Float16{}), gradient, gradient * score.negative_slope));
    }
}

}  // namespace

/// One tile of the backward pass, and room for its numbers.
struct DenseTiled::Tile {
  int head;
  std::size_t row;           ///< head * tiles + tile, of the packed matrices.
  std::size_t first;         ///< Destination.
  int destinations;
  std::size_t first_source;
  int sources;
  const std::uint64_t* pairs;  ///< Of the sources, from the first on.
  float* weights;
  float* score_gradients;
};

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

template <class Body>
void DenseTiled::with_score(int head, std::size_t first_source, Body&& body) const {
  switch (inputs_.score) {
    case Score::additive: return body(AdditiveScore{inputs_.negative_slope});
    case Score::dot_product: return body(DotProductScore());
    case Score::gatv2:
      return body(Gatv2Score{factors_.data() + head * inputs_.width,
                             offsets_.data() + static_cast<std::size_t>(head) * sources_ + first_source});
  }
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

void DenseTiled::backward(const Matrix& output, const Matrix& output_gradient, AttentionGradients& gradients) {
  const auto heads = static_cast<std::size_t>(inputs_.heads);
  queries_.copy(inputs_.query, inputs_.heads);
  output_gradients_.copy(output_gradient, inputs_.heads);
  parallel_chunks(heads * tiles(), [&](std::size_t task) {
    pack(static_cast<int>(task / tiles()), task % tiles(), output);
  });
  packed_query_gradient_.setZero();
  above_.setZero();
  key_sums_.setZero();
  query_sums_.setZero();
  for (std::size_t round = 0; round < kGroups; ++round)
    parallel_chunks(heads * kGroups, [&](std::size_t task) {
      const std::size_t group = task % kGroups;
      backward_group(static_cast<int>(task / kGroups), group, (group + round) % kGroups, gradients);
    });
  parallel_chunks(heads, [&](std::size_t head) { finish_gradients(static_cast<int>(head), gradients); });
}

void DenseTiled::pack(int head, std::size_t tile, const Matrix& output) {
  const int depth = score_width(inputs_);
  const std::size_t row = static_cast<std::size_t>(head) * tiles() + tile;
  const std::size_t first = tile * kTileDestinations;
  const int count = destinations_of(tile);
  const HeadRows gradient = output_gradients_.rows(head, first);
  const HeadRows out = head_rows(output, first, head, inputs_.width);
  pack_transposed(queries_.rows(head, first), count, packed_factor(),
                  packed_row(packed_query_, row * static_cast<std::size_t>(depth)));
  pack_transposed(gradient, count, 1.0F, packed_row(packed_gradient_, row * static_cast<std::size_t>(inputs_.width)));
  float* const dot = packed_row(dot_, row);
  std::fill_n(dot, kTileDestinations, 0.0F);
  for (int r = 0; r < count; ++r)
    dot[r] = ConstMatrixMap(gradient[r], 1, inputs_.width).row(0).dot(ConstMatrixMap(out[r], 1, inputs_.width).row(0));
}

void DenseTiled::backward_group(int head, std::size_t group, std::size_t source_group, AttentionGradients& gradients) {
  Matrix room(2 * kTileSources, kTileDestinations);
  for (std::size_t tile = group_begin(tiles(), group); tile < group_begin(tiles(), group + 1); ++tile)
    for (std::size_t source_tile = group_begin(source_tiles(), source_group);
         source_tile < group_begin(source_tiles(), source_group + 1); ++source_tile) {
      if (!is_occupied(tile, source_tile)) continue;
      const std::size_t source = source_tile * kTileSources;
      backward_tile({.head = head,
                     .row = static_cast<std::size_t>(head) * tiles() + tile,
                     .first = tile * kTileDestinations,
                     .destinations = destinations_of(tile),
                     .first_source = source,
                     .sources = static_cast<int>(std::min<std::size_t>(kTileSources, sources_ - source)),
                     .pairs = pairs_.words(tile) + source,
                     .weights = room.data(),
                     .score_gradients = packed_row(room, kTileSources)},
                    gradients);
    }
}

void DenseTiled::backward_tile(const Tile& tile, AttentionGradients& gradients) {
  const int width = inputs_.width;
  const int depth = score_width(inputs_);
  const float factor = inputs_.score == Score::dot_product ? dot_product_scale(inputs_) : 1.0F;
  const HeadRows value = values(tile.head, tile.first_source);
  with_score(tile.head, tile.first_source, [&](const auto& score) {
    fill_weights(score, keys(tile.head, tile.first_source), tile.sources,
                 packed_row(packed_query_, tile.row * static_cast<std::size_t>(depth)), tile.pairs,
                 packed_row(log_sum_exp_, tile.row), tile.weights);
  });
  fill_score_gradients(value, tile.sources, packed_row(packed_gradient_, tile.row * static_cast<std::size_t>(width)),
                       tile.weights, packed_row(dot_, tile.row), factor, tile.score_gradients);
  sum_over_destinations<kPlainSums>(tile.weights, output_gradients_.rows(tile.head, tile.first), tile.destinations,
                                    head_rows(value_of(gradients, inputs_.score), tile.first_source, tile.head, width),
                                    value, tile.sources, MultiplyAdd());
  add_score_gradients(tile, gradients);
}

void DenseTiled::add_score_gradients(const Tile& tile, AttentionGradients& gradients) {
  const int depth = score_width(inputs_);
  const HeadRows key = keys(tile.head, tile.first_source);
  const HeadRows queries = queries_.rows(tile.head, tile.first);
  const float* query = packed_row(packed_query_, tile.row * static_cast<std::size_t>(depth));
  float* query_gradient = packed_row(packed_query_gradient_, tile.row * static_cast<std::size_t>(depth));
  const auto as_it_is = [](Float16 sum, int) { return sum; };
  switch (inputs_.score) {
    case Score::additive:
      through_leaky_relu({inputs_.negative_slope}, key, tile.sources, query, tile.score_gradients);
      return add_sums(tile.score_gradients, tile.sources, head_rows(gradients.key, tile.first_source, tile.head, 1),
                      query_gradient);
    case Score::dot_product:
      sum_over_sources(tile.score_gradients, key, tile.sources, query_gradient, as_it_is, MultiplyAdd());
      return sum_over_destinations<kPlainSums>(tile.score_gradients, queries, tile.destinations,
                                               head_rows(gradients.key, tile.first_source, tile.head, depth), key,
                                               tile.sources, MultiplyAdd());
    case Score::gatv2:
      add_sums(tile.score_gradients, tile.sources, head_rows(key_sums_, tile.first_source, tile.head, 1),
               packed_row(query_sums_, tile.row));
      sum_over_sources(tile.score_gradients, key, tile.sources, query_gradient, as_it_is, WhereAbove{query});
      return sum_over_destinations<kComparedSums>(tile.score_gradients, queries, tile.destinations,
                                                  head_rows(above_, tile.first_source, tile.head, depth), key,
                                                  tile.sources, WhereAbove());
  }
}

void DenseTiled::finish_gradients(int head, AttentionGradients& gradients) {
  const int depth = score_width(inputs_);
  for (std::size_t tile = 0; tile < tiles(); ++tile) {
    const std::size_t row = static_cast<std::size_t>(head) * tiles() + tile;
    const float* sums = packed_row(packed_query_gradient_, row * static_cast<std::size_t>(depth));
    const MutableHeadRows query = head_rows(gradients.query, tile * kTileDestinations, head, depth);
    for (int r = 0; r < destinations_of(tile); ++r)
      for (int d = 0; d < depth; ++d) query[r][d] += sums[d * kTileDestinations + r];
  }
  if (inputs_.score == Score::gatv2) finish_gatv2_gradients(head, gradients);
}

/// So far the queries' gradients, and `above_`, are sums over the pairs above 0 alone.
void DenseTiled::finish_gatv2_gradients(int head, AttentionGradients& gradients) {
  const int width = inputs_.width;
  const float slope = inputs_.negative_slope;
  const float* vector = head_rows(inputs_.attention_vector, 0, head, width)[0];
  float* vector_gradient = head_rows(gradients.attention_vector, 0, head, width)[0];
  for (std::size_t source = 0; source < sources_; ++source) {
    const float all = *head_rows(key_sums_, source, head, 1)[0] * slope;
    const float* above = head_rows(above_, source, head, width)[0];
    const float* key = head_rows(inputs_.key, source, head, width)[0];
    float* key_gradient = head_rows(gradients.key, source, head, width)[0];
    for (int d = 0; d < width; ++d) {
      const float sum = all + (1 - slope) * above[d];
      key_gradient[d] += vector[d] * sum;
      vector_gradient[d] += key[d] * sum;
    }
  }
  for (std::size_t destination = 0; destination < destinations_; ++destination) {
    const std::size_t row = static_cast<std::size_t>(head) * tiles() + destination / kTileDestinations;
    const float all = packed_row(query_sums_, row)[destination % kTileDestinations] * slope;
    const float* query = head_rows(inputs_.query, destination, head, width)[0];
    float* query_gradient = head_rows(gradients.query, destination, head, width)[0];
    for (int d = 0; d < width; ++d) {
      const float sum = all + (1 - slope) * query_gradient[d];
      query_gradient[d] = vector[d] * sum;
      vector_gradient[d] += query[d] * sum;
    }
  }
}

}  // namespace edgewise::attention::detail
