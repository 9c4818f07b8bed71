#include "edgewise/nn/attention_parts.hpp"

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/heads.hpp"
#include "edgewise/nn/edges.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

autograd::AttentionOptions attention_options(ForwardContext& context, const AttentionOptions& options,
                                             const std::string& name) {
  autograd::AttentionOptions result;
  result.heads = options.heads;
  result.normaliser = options.normaliser;
  result.dropout = context.is_training ? options.attention_dropout : 0;
  result.dropout_key = next_mask_key(context);
  result.weights = record_attention(context, name, options.mask.name);
  return result;
}

BlockTraits attention_traits(const AttentionOptions& options) {
  return {.reach = options.mask.reach,
          .uses_attention = true,
          .uses_edge_features = options.edge_columns() > 0 && options.mask.is_along_edges()};
}

AttentionRows drop_rows(ForwardContext& context, const AttentionOptions& options, const NodeRows& input,
                        Eigen::Index rows, const std::string& layer) {
  const NodeRows queries = drop(context, input, options.dropout);
  if (!options.attends_to_others()) return {leading(context, queries, rows), queries};
  return {queries, drop(context, key_rows(context, options.mask, input, layer), options.dropout)};
}

Shortcut::Shortcut(BuildContext& context, Residual residual, int inputs, int outputs, LinearMap::Bias bias)
    : layer_(context.name), residual_(residual) {
  if (residual == Residual::automatic && inputs != outputs) residual_ = Residual::projection;
  if (residual_ == Residual::projection) map_.emplace(context, "residual.", inputs, outputs, bias);
}

autograd::Variable Shortcut::operator()(ForwardContext& context, const NodeRows& input) {
  return map_ ? (*map_)(context, input) : dense(input, layer_);
}

void Shortcut::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  if (map_) map_->collect_parameters(parameters);
}

AttentionTail::AttentionTail(BuildContext& context, const TailOptions& options)
    : options_(options), shortcut_(context, options.residual, options.inputs, options.width, LinearMap::Bias::no) {
  if (options.bias) bias_ = constant(context, "bias", 1, options.width, 0);
}

autograd::Variable AttentionTail::operator()(ForwardContext& context, autograd::Variable summed,
                                             const NodeRows& input) {
  autograd::Variable y = options_.heads > 1 ? autograd::mean_over_heads(summed, options_.heads) : summed;
  const autograd::Variable bias = bias_ ? context.tape.parameter(*bias_) : autograd::Variable();
  if (!shortcut_.is_set()) return activate(y, bias, options_.activation);
  if (bias_) y = autograd::add_row(y, bias);
  const NodeRows around = leading(context, input, y.rows());
  return activate(autograd::add(y, shortcut_(context, around)), options_.activation);
}

void AttentionTail::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  if (bias_) parameters.push_back(&*bias_);
  shortcut_.collect_parameters(parameters);
}

TailOptions tail_options(const AttentionOptions& options) {
  return {.inputs = options.inputs,
          .width = options.output_width(),
          .heads = options.merge == Merge::mean ? options.heads : 1,
          .bias = options.bias,
          .residual = options.residual,
          .activation = options.activation};
}

}  // namespace edgewise::nn
