#include "edgewise/autograd/attention.hpp"

#include <optional>

#include "edgewise/attention/aggregate.hpp"
#include "edgewise/attention/fused/kernels.hpp"
#include "edgewise/attention/shapes.hpp"
#include "edgewise/autograd/detail/optional_variable.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::autograd {
namespace {

using attention::Kernels;
using attention::TableGradients;
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
  attention::check_shapes(mask,
                          {.query = shape_of(in.query),
                           .key = shape_of(in.key),
                           .value = shape_of(in.value),
                           .attention_vector = shape_if_set(in.attention_vector),
                           .edge_weight = shape_if_set(in.edge_weight),
                           .value_edge_weight = shape_if_set(in.value_edge_weight),
                           .edge_bias = shape_if_set(in.edge_bias)},
                          options.heads, options.score);
  attention::check_slope(options.of_score.negative_slope);
  check_probability("attend", options.dropout);
}

bool needs_gradient(const AttentionInputs& in) {
  return needs_gradient(in.query) || needs_gradient(in.key) || needs_gradient(in.value) ||
         needs_gradient(in.attention_vector) || needs_gradient(in.edge_weight) ||
         needs_gradient(in.value_edge_weight) || needs_gradient(in.edge_bias);
}

Tables tables_of(const AttentionInputs& in, const AttentionOptions& options) {
  return {.heads = options.heads,
          .width = static_cast<int>(in.value.cols()) / options.heads,
          .query = values_or_null(in.query),
          .key = values_or_null(in.key),
          .value = values_or_null(in.value),
          .attention_vector = values_or_null(in.attention_vector),
          .edge_weight = values_or_null(in.edge_weight),
          .value_edge_weight = values_or_null(in.value_edge_weight),
          .edge_bias = values_or_null(in.edge_bias),
          .score = options.of_score,
          .dropout = {options.dropout, options.dropout_key}};
}

TableGradients gradients_of(const AttentionInputs& in) {
  return {.query = gradient_or_null(in.query),
          .key = gradient_or_null(in.key),
          .value = gradient_or_null(in.value),
          .attention_vector = gradient_or_null(in.attention_vector),
          .edge_weight = gradient_or_null(in.edge_weight),
          .value_edge_weight = gradient_or_null(in.value_edge_weight),
          .edge_bias = gradient_or_null(in.edge_bias)};
}

}  // namespace

Variable attend(const FrozenGraph& mask, const AttentionInputs& inputs, const AttentionOptions& options) {
  check(mask, inputs, options);
  Tape& tape = inputs.value.tape();
  const Kernels& kernels = attention::kernels(options.score, options.normaliser, options.precision);
  const Tables tables = tables_of(inputs, options);
  const auto rows = static_cast<Eigen::Index>(mask.destination_count());
  Variable out = tape.make(rows, inputs.value.cols(), needs_gradient(inputs));
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
    kernels.backward(mask, tables, out.value().data(), out.gradient().data(), row_statistics, gradients_of(inputs),
                     out.tape().workspace());
  });
  return out;
}

Variable aggregate(const FrozenGraph& mask, const float* slot_weights, Variable value, Variable start) {
  const Shape expected{static_cast<Eigen::Index>(mask.destination_count()), value.cols()};
  check_shape("aggregate", "value", shape_of(value), {static_cast<Eigen::Index>(mask.source_count()), value.cols()});
  if (start.is_set()) check_shape("aggregate", "start", shape_of(start), expected);
  Tape& tape = value.tape();
  const bool needs_any = value.needs_gradient() || needs_gradient(start);
  Variable out = tape.make(expected.rows, expected.columns, needs_any);
  attention::aggregate_forward(mask, slot_weights, value.value().data(), values_or_null(start),
                               static_cast<int>(value.cols()), out.value().data());
  tape.on_backward(out, [&mask, slot_weights, value, start, out] {
    if (value.needs_gradient()) {
      GradientTarget target = value.gradient_target();
      attention::aggregate_backward(mask, slot_weights, out.gradient().data(), static_cast<int>(value.cols()),
                                    target.is_empty, target.gradient.data());
    }
    if (needs_gradient(start)) out.tape().pass_gradient(out, start);
  });
  return out;
}

}  // namespace edgewise::autograd
