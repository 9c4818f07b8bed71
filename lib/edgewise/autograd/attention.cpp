#include "edgewise/autograd/attention.hpp"

#include <algorithm>
#include <optional>

#include "edgewise/attention/aggregate.hpp"
#include "edgewise/attention/fused/kernels.hpp"
#include "edgewise/attention/shapes.hpp"
#include "edgewise/autograd/detail/optional_variable.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::autograd {
namespace {

using attention::Kernels;
using attention::Tables;
using detail::gradient_or_null;
using detail::needs_gradient;
using detail::values_or_null;
using graph::FrozenGraph;

std::optional<Shape> shape_if_set(Variable variable) {
  if (!variable.is_set()) return std::nullopt;
  return shape_of(variable);
}

void check(const FrozenGraph& mask, const AttentionInputs& in, const AttentionOptions& options) {
  attention::check_shapes(mask, in.map(shape_if_set), options.heads, options.score);
  attention::check_slope(options.of_score.negative_slope);
  check_probability("attend", options.dropout);
}

bool needs_any_gradient(AttentionInputs in) {
  return std::ranges::any_of(in.all(), [](const Variable* part) { return needs_gradient(*part); });
}

Tables tables_of(const AttentionInputs& in, const AttentionOptions& options) {
  return {.heads = options.heads,
          .width = static_cast<int>(in.value.cols()) / options.heads,
          .parts = in.map(values_or_null),
          .score = options.of_score,
          .dropout = {options.dropout, options.dropout_key}};
}

/// The rows of a table that the columns of a mask mean.
const graph::Node* selected_columns(const std::vector<graph::Node>& columns, std::span<const graph::Node> rows,
                                    Tape& tape) {
  constexpr std::size_t kGrain = 1 << 14;
  auto* selected = reinterpret_cast<graph::Node*>(tape.scratch(1, static_cast<Eigen::Index>(columns.size())).data());
  parallel_for(columns.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t slot = begin; slot < end; ++slot) selected[slot] = rows[columns[slot]];
  });
  return selected;
}

}  // namespace

Variable attend(const FrozenGraph& mask, const AttentionInputs& inputs, const AttentionOptions& options) {
  check(mask, inputs, options);
  Tape& tape = inputs.value.tape();
  const Kernels& kernels = attention::kernels(options.score, options.normaliser);
  const Tables tables = tables_of(inputs, options);
  const auto rows = static_cast<Eigen::Index>(mask.destination_count());
  Variable out = tape.make(rows, inputs.value.cols(), needs_any_gradient(inputs));
  if (tables.width == 0) {
    if (options.weights != nullptr) throw UsageError("attend: without columns there are no weights");
    return out;
  }
  const std::size_t size = attention::row_statistics_size(mask, tables.heads, tables.width);
  float* row_statistics = tape.scratch(1, static_cast<Eigen::Index>(size)).data();
  kernels.forward(mask, tables, out.value().data(), row_statistics, tape.workspace());
  if (options.weights != nullptr) {
    options.weights->resize(static_cast<Eigen::Index>(mask.slot_count()), options.heads);
    kernels.weights(mask, tables, row_statistics, options.weights->data(), tape.workspace());
  }
  tape.on_backward(out, [&mask, &kernels, tables, row_statistics, inputs, out] {
    kernels.backward(mask, tables, out.value().data(), out.gradient().data(), row_statistics,
                     inputs.map(gradient_or_null), out.tape().workspace());
  });
  return out;
}

Variable aggregate(const FrozenGraph& mask, const float* slot_weights, const DenseRows& rows, Variable start) {
  const Shape expected{static_cast<Eigen::Index>(mask.destination_count()), rows.cols()};
  check_shape("aggregate", "value", shape_of(rows), {static_cast<Eigen::Index>(mask.source_count()), rows.cols()});
  if (start.is_set()) check_shape("aggregate", "start", shape_of(start), expected);
  Tape& tape = rows.tape();
  const auto width = static_cast<int>(rows.cols());
  const bool needs_any = rows.needs_gradient() || needs_gradient(start);
  Variable out = tape.make(expected.rows, expected.columns, needs_any);
  const graph::Node* columns = mask.incoming.columns.data();
  const float* table = rows.table();
  if (table != nullptr)
    columns = selected_columns(mask.incoming.columns, rows.selected(), tape);
  else
    table = Variable(rows).value().data();
  attention::aggregate_forward(mask, columns, slot_weights, table, values_or_null(start), width, out.value().data());
  tape.on_backward(out, [&mask, slot_weights, rows, start, out, width] {
    if (rows.needs_gradient()) {
      GradientTarget target = Variable(rows).gradient_target();
      attention::aggregate_backward(mask, slot_weights, out.gradient().data(), width, target.is_empty,
                                    target.gradient.data());
    }
    if (needs_gradient(start)) out.tape().pass_gradient(out, start);
  });
  return out;
}

}  // namespace edgewise::autograd
