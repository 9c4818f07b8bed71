#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/attention_options.hpp"
#include "edgewise/nn/linear.hpp"

/// @file
/// Parts that attention layers share.
namespace edgewise::nn {

/// The options that the layer `name` passes to attention in a forward pass. Uses the next dropout mask.
autograd::AttentionOptions attention_options(ForwardContext& context, const AttentionOptions& options,
                                             const std::string& name);

/// The traits of attention along the mask.
BlockTraits attention_traits(const AttentionOptions& options);

/// The options that a readout by attention shares with attention over any other mask.
template <class ReadoutOptions>
AttentionOptions readout_attention(const ReadoutOptions& options) {
  AttentionOptions shared;
  shared.heads = options.heads;
  shared.mask = {.name = "readout"};
  shared.normaliser = options.normaliser;
  shared.attention_dropout = options.attention_dropout;
  return shared;
}

/// The rows that an attention layer reads, after dropout on its input.
struct AttentionRows {
  NodeRows queries;
  NodeRows keys;  ///< The same rows as the queries unless the mask connects two node sets.

  /// Of the same node set: the queries are the keys, or the first of them.
  bool are_equal() const { return queries.count() == keys.count(); }
};
/// `rows`: of the queries, for the destinations of the mask.
AttentionRows drop_rows(ForwardContext& context, const AttentionOptions& options, const NodeRows& input,
                        Eigen::Index rows, const std::string& layer);

/// The residual connection of a layer: nothing, the input, or a linear map of it.
class Shortcut {
 public:
  Shortcut(BuildContext& context, Residual residual, int inputs, int outputs, LinearMap::Bias bias);
  bool is_set() const { return residual_ != Residual::none; }
  /// Only if `is_set()`.
  autograd::Variable operator()(ForwardContext& context, const NodeRows& input);
  void collect_parameters(std::vector<autograd::Parameter*>& parameters);

 private:
  std::string layer_;
  Residual residual_;
  std::optional<LinearMap> map_;
};

/// How AttentionTail ends a layer.
struct TailOptions {
  int inputs = 0;
  int width = 0;  ///< Of the output.
  int heads = 1;  ///< Heads to average; 1: nothing to average.
  bool bias = true;
  Residual residual = Residual::none;
  Activation activation = Activation::none;
};

/// What GAT, GATv2 and GCN do after the sum along the edges: merge the heads, add bias and residual, apply the
/// activation.
class AttentionTail {
 public:
  AttentionTail(BuildContext& context, const TailOptions& options);
  autograd::Variable operator()(ForwardContext& context, autograd::Variable summed, const NodeRows& input);
  /// Whether it uses `input` at all.
  bool has_shortcut() const { return shortcut_.is_set(); }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters);

 private:
  TailOptions options_;
  std::optional<autograd::Parameter> bias_;
  Shortcut shortcut_;
};

TailOptions tail_options(const AttentionOptions& options);

}  // namespace edgewise::nn
