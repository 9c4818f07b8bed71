#include "edgewise/autograd/lstm.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "edgewise/core/check.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/product.hpp"

namespace edgewise::autograd {

namespace {

using Eigen::Index;
using graph::FrozenGraph;
using graph::Node;

constexpr std::size_t kSideBySide = 16;

/// The sequences of a chunk, longest first, so that those still running at a step come first.
class Chunk {
 public:
  Chunk(const FrozenGraph& order, std::size_t begin, std::size_t end, Walk walk) : walk_(walk) {
    const Node* columns = order.incoming.columns.data();
    for (std::size_t s = begin; s < end; ++s)
      sequences_.emplace_back(columns + order.incoming.offsets[s], columns + order.incoming.offsets[s + 1]);
    std::ranges::stable_sort(sequences_, std::ranges::greater(), [](const auto& of) { return of.size(); });
  }

  std::size_t steps() const { return sequences_.empty() ? 0 : sequences_.front().size(); }
  Index running(std::size_t step) const {
    return std::ranges::partition_point(sequences_, [&](const auto& of) { return of.size() > step; }) -
           sequences_.begin();
  }
  Index row(Index sequence, std::size_t step) const {
    const std::span<const Node> nodes = sequences_[static_cast<std::size_t>(sequence)];
    return nodes[walk_ == Walk::forward ? step : nodes.size() - 1 - step];
  }

 private:
  std::vector<std::span<const Node>> sequences_;
  Walk walk_;
};

/// What the forward pass keeps for the backward pass, one row per node.
struct Kept {
  float* gates;   ///< After their activations: [N, 4 H].
  float* cells;   ///< [N, H]
  float* before;  ///< h of the previous step: [N, H].
};

MatrixMap rows_of(float* data, Index rows, Index cols) { return {data, rows, cols}; }

template <class Gate>
void squash(Gate&& gate) {
  gate = 1 / (1 + (-gate).exp());
}

void run_forward(const Chunk& chunk, const MatrixMap& gates, const MatrixMap& recurrent, const Kept& kept,
                 MatrixMap& out) {
  const Index width = recurrent.rows();
  const auto sequences = static_cast<Index>(kSideBySide);
  Matrix hidden = Matrix::Zero(sequences, width), cell = Matrix::Zero(sequences, width), sums;
  MatrixMap all_gates = rows_of(kept.gates, gates.rows(), 4 * width), cells = rows_of(kept.cells, gates.rows(), width),
            before = rows_of(kept.before, gates.rows(), width);
  for (std::size_t step = 0; step < chunk.steps(); ++step) {
    const Index running = chunk.running(step);
    sums.noalias() = hidden.topRows(running) * recurrent;
    for (Index s = 0; s < running; ++s) {
      const Index row = chunk.row(s, step);
      before.row(row) = hidden.row(s);
      auto gate = all_gates.row(row).array();
      gate = gates.row(row).array() + sums.row(s).array();
      squash(gate.head(2 * width));
      gate.segment(2 * width, width) = gate.segment(2 * width, width).tanh();
      squash(gate.tail(width));
      cell.row(s).array() =
          gate.segment(width, width) * cell.row(s).array() + gate.head(width) * gate.segment(2 * width, width);
      hidden.row(s).array() = gate.tail(width) * cell.row(s).array().tanh();
      cells.row(row) = cell.row(s);
      out.row(row) = hidden.row(s);
    }
  }
}

/// Forward was c = f c' + i g, h = o tanh(c); `slopes` gets the gradients of the sums before the four activations.
void run_backward(const Chunk& chunk, const MatrixMap& recurrent, const Kept& kept, const MatrixMap& dy,
                  MatrixMap& slopes) {
  const Index width = recurrent.rows(), rows = dy.rows();
  const auto sequences = static_cast<Index>(kSideBySide);
  MatrixMap gates = rows_of(kept.gates, rows, 4 * width), cells = rows_of(kept.cells, rows, width);
  Matrix dh = Matrix::Zero(sequences, width), dc = Matrix::Zero(sequences, width), step_slopes(sequences, 4 * width);
  for (std::size_t step = chunk.steps(); step-- > 0;) {
    const Index running = chunk.running(step);
    for (Index s = 0; s < running; ++s) {
      const Index row = chunk.row(s, step);
      const auto gate = gates.row(row).array();
      const auto i = gate.head(width), f = gate.segment(width, width), g = gate.segment(2 * width, width),
                 o = gate.tail(width);
      const Eigen::ArrayXf bent = cells.row(row).array().tanh().transpose();
      const Eigen::ArrayXf of_hidden = (dh.row(s) + dy.row(row)).array().transpose();
      auto of_cell = dc.row(s).array();
      of_cell += (of_hidden * o.transpose() * (1 - bent.square())).transpose();
      auto slope = slopes.row(row).array();
      slope.head(width) = of_cell * g * i * (1 - i);
      slope.segment(2 * width, width) = of_cell * i * (1 - g.square());
      slope.tail(width) = (of_hidden * bent).transpose() * o * (1 - o);
      if (step > 0)
        slope.segment(width, width) = of_cell * cells.row(chunk.row(s, step - 1)).array() * f * (1 - f);
      else
        slope.segment(width, width).setZero();
      of_cell *= f;
      step_slopes.row(s) = slopes.row(row);
    }
    dh.topRows(running).noalias() = step_slopes.topRows(running) * recurrent.transpose();
  }
}

template <class Run>
void for_each_chunk(const FrozenGraph& order, Walk walk, const Run& run) {
  parallel_for(order.destination_count(), kSideBySide,
               [&](std::size_t begin, std::size_t end) { run(Chunk(order, begin, end, walk)); });
}

}  // namespace

Variable lstm(const FrozenGraph& order, Variable gates, Variable recurrent, Walk walk) {
  const Index rows = gates.rows(), width = recurrent.rows();
  check_shape("lstm", "gates", shape_of(gates), {static_cast<Index>(order.source_count()), 4 * width});
  check_shape("lstm", "recurrent", shape_of(recurrent), {width, 4 * width});
  Tape& tape = gates.tape();
  const Kept kept{tape.scratch(rows, 4 * width).data(), tape.scratch(rows, width).data(),
                  tape.scratch(rows, width).data()};
  rows_of(kept.gates, rows, 4 * width).setZero();
  rows_of(kept.before, rows, width).setZero();
  Variable y = tape.make(rows, width, gates.needs_gradient() || recurrent.needs_gradient());
  y.value().setZero();
  MatrixMap in = gates.value(), map = recurrent.value(), out = y.value();
  for_each_chunk(order, walk, [&](const Chunk& chunk) { run_forward(chunk, in, map, kept, out); });
  tape.on_backward(y, [&order, gates, recurrent, y, kept, walk] {
    const Index count = y.rows(), wide = y.cols();
    MatrixMap slopes = y.tape().scratch(count, 4 * wide), dy = y.gradient(), weights = recurrent.value();
    slopes.setZero();
    for_each_chunk(order, walk, [&](const Chunk& chunk) { run_backward(chunk, weights, kept, dy, slopes); });
    if (gates.needs_gradient()) gates.gradient() += slopes;
    if (recurrent.needs_gradient())
      multiply_transpose(rows_of(kept.before, count, wide), slopes, recurrent.gradient(), y.tape().workspace(),
                         Result::add);
  });
  return y;
}

}  // namespace edgewise::autograd
