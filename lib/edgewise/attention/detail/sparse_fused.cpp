#include "edgewise/attention/detail/sparse_fused.hpp"

#include "edgewise/attention/additive.hpp"
#include "edgewise/attention/detail/variant_inputs.hpp"
#include "edgewise/attention/dot_product.hpp"
#include "edgewise/attention/gatv2.hpp"

namespace edgewise::attention::detail {
namespace {

AdditiveInputs additive_inputs(const AttentionInputs& inputs) {
  return {.heads = inputs.heads,
          .width = inputs.width,
          .source_score = inputs.key.data(),
          .destination_score = inputs.query.data(),
          .value = inputs.value.data(),
          .negative_slope = inputs.negative_slope,
          .storage = inputs.storage};
}

Gatv2Inputs gatv2_inputs(const AttentionInputs& inputs) {
  return {.heads = inputs.heads,
          .width = inputs.width,
          .key = inputs.key.data(),
          .query = inputs.query.data(),
          .value = inputs.key.data(),
          .attention_vector = inputs.attention_vector.data(),
          .negative_slope = inputs.negative_slope,
          .storage = inputs.storage};
}

DotProductInputs dot_product_inputs(const AttentionInputs& inputs) {
  return {.heads = inputs.heads,
          .width = inputs.width,
          .query = inputs.query.data(),
          .key = inputs.key.data(),
          .value = inputs.value.data(),
          .storage = inputs.storage};
}

}  // namespace

SparseFused::SparseFused(const graph::FrozenGraph& mask, const AttentionInputs& inputs, Purpose purpose)
    : mask_(mask), inputs_(inputs) {
  const auto destinations = static_cast<Eigen::Index>(mask.destination_count());
  log_sum_exp_.resize(destinations, inputs.heads);
  if (purpose == Purpose::inference) return;
  dot_.resize(destinations, inputs.heads);
  if (inputs.score == Score::additive) {
    positive_output_.resize(destinations, columns_of(inputs));
    positive_weight_.resize(destinations, inputs.heads);
  }
  if (inputs.score == Score::gatv2)
    partials_.resize(static_cast<Eigen::Index>(mask.incoming_chunks.size()) - 1, columns_of(inputs));
}

void SparseFused::forward(Matrix& output) {
  float* log_sum_exp = log_sum_exp_.data();
  switch (inputs_.score) {
    case Score::additive: {
      PositivePart positive;
      if (positive_weight_.size() > 0) positive = {positive_output_.data(), positive_weight_.data()};
      return additive_forward(mask_, additive_inputs(inputs_), {}, output.data(), log_sum_exp, positive, nullptr);
    }
    case Score::gatv2:
      return gatv2_forward(mask_, gatv2_inputs(inputs_), {}, output.data(), log_sum_exp, {}, nullptr);
    case Score::dot_product:
      return dot_product_forward(mask_, dot_product_inputs(inputs_), {}, output.data(), log_sum_exp, {}, nullptr);
  }
}

void SparseFused::backward(const Matrix& output, const Matrix& output_gradient, AttentionGradients& gradients) {
  const RowStatistics statistics{log_sum_exp_.data(), dot_.data()};
  switch (inputs_.score) {
    case Score::additive:
      return additive_backward(mask_, additive_inputs(inputs_), {}, output.data(), output_gradient.data(), statistics,
                               {positive_output_.data(), positive_weight_.data()}, nullptr,
                               {.source_score = gradients.key.data(),
                                .destination_score = gradients.query.data(),
                                .value = gradients.value.data()});
    case Score::gatv2:
      return gatv2_backward(mask_, gatv2_inputs(inputs_), {}, output.data(), output_gradient.data(), statistics, {},
                            partials_.data(),
                            {.key = gradients.key.data(),
                             .query = gradients.query.data(),
                             .value = gradients.key.data(),
                             .attention_vector = gradients.attention_vector.data()});
    case Score::dot_product:
      return dot_product_backward(
          mask_, dot_product_inputs(inputs_), {}, output.data(), output_gradient.data(), statistics, {}, nullptr,
          {.query = gradients.query.data(), .key = gradients.key.data(), .value = gradients.value.data()});
  }
}

}  // namespace edgewise::attention::detail
