#include "edgewise/attention/fused/packed_rows.hpp"

#include <algorithm>
#include <type_traits>

namespace edgewise::attention::fused {
namespace {

constexpr std::size_t kGrain = 256;  // rows

/// Rather wider heads than more of them, where there are too few to fill a vector.
int rounded_width(int heads, int width) {
  const int to_fill = kLanes / static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::min(heads, kLanes))));
  if (width > 8 || to_fill > 8) return (width + kLanes - 1) / kLanes * kLanes;
  return width <= 4 && to_fill <= 4 ? 4 : 8;
}

/// How the numbers of a row are moved: `parts` runs of `from` numbers, each to a run of `to`.
struct Runs {
  int parts;
  int from;
  int to;
};

/// Up to 8 numbers at a time, since heads that need packing are mostly narrow.
void copy_run(const float* from, int count, int packed, float* to) {
  for (int i = 0; i < packed; i += simd::kLanes) {
    const int left = std::min(count - i, simd::kLanes);
    const simd::Float8 numbers = left > 0 ? simd::load(from + i, left) : simd::Float8{};
    simd::store(to + i, numbers, std::min(packed - i, simd::kLanes));
  }
}

void add_run(const float* from, int count, PutBack how, float* to) {
  for (int i = 0; i < count; i += simd::kLanes) {
    const int left = std::min(count - i, simd::kLanes);
    const simd::Float8 numbers = simd::load(from + i, left);
    simd::store(to + i, how == PutBack::add ? simd::load(to + i, left) + numbers : numbers, left);
  }
}

void copy_padded(const float* from, const Runs& runs, std::size_t packed, float* to) {
  for (int part = 0; part < runs.parts; ++part, from += runs.from, to += runs.to)
    copy_run(from, runs.from, runs.to, to);
  std::fill_n(to, packed - static_cast<std::size_t>(runs.parts * runs.to), 0.0F);
}

void put_back(const float* packed, std::size_t packed_columns, float* table, std::size_t columns, std::size_t rows,
              const Runs& runs, PutBack how) {
  if (packed == table || table == nullptr) return;
  parallel_for(rows, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const float* from = packed + row * packed_columns;
      float* to = table + row * columns;
      for (int part = 0; part < runs.parts; ++part, from += runs.to, to += runs.from) add_run(from, runs.from, how, to);
    }
  });
}

Runs runs_of_rows(const PackedShape& shape) { return {shape.heads, shape.width, shape.packed_width}; }
Runs runs_of_heads(const PackedShape& shape) { return {1, shape.heads, shape.packed_heads}; }

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
  // Four heads of these widths have layouts of their own, up to 2.4 times as fast as more of them in one of any size.
  const int most = packed_width == 16 || packed_width == 32 ? 4 : kLanes;
  if (packed_width >= kLanes)
    return std::min(most, static_cast<int>(std::bit_floor(static_cast<unsigned>(heads - first))));
  return std::clamp(static_cast<int>(std::bit_ceil(static_cast<unsigned>(heads))), kLanes / packed_width, kLanes);
}

template <class Element>
const Element* pack_rows(const float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace,
                         Rounding rounding) {
  constexpr bool kIsFloat = std::is_same_v<Element, float>;
  if (table == nullptr) return nullptr;
  if constexpr (kIsFloat)
    if (!shape.is_packed() && rounding == Rounding::none) return table;
  const std::size_t packed = shape.packed_columns();
  auto* data = reinterpret_cast<Element*>(workspace.take(rows * packed * sizeof(Element) / sizeof(float) + kLanes));
  parallel_for(rows, kGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<float> padded(packed);
    for (std::size_t row = begin; row < end; ++row) {
      const float* from = table + row * shape.columns();
      Element* to = data + row * packed;
      if (shape.is_packed()) {
        copy_padded(from, runs_of_rows(shape), packed, padded.data());
        from = padded.data();
      }
      for (std::size_t i = 0; i < packed; i += kLanes) {
        const Floats numbers = load(from + i);
        if constexpr (kIsFloat)
          store(to + i, rounding == Rounding::bfloat16 ? rounded(numbers) : numbers);
        else
          store(to + i, numbers);
      }
    }
  });
  return data;
}
template const float* pack_rows<float>(const float*, std::size_t, const PackedShape&, Workspace&, Rounding);
template const Bfloat16* pack_rows<Bfloat16>(const float*, std::size_t, const PackedShape&, Workspace&, Rounding);

const float* pack_heads(const float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace) {
  if (table == nullptr || shape.packed_heads == shape.heads) return table;
  const auto packed = static_cast<std::size_t>(shape.packed_heads);
  float* data = workspace.take(rows * packed);
  parallel_for(rows, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      copy_padded(table + row * static_cast<std::size_t>(shape.heads), runs_of_heads(shape), packed,
                  data + row * packed);
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
  put_back(packed, shape.packed_columns(), table, shape.columns(), rows, runs_of_rows(shape), how);
}

void put_back_heads(const float* packed, float* table, std::size_t rows, const PackedShape& shape, PutBack how) {
  put_back(packed, static_cast<std::size_t>(shape.packed_heads), table, static_cast<std::size_t>(shape.heads), rows,
           runs_of_heads(shape), how);
}

}  // namespace edgewise::attention::fused
