#include "edgewise/attention/reference/edge_rows.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "edgewise/core/check.hpp"

namespace edgewise::attention::reference {
namespace {

using simd::Float8;

/// body(slot, destination) for every slot, rows in parallel.
template <class Body>
void for_each_slot(const graph::FrozenGraph& mask, Body&& body) {
  for_each_row(mask.incoming, mask.incoming_chunks, [&](Node row, EdgeIndex begin, EdgeIndex end, std::size_t) {
    for (EdgeIndex slot = begin; slot < end; ++slot) body(slot, row);
  });
}

float dot(const float* a, const float* b, int count) {
  Float8 sum{};
  int i = 0;
  for (; i + simd::kLanes <= count; i += simd::kLanes) sum += simd::load(a + i) * simd::load(b + i);
  if (i < count) sum += simd::load(a + i, count - i) * simd::load(b + i, count - i);
  return lane_sum(sum);
}

}  // namespace

void gather_sources(const graph::FrozenGraph& mask, const Matrix& from, Matrix& to) {
  to.resize(static_cast<Eigen::Index>(mask.slot_count()), from.cols());
  for_each_slot(mask, [&](EdgeIndex slot, Node) {
    std::copy_n(row_of(from, mask.incoming.columns[slot]), from.cols(), row_of(to, slot));
  });
}

void gather_destinations(const graph::FrozenGraph& mask, const Matrix& from, Matrix& to) {
  to.resize(static_cast<Eigen::Index>(mask.slot_count()), from.cols());
  for_each_slot(mask, [&](EdgeIndex slot, Node destination) {
    std::copy_n(row_of(from, destination), from.cols(), row_of(to, slot));
  });
}

void add_to_destinations(const graph::FrozenGraph& mask, const Matrix& from, Matrix& to) {
  for_each_slot(mask, [&](EdgeIndex slot, Node destination) {
    const float* row = row_of(from, slot);
    float* sum = row_of(to, destination);
    for (Eigen::Index i = 0; i < from.cols(); ++i) sum[i] += row[i];
  });
}

void add_to_sources(const graph::FrozenGraph& mask, const Matrix& from, Matrix& to) {
  for_each_row(mask.outgoing, mask.outgoing_chunks,
               [&](Node source, EdgeIndex begin, EdgeIndex end, std::size_t) {
                 float* sum = row_of(to, source);
                 for (EdgeIndex position = begin; position < end; ++position) {
                   const float* row = row_of(from, mask.outgoing_slot[position]);
                   for (Eigen::Index i = 0; i < from.cols(); ++i) sum[i] += row[i];
                 }
               });
}

void dot_heads(const graph::FrozenGraph& mask, int heads, const Matrix& a, const Matrix& b, Matrix& out) {
  const int width = static_cast<int>(a.cols()) / heads;
  for_each_slot(mask, [&](EdgeIndex slot, Node) {
    for (int h = 0; h < heads; ++h)
      row_of(out, slot)[h] = dot(row_of(a, slot) + h * width, row_of(b, slot) + h * width, width);
  });
}

void scale_heads(const graph::FrozenGraph& mask, int heads, const Matrix& rows, const Matrix& factors, Matrix& out) {
  const int width = static_cast<int>(rows.cols()) / heads;
  out.resize(rows.rows(), rows.cols());
  for_each_slot(mask, [&](EdgeIndex slot, Node) {
    for (int h = 0; h < heads; ++h) {
      const float factor = row_of(factors, slot)[h];
      const float* from = row_of(rows, slot) + h * width;
      float* to = row_of(out, slot) + h * width;
      for (int d = 0; d < width; ++d) to[d] = from[d] * factor;
    }
  });
}

void log_sum_exp(const graph::FrozenGraph& mask, const Matrix& scores, Matrix& out) {
  const auto heads = static_cast<int>(scores.cols());
  // Exponentials are computed eight at a time; eight slots fill whole vectors for any number of heads.
  constexpr int kSlots = simd::kLanes;
  for_each_row(mask.incoming, mask.incoming_chunks, [&](Node row, EdgeIndex begin, EdgeIndex end, std::size_t) {
    std::array<float, kMaxHeads> maxima, sums;
    std::array<float, kSlots * kMaxHeads> shifted;
    std::fill_n(maxima.data(), heads, -std::numeric_limits<float>::infinity());
    std::fill_n(sums.data(), heads, 0.0F);
    for (EdgeIndex slot = begin; slot < end; ++slot)
      for (int h = 0; h < heads; ++h) maxima[h] = std::max(maxima[h], row_of(scores, slot)[h]);
    for (EdgeIndex first = begin; first < end; first += kSlots) {
      const int count = static_cast<int>(std::min<EdgeIndex>(kSlots, end - first)) * heads;
      const float* from = row_of(scores, first);
      for (int i = 0; i < count; i += heads)
        for (int h = 0; h < heads; ++h) shifted[i + h] = from[i + h] - maxima[h];
      for (int i = 0; i < count; i += simd::kLanes)
        simd::store(&shifted[i], simd::exp(simd::load(&shifted[i])));
      for (int i = 0; i < count; i += heads)
        for (int h = 0; h < heads; ++h) sums[h] += shifted[i + h];
    }
    for (int h = 0; h < heads; ++h) row_of(out, row)[h] = maxima[h] + std::log(sums[h]);
  });
}

}  // namespace edgewise::attention::reference
