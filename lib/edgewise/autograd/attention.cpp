#include "edgewise/autograd/attention.hpp"

#include <fmt/format.h>

#include "edgewise/attention/aggregate.hpp"
#include "edgewise/attention/fused/kernels.hpp"
#include "edgewise/attention/score_entry.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::autograd {
namespace {

using attention::Kernels;
using attention::TableGradients;
using attention::Tables;
using graph::FrozenGraph;

void check_shape(const char* name, Variable variable, std::size_t rows, Eigen::Index columns) {
  if (!variable.is_set()) return;
  if (static_cast<std::size_t>(variable.rows()) == rows && variable.cols() == columns) return;
  throw UsageError(fmt::format("attend: {} has shape [{}, {}], expected [{}, {}]", name, variable.rows(),
                               variable.cols(), rows, columns));
}

void check(const FrozenGraph& mask, const AttentionInputs& in, const AttentionOptions& options) {
  const Eigen::Index columns = in.value.cols();
  if (options.heads < 1 || options.heads > attention::kMaxHeads || columns % options.heads != 0)
    throw UsageError(fmt::format("attend: {} heads do not divide {} columns (1 to {} heads)", options.heads, columns,
                                 attention::kMaxHeads));
  const int width = static_cast<int>(columns) / options.heads;
  const Eigen::Index score_columns = attention::score_entry(options.score).columns(options.heads, width);
  const auto features = static_cast<std::size_t>(mask.edge_features.cols());
  check_shape("query", in.query, mask.destination_count(), score_columns);
  check_shape("key", in.key, mask.source_count(), score_columns);
  check_shape("value", in.value, mask.source_count(), columns);
  check_shape("attention_vector", in.attention_vector, 1, columns);
  check_shape("edge_weight", in.edge_weight, features, columns);
  check_shape("value_edge_weight", in.value_edge_weight, features, columns);
  check_shape("edge_bias", in.edge_bias, features, options.heads);
}

bool needs_gradient(Variable variable) { return variable.is_set() && variable.needs_gradient(); }
const float* values_or_null(Variable variable) { return variable.is_set() ? variable.value().data() : nullptr; }
float* gradient_or_null(Variable variable) { return needs_gradient(variable) ? variable.gradient().data() : nullptr; }

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

Variable aggregate(const FrozenGraph& mask, const float* slot_weights, Variable value) {
  Tape& tape = value.tape();
  Variable out = tape.make(static_cast<Eigen::Index>(mask.destination_count()), value.cols(), value.needs_gradient());
  attention::aggregate_forward(mask, slot_weights, value.value().data(), static_cast<int>(value.cols()),
                               out.value().data());
  tape.on_backward(out, [&mask, slot_weights, value, out] {
    attention::aggregate_backward(mask, slot_weights, out.gradient().data(), static_cast<int>(value.cols()),
                                  value.gradient().data());
  });
  return out;
}

}  // namespace edgewise::autograd
