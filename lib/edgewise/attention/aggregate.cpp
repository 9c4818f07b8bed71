#include "edgewise/attention/aggregate.hpp"

#include "edgewise/attention/detail/pieces.hpp"

namespace edgewise::attention {
namespace {

using namespace detail;

/// For every row of `csr`: its row of `out` is set to (or raised by) the rows of `table` that it points at, weighted;
/// `weights_of(piece, room)` gives the weights of a piece's slots.
template <Start kStart, class WeightsOf>
void sum_along_edges(const graph::Csr& csr, const std::vector<Node>& chunks, const RowTable<>& table, float* out,
                     WeightsOf&& weights_of) {
  const HeadShape shape{1, table.columns};
  with_constant_width(shape.width, std::integral_constant<int, 1>(), [&](auto layout) {
    for_each_chunk_of_rows(shape, {csr, chunks}, [&](PieceRows& rows, std::size_t) {
      PieceScores room;
      rows.for_each_piece(shape, [&](const Piece& piece) {
        const float* weights = weights_of(piece, room.data());
        for (int r = 0; r < piece.rows; ++r) {
          const RowPart part = piece.part(r);
          float* to = out + static_cast<std::size_t>(part.row) * static_cast<std::size_t>(table.columns);
          if (kStart == Start::zero && part.is_first)
            sum_rows<layout(), Start::zero>(shape, weights + piece.starts[r], table.from(part.slot), part.count,
                                            nullptr, to);
          else
            sum_rows<layout(), Start::present>(shape, weights + piece.starts[r], table.from(part.slot), part.count,
                                               nullptr, to);
        }
      });
    });
  });
}

}  // namespace

void aggregate_forward(const graph::FrozenGraph& graph, const float* slot_weights, const float* value, int columns,
                       float* output) {
  sum_along_edges<Start::zero>(graph.incoming, graph.incoming_chunks,
                               {graph.incoming, value, graph.source_count(), columns}, output,
                               [&](const Piece& piece, float*) { return slot_weights + piece.slot; });
}

void aggregate_backward(const graph::FrozenGraph& graph, const float* slot_weights, const float* output_gradient,
                        int columns, float* value_gradient) {
  sum_along_edges<Start::present>(
      graph.outgoing, graph.outgoing_chunks, {graph.outgoing, output_gradient, graph.destination_count(), columns},
      value_gradient, [&](const Piece& piece, float* weights) {
        for (int e = 0; e < piece.count; ++e)
          weights[e] = slot_weights[graph.outgoing_slot[piece.slot + static_cast<EdgeIndex>(e)]];
        return weights;
      });
}

}  // namespace edgewise::attention
