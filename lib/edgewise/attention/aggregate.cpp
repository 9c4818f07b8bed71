#include "edgewise/attention/aggregate.hpp"

#include <algorithm>

#include "edgewise/core/parallel.hpp"
#include "edgewise/core/detail/simd.hpp"

namespace edgewise::attention {
namespace {

using graph::EdgeIndex;
using graph::Node;

constexpr int kRowsAhead = 8;

/// The edges of one row, as the table rows that they point to.
struct WeightedRows {
  const Node* nodes;
  const float* table;
  std::size_t columns;
  int count;
  int ahead;  ///< Those that may be prefetched: these, and some of the rows after this one.

  const float* row(int e) const { return table + nodes[e] * columns; }
};

/// to[c] += sum over edges of weight_of(e) * row[c] for kVectors vectors of columns; the sums stay in registers.
template <int kVectors, class WeightOf>
void add_vectors(const WeightedRows& rows, const WeightOf& weight_of, std::size_t first, float* to) {
  constexpr int kAhead = kRowsAhead;
  simd::Native sums[kVectors];
  for (int v = 0; v < kVectors; ++v) sums[v] = simd::load_as<simd::Native>(to + first + v * simd::kNativeLanes);
  for (int e = 0; e < rows.count; ++e) {
    if (e + kAhead < rows.ahead)
      for (int v = 0; v < kVectors; ++v) __builtin_prefetch(rows.row(e + kAhead) + first + v * simd::kNativeLanes);
    const float weight = weight_of(e);
    const float* row = rows.row(e) + first;
    for (int v = 0; v < kVectors; ++v) sums[v] += weight * simd::load_as<simd::Native>(row + v * simd::kNativeLanes);
  }
  for (int v = 0; v < kVectors; ++v) simd::store_as(to + first + v * simd::kNativeLanes, sums[v]);
}

/// The same for `lanes` columns, at most 8.
template <class WeightOf>
void add_lanes(const WeightedRows& rows, const WeightOf& weight_of, std::size_t first, int lanes, float* to) {
  simd::Float8 sum = simd::load(to + first, lanes);
  for (int e = 0; e < rows.count; ++e) sum += weight_of(e) * simd::load(rows.row(e) + first, lanes);
  simd::store(to + first, sum, lanes);
}

/// to += the weighted sum of the rows.
template <class WeightOf>
void add_rows(const WeightedRows& rows, const WeightOf& weight_of, float* to) {
  constexpr std::size_t kVector = simd::kNativeLanes;
  std::size_t first = 0;
  for (; first + 4 * kVector <= rows.columns; first += 4 * kVector) add_vectors<4>(rows, weight_of, first, to);
  for (; first + kVector <= rows.columns; first += kVector) add_vectors<1>(rows, weight_of, first, to);
  for (; first < rows.columns; first += simd::kLanes)
    add_lanes(rows, weight_of, first, static_cast<int>(std::min<std::size_t>(simd::kLanes, rows.columns - first)), to);
}

/// out[row, :] = start[row, :] + the sum over the edges of a row of weight_of(edge) * table[node, :], where `nodes` are
/// the columns of `csr` or what stands for them. Without `start` the sums start from zeros; it may be `out` itself.
template <class WeightOf>
void sum_along_edges(const graph::Csr& csr, const Node* nodes, const std::vector<Node>& chunks, const float* table,
                     int columns, const float* start, const WeightOf& weight_of, float* out) {
  parallel_chunks(chunks.size() - 1, [&](std::size_t chunk) {
    for (Node row = chunks[chunk]; row < chunks[chunk + 1]; ++row) {
      const auto width = static_cast<std::size_t>(columns);
      const EdgeIndex begin = csr.offsets[row], end = csr.offsets[row + 1];
      float* to = out + row * width;
      if (start == nullptr)
        std::fill_n(to, columns, 0.0F);
      else if (start != out)
        std::copy_n(start + row * width, columns, to);
      add_rows(
          {nodes + begin, table, width, static_cast<int>(end - begin),
           static_cast<int>(std::min<EdgeIndex>(csr.slots(), end + kRowsAhead) - begin)},
          [&](int e) { return weight_of(begin + static_cast<EdgeIndex>(e)); }, to);
    }
  });
}

}  // namespace

void aggregate_forward(const graph::FrozenGraph& graph, const Node* rows, const float* slot_weights,
                       const float* value, const float* start, int columns, float* output) {
  sum_along_edges(
      graph.incoming, rows, graph.incoming_chunks, value, columns, start,
      [slot_weights](EdgeIndex slot) { return slot_weights[slot]; }, output);
}

void aggregate_backward(const graph::FrozenGraph& graph, const float* slot_weights, const float* output_gradient,
                        int columns, bool is_empty, float* value_gradient) {
  const graph::StoredEdge* slots = graph.outgoing_slot.data();
  sum_along_edges(
      graph.outgoing, graph.outgoing.columns.data(), graph.outgoing_chunks, output_gradient, columns,
      is_empty ? nullptr : value_gradient,
      [slot_weights, slots](EdgeIndex position) { return slot_weights[slots[position]]; }, value_gradient);
}

}  // namespace edgewise::attention
