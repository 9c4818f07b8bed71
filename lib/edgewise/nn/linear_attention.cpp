#include "edgewise/nn/linear_attention.hpp"

#include <fmt/format.h>

#include <array>

#include "edgewise/core/error.hpp"
#include "edgewise/nn/kept_rows.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

constexpr std::array kLinearAttentionFields = {
    field<&LinearAttentionOptions::width, Width>("width", "columns of each head"),
    field<&LinearAttentionOptions::heads, HeadCount>("heads", "how many, side by side"),
    field<&LinearAttentionOptions::kernel, Choice<linear_kernel_names>>("kernel", "what takes the place of softmax"),
    field<&LinearAttentionOptions::causal, Flag>("causal", "a row sees itself and those before it only"),
    field<&LinearAttentionOptions::dropout, Probability>("dropout", "on the input"),
    field<&LinearAttentionOptions::bias, Flag>("bias", "in the maps to queries, keys and values"),
    field<&LinearAttentionOptions::output_projection, Flag>("output_projection", "a linear map of the heads"),
};

LinearMap linear_attention_map(BuildContext& context, const char* prefix, const LinearAttentionOptions& options) {
  return {context, prefix, options.inputs, options.output_width(),
          options.bias ? LinearMap::Bias::yes : LinearMap::Bias::no};
}

}  // namespace

std::vector<std::string> linear_kernel_names() { return {"elu", "sgformer"}; }

std::span<const Field<LinearAttentionOptions>> linear_attention_fields() { return kLinearAttentionFields; }

LinearAttention::LinearAttention(const LinearAttentionOptions& options, BuildContext& context)
    : name_(context.name),
      options_(options),
      query_(linear_attention_map(context, "query.", options)),
      key_(linear_attention_map(context, "key.", options)),
      value_(linear_attention_map(context, "value.", options)) {
  if (options.output_projection)
    output_.emplace(context, "output.", options.output_width(), options.output_width(), LinearMap::Bias::yes);
}

autograd::Variable LinearAttention::step(ForwardContext& context,
                                         const std::array<autograd::Variable, kMaxMaps>& tables) {
  if (!options_.causal)
    throw UsageError(fmt::format("{}: a decoder writes forward; it cannot read what follows", name_));
  const auto [query, key, value] = tables;
  Matrix sums = context.kept->step == 0 ? Matrix(Matrix::Zero(query.rows(), query.cols() * (options_.width + 1)))
                                        : Matrix(past_rows(context, name_).value());
  const autograd::Variable y = autograd::linear_attention_step(query, key, value, options_.heads, sums);
  context.kept->tables[name_].append(sums);
  return y;
}

NodeRows LinearAttention::forward(ForwardContext& context, const NodeRows& input) {
  const auto tables = map_each(context, drop(context, input, options_.dropout), {&query_, &key_, &value_});
  const auto all = [&] {
    return autograd::linear_attention(
        mask_of(context, options_.order, name_), tables[0], tables[1], tables[2],
        {.heads = options_.heads, .kernel = options_.kernel, .is_causal = options_.causal});
  };
  const bool is_step = context.kept != nullptr && options_.order.columns == kNodes;
  const autograd::Variable y = is_step ? step(context, tables) : all();
  return {.dense = output_ ? (*output_)(context, {.dense = y}) : y};
}

void LinearAttention::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  for (LinearMap* map : {&query_, &key_, &value_}) map->collect_parameters(parameters);
  if (output_) output_->collect_parameters(parameters);
}

std::unique_ptr<Block> make_linear_attention(const json::Value& config, BuildContext& context) {
  LinearAttentionOptions options = read_fields(config, linear_attention_fields(), context.shape);
  if (options.causal && options.kernel != autograd::LinearKernel::elu)
    refuse(config, "causal", "expected false with the kernel \"sgformer\"");
  options.order = use_order(config, context);
  options.inputs = context.width;
  context.width = options.output_width();
  return std::make_unique<LinearAttention>(options, context);
}

}  // namespace edgewise::nn
