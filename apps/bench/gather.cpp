#include "gather.hpp"

#include <algorithm>

#include "edgewise/core/memory.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/core/detail/simd.hpp"

namespace edgewise::bench {
namespace {

constexpr int kMaxVectors = 8;

/// Sums, for each destination, the rows of `kTables` tables that its edges point at. Rows are `stride` floats apart;
/// kVectors vectors of each are read.
template <int kTables, int kVectors>
void sum_rows(const graph::FrozenGraph& graph, const float* const* tables, std::size_t stride, std::size_t distance,
            float* out) {
  parallel_chunks(graph.incoming_chunks.size() - 1, [&](std::size_t chunk) {
    const graph::Node* const columns = graph.incoming.columns.data();
    for (graph::Node row = graph.incoming_chunks[chunk]; row < graph.incoming_chunks[chunk + 1]; ++row) {
      simd::Float16 sum[kTables * kVectors] = {};
      for (graph::EdgeIndex slot = graph.incoming.offsets[row]; slot < graph.incoming.offsets[row + 1]; ++slot) {
        const std::size_t ahead = columns[std::min(slot + distance, graph.slot_count() - 1)];
#pragma GCC unroll 2
        for (int t = 0; t < kTables; ++t) {
          const float* const next = tables[t] + ahead * stride;
          const float* const from = tables[t] + columns[slot] * stride;
#pragma GCC unroll 8
          for (int v = 0; v < kVectors; ++v) __builtin_prefetch(next + v * simd::kWideLanes);
#pragma GCC unroll 8
          for (int v = 0; v < kVectors; ++v) sum[t * kVectors + v] += simd::load_wide(from + v * simd::kWideLanes);
        }
      }
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v)
        simd::store_wide(out + row * stride + v * simd::kWideLanes, sum[v] + sum[(kTables - 1) * kVectors + v]);
    }
  });
}

}  // namespace

Matrix random_table(std::size_t rows, int columns, std::uint64_t seed) {
  Random random(seed, Stream::generate);
  Matrix matrix(static_cast<Eigen::Index>(rows), columns);
  request_large_pages(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(float));
  matrix = Matrix::NullaryExpr(matrix.rows(), columns, [&] { return static_cast<float>(random.normal()); });
  return matrix;  // a copy would have small pages
}

Gather::Gather(const graph::FrozenGraph& graph, int columns) : graph_(graph), columns_(columns) {
  // Leave space after the last row, which may end within a vector.
  const std::size_t rows =
      graph.destination_count() + 1 + kMaxVectors * simd::kWideLanes / static_cast<std::size_t>(columns);
  for (std::uint64_t table = 0; table < 2; ++table) tables_.push_back(random_table(rows, columns, table));
  out_ = random_table(rows, columns, 2);
}

void Gather::one_table(int distance) { sum<1>(distance); }
void Gather::two_tables(int distance) { sum<2>(distance); }

template <int kTables>
void Gather::sum(int distance) {
  const float* const tables[] = {tables_[0].data(), tables_[1].data()};
  const auto run = [&](auto vectors) {
    sum_rows<kTables, vectors()>(graph_, tables, static_cast<std::size_t>(columns_), static_cast<std::size_t>(distance),
                                 out_.data());
  };
  const int vectors = (columns_ + simd::kWideLanes - 1) / simd::kWideLanes;
  if (vectors == 1) return run(std::integral_constant<int, 1>());
  if (vectors == 2) return run(std::integral_constant<int, 2>());
  if (vectors <= 4) return run(std::integral_constant<int, 4>());
  return run(std::integral_constant<int, kMaxVectors>());
}

}  // namespace edgewise::bench
