#include "edgewise/attention/aggregate.hpp"

#include "edgewise/attention/detail/softmax_rows.hpp"

namespace edgewise::attention {

using namespace detail;

void aggregate_forward(const graph::FrozenGraph& graph, const float* slot_weights, const float* value, int columns,
                       float* output) {
  const HeadShape shape{1, columns};
  for_each_row(graph.incoming, graph.incoming_chunks, [&](Node row, RowSlots slots, std::size_t) {
    float* out = output + static_cast<std::size_t>(row) * columns;
    std::fill_n(out, columns, 0.0F);
    const GatheredRows rows{value, graph.incoming.columns.data() + slots.begin, columns};
    add_weighted_rows(shape, slot_weights + slots.begin, rows, static_cast<int>(slots.end - slots.begin), out);
  });
}

void aggregate_backward(const graph::FrozenGraph& graph, const float* slot_weights, const float* output_gradient,
                        int columns, float* value_gradient) {
  const HeadShape shape{1, columns};
  for_each_row(graph.outgoing, graph.outgoing_chunks, [&](Node row, RowSlots positions, std::size_t) {
    float* gradient = value_gradient + static_cast<std::size_t>(row) * columns;
    float weights[kPieceScores];
    for (EdgeIndex position = positions.begin; position < positions.end;) {
      const int count = static_cast<int>(std::min<EdgeIndex>(kPieceScores, positions.end - position));
      for (int e = 0; e < count; ++e)
        weights[e] = slot_weights[graph.outgoing_slot[position + static_cast<EdgeIndex>(e)]];
      const GatheredRows rows{output_gradient, graph.outgoing.columns.data() + position, columns};
      add_weighted_rows(shape, weights, rows, count, gradient);
      position += static_cast<EdgeIndex>(count);
    }
  });
}

}  // namespace edgewise::attention
