#pragma once

#include <algorithm>
#include <cstddef>

#include "edgewise/attention/reference/head_major.hpp"
#include "edgewise/attention/reference/wide_simd.hpp"

/// @file
/// Small products over a tile of pairs, with the sums in registers. A tile has 64 destinations and up to kTileSources
/// sources and is stored as [sources, 64]: lanes are destinations. A softmax over the sources thus works lane by lane.
/// Keys and values are read in place, one number at a time for all lanes. Only the destination side is packed,
/// transposed: [columns, 64].
namespace edgewise::attention::reference {

inline constexpr int kTileDestinations = 64;
inline constexpr int kTileSources = 64;
inline constexpr int kTileVectors = kTileDestinations / simd::kWideLanes;
#if defined(__AVX512F__)
inline constexpr int kBlockVectors = 4;  // 16 sums in 32 registers
#else
inline constexpr int kBlockVectors = 1;  // 4 sums of two registers each
#endif
inline constexpr int kBlockRows = 4;
inline constexpr int kPlainSums = 4 * kBlockVectors;
inline constexpr int kComparedSums = kPlainSums / 2;  // half the registers hold the values compared against

/// Calls block(first, std::integral_constant<int, size>) for pieces of [0, count): of kSize, then halved for the rest.
template <int kSize, class Block>
void in_blocks(int count, Block&& block, int first = 0) {
  for (; first + kSize <= count; first += kSize) block(first, std::integral_constant<int, kSize>());
  if constexpr (kSize > 1)
    if (first < count) in_blocks<kSize / 2>(count, block, first);
}

/// Combines every source row with every column of 64 lanes. For source c and vector v, the sum starts as start(c),
/// becomes combine(sum, sources[c][d] in all lanes, vector v of columns[d], d) for each d, and ends in
/// finish(c, v, sum).
template <class Combination, class Finish>
void pair_rows(const Combination& combination, HeadRows sources, int count, const float* columns, Finish&& finish) {
  in_blocks<kBlockRows>(count, [&](int c, auto rows) {
    for (int first = 0; first < kTileVectors; first += kBlockVectors) {
      const float* const from = columns + first * simd::kWideLanes;
      Float16 sum[rows][kBlockVectors];
      for (int i = 0; i < rows; ++i)
        for (int v = 0; v < kBlockVectors; ++v) sum[i][v] = combination.start(c + i);
      for (int d = 0; d < sources.width; ++d) {
        Float16 column[kBlockVectors];
        for (int v = 0; v < kBlockVectors; ++v)
          column[v] = simd::load_wide(from + d * kTileDestinations + v * simd::kWideLanes);
        for (int i = 0; i < rows; ++i) {
          const Float16 source = broadcast_wide(sources[c + i][d]);
          for (int v = 0; v < kBlockVectors; ++v) sum[i][v] = combination.combine(sum[i][v], source, column[v], d);
        }
      }
      for (int i = 0; i < rows; ++i)
        for (int v = 0; v < kBlockVectors; ++v) finish(c + i, first + v, sum[i][v]);
    }
  });
}

/// The plain product of rows and columns.
struct Product {
  Float16 start(int) const { return Float16{}; }
  Float16 combine(Float16 sum, Float16 source, Float16 destination, int) const { return sum + source * destination; }
};

/// columns[d] *= factors (64 of them; nullptr: 1). Then, for every source c and vector v, the sum in columns[d] becomes
/// term(sum, tile[c], rows[c][d] in all lanes, d, v).
template <class Term>
void sum_over_sources(const float* tile, HeadRows rows, int count, float* columns, const Float16* factors,
                      const Term& term) {
  in_blocks<kBlockRows>(rows.width, [&](int d, auto depth) {
    for (int first = 0; first < kTileVectors; first += kBlockVectors) {
      const auto at = [&](int i, int v) {
        return columns + (d + i) * kTileDestinations + (first + v) * simd::kWideLanes;
      };
      Float16 sum[depth][kBlockVectors];
      for (int i = 0; i < depth; ++i)
        for (int v = 0; v < kBlockVectors; ++v) {
          sum[i][v] = simd::load_wide(at(i, v));
          if (factors != nullptr) sum[i][v] *= factors[first + v];
        }
      for (int c = 0; c < count; ++c) {
        const float* const weights = tile + c * kTileDestinations + first * simd::kWideLanes;
        Float16 weight[kBlockVectors];
        for (int v = 0; v < kBlockVectors; ++v) weight[v] = simd::load_wide(weights + v * simd::kWideLanes);
        for (int i = 0; i < depth; ++i) {
          const Float16 value = broadcast_wide(rows[c][d + i]);
          for (int v = 0; v < kBlockVectors; ++v) sum[i][v] = term(sum[i][v], weight[v], value, d + i, first + v);
        }
      }
      for (int i = 0; i < depth; ++i)
        for (int v = 0; v < kBlockVectors; ++v) simd::store_wide(at(i, v), sum[i][v]);
    }
  });
}

/// The part of the sum below for kVectors vectors from column d on; only `lanes` of the last one exist. The loops are
/// unrolled explicitly, as the compiler would otherwise keep the sums in memory.
template <int kSources, int kVectors, class Term>
void sum_over_destinations_block(const float* tile, HeadRows rows, int destinations, MutableHeadRows out,
                                 HeadRows own, int d, Lanes lanes, const Term& term) {
  const auto load = [&](const float* row, int v) {
    const float* from = row + d + v * simd::kWideLanes;
    return v + 1 < kVectors ? simd::load_wide(from) : load_lanes(from, lanes);
  };
  Float16 sum[kSources][kVectors];
  Float16 of_source[kSources][kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kSources; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      sum[i][v] = Float16{};
      of_source[i][v] = load(own[i], v);
    }
  for (int r = 0; r < destinations; ++r) {
    Float16 value[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) value[v] = load(rows[r], v);
#pragma GCC unroll 16
    for (int i = 0; i < kSources; ++i) {
      const Float16 weight = broadcast_wide(tile[i * kTileDestinations + r]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[i][v] = term(sum[i][v], weight, value[v], of_source[i][v]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kSources; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      float* to = out[i] + d + v * simd::kWideLanes;
      const Float16 total = load(out[i], v) + sum[i][v];
      if (v + 1 < kVectors)
        simd::store_wide(to, total);
      else
        store_lanes(to, total, lanes);
    }
}

/// out[c] += a sum that starts at 0 and becomes term(sum, tile[c][r] in all lanes, rows[r], own[c]) for every
/// destination r. Here lanes are columns.
template <int kSums, class Term>
void sum_over_destinations(const float* tile, HeadRows rows, int destinations, MutableHeadRows out, HeadRows own,
                           int count, const Term& term) {
  const auto columns = [&](int d, auto vectors, Lanes lanes) {
    in_blocks<std::max(1, kSums / vectors)>(count, [&](int c, auto sources) {
      sum_over_destinations_block<sources, vectors>(tile + c * kTileDestinations, rows, destinations,
                                                    {out[c], out.stride, out.width}, {own[c], own.stride, own.width},
                                                    d, lanes, term);
    });
  };
  const int width = rows.width;
  const int whole = width / simd::kWideLanes;
  in_blocks<kBlockVectors>(whole, [&](int v, auto vectors) {
    columns(v * simd::kWideLanes, vectors, lanes_below(simd::kWideLanes));
  });
  if (const int rest = width % simd::kWideLanes; rest > 0)
    columns(whole * simd::kWideLanes, std::integral_constant<int, 1>(), lanes_below(rest));
}

/// The two sums with a multiply-add of the number and the row as their term.
void add_weighted_sources(const float* tile, HeadRows rows, int count, float* columns, const Float16* factors);
void add_weighted_destinations(const float* tile, HeadRows rows, int destinations, MutableHeadRows out, int count);

inline float* packed_row(Matrix& packed, std::size_t row) { return packed.data() + row * kTileDestinations; }

/// columns[d][r] = rows[r][d] * factor; zeros from r = count on.
void pack_transposed(HeadRows rows, int count, float factor, float* columns);

}  // namespace edgewise::attention::reference
