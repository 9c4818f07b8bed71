#pragma once

#include <algorithm>
#include <array>

#include "edgewise/core/matrix.hpp"
#include "edgewise/core/detail/simd.hpp"

/// @file
/// The kernel of dense products: a tile of the result stays in registers while looping over the factors.
namespace edgewise::detail {

using simd::kWideLanes;

// The tile of the result, a row of the right factor and one number of the left factor fit into the registers.
#if defined(__AVX512F__)
inline constexpr int kTileRows = 6;
inline constexpr int kTileVectors = 4;
#elif defined(__AVX2__)
inline constexpr int kTileRows = 6;
inline constexpr int kTileVectors = 1;  // two registers
#else
inline constexpr int kTileRows = 2;
inline constexpr int kTileVectors = 1;  // four registers
#endif

/// The number of columns, rounded up to whole vectors.
inline Eigen::Index padded(Eigen::Index columns) { return (columns + kWideLanes - 1) / kWideLanes * kWideLanes; }

/// The left factor, possibly a transposed matrix.
struct LeftFactor {
  const float* data;
  Eigen::Index row;     ///< Stride between rows.
  Eigen::Index column;  ///< Stride between columns.
};

/// The right factor, with its columns padded to whole vectors.
struct RightFactor {
  const float* data;
  Eigen::Index row;    ///< Stride between rows.
  Eigen::Index steps;  ///< Number of rows: the sum goes over them in order.
};

/// The initial value of the sums: zeros, a row, or the contents of the target.
struct Start {
  const float* data;
  Eigen::Index row;     ///< Stride between rows; 0 if all are the same.
  Eigen::Index column;  ///< Stride between columns: 1, or 0 if all are the same.
};

alignas(64) inline constexpr std::array<float, kWideLanes> kZeros{};
inline constexpr Start kFromZero{kZeros.data(), 0, 0};

/// Where the result goes. The last vector of a row may be partial.
struct Target {
  float* data;
  Eigen::Index row;
  Eigen::Index columns;
};

/// kRows rows and kVectors whole vectors of target = start + a * b. The sums are vectors as wide as a register: of
/// wider ones, g++ 12 keeps no array in registers.
template <int kRows, int kVectors>
void multiply_tile(const LeftFactor& a, const RightFactor& b, const Start& start, float* out, Eigen::Index out_row) {
  using simd::kNativeLanes, simd::Native;
  constexpr int kParts = kVectors * kWideLanes / kNativeLanes;
  Native sum[kRows][kParts];  // in registers, once the loops over it are unrolled
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 8
    for (int p = 0; p < kParts; ++p)
      sum[r][p] = simd::load_as<Native>(start.data + r * start.row + p * kNativeLanes * start.column);
  const float* right = b.data;
  const float* left = a.data;
  for (Eigen::Index step = 0; step < b.steps; ++step, right += b.row, left += a.column) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const float factor = left[r * a.row];
#pragma GCC unroll 8
      for (int p = 0; p < kParts; ++p) sum[r][p] += factor * simd::load_as<Native>(right + p * kNativeLanes);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 8
    for (int p = 0; p < kParts; ++p) simd::store_as(out + r * out_row + p * kNativeLanes, sum[r][p]);
}

/// As `multiply_tile`, but the target has only `columns` columns.
template <int kRows, int kVectors>
void multiply_cut_tile(const LeftFactor& a, const RightFactor& b, const Start& start, float* out, Eigen::Index out_row,
                       Eigen::Index columns) {
  constexpr int kColumns = kVectors * kWideLanes;
  std::array<float, kRows * kColumns> room;
  Start from = start;
  if (start.data == out) {
    from = {room.data(), kColumns, 1};
    for (int r = 0; r < kRows; ++r) std::copy_n(out + r * out_row, columns, room.data() + r * kColumns);
  }
  multiply_tile<kRows, kVectors>(a, b, from, room.data(), kColumns);
  for (int r = 0; r < kRows; ++r) std::copy_n(room.data() + r * kColumns, columns, out + r * out_row);
}

/// kRows rows of the target and `columns` columns of a tile.
template <int kRows, int kVectors = kTileVectors>
void multiply_columns(const LeftFactor& a, const RightFactor& b, const Start& start, float* out, Eigen::Index out_row,
                      Eigen::Index columns) {
  if (columns == kVectors * kWideLanes) return multiply_tile<kRows, kVectors>(a, b, start, out, out_row);
  if constexpr (kVectors > 1) {
    if (columns <= (kVectors - 1) * kWideLanes)
      return multiply_columns<kRows, kVectors - 1>(a, b, start, out, out_row, columns);
  }
  multiply_cut_tile<kRows, kVectors>(a, b, start, out, out_row, columns);
}

/// `rows` rows, fewer than in a whole tile.
template <int kRows = kTileRows - 1>
void multiply_last_rows(const LeftFactor& a, const RightFactor& b, const Start& start, float* out,
                        Eigen::Index out_row, Eigen::Index columns, Eigen::Index rows) {
  if (rows == kRows) return multiply_columns<kRows>(a, b, start, out, out_row, columns);
  if constexpr (kRows > 1) multiply_last_rows<kRows - 1>(a, b, start, out, out_row, columns, rows);
}

/// target = start + a * b for `rows` rows; if `start` is the target, this adds to it.
inline void multiply_tiles(const LeftFactor& a, const RightFactor& b, const Start& start, const Target& target,
                           Eigen::Index rows) {
  constexpr Eigen::Index kTileColumns = kTileVectors * kWideLanes;
  for (Eigen::Index c = 0; c < target.columns; c += kTileColumns) {
    const Eigen::Index columns = std::min(kTileColumns, target.columns - c);
    LeftFactor left = a;
    const RightFactor right{b.data + c, b.row, b.steps};
    Start from{start.data + c * start.column, start.row, start.column};
    float* out = target.data + c;
    Eigen::Index row = 0;
    for (; row + kTileRows <= rows; row += kTileRows) {
      multiply_columns<kTileRows>(left, right, from, out, target.row, columns);
      left.data += kTileRows * a.row;
      from.data += kTileRows * start.row;
      out += kTileRows * target.row;
    }
    if (row < rows) multiply_last_rows(left, right, from, out, target.row, columns, rows - row);
  }
}

}  // namespace edgewise::detail
