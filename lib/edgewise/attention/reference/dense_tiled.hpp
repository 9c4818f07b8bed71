#pragma once

#include <vector>

#include "edgewise/attention/implementation.hpp"
#include "edgewise/attention/reference/pair_mask.hpp"
#include "edgewise/attention/reference/tile_scores.hpp"
#include "edgewise/attention/reference/tile_weights.hpp"

namespace edgewise::attention::reference {

static_assert(kTileDestinations == PairMask::kColumns);

/// All pairs, in tiles of 64 destinations and 64 sources (FlashAttention, Dao et al. 2022). The only structure of size
/// [destinations, sources] is the mask, one bit per pair; tiles without any pair are skipped. The backward pass
/// recomputes the weights once, in kTileGroups rounds. In each round every group of destinations is paired with a
/// different group of sources, so that no two threads add to the same gradient and the order of the sums is fixed.
template <class ScorePolicy, class NormaliserPolicy>
class DenseTiled final : public Implementation {
 public:
  DenseTiled(const graph::FrozenGraph& mask, const AttentionInputs& inputs, Purpose purpose)
      : inputs_(inputs),
        is_training_(purpose == Purpose::training),
        destinations_(mask.destination_count()),
        sources_(mask.source_count()),
        pairs_(mask, PairMask::Rows::sources),
        occupied_(occupied_tiles(pairs_)),
        scores_(inputs, tiles(), purpose) {
    const auto rows = static_cast<Eigen::Index>(tiles()) * inputs.heads;
    if (is_training_ || !NormaliserPolicy::kSumsToOne) rows_.setZero(rows, kTileDestinations);
    if (!NormaliserPolicy::kSumsToOne) count_edges(mask);
    if (!is_training_) return;
    dot_.resize(rows, kTileDestinations);
    packed_query_.resize(rows * depth(), kTileDestinations);
    packed_query_gradient_.resize(rows * depth(), kTileDestinations);
    packed_gradient_.resize(rows * inputs.width, kTileDestinations);
  }

  void forward(Matrix& output) override {
    keys_.copy(inputs_.key, inputs_.heads);
    if (!ScorePolicy::kValueIsKey) values_.copy(inputs_.value, inputs_.heads);
    scores_.prepare();
    parallel_chunks(static_cast<std::size_t>(inputs_.heads) * tiles(),
                    [&](std::size_t task) { forward_tile(static_cast<int>(task / tiles()), task % tiles(), output); });
  }

  void backward(const Matrix& output, const Matrix& output_gradient, AttentionGradients& gradients) override {
    const auto heads = static_cast<std::size_t>(inputs_.heads);
    queries_.copy(inputs_.query, inputs_.heads);
    output_gradients_.copy(output_gradient, inputs_.heads);
    parallel_chunks(heads * tiles(),
                    [&](std::size_t task) { pack(static_cast<int>(task / tiles()), task % tiles(), output); });
    packed_query_gradient_.setZero();
    scores_.clear();
    for (std::size_t round = 0; round < kTileGroups; ++round)
      parallel_chunks(heads * kTileGroups, [&](std::size_t task) {
        const std::size_t group = task % kTileGroups;
        backward_group(static_cast<int>(task / kTileGroups), group, (group + round) % kTileGroups, gradients);
      });
    parallel_chunks(heads, [&](std::size_t head) {
      unpack_query_gradients(static_cast<int>(head), gradients);
      scores_.finish(static_cast<int>(head), gradients);
    });
  }

 private:
  using Weights = TileWeights<NormaliserPolicy>;
  static constexpr bool kReadsScore = kReadsScores<ScorePolicy, NormaliserPolicy>;

  int depth() const { return score_width<ScorePolicy>(inputs_); }
  std::size_t tiles() const { return pairs_.groups(); }
  std::size_t source_tiles() const { return (sources_ + kTileSources - 1) / kTileSources; }
  std::size_t row_of_tile(int head, std::size_t tile) const { return static_cast<std::size_t>(head) * tiles() + tile; }
  int destinations_of(std::size_t tile) const {
    return static_cast<int>(std::min<std::size_t>(kTileDestinations, destinations_ - tile * kTileDestinations));
  }
  int sources_of(std::size_t tile) const {
    return static_cast<int>(std::min<std::size_t>(kTileSources, sources_ - tile * kTileSources));
  }
  bool is_occupied(std::size_t tile, std::size_t source_tile) const {
    return occupied_[tile * source_tiles() + source_tile] != 0;
  }
  HeadRows values(int head, std::size_t first_source) const {
    return (ScorePolicy::kValueIsKey ? keys_ : values_).rows(head, first_source);
  }

  /// 1 / the number of edges, for every head.
  void count_edges(const graph::FrozenGraph& mask) {
    for (int head = 0; head < inputs_.heads; ++head)
      for (std::size_t v = 0; v < destinations_; ++v)
        packed_row(rows_, row_of_tile(head, v / kTileDestinations))[v % kTileDestinations] =
            1.0F / static_cast<float>(mask.incoming.offsets[v + 1] - mask.incoming.offsets[v]);
  }

  void forward_tile(int head, std::size_t tile, Matrix& output) {
    const int width = inputs_.width;
    const int destinations = destinations_of(tile);
    const std::size_t first = tile * kTileDestinations;
    Matrix scratch(depth() + width + kTileSources, kTileDestinations);
    float* const query = scratch.data();
    float* const sums = packed_row(scratch, static_cast<std::size_t>(depth()));
    float* const weights = packed_row(scratch, static_cast<std::size_t>(depth() + width));
    pack_transposed(head_rows(inputs_.query, first, head, depth()), destinations, scores_.packed_factor(), query);
    std::fill_n(sums, width * kTileDestinations, 0.0F);
    float* const row = rows_.size() > 0 ? packed_row(rows_, row_of_tile(head, tile)) : nullptr;
    Weights normaliser(row);
    for (std::size_t source_tile = 0; source_tile < source_tiles(); ++source_tile) {
      if (!is_occupied(tile, source_tile)) continue;
      const std::size_t source = source_tile * kTileSources;
      const int count = sources_of(source_tile);
      const Float16* factors = normaliser.fill(scores_.of_head(head, source), keys_.rows(head, source), count, query,
                                               pairs_.words(tile) + source, weights);
      add_weighted_sources(weights, values(head, source), count, sums, factors);
    }
    const MutableHeadRows out = head_rows(output, first, head, width);
    for (int r = 0; r < destinations; ++r)
      for (int d = 0; d < width; ++d) out[r][d] = sums[d * kTileDestinations + r] * normaliser.factor(r);
    if (is_training_) normaliser.store_rows(row);
  }

  /// Packs the destination side of a tile: queries, output gradients, and output . output gradient.
  void pack(int head, std::size_t tile, const Matrix& output) {
    const std::size_t row = row_of_tile(head, tile);
    const std::size_t first = tile * kTileDestinations;
    const int count = destinations_of(tile);
    const HeadRows gradient = output_gradients_.rows(head, first);
    const HeadRows out = head_rows(output, first, head, inputs_.width);
    pack_transposed(queries_.rows(head, first), count, scores_.packed_factor(), packed(packed_query_, row, depth()));
    pack_transposed(gradient, count, 1.0F, packed(packed_gradient_, row, inputs_.width));
    float* const dot = packed_row(dot_, row);
    std::fill_n(dot, kTileDestinations, 0.0F);
    for (int r = 0; r < count; ++r)
      dot[r] =
          ConstMatrixMap(gradient[r], 1, inputs_.width).row(0).dot(ConstMatrixMap(out[r], 1, inputs_.width).row(0));
  }

  static float* packed(Matrix& matrix, std::size_t row, int columns) {
    return packed_row(matrix, row * static_cast<std::size_t>(columns));
  }
  /// The first tile of a group, out of `count` tiles.
  static std::size_t group_begin(std::size_t count, std::size_t group) { return count * group / kTileGroups; }

  void backward_group(int head, std::size_t group, std::size_t source_group, AttentionGradients& gradients) {
    Matrix scratch((kReadsScore ? 3 : 2) * kTileSources, kTileDestinations);
    for (std::size_t tile = group_begin(tiles(), group); tile < group_begin(tiles(), group + 1); ++tile)
      for (std::size_t source_tile = group_begin(source_tiles(), source_group);
           source_tile < group_begin(source_tiles(), source_group + 1); ++source_tile) {
        if (!is_occupied(tile, source_tile)) continue;
        const std::size_t row = row_of_tile(head, tile);
        const std::size_t source = source_tile * kTileSources;
        backward_tile({.of_x = scratch.data(),
                       .query = packed(packed_query_, row, depth()),
                       .query_gradient = packed(packed_query_gradient_, row, depth()),
                       .queries = queries_.rows(head, tile * kTileDestinations),
                       .keys = keys_.rows(head, source),
                       .key_gradient = head_rows(gradients.key, source, head, depth()),
                       .head = head,
                       .destinations = destinations_of(tile),
                       .sources = sources_of(source_tile),
                       .row = row,
                       .first_source = source,
                       .group = group},
                      pairs_.words(tile) + source, scratch,
                      head_rows(value_of<ScorePolicy>(gradients), source, head, inputs_.width));
      }
  }

  void backward_tile(const TileGradients& tile, const std::uint64_t* pairs, Matrix& scratch,
                     MutableHeadRows value_gradient) {
    float* const of_x = scratch.data();
    float* const weights = packed_row(scratch, kTileSources);
    float* const scores = kReadsScore ? packed_row(scratch, 2 * kTileSources) : nullptr;
    const float* const rows = packed_row(rows_, tile.row);
    const float* const dots = packed_row(dot_, tile.row);
    // 1. Recompute scores and weights.
    const auto of_head = scores_.of_head(tile.head, tile.first_source);
    pair_rows(of_head, tile.keys, tile.sources, tile.query, [&](int c, int v, Float16 sum) {
      const int at = c * kTileDestinations + v * simd::kWideLanes;
      const Lanes lanes = lanes_of_bits(pairs[c] >> (v * simd::kWideLanes));
      const Float16 score = of_head.finish(sum);
      if (kReadsScore) simd::store_wide(scores + at, score);
      simd::store_wide(weights + at, Weights::weight(score, lanes, simd::load_wide(rows + v * simd::kWideLanes)));
    });
    // 2. Gradients of the weights (value . output gradient), and from them those of x.
    const ScorePolicy score(inputs_.options, inputs_.width);
    pair_rows(Product(), values(tile.head, tile.first_source), tile.sources,
              packed(packed_gradient_, tile.row, inputs_.width), [&](int c, int v, Float16 sum) {
                const int at = c * kTileDestinations + v * simd::kWideLanes;
                const Lanes lanes = lanes_of_bits(pairs[c] >> (v * simd::kWideLanes));
                const Float16 of_score = kReadsScore ? simd::load_wide(scores + at) : Float16{};
                const Float16 gradient = Weights::gradient(of_score, lanes, simd::load_wide(weights + at), sum,
                                                           simd::load_wide(rows + v * simd::kWideLanes),
                                                           simd::load_wide(dots + v * simd::kWideLanes));
                simd::store_wide(of_x + at, score.through(of_score, gradient) * score.scale);
              });
    // 3. Add their contribution to the gradients of values, queries and keys.
    add_weighted_destinations(weights, output_gradients_.rows(tile.head, tile_destination(tile)), tile.destinations,
                              value_gradient, tile.sources);
    scores_.add_gradients(tile);
  }

  std::size_t tile_destination(const TileGradients& tile) const {
    return (tile.row - row_of_tile(tile.head, 0)) * kTileDestinations;
  }

  void unpack_query_gradients(int head, AttentionGradients& gradients) {
    for (std::size_t tile = 0; tile < tiles(); ++tile) {
      const float* sums = packed(packed_query_gradient_, row_of_tile(head, tile), depth());
      const MutableHeadRows query = head_rows(gradients.query, tile * kTileDestinations, head, depth());
      for (int r = 0; r < destinations_of(tile); ++r)
        for (int d = 0; d < depth(); ++d) query[r][d] += sums[d * kTileDestinations + r];
    }
  }

  const AttentionInputs& inputs_;
  bool is_training_;
  std::size_t destinations_;
  std::size_t sources_;
  PairMask pairs_;                      ///< One row per source, one column per destination.
  std::vector<std::uint8_t> occupied_;  ///< [tiles, source tiles]
  TileScores<ScorePolicy, NormaliserPolicy> scores_;
  HeadMajor keys_;
  HeadMajor values_;  ///< Unused if the value is the key.
  Matrix rows_;       ///< What the normaliser keeps for each destination, [heads * tiles, 64].
  // For the backward pass; the packed ones are [heads * tiles * columns, 64].
  HeadMajor queries_;
  HeadMajor output_gradients_;
  Matrix dot_;  ///< Output . output gradient, [heads * tiles, 64].
  Matrix packed_query_;
  Matrix packed_gradient_;
  Matrix packed_query_gradient_;
};

}  // namespace edgewise::attention::reference
