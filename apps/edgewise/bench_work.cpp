#include "bench_work.hpp"

#include <fmt/format.h>

#include <array>

namespace edgewise::app {

using attention::Score;
using attention::Variant;

namespace {

constexpr double kFloat = sizeof(float);

/// Floats of the rows that one edge reads.
struct RowFloats {
  double forward;
  double training;
};

RowFloats row_floats(Variant variant, const BenchOptions& options) {
  const bool is_half = variant == Variant::sparse_fused && options.storage == attention::Storage::bfloat16;
  const double columns = static_cast<double>(options.columns()) / (is_half ? 2 : 1);
  const double heads = options.heads;
  switch (options.score) {
    case Score::additive:  // score and value; then output gradient, and three numbers a head of the destination
      return {columns + heads, 2 * columns + 4 * heads};
    case Score::gatv2:  // key; then key, and query, output gradient and two numbers a head
      return {columns, 4 * columns + 2 * heads};
    case Score::dot_product:  // key, value; then both again, and query, output gradient and two numbers a head
      return {2 * columns, 6 * columns + 2 * heads};
  }
  return {};
}

double pairs_of(const Row& row, Variant variant) {
  return is_dense(variant) ? static_cast<double>(row.nodes) * static_cast<double>(row.sources)
                           : static_cast<double>(row.edges);
}

}  // namespace

bool is_dense(Variant variant) { return variant == Variant::dense_masked || variant == Variant::dense_tiled; }

double units_of(const Row& row, Variant variant, const BenchOptions& options) {
  return pairs_of(row, variant) * static_cast<double>(options.columns());
}

Work work_of(const Row& row, Variant variant, const BenchOptions& options) {
  // A multiplication and an addition for each column: of the score (none where two numbers are added) and of the sum;
  // backward twice as much, for each of the two has two factors.
  const double products = options.score == Score::additive ? 1 : 2;
  const double passes = row.pass == Pass::forward ? 1 : 3;
  Work work;
  work.operations = 2 * products * passes * units_of(row, variant, options);
  if (is_dense(variant)) return work;
  const RowFloats floats = row_floats(variant, options);
  const double forward_bytes = floats.forward * kFloat;
  work.gathered_bytes =
      static_cast<double>(row.edges) * (row.pass == Pass::forward ? forward_bytes : floats.training * kFloat);
  work.row_bytes = static_cast<std::size_t>(forward_bytes);
  work.table_bytes = static_cast<std::size_t>(static_cast<double>(row.sources) * forward_bytes);
  return work;
}

double estimate_bytes(const Row& row, Variant variant, const BenchOptions& options) {
  const auto columns = static_cast<double>(options.columns());
  const double heads = options.heads;
  const auto nodes = static_cast<double>(row.nodes);
  const double pairs = pairs_of(row, variant);
  const bool is_training = row.pass == Pass::training;
  double floats = nodes * (columns + heads);
  if (is_training) floats += nodes * heads + (nodes + 2 * static_cast<double>(row.sources)) * columns;
  if (variant == Variant::sparse_edgewise)  // what was gathered, and weights with their gradients
    floats += pairs * ((options.score == Score::additive ? 2 : 4) * columns + 4 * heads);
  if (variant == Variant::dense_masked) floats += pairs * (is_training ? heads + 1 : 1);
  if (is_dense(variant)) floats += pairs / 32;  // the mask, a bit a pair
  return floats * kFloat;
}

std::string format_bytes(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

}  // namespace edgewise::app
