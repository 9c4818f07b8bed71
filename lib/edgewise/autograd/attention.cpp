#include "edgewise/autograd/attention.hpp"

#include <cassert>
#include <initializer_list>

#include "edgewise/attention/additive.hpp"
#include "edgewise/attention/aggregate.hpp"
#include "edgewise/attention/dot_product.hpp"
#include "edgewise/attention/gatv2.hpp"

namespace edgewise::autograd {
namespace {

using attention::RowStatistics;
using attention::WeightDropout;
using graph::FrozenGraph;

bool any_needs_gradient(std::initializer_list<Variable> variables) {
  for (const Variable& variable : variables)
    if (variable.is_set() && variable.needs_gradient()) return true;
  return false;
}

const float* values_or_null(Variable variable) { return variable.is_set() ? variable.value().data() : nullptr; }

float* gradient_or_null(Variable variable) {
  return variable.is_set() && variable.needs_gradient() ? variable.gradient().data() : nullptr;
}

Eigen::Index size_or_zero(Variable variable) { return variable.is_set() ? variable.rows() * variable.cols() : 0; }

/// Room for `columns` numbers a destination and head.
float* row_room(Tape& tape, const FrozenGraph& mask, int columns) {
  return tape.scratch(static_cast<Eigen::Index>(mask.destination_count()), columns).data();
}

RowStatistics make_statistics(Tape& tape, const FrozenGraph& mask, int heads) {
  return {row_room(tape, mask, heads), tape.is_recording() ? row_room(tape, mask, heads) : nullptr};
}

/// Room for one partial sum of `columns` a chunk, for the backward pass.
float* make_partials(Tape& tape, const std::vector<graph::Node>& chunks, Eigen::Index columns) {
  if (!tape.is_recording()) return nullptr;
  return tape.scratch(static_cast<Eigen::Index>(chunks.size()) - 1, columns).data();
}

float* make_weights(const FrozenGraph& mask, const AttentionOptions& options) {
  if (options.weights == nullptr) return nullptr;
  options.weights->resize(static_cast<Eigen::Index>(mask.slot_count()), options.heads);
  return options.weights->data();
}

void check([[maybe_unused]] const FrozenGraph& mask, [[maybe_unused]] Variable value,
           [[maybe_unused]] const AttentionOptions& options) {
  assert(value.cols() % options.heads == 0 && options.heads <= attention::kMaximalHeads);
  assert(static_cast<std::size_t>(value.rows()) == mask.source_count());
}

}  // namespace

Variable attend_additive(const FrozenGraph& mask, Variable source_score, Variable destination_score, Variable value,
                         Variable edge_weight, const AttentionOptions& options) {
  check(mask, value, options);
  Tape& tape = value.tape();
  Variable out = tape.make(destination_score.rows(), value.cols(),
                           any_needs_gradient({source_score, destination_score, value, edge_weight}));
  const attention::AdditiveInputs inputs{.heads = options.heads,
                                         .width = static_cast<int>(value.cols()) / options.heads,
                                         .source_score = source_score.value().data(),
                                         .destination_score = destination_score.value().data(),
                                         .value = value.value().data(),
                                         .edge_weight = values_or_null(edge_weight),
                                         .negative_slope = options.negative_slope,
                                         .storage = options.storage};
  const WeightDropout dropout{options.dropout, options.dropout_key};
  const RowStatistics statistics = make_statistics(tape, mask, options.heads);
  float* partials =
      make_partials(tape, mask.outgoing_chunks, size_or_zero(edge_weight));
  attention::PositivePart positive;
  if (tape.is_recording())
    positive = {row_room(tape, mask, static_cast<int>(value.cols())), row_room(tape, mask, options.heads)};
  attention::additive_forward(mask, inputs, dropout, out.value().data(), statistics.log_sum_exp, positive,
                              make_weights(mask, options));
  tape.on_backward(out, [&mask, inputs, dropout, statistics, positive, partials, source_score,
                         destination_score, value, edge_weight, out] {
    const attention::AdditiveGradients gradients{gradient_or_null(source_score), gradient_or_null(destination_score),
                                                 gradient_or_null(value), gradient_or_null(edge_weight)};
    attention::additive_backward(mask, inputs, dropout, out.value().data(), out.gradient().data(), statistics,
                                 positive, partials, gradients);
  });
  return out;
}

Variable attend_gatv2(const FrozenGraph& mask, Variable key, Variable query, Variable value,
                      Variable attention_vector, Variable edge_weight, Variable value_edge_weight,
                      const AttentionOptions& options) {
  check(mask, value, options);
  Tape& tape = key.tape();
  Variable out = tape.make(query.rows(), value.cols(),
                           any_needs_gradient({key, query, value, attention_vector, edge_weight, value_edge_weight}));
  const attention::Gatv2Inputs inputs{.heads = options.heads,
                                      .width = static_cast<int>(value.cols()) / options.heads,
                                      .key = key.value().data(),
                                      .query = query.value().data(),
                                      .value = value.value().data(),
                                      .attention_vector = attention_vector.value().data(),
                                      .edge_weight = values_or_null(edge_weight),
                                      .value_edge_weight = values_or_null(value_edge_weight),
                                      .negative_slope = options.negative_slope,
                                      .storage = options.storage};
  const WeightDropout dropout{options.dropout, options.dropout_key};
  const RowStatistics statistics = make_statistics(tape, mask, options.heads);
  float* partials = make_partials(tape, mask.incoming_chunks,
                                  key.cols() + size_or_zero(edge_weight) + size_or_zero(value_edge_weight));
  attention::Gatv2EdgeSums edge_sums;
  if (value_edge_weight.is_set()) {
    const int columns = options.heads * static_cast<int>(value_edge_weight.rows());
    edge_sums = {row_room(tape, mask, columns), row_room(tape, mask, columns)};
  }
  attention::gatv2_forward(mask, inputs, dropout, out.value().data(), statistics.log_sum_exp, edge_sums,
                           make_weights(mask, options));
  tape.on_backward(out, [&mask, inputs, dropout, statistics, edge_sums, partials, key, query, value,
                         attention_vector, edge_weight, value_edge_weight, out] {
    const attention::Gatv2Gradients gradients{gradient_or_null(key),         gradient_or_null(query),
                                              gradient_or_null(value),       gradient_or_null(attention_vector),
                                              gradient_or_null(edge_weight), gradient_or_null(value_edge_weight)};
    attention::gatv2_backward(mask, inputs, dropout, out.value().data(), out.gradient().data(), statistics, edge_sums,
                              partials, gradients);
  });
  return out;
}

Variable attend_dot_product(const FrozenGraph& mask, Variable query, Variable key, Variable value,
                            Variable edge_weight, Variable edge_bias, const AttentionOptions& options) {
  check(mask, value, options);
  Tape& tape = key.tape();
  Variable out =
      tape.make(query.rows(), value.cols(), any_needs_gradient({query, key, value, edge_weight, edge_bias}));
  const attention::DotProductInputs inputs{.heads = options.heads,
                                           .width = static_cast<int>(value.cols()) / options.heads,
                                           .query = query.value().data(),
                                           .key = key.value().data(),
                                           .value = value.value().data(),
                                           .edge_weight = values_or_null(edge_weight),
                                           .edge_bias = values_or_null(edge_bias),
                                           .storage = options.storage};
  const WeightDropout dropout{options.dropout, options.dropout_key};
  const RowStatistics statistics = make_statistics(tape, mask, options.heads);
  attention::DotProductEdgeSums edge_sums;
  if (edge_weight.is_set()) {
    const int columns = options.heads * static_cast<int>(edge_weight.rows());
    edge_sums = {row_room(tape, mask, columns), row_room(tape, mask, columns), row_room(tape, mask, columns)};
  }
  float* partials = make_partials(tape, mask.incoming_chunks, size_or_zero(edge_weight) + size_or_zero(edge_bias));
  attention::dot_product_forward(mask, inputs, dropout, out.value().data(), statistics.log_sum_exp, edge_sums,
                                 make_weights(mask, options));
  tape.on_backward(out, [&mask, inputs, dropout, statistics, edge_sums, partials, query, key, value, edge_weight,
                         edge_bias, out] {
    const attention::DotProductGradients gradients{gradient_or_null(query), gradient_or_null(key),
                                                   gradient_or_null(value), gradient_or_null(edge_weight),
                                                   gradient_or_null(edge_bias)};
    attention::dot_product_backward(mask, inputs, dropout, out.value().data(), out.gradient().data(), statistics,
                                    edge_sums, partials, gradients);
  });
  return out;
}

Variable aggregate(const FrozenGraph& mask, const float* slot_weights, Variable value) {
  Tape& tape = value.tape();
  Variable out =
      tape.make(static_cast<Eigen::Index>(mask.destination_count()), value.cols(), value.needs_gradient());
  attention::aggregate_forward(mask, slot_weights, value.value().data(), static_cast<int>(value.cols()),
                               out.value().data());
  tape.on_backward(out, [&mask, slot_weights, value, out] {
    attention::aggregate_backward(mask, slot_weights, out.gradient().data(), static_cast<int>(value.cols()),
                                  value.gradient().data());
  });
  return out;
}

}  // namespace edgewise::autograd
