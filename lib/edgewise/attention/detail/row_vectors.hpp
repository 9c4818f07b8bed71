#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

#include "edgewise/attention/options.hpp"
#include "edgewise/core/simd.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// Rows [H * D] as vectors: how they are cut, how they are stored, and how they are gathered along edges.
namespace edgewise::attention::detail {

using graph::EdgeIndex;
using graph::Node;
using simd::Float8;

inline constexpr int kPieceScores = 512;   ///< Scores (edges x heads) worked on at a time.
inline constexpr int kPrefetchEdges = 8;   ///< How far ahead gathered rows are asked for.
inline constexpr int kLineFloats = 16;     ///< Of a line of the cache.
inline constexpr int kInterleavedColumns = 64;  ///< Of interleaved rows.
inline constexpr std::size_t kNearBytes = std::size_t{1} << 19;  ///< Tables up to here are near enough not to ask.

/// H heads of D columns, D cut into vectors of 8, the last one perhaps partial.
struct HeadShape {
  int heads;
  int width;
  int per_head;            ///< Vectors a head.
  std::uint32_t inverse;   ///< 2^32 / per_head, rounded up: a division by per_head would cost more than a row's sums.

  HeadShape(int head_count, int head_width)
      : heads(head_count),
        width(head_width),
        per_head(std::max(1, (head_width + simd::kLanes - 1) / simd::kLanes)),
        inverse(static_cast<std::uint32_t>((0xffffffffULL + static_cast<unsigned>(per_head)) /
                                           static_cast<unsigned>(per_head))) {}

  int columns() const { return heads * width; }
  int vectors() const { return heads * per_head; }
  /// vector / per_head; exact below 2^16 vectors.
  int head(int vector) const {
    if (per_head == 1) return vector;
    return static_cast<int>((static_cast<std::uint64_t>(vector) * inverse) >> 32);
  }
  int column(int vector) const {
    const int h = head(vector);
    return h * width + (vector - h * per_head) * simd::kLanes;
  }
  int lanes(int vector) const {
    return std::min(simd::kLanes, width - (vector - head(vector) * per_head) * simd::kLanes);
  }
  bool is_whole() const { return width % simd::kLanes == 0; }
  /// Edges a piece.
  int piece() const { return std::max(1, kPieceScores / heads); }
};

/// What is known of the rows when the code is compiled; 0 stands for a number that is not.
struct Layout {
  int heads = 0;     ///< 1, 4 or 8.
  int lanes = 0;     ///< Of the vectors that make up a head; 0 where the last one of a head is only partly filled.
  int per_head = 0;  ///< Vectors.
  bool is_interleaved = false;  ///< As in interleaved_rows.hpp.

  constexpr int vectors() const { return is_interleaved ? kInterleavedColumns / lanes : heads * per_head; }
};

/// Calls `body` with the number of heads as a constant where it is a usual one, and 0 where it is not.
template <class Body>
void with_constant_heads(int heads, Body&& body) {
  switch (heads) {
    case 1: return body(std::integral_constant<int, 1>());
    case 4: return body(std::integral_constant<int, 4>());
    case 8: return body(std::integral_constant<int, 8>());
    default: return body(std::integral_constant<int, 0>());
  }
}

/// Calls `body` with a Layout of `heads`, and what of the width can be a constant.
template <class Heads, class Body>
void with_constant_width(int width, Heads heads, Body&& body) {
  const auto call = [&]<int kLanes, int kPerHead>() {
    body(std::integral_constant<Layout, Layout{heads, kLanes, kPerHead}>());
  };
  constexpr bool kHasOneVector = heads > 0;
  if (width < simd::kLanes) return call.template operator()<0, kHasOneVector ? 1 : 0>();
  if (width % simd::kLanes != 0) return call.template operator()<0, 0>();
  if (kHasOneVector && width == simd::kLanes) return call.template operator()<simd::kLanes, kHasOneVector ? 1 : 0>();
  if (width % simd::kWideLanes != 0) return call.template operator()<simd::kLanes, 0>();
  constexpr int kOfSixteen = simd::kWideLanes / simd::kNativeLanes;
  if (kHasOneVector && width == simd::kWideLanes)
    return call.template operator()<simd::kNativeLanes, kHasOneVector ? kOfSixteen : 0>();
  call.template operator()<simd::kNativeLanes, 0>();
}

/// Calls `body` with all of `shape` that can be a constant.
template <class Body>
void with_layout(const HeadShape& shape, Body&& body) {
  with_constant_heads(shape.heads, [&](auto heads) { with_constant_width(shape.width, heads, body); });
}

/// Whether rows of `shape` can be interleaved.
inline bool can_interleave(const HeadShape& shape) {
  return (shape.heads == 4 || shape.heads == 8) && shape.columns() == kInterleavedColumns;
}

/// Calls `body` with the layout of interleaved rows of `shape`.
template <class Body>
void with_interleaved_layout(const HeadShape& shape, Body&& body) {
  const auto call = [&]<int kHeads>() {
    body(std::integral_constant<Layout, Layout{kHeads, simd::kNativeLanes, 0, true}>());
  };
  if (shape.heads == 4) return call.template operator()<4>();
  call.template operator()<8>();
}

/// Calls `body` with one of fewer layouts, for code that is not worth one of its own for each.
template <class Body>
void with_common_layout(const HeadShape& shape, Body&& body) {
  const auto call = [&]<Layout kLayout>() { body(std::integral_constant<Layout, kLayout>()); };
  constexpr int kOfSixteen = simd::kWideLanes / simd::kNativeLanes;
  if (shape.heads == 4 && shape.width == 16) return call.template operator()<Layout{4, simd::kNativeLanes, kOfSixteen}>();
  if (shape.heads == 8 && shape.width == 8) return call.template operator()<Layout{8, simd::kLanes, 1}>();
  if (shape.width % simd::kWideLanes == 0) return call.template operator()<Layout{0, simd::kNativeLanes, 0}>();
  call.template operator()<Layout{}>();
}

/// A row as the vectors that it is cut into. In bfloat16 (the upper halves of floats) two vectors share one: those with
/// even numbers are its lower halves, those with odd numbers its upper ones.
template <Layout kLayout>
struct RowVectors {
  using Floats = std::conditional_t<kLayout.lanes == simd::kWideLanes, simd::Float16, Float8>;
  static constexpr int kLanes = simd::kLanesOf<Floats>;

  const HeadShape& shape;

  int per_head() const {
    if constexpr (kLayout.per_head > 0) return kLayout.per_head;
    return kLayout.lanes > 0 ? shape.width / kLanes : shape.per_head;
  }
  /// Of a vector.
  int head(int vector) const {
    if constexpr (kLayout.per_head > 0) return vector / kLayout.per_head;
    return kLayout.lanes > 0 ? vector / per_head() : shape.head(vector);
  }
  int count() const { return kLayout.vectors() > 0 ? kLayout.vectors() : shape.heads * per_head(); }
  int columns() const {
    return kLayout.vectors() > 0 && kLayout.lanes > 0 ? kLayout.vectors() * kLanes : shape.columns();
  }
  Floats load(const float* row, int vector) const {
    if constexpr (kLayout.lanes > 0)
      return simd::load_as<Floats>(row + vector * kLanes);
    else if constexpr (kLayout.per_head == 1)
      return simd::load(row + vector * shape.width, shape.width);
    else
      return simd::load(row + shape.column(vector), shape.lanes(vector));
  }
  void store(float* row, int vector, Floats value) const {
    if constexpr (kLayout.lanes > 0)
      simd::store_as(row + vector * kLanes, value);
    else if constexpr (kLayout.per_head == 1)
      simd::store(row + vector * shape.width, value, shape.width);
    else
      simd::store(row + shape.column(vector), value, shape.lanes(vector));
  }
  /// Of a row as it is stored, in floats.
  template <Storage kStorage>
  int stored_columns() const {
    return kStorage == Storage::float32 ? columns() : (count() + 1) / 2 * kLanes;
  }
  template <Storage kStorage>
  Floats load_stored(const float* row, int vector) const {
    if constexpr (kStorage == Storage::float32) return load(row, vector);
    const auto pair = std::bit_cast<simd::UnsignedOf<Floats>>(simd::load_as<Floats>(row + vector / 2 * kLanes));
    return std::bit_cast<Floats>(vector % 2 == 0 ? pair << 16 : pair & 0xffff0000U);
  }
  /// A row, given as of(vector), as it is stored; in bfloat16 rounded to the nearest, ties to even.
  template <Storage kStorage, class Of>
  void store_row(float* to, const Of& of) const {
    using Bits = simd::UnsignedOf<Floats>;
    const auto rounded = [&](int vector) {
      const auto bits = std::bit_cast<Bits>(of(vector));
      return (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
    };
    for (int v = 0; v < count(); v += kStorage == Storage::float32 ? 1 : 2, to += kLanes) {
      if constexpr (kStorage == Storage::float32) {
        simd::store_as(to, of(v));
      } else {
        const Bits high = v + 1 < count() ? rounded(v + 1) : Bits{};
        simd::store_as(to, std::bit_cast<Floats>(rounded(v) | high << 16));
      }
    }
  }
  /// row += by, at one vector.
  void add(float* row, int vector, Floats by) const { store(row, vector, load(row, vector) + by); }
};

/// Room for the flat scores of a piece, padded so that vector loops may run over the end.
struct alignas(64) PieceScores {
  float values[kPieceScores + simd::kNativeLanes];
  float* data() { return values; }
  float& operator[](int i) { return values[i]; }
};

/// Rows of a table that the edges of a piece point at.
template <Storage kStorageOfRows = Storage::float32>
struct GatheredRows {
  static constexpr Storage kStorage = kStorageOfRows;

  const float* table;
  const Node* indices;
  int columns;
  /// How many of the indices may be looked at ahead of their turn, beyond the piece too; 0 where the table is near.
  int known = 0;

  const float* operator[](int edge) const { return table + static_cast<std::size_t>(indices[edge]) * columns; }
  /// Asks for a row that comes a few edges later; to be called once for each edge.
  void prefetch_after(int edge) const {
    if (edge + kPrefetchEdges >= known) return;
    const float* row = (*this)[edge + kPrefetchEdges];
    for (int c = 0; c < columns; c += kLineFloats) __builtin_prefetch(row + c);
  }
};

/// What a sum of rows starts from: nothing, or what stands in its place.
enum class Start { zero, present };

}  // namespace edgewise::attention::detail
