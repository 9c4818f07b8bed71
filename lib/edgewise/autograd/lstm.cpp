#include "edgewise/autograd/lstm.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "edgewise/autograd/detail/distinct_rows.hpp"
#include "edgewise/autograd/detail/optional_variable.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/detail/product_blocks.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/product.hpp"

namespace edgewise::autograd {

namespace {

using detail::gradient_or_null;
using detail::needs_gradient;
using edgewise::detail::RightFactor;
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
      sequences_.push_back({static_cast<Index>(s), {columns + order.incoming.offsets[s],
                                                    columns + order.incoming.offsets[s + 1]}});
    std::ranges::stable_sort(sequences_, std::ranges::greater(), [](const auto& of) { return of.nodes.size(); });
  }

  std::size_t steps() const { return sequences_.empty() ? 0 : sequences_.front().nodes.size(); }
  Index running(std::size_t step) const {
    return std::ranges::partition_point(sequences_, [&](const auto& of) { return of.nodes.size() > step; }) -
           sequences_.begin();
  }
  Index row(Index sequence, std::size_t step) const {
    const std::span<const Node> nodes = sequences_[static_cast<std::size_t>(sequence)].nodes;
    return nodes[walk_ == Walk::forward ? step : nodes.size() - 1 - step];
  }
  /// The row of `order`.
  Index index(Index sequence) const { return sequences_[static_cast<std::size_t>(sequence)].index; }

 private:
  struct Sequence {
    Index index;
    std::span<const Node> nodes;
  };
  std::vector<Sequence> sequences_;
  Walk walk_;
};

/// What the forward pass keeps for the backward pass, one row per node.
struct Kept {
  float* gates;   ///< After their activations: [N, 4 H].
  float* cells;   ///< [N, H]
  float* before;  ///< h of the previous step: [N, H].
};

MatrixMap rows_of(float* data, Index rows, Index cols) { return {data, rows, cols}; }

/// Its rows in the order of the chunk, or zeros.
Matrix rows_of(const Chunk& chunk, const Variable& start, Index sequences, Index width) {
  Matrix rows = Matrix::Zero(sequences, width);
  if (start.is_set())
    for (Index s = 0; s < chunk.running(0); ++s) rows.row(s) = start.value().row(chunk.index(s));
  return rows;
}

/// Adds rows in the order of the chunk to `to` [sequences of the order, width]; nullptr: nowhere.
void add_rows(const Chunk& chunk, const Matrix& rows, float* to) {
  if (to == nullptr) return;
  for (Index s = 0; s < chunk.running(0); ++s)
    MatrixMap(to + chunk.index(s) * rows.cols(), 1, rows.cols()) += rows.row(s);
}

/// Where the gradients of the start go; nullptr: nowhere.
struct StartGradients {
  float* hidden;
  float* cell;
};

template <class Gate>
void squash(Gate&& gate) {
  gate = 1 / (1 + (-gate).exp());
}

/// out = rows * right for the first `count` rows. A row of the result does not depend on the others, so one step has
/// the same bits whichever sequences are side by side.
void multiply(const Matrix& rows, Index count, const RightFactor& right, Matrix& out) {
  edgewise::detail::multiply_rows({rows.data(), rows.outerStride(), 1}, right, edgewise::detail::kFromZero,
                                  {out.data(), out.outerStride(), out.cols()}, count);
}

void run_forward(const Chunk& chunk, const MatrixMap& gates, const RightFactor& recurrent, const LstmStart& start,
                 const Kept& kept, MatrixMap& out) {
  const Index width = recurrent.steps;
  const auto sequences = static_cast<Index>(kSideBySide);
  Matrix hidden = rows_of(chunk, start.hidden, sequences, width), cell = rows_of(chunk, start.cell, sequences, width),
         sums(sequences, 4 * width);
  MatrixMap all_gates = rows_of(kept.gates, gates.rows(), 4 * width), cells = rows_of(kept.cells, gates.rows(), width),
            before = rows_of(kept.before, gates.rows(), width);
  for (std::size_t step = 0; step < chunk.steps(); ++step) {
    const Index running = chunk.running(step);
    multiply(hidden, running, recurrent, sums);
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
/// `transpose` is that of the recurrent weights.
void run_backward(const Chunk& chunk, const RightFactor& transpose, const LstmStart& start, const Kept& kept,
                  const MatrixMap& dy, MatrixMap& slopes, const StartGradients& to) {
  const Index width = dy.cols(), rows = dy.rows();
  const auto sequences = static_cast<Index>(kSideBySide);
  MatrixMap gates = rows_of(kept.gates, rows, 4 * width), cells = rows_of(kept.cells, rows, width);
  const Matrix first_cells = rows_of(chunk, start.cell, sequences, width);
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
      const float* before = step > 0 ? cells.row(chunk.row(s, step - 1)).data() : first_cells.row(s).data();
      slope.segment(width, width) = of_cell * ConstMatrixMap(before, 1, width).array() * f * (1 - f);
      of_cell *= f;
      step_slopes.row(s) = slopes.row(row);
    }
    multiply(step_slopes, running, transpose, dh);
  }
  add_rows(chunk, dh, to.hidden);
  add_rows(chunk, dc, to.cell);
}

template <class Run>
void for_each_chunk(const FrozenGraph& order, Walk walk, const Run& run) {
  parallel_for(order.destination_count(), kSideBySide,
               [&](std::size_t begin, std::size_t end) { run(Chunk(order, begin, end, walk)); });
}

}  // namespace

Variable lstm(const FrozenGraph& order, Variable gates, Variable recurrent, Walk walk, const LstmStart& start,
              Matrix* cells) {
  const Index rows = gates.rows(), width = recurrent.rows();
  check_shape("lstm", "gates", shape_of(gates), {static_cast<Index>(order.source_count()), 4 * width});
  check_shape("lstm", "recurrent", shape_of(recurrent), {width, 4 * width});
  for (const Variable& part : {start.hidden, start.cell})
    if (part.is_set())
      check_shape("lstm", "start", shape_of(part), {static_cast<Index>(order.destination_count()), width});
  detail::check_distinct_rows("lstm", order);
  Tape& tape = gates.tape();
  const Kept kept{tape.scratch(rows, 4 * width).data(), tape.scratch(rows, width).data(),
                  tape.scratch(rows, width).data()};
  rows_of(kept.gates, rows, 4 * width).setZero();
  rows_of(kept.cells, rows, width).setZero();
  rows_of(kept.before, rows, width).setZero();
  Variable y = tape.make(rows, width,
                         gates.needs_gradient() || recurrent.needs_gradient() || needs_gradient(start.hidden) ||
                             needs_gradient(start.cell));
  y.value().setZero();
  MatrixMap in = gates.value(), out = y.value();
  tape.workspace().begin();
  const RightFactor weights = edgewise::detail::pad(recurrent.value(), tape.workspace());
  for_each_chunk(order, walk, [&](const Chunk& chunk) { run_forward(chunk, in, weights, start, kept, out); });
  if (cells != nullptr) *cells = rows_of(kept.cells, rows, width);
  tape.on_backward(y, [&order, gates, recurrent, start, y, kept, walk] {
    const Index count = y.rows(), wide = y.cols();
    MatrixMap slopes = y.tape().scratch(count, 4 * wide), dy = y.gradient();
    slopes.setZero();
    y.tape().workspace().begin();
    const RightFactor transpose = edgewise::detail::pad_transpose(recurrent.value(), y.tape().workspace());
    const StartGradients to{gradient_or_null(start.hidden), gradient_or_null(start.cell)};
    for_each_chunk(order, walk,
                   [&](const Chunk& chunk) { run_backward(chunk, transpose, start, kept, dy, slopes, to); });
    if (gates.needs_gradient()) gates.gradient() += slopes;
    if (recurrent.needs_gradient())
      multiply_transpose(rows_of(kept.before, count, wide), slopes, recurrent.gradient(), y.tape().workspace(),
                         Result::add);
  });
  return y;
}

}  // namespace edgewise::autograd
