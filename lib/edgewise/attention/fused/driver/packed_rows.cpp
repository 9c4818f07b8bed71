#include "edgewise/attention/fused/driver/packed_rows.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace edgewise::attention::fused {
namespace {

using simd::kNativeLanes;

constexpr std::size_t kGrain = 64;  // rows: few enough to stay in the cache during the loop over vectors

/// If there are too few heads to fill a vector, they are made wider rather than more.
int rounded_width(int heads, int width) {
  const int to_fill = kLanes / static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::min(heads, kLanes))));
  if (width > 8 || to_fill > 8) return (width + kLanes - 1) / kLanes * kLanes;
  return width <= 4 && to_fill <= 4 ? 4 : 8;
}

/// A vector of a packed row: the lanes set in `kept` hold `count` numbers of the table, from column `first` on; the
/// others hold zeros.
struct PackedVector {
  int lanes;  // fewer than kNativeLanes at the end of a row
  std::uint32_t kept;
  int first;
  int count;
};

/// The vectors of a row of `packed` numbers, which is `parts` runs of `width` numbers, each padded to `packed_width`.
std::vector<PackedVector> packed_vectors(int parts, int width, int packed_width, std::size_t packed) {
  std::vector<PackedVector> vectors;
  for (int i = 0, first = 0; i < static_cast<int>(packed); i += kNativeLanes) {
    PackedVector vector{std::min(kNativeLanes, static_cast<int>(packed) - i), 0, first, 0};
    for (int lane = 0; lane < vector.lanes; ++lane)
      if ((i + lane) % packed_width < width && (i + lane) / packed_width < parts) vector.kept |= 1U << lane;
    vector.count = std::popcount(vector.kept);
    first += vector.count;
    vectors.push_back(vector);
  }
  return vectors;
}
std::vector<PackedVector> vectors_of_rows(const PackedShape& shape) {
  return packed_vectors(shape.heads, shape.width, shape.packed_width, shape.packed_columns());
}
std::vector<PackedVector> vectors_of_heads(const PackedShape& shape) {
  return packed_vectors(1, shape.heads, shape.packed_heads, static_cast<std::size_t>(shape.packed_heads));
}

// In both, the outer loop is over vectors, the inner one over rows: a load that overlaps a recent masked store has to
// wait for it.

void pack(const float* from, std::size_t columns, std::size_t rows, const std::vector<PackedVector>& vectors, float* to,
          std::size_t packed_columns) {
  for (const PackedVector& v : vectors) {
    for (std::size_t row = 0; row < rows; ++row) {
      const simd::Native numbers = simd::load_first(from + row * columns + v.first, v.count);
      simd::store_first(to + row * packed_columns, simd::expand(numbers, v.kept), v.lanes);
    }
    to += v.lanes;
  }
}

void unpack(const float* from, std::size_t packed_columns, std::size_t rows, const std::vector<PackedVector>& vectors,
            float* to, std::size_t columns, PutBack how) {
  for (const PackedVector& v : vectors) {
    for (std::size_t row = 0; row < rows; ++row) {
      const simd::Native numbers = simd::compress(simd::load_first(from + row * packed_columns, v.lanes), v.kept);
      float* at = to + row * columns + v.first;
      simd::store_first(at, how == PutBack::add ? simd::load_first(at, v.count) + numbers : numbers, v.count);
    }
    from += v.lanes;
  }
}

void put_back(const float* packed, std::size_t packed_columns, float* table, std::size_t columns, std::size_t rows,
              const std::vector<PackedVector>& vectors, PutBack how) {
  if (packed == table) return;
  parallel_for(rows, kGrain, [&](std::size_t begin, std::size_t end) {
    unpack(packed + begin * packed_columns, packed_columns, end - begin, vectors, table + begin * columns, columns,
           how);
  });
}

}  // namespace

PackedShape::PackedShape(int given_heads, int given_width)
    : heads(given_heads),
      width(given_width),
      packed_width(rounded_width(given_heads, given_width)),
      packed_heads(given_heads) {
  if (packed_width >= kLanes) return;
  const int group = group_size(0);
  packed_heads = (heads + group - 1) / group * group;
}

int PackedShape::group_size(int first) const {
  // Four heads of these widths have their own layouts, up to 2.4 times as fast as AnyLayout with more heads.
  const int max_heads = packed_width == 16 || packed_width == 32 ? 4 : kLanes;
  if (packed_width >= kLanes)
    return std::min(max_heads, static_cast<int>(std::bit_floor(static_cast<unsigned>(heads - first))));
  return std::clamp(static_cast<int>(std::bit_ceil(static_cast<unsigned>(heads))), kLanes / packed_width, kLanes);
}

const float* pack_rows(const float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace) {
  if (table == nullptr || !shape.is_packed()) return table;
  const std::size_t packed = shape.packed_columns();
  float* data = workspace.take(rows * packed);
  const std::vector<PackedVector> vectors = vectors_of_rows(shape);
  parallel_for(rows, kGrain, [&](std::size_t begin, std::size_t end) {
    pack(table + begin * shape.columns(), shape.columns(), end - begin, vectors, data + begin * packed, packed);
  });
  return data;
}

const float* pack_heads(const float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace) {
  if (table == nullptr || shape.packed_heads == shape.heads) return table;
  const auto packed = static_cast<std::size_t>(shape.packed_heads);
  float* data = workspace.take(rows * packed);
  const std::vector<PackedVector> vectors = vectors_of_heads(shape);
  parallel_for(rows, kGrain, [&](std::size_t begin, std::size_t end) {
    const auto heads = static_cast<std::size_t>(shape.heads);
    pack(table + begin * heads, heads, end - begin, vectors, data + begin * packed, packed);
  });
  return data;
}

float* packed_target(float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace) {
  if (table == nullptr || !shape.is_packed()) return table;
  return workspace.take_zeros(rows * shape.packed_columns());
}

float* packed_heads_target(float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace) {
  if (table == nullptr || shape.packed_heads == shape.heads) return table;
  return workspace.take_zeros(rows * static_cast<std::size_t>(shape.packed_heads));
}

void put_back_rows(const float* packed, float* table, std::size_t rows, const PackedShape& shape, PutBack how) {
  put_back(packed, shape.packed_columns(), table, shape.columns(), rows, vectors_of_rows(shape), how);
}

void put_back_heads(const float* packed, float* table, std::size_t rows, const PackedShape& shape, PutBack how) {
  put_back(packed, static_cast<std::size_t>(shape.packed_heads), table, static_cast<std::size_t>(shape.heads), rows,
           vectors_of_heads(shape), how);
}

}  // namespace edgewise::attention::fused
