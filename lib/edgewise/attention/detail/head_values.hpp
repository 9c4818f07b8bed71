#pragma once

#include <cmath>
#include <cstring>
#include <limits>

#include "edgewise/attention/detail/head_rows.hpp"
#include "edgewise/attention/options.hpp"

/// Arithmetic on flat numbers, [edges, heads], in L1. Buffers are PieceScores, so that whole vectors may run over the
/// end.
namespace edgewise::attention::detail {

/// A row of numbers, one a head, laid over flat values: lane l of every vector belongs to head l % kHeads. kHeads is 1,
/// 4 or 8.
template <int kHeads>
Float8 repeat_heads(const float* row) {
  if constexpr (kHeads == 8) return simd::load(row);
  if constexpr (kHeads == 1) return simd::broadcast(row[0]);
  return __builtin_shuffle(simd::load(row, kHeads), simd::Int8{0, 1, 2, 3, 0, 1, 2, 3});
}

/// Combines the lanes of each head, so that every lane holds its head's result.
template <int kHeads, class Combine>
Float8 fold_heads(Float8 v, Combine&& combine) {
  using simd::Int8;
  if constexpr (kHeads < 8) v = combine(v, __builtin_shuffle(v, Int8{4, 5, 6, 7, 0, 1, 2, 3}));
  if constexpr (kHeads < 4) v = combine(v, __builtin_shuffle(v, Int8{2, 3, 0, 1, 6, 7, 4, 5}));
  if constexpr (kHeads < 2) v = combine(v, __builtin_shuffle(v, Int8{1, 0, 3, 2, 5, 4, 7, 6}));
  return v;
}

/// body(i) for every vector of the widest kind that `count` values reach into.
template <class Body>
void for_each_native(int count, Body&& body) {
  for (int i = 0; i < count; i += simd::kNativeLanes) body(i);
}

inline simd::Native load_native(const float* from) { return simd::load_as<simd::Native>(from); }

/// Whether all values lie in [-bound, bound]; not when one is a NaN.
inline bool are_within(float bound, const float* values, int count) {
  simd::Native outside{};
  int i = 0;
  for (; i + simd::kNativeLanes <= count; i += simd::kNativeLanes) {
    const simd::Native value = load_native(values + i);
    const simd::Native size = value < 0.0F ? -value : value;
    outside = size <= bound ? outside : 1.0F + simd::Native{};
  }
  bool is_within = true;
  for (int lane = 0; lane < simd::kNativeLanes; ++lane) is_within = is_within && outside[lane] == 0.0F;
  for (; i < count; ++i) is_within = is_within && std::abs(values[i]) <= bound;
  return is_within;
}

/// Numbers of one row, flat: [count, heads].
template <int kHeads>
class RowValues {
 public:
  RowValues(float* values, int count, int heads) : values_(values), count_(count), heads_(heads) {}

  /// maxima[h] = max(start, values[e, h] of all e), start being -infinity or what stands there; values[e, h] -= maxima[h]
  void subtract_maxima(bool starts_anew, float* maxima) {
    constexpr float kLowest = -std::numeric_limits<float>::infinity();
    if constexpr (kHeads > 0) {
      const Float8 start = starts_anew ? simd::broadcast(kLowest) : repeat_heads<kHeads>(maxima);
      Float8 maximum = start;
      for_each_vector([&](int i) { maximum = simd::max(maximum, simd::load(values_ + i)); },
                      [&](int i, int lanes) {
                        maximum = simd::max(maximum, simd::first_lanes(simd::load(values_ + i), lanes, start));
                      });
      maximum = fold_heads<kHeads>(maximum, [](Float8 a, Float8 b) { return simd::max(a, b); });
      simd::store(maxima, maximum, kHeads);
      for_each_vector([&](int i) { simd::store(values_ + i, simd::load(values_ + i) - maximum); },
                      [&](int i, int lanes) { simd::store(values_ + i, simd::load(values_ + i) - maximum, lanes); });
    } else {
      if (starts_anew) std::fill_n(maxima, heads_, kLowest);
      for (int e = 0; e < count_; ++e)
        for (int h = 0; h < heads_; ++h) maxima[h] = std::max(maxima[h], values_[e * heads_ + h]);
      for (int e = 0; e < count_; ++e)
        for (int h = 0; h < heads_; ++h) values_[e * heads_ + h] -= maxima[h];
    }
  }

  /// sums[h] = start + values[e, h] of all e, start being 0 or what stands there.
  void add_columns(bool starts_anew, float* sums) const {
    if constexpr (kHeads > 0) {
      Float8 sum{};
      for_each_vector([&](int i) { sum += simd::load(values_ + i); },
                      [&](int i, int lanes) { sum += simd::first_lanes(simd::load(values_ + i), lanes, Float8{}); });
      sum = fold_heads<kHeads>(sum, [](Float8 a, Float8 b) { return a + b; });
      simd::store(sums, starts_anew ? sum : simd::load(sums, kHeads) + sum, kHeads);
    } else {
      if (starts_anew) std::fill_n(sums, heads_, 0.0F);
      for (int e = 0; e < count_; ++e)
        for (int h = 0; h < heads_; ++h) sums[h] += values_[e * heads_ + h];
    }
  }

 private:
  /// whole(i) for every whole vector of the values, part(i, lanes) for what is left.
  template <class Whole, class Part>
  void for_each_vector(Whole&& whole, Part&& part) const {
    const int size = count_ * kHeads;
    int i = 0;
    for (; i + simd::kLanes <= size; i += simd::kLanes) whole(i);
    if (i < size) part(i, size - i);
  }

  float* values_;
  int count_;
  int heads_;
};

/// values[i] *= factors[i]
[[gnu::flatten]] inline void multiply_in_place(float* values, const float* factors, int count) {
  for_each_native(count, [&](int i) { simd::store_as(values + i, load_native(values + i) * load_native(factors + i)); });
}

[[gnu::flatten]] inline void exp_in_place(float* values, int count) {
  for_each_native(count, [&](int i) { simd::store_as(values + i, simd::exp(load_native(values + i))); });
}

/// values[i] = exp(values[i] - by[i])
[[gnu::flatten]] inline void exp_of_difference(float* values, const float* by, int count) {
  for_each_native(count, [&](int i) {
    simd::store_as(values + i, simd::exp(load_native(values + i) - load_native(by + i)));
  });
}

/// row[h, :] *= factors[h]
inline void scale_heads(const HeadShape& shape, const float* factors, float* row) {
  for (int h = 0; h < shape.heads; ++h) {
    float* head = row + h * shape.width;
    int d = 0;
    for (; d + simd::kLanes <= shape.width; d += simd::kLanes)
      simd::store(head + d, simd::load(head + d) * simd::broadcast(factors[h]));
    for (; d < shape.width; ++d) head[d] *= factors[h];
  }
}

/// As many heads of rows[0], rows[1], ... of `table` as a vector takes; kHeads is 4 or 8.
template <int kHeads>
simd::Native gather_vector(const float* table, const Node* rows) {
  const auto row = [=](int e) { return table + static_cast<std::size_t>(rows[e]) * kHeads; };
  const auto eight = [=](int e) {
    if constexpr (kHeads == 8) return simd::load(row(e));
    return simd::join(simd::load_as<simd::Float4>(row(e)), simd::load_as<simd::Float4>(row(e + 1)));
  };
  if constexpr (simd::kNativeLanes == simd::kLanes)
    return eight(0);
  else
    return simd::join(eight(0), eight(simd::kLanes / kHeads));
}

/// out[e, h] = table[rows[e], h]
template <int kHeads>
void gather_heads(const float* table, const Node* rows, int count, int heads, float* out) {
  const auto columns = static_cast<std::size_t>(kHeads > 0 ? kHeads : heads);
  for (int e = 0; e < count; ++e, out += columns) std::memcpy(out, table + rows[e] * columns, columns * sizeof(float));
}

}  // namespace edgewise::attention::detail
