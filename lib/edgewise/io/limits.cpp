#include "edgewise/io/limits.hpp"

#include <fmt/format.h>

#include "edgewise/core/error.hpp"

namespace edgewise::io {
namespace {

constexpr double kLargestFactor = 1000;

Limits& limits_in_force() {
  static Limits limits;
  return limits;
}

}  // namespace

const Limits& limits() { return limits_in_force(); }

void raise_limits(double factor) {
  if (!(factor >= 1 && factor <= kLargestFactor))
    throw UsageError(fmt::format("limits: expected a factor from 1 to {}, got {}", kLargestFactor, factor));
  Limits raised;
  for (std::uint64_t* limit :
       {&raised.line_bytes, &raised.text_bytes, &raised.columns, &raised.free_cells, &raised.cells_per_byte,
        &raised.free_edges, &raised.edges_per_byte, &raised.smiles_bytes, &raised.stereo_bytes, &raised.smiles_marks,
        &raised.smiles_ring_digits})
    *limit = static_cast<std::uint64_t>(static_cast<double>(*limit) * factor);
  limits_in_force() = raised;
}

}  // namespace edgewise::io
