#include "edgewise/autograd/sparse_linear.hpp"

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/product.hpp"

namespace edgewise::autograd {
namespace {

/// A factor of the product: the rows of the features, or their columns for the gradient.
struct Factor {
  const CompressedRows& rows;
  const float* values;
};

Factor rows_of(const SparseFeatures& x) {
  return {x.input->by_row, x.row_values != nullptr ? x.row_values : x.input->by_row.values.data()};
}

Factor columns_of(const SparseFeatures& x) {
  return {x.input->by_column, x.column_values != nullptr ? x.column_values : x.input->by_column.values.data()};
}

void multiply(const Factor& a, const EntryDropout& dropout, const std::uint32_t* bits, MatrixMap b, RowStart start,
              MatrixMap out) {
  if (dropout.is_by_head())
    multiply_sparse_by_head(a.rows, a.values, dropout, bits, b, start, out);
  else
    multiply_sparse(a.rows, a.values, dropout, b, start, out);
}

float* dropped_values(Tape& tape, const Factor& a, const EntryDropout& dropout) {
  float* values = tape.scratch(1, static_cast<Eigen::Index>(a.rows.entries())).data();
  drop_entries(a.rows, a.values, dropout, values);
  return values;
}

}  // namespace

SparseFeatures sparse_dropout(Tape& tape, const SparseFeatures& x, const EntryDropout& dropout) {
  check_probability("sparse_dropout", dropout.probability);
  if (!dropout.is_active()) return x;
  if (!x.dropout.is_active()) return {x.input, dropout, x.row_values, x.column_values};
  if (x.dropout.is_by_head()) throw UsageError("sparse_dropout: x has a dropout by head already");
  return {x.input, dropout, dropped_values(tape, rows_of(x), x.dropout),
          dropped_values(tape, columns_of(x), x.dropout)};
}

Variable sparse_linear(const SparseFeatures& x, Variable weight, Variable bias) {
  const std::size_t entries = x.input->by_row.entries();
  check_shape("sparse_linear", "weight", shape_of(weight), {x.input->columns(), weight.cols()});
  check_heads("sparse_linear", x.dropout.heads, weight.cols());
  if (bias.is_set()) check_shape("sparse_linear", "bias", shape_of(bias), {1, weight.cols()});
  Tape& tape = weight.tape();
  const std::uint32_t* bits = nullptr;
  if (x.dropout.is_by_head()) {
    const auto words = static_cast<Eigen::Index>(head_mask_words(entries, x.dropout.heads));
    auto* drawn = reinterpret_cast<std::uint32_t*>(tape.scratch(1, words).data());
    draw_head_mask(x.dropout, entries, drawn);
    bits = drawn;
  }
  const bool has_bias = bias.is_set();
  Variable out =
      tape.make(x.input->rows(), weight.cols(), weight.needs_gradient() || (has_bias && bias.needs_gradient()));
  const RowStart start = has_bias ? RowStart{RowStart::Kind::row, bias.value().data()} : RowStart{RowStart::Kind::zero};
  multiply(rows_of(x), x.dropout, bits, weight.value(), start, out.value());
  tape.on_backward(out, [x, bits, weight, bias, out] {
    const MatrixMap gradient = out.gradient();
    if (bias.is_set() && bias.needs_gradient()) add_column_sums(gradient, bias.gradient(), out.tape().workspace());
    if (weight.needs_gradient())
      multiply(columns_of(x), x.dropout, bits, gradient, {RowStart::Kind::present}, weight.gradient());
  });
  return out;
}

}  // namespace edgewise::autograd
