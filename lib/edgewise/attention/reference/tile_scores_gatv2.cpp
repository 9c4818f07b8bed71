#include "edgewise/attention/reference/tile_scores.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::attention::reference {
namespace {

/// Sums the gradients of x over the pairs of a source and a destination whose key + query is above 0, for each column.
/// In GATv2's gradients these sums, apart from the negative slope, are multiplied by the attention vector.
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

/// source_sums[c] += the sum of tile[c] over its lanes; destination_sums += the sum of each lane over the sources.
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

}  // namespace

TileScores<Gatv2, Softmax>::TileScores(const AttentionInputs& inputs, std::size_t tiles, Purpose purpose)
    : inputs_(inputs), tiles_(tiles) {
  factors_.resize(1, inputs.heads * inputs.width);
  offsets_.resize(inputs.heads, inputs.key.rows());
  if (purpose == Purpose::inference) return;
  above_.resize(inputs.key.rows(), inputs.key.cols());
  key_sums_.resize(inputs.key.rows(), inputs.heads);
  query_sums_.resize(static_cast<Eigen::Index>(tiles) * inputs.heads, kTileDestinations);
}

void TileScores<Gatv2, Softmax>::prepare() {
  const float slope = inputs_.options.negative_slope;
  factors_ = inputs_.attention_vector * (1 - slope);
  parallel_chunks(static_cast<std::size_t>(inputs_.heads), [&](std::size_t head) {
    const auto first = static_cast<Eigen::Index>(head) * inputs_.width;
    for (Eigen::Index source = 0; source < inputs_.key.rows(); ++source)
      offsets_(static_cast<Eigen::Index>(head), source) =
          slope * inputs_.key.row(source)
                      .segment(first, inputs_.width)
                      .dot(inputs_.attention_vector.row(0).segment(first, inputs_.width));
  });
}

void TileScores<Gatv2, Softmax>::clear() {
  above_.setZero();
  key_sums_.setZero();
  query_sums_.setZero();
}

void TileScores<Gatv2, Softmax>::add_gradients(const TileGradients& tile) {
  const MutableHeadRows above = head_rows(above_, tile.first_source, tile.head, tile.keys.width);
  add_sums(tile.of_x, tile.sources, head_rows(key_sums_, tile.first_source, tile.head, 1),
           packed_row(query_sums_, tile.row));
  sum_over_sources(tile.of_x, tile.keys, tile.sources, tile.query_gradient, nullptr, WhereAbove{tile.query});
  sum_over_destinations<kComparedSums>(tile.of_x, tile.queries, tile.destinations, above, tile.keys, tile.sources,
                                       WhereAbove());
}

void TileScores<Gatv2, Softmax>::finish(int head, AttentionGradients& gradients) {
  const int width = inputs_.width;
  const float slope = inputs_.options.negative_slope;
  const float* vector = head_rows(inputs_.attention_vector, 0, head, width)[0];
  float* vector_gradient = head_rows(gradients.attention_vector, 0, head, width)[0];
  for (Eigen::Index source = 0; source < inputs_.key.rows(); ++source) {
    const float all = key_sums_(source, head) * slope;
    const float* above = row_of(above_, source) + head * width;
    const float* key = row_of(inputs_.key, source) + head * width;
    float* key_gradient = row_of(gradients.key, source) + head * width;
    for (int d = 0; d < width; ++d) {
      const float sum = all + (1 - slope) * above[d];
      key_gradient[d] += vector[d] * sum;
      vector_gradient[d] += key[d] * sum;
    }
  }
  for (Eigen::Index destination = 0; destination < inputs_.query.rows(); ++destination) {
    const std::size_t row = static_cast<std::size_t>(head) * tiles_ +
                            static_cast<std::size_t>(destination) / kTileDestinations;
    const float all = packed_row(query_sums_, row)[destination % kTileDestinations] * slope;
    const float* query = row_of(inputs_.query, destination) + head * width;
    float* query_gradient = row_of(gradients.query, destination) + head * width;
    for (int d = 0; d < width; ++d) {
      const float sum = all + (1 - slope) * query_gradient[d];
      query_gradient[d] = vector[d] * sum;
      vector_gradient[d] += query[d] * sum;
    }
  }
}

}  // namespace edgewise::attention::reference
