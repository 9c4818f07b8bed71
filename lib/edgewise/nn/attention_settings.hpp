#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/attention/options.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/linear.hpp"

namespace edgewise::nn {

enum class Merge { concat, mean };
/// automatic: the input itself when the widths agree, else a projection of it.
enum class Residual { none, automatic, projection };

/// The options that all attention blocks have.
struct AttentionSettings {
  int heads = 1;
  int width = 0;  ///< Of each head.
  Merge merge = Merge::concat;
  float dropout = 0;            ///< On the input.
  float attention_dropout = 0;  ///< On the attention weights.
  Residual residual = Residual::none;
  Activation activation = Activation::none;
  MaskShape mask = {.name = "edges"};
  int edge_features = 0;  ///< Columns used, of the edge features of the mask.
  attention::Normaliser normaliser = attention::Normaliser::softmax;
  attention::Precision precision = attention::Precision::float32;

  int projected_width() const { return heads * width; }
  bool attends_to_others() const { return mask.columns != mask.rows; }
  int output_width() const { return merge == Merge::concat ? heads * width : width; }
};

/// For a block that attends over the mask which `config` names, or along the edges. UsageError when it gets other rows.
AttentionSettings read_attention_settings(const json::Value& config, BuildContext& context);

/// "normaliser" is "softmax" (the default), "relu" or "none".
attention::Normaliser read_normaliser(const json::Value& config);

/// What a block with these settings, called `name`, tells its attention in a forward pass. Takes the next dropout mask.
autograd::AttentionOptions attention_options(ForwardContext& context, const AttentionSettings& settings,
                                             const std::string& name);

/// What an attention block reads, after the dropout of its input.
struct AttentionRows {
  NodeRows queries;
  NodeRows keys;  ///< The same rows as the queries unless the mask goes between two node sets.
};
AttentionRows drop_rows(ForwardContext& context, const AttentionSettings& settings, const NodeRows& input,
                        const std::string& block);

/// "residual" is false, true (automatic) or "projection".
Residual read_residual(const json::Value& config);

/// The way past a block: nothing, the input, or a linear map of it.
class Shortcut {
 public:
  Shortcut(BuildContext& context, Residual residual, int outputs, LinearMap::Bias bias);
  bool is_set() const { return residual_ != Residual::none; }
  /// Only when `is_set()`.
  autograd::Variable operator()(ForwardContext& context, const NodeRows& input);
  void collect_parameters(std::vector<autograd::Parameter*>& parameters);

 private:
  std::string block_;
  Residual residual_;
  std::optional<LinearMap> map_;
};

/// What GAT, GATv2 and GCN do with what was summed along the edges: merge the heads, add the bias, add the way past,
/// apply the activation.
class AttentionTail {
 public:
  AttentionTail(BuildContext& context, const AttentionSettings& settings, bool has_bias);
  autograd::Variable operator()(ForwardContext& context, autograd::Variable summed, const NodeRows& input);
  /// Whether it looks at `input` at all.
  bool has_shortcut() const { return shortcut_.is_set(); }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters);

 private:
  AttentionSettings settings_;
  std::optional<autograd::Parameter> bias_;
  Shortcut shortcut_;
};

}  // namespace edgewise::nn
