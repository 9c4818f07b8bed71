#include <limits>

#include "edgewise/attention/detail/dense_tiled.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::attention::detail {
namespace {

constexpr std::size_t kGroups = 8;  ///< Of the backward pass.

/// Where a group of `count` tiles begins.
std::size_t group_begin(std::size_t count, std::size_t group) { return count * group / kGroups; }

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
