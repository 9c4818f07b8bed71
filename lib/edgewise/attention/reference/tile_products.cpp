#include "edgewise/attention/reference/tile_products.hpp"

namespace edgewise::attention::reference {
namespace {

struct MultiplyAdd {
  Float16 operator()(Float16 sum, Float16 weight, Float16 value, int, int) const { return sum + weight * value; }
  Float16 operator()(Float16 sum, Float16 weight, Float16 value, Float16) const { return sum + weight * value; }
};

}  // namespace

void add_weighted_sources(const float* tile, HeadRows rows, int count, float* columns, const Float16* factors) {
  sum_over_sources(tile, rows, count, columns, factors, MultiplyAdd());
}

void add_weighted_destinations(const float* tile, HeadRows rows, int destinations, MutableHeadRows out, int count) {
  const HeadRows own{out.data, out.stride, out.width};  // not used by the term
  sum_over_destinations<kPlainSums>(tile, rows, destinations, out, own, count, MultiplyAdd());
}

void pack_transposed(HeadRows rows, int count, float factor, float* columns) {
  std::fill_n(columns, static_cast<std::size_t>(rows.width) * kTileDestinations, 0.0F);
  for (int r = 0; r < count; ++r)
    for (int d = 0; d < rows.width; ++d) columns[d * kTileDestinations + r] = rows[r][d] * factor;
}

}  // namespace edgewise::attention::reference
