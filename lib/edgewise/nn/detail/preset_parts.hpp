#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "edgewise/core/json.hpp"

/// @file
/// Parts of presets: members that all of them read, and stacks of blocks.
namespace edgewise::nn::detail {

using json::Array;
using json::Object;
using json::Value;

Value activation_block(const std::string& function);
Value dropout_block(double probability);
Value linear_block(Value width);
Value residual_block(Array blocks);

/// Checks the value, but keeps the digits that the user wrote.
double read_rate(const Value& config, const char* member, double fallback);

/// The "readout" that makes one row per link; all others make one per graph.
inline constexpr std::string_view kLinkReadout = "links";

/// The members that all presets have, checked.
struct Common {
  int hidden;
  int layers;
  double dropout;
  std::string norm;
  std::string activation;
  std::string readout;  ///< Empty: one row per node.
  bool has_readout() const { return !readout.empty(); }
  bool is_link_level() const { return readout == kLinkReadout; }
};

inline constexpr std::array kCommonMembers = {
    "preset",        "graph",         "hidden",       "layers",         "dropout",
    "norm",          "activation",    "readout",      "readout_hidden", "readout_dropout",
    "readout_heads", "readout_steps", "readout_norm", "input_norm",     "input_dropout",
    "descriptors",   "components",    "symmetric",    "own_encoders",   "cross",
    "link_kind",     "common",        "link_numbers"};

/// As `allow_only`, for the members of all presets and `members`.
void allow_also(const Value& config, std::span<const char* const> members);

struct Defaults {
  double dropout;
  const char* norm;
  const char* activation;
  int layers = 2;
};

Common read_common(const Value& config, const Defaults& defaults);

void push_norm(Array& blocks, const Common& common);

/// The activation after a layer. After the last layer of an encoder of links there is none, as in those of PyTorch
/// Geometric: the readout multiplies the rows of two nodes, and after a ReLU no product could be negative.
void push_activation(Array& blocks, const Common& common, bool is_last);

/// From `hidden` columns to the outputs: a linear map per node, or a readout and a small network per graph or link.
void push_outputs(Array& blocks, const Value& config, const Common& common);

/// Copies the members that exist.
void pass_on(const Value& from, Value& to, std::initializer_list<const char*> members);

/// Hidden layers, each followed by norm and activation; then the last layer alone, which gives the outputs, or one more
/// hidden layer and the readout.
template <class Hidden, class Last>
Array stack(const Value& config, const Common& common, const Hidden& hidden, const Last& last) {
  Array blocks;
  for (int i = 0; i < common.layers; ++i) {
    const bool is_last = i + 1 == common.layers;
    if (is_last && !common.has_readout()) {
      blocks.push_back(last());
      return blocks;
    }
    blocks.push_back(hidden());
    push_norm(blocks, common);
    push_activation(blocks, common, is_last);
  }
  push_outputs(blocks, config, common);
  return blocks;
}

/// The architecture of Platonov et al. 2023: a linear map of the input, residual pre-norm layers, a norm, and a linear
/// map (or a readout) to the outputs.
template <class Layer>
Array residual_stack(const Value& config, const Common& common, const Layer& push_layer) {
  Array blocks = {linear_block(common.hidden), dropout_block(common.dropout), activation_block(common.activation)};
  for (int i = 0; i < common.layers; ++i) push_layer(blocks);
  push_norm(blocks, common);
  push_outputs(blocks, config, common);
  return blocks;
}

Value feed_forward_block(const Value& config, const Common& common);
/// A residual block of norm, feed-forward block and dropout.
void push_feed_forward(Array& blocks, const Value& config, const Common& common);

/// Heads side by side in `hidden` columns.
Value attention_block(const Value& config, const Common& common, const char* type,
                      std::initializer_list<const char*> passed_on);

/// The first blocks of models that follow an order: a linear map, which learns an embedding of each token, and
/// positions if requested. Sinusoids have size 1, so rows are brought to the same size. Otherwise the embeddings of
/// rare words, some hundredths at first, would be lost among them.
Array order_inputs(const Value& config, const Common& common, const char* positions);

/// Whether "residual" is `kind`, the place of the norms: "pre_norm" or "post_norm".
bool is_residual(const Value& config, std::string_view kind);

/// The norm, these blocks, and dropout, beside their input.
Value normed_residual(const Common& common, std::initializer_list<Value> blocks);

/// "residual": "pre_norm": residual blocks of norm, attention, activation and dropout; with "expansion", each is
/// followed by a feed-forward block.
Array pre_norm_stack(const Value& config, const char* type, std::initializer_list<const char*> passed_on);

/// "residual": "post_norm" (Luo et al. 2024, "Classic GNNs are Strong Baselines"): layers with a linear map of their
/// input as the residual, each followed by norm, activation and dropout; then a linear map to the outputs.
Array post_norm_stack(const Value& config, const char* type, std::initializer_list<const char*> passed_on);

/// The architecture of the paper: heads side by side in the hidden layers, averaged in the last.
Array attention_stack(const Value& config, const char* type, std::initializer_list<const char*> passed_on);

}  // namespace edgewise::nn::detail
