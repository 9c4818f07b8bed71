#include "bench/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace edgewise::app {

using attention::Variant;

namespace {

constexpr double kFloat = sizeof(float);

/// Number of floats in the rows that one edge reads.
struct RowFloats {
  double forward;
  double training;
};

RowFloats row_floats(const BenchOptions& options) {
  const double heads = options.heads;
  const double columns = static_cast<double>(options.columns());
  const double score_columns = options.score->is_per_head ? heads : columns;
  const double forward = score_columns + (options.score->value_is_key ? 0 : columns);  // key and value
  // Backward, for the source's gradients: the destination's query, output gradient and two numbers per head. For the
  // destination's gradients: the key and one score gradient per head.
  return {forward, forward + score_columns + columns + 2 * heads + score_columns + heads};
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
  // One multiplication and one addition per column, for the score (none if it only adds two numbers) and for the sum.
  // The backward pass takes twice as much, because each product has two factors.
  const double products = options.score->is_per_head ? 1 : 2;
  const double passes = row.pass == Pass::forward ? 1 : 3;
  Work work;
  work.operations = 2 * products * passes * units_of(row, variant, options);
  if (is_dense(variant)) return work;
  const RowFloats floats = row_floats(options);
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
  const double score_columns = options.score->columns(options.heads, options.width);
  const double value_columns = options.score->value_is_key ? 0 : columns;
  const auto nodes = static_cast<double>(row.nodes);
  const auto sources = static_cast<double>(row.sources);
  const double pairs = pairs_of(row, variant);
  const bool is_training = row.pass == Pass::training;
  const double tables = (nodes + sources) * score_columns + sources * value_columns;
  double floats = nodes * (columns + heads);
  if (is_training) floats += nodes * heads + nodes * columns + tables;  // gradients
  switch (variant) {
    case Variant::sparse_fused:  // may keep the score gradients
      if (is_training) floats += std::min(pairs * heads, 2 * (nodes + sources) * columns);
      break;
    case Variant::gather_scatter:  // gathered rows, messages, and some numbers per head
      floats += pairs * (2 * score_columns + value_columns + columns + 5 * heads);
      break;
    case Variant::dense_masked: {
      const double of_a_head = attention::sums_to_one(options.normaliser) ? 1 : 2;
      floats += pairs * (is_training ? heads + of_a_head : 1);
      break;
    }
    case Variant::dense_tiled: break;
  }
  if (is_dense(variant)) floats += pairs / 32;  // the mask, one bit per pair
  return floats * kFloat;
}

std::string format_bytes(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

}  // namespace edgewise::app
