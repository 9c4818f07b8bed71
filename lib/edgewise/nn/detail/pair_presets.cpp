#include "edgewise/nn/detail/pair_presets.hpp"

#include <utility>

#include "edgewise/core/json_fields.hpp"
#include "edgewise/nn/config.hpp"

namespace edgewise::nn::detail {
namespace {

constexpr const char* kSource = "source";

/// Encoder, decoder, and a map to the next token; `decoder` starts with the embeddings of the target.
Array pair_frame(const Value& config, Array encoder, Array decoder) {
  if (config.find("readout") != nullptr)
    refuse(config, "readout", "expected none: each token of a target is an output");
  Array blocks = {Object{{"type", "node_set"}, {"set", kSource}, {"blocks", std::move(encoder)}}};
  for (Value& block : decoder) blocks.push_back(std::move(block));
  blocks.emplace_back(Object{{"type", "linear"}, {"width", "outputs"}, {"tied", config.get("tied", false)}});
  return blocks;
}

constexpr Defaults kRecurrentDefaults = {.dropout = 0.2, .norm = "none", .activation = "tanh"};

/// Rows of size 1, whether they are those of tokens or made from numbers: drawn for thousands of tokens, they would be
/// near zero, and take epochs to grow.
Array recurrent_inputs(const Common& common) {
  return {linear_block(common.hidden), Object{{"type", "layer_norm"}}, dropout_block(common.dropout)};
}

void push_lstm(Array& blocks, const Common& common, int width, const char* directions, const char* start = "") {
  blocks.emplace_back(Object{{"type", "lstm"}, {"width", width}, {"directions", directions}, {"start", start}});
  push_norm(blocks, common);
  blocks.push_back(dropout_block(common.dropout));
}

}  // namespace

Array transformer_pair(const Value& config) {
  const Common common = read_common(config, {.dropout = 0.1, .norm = "layer", .activation = "relu"});
  const auto push_attention = [&](Array& blocks, const char* mask) {
    Value layer = attention_block(config, common, "dot_product", {});
    layer.set("output_projection", true);
    layer.set("mask", mask);
    Array branch;
    push_norm(branch, common);
    branch.push_back(std::move(layer));
    branch.push_back(dropout_block(common.dropout));
    blocks.push_back(residual_block(std::move(branch)));
  };
  Array encoder = order_inputs(config, common, "sinusoidal"), decoder = order_inputs(config, common, "sinusoidal");
  for (int i = 0; i < common.layers; ++i) {
    push_attention(encoder, "source_complete");
    push_feed_forward(encoder, config, common);
    push_attention(decoder, "causal");
    push_attention(decoder, kSource);
    push_feed_forward(decoder, config, common);
  }
  push_norm(encoder, common);
  push_norm(decoder, common);
  return pair_frame(config, std::move(encoder), std::move(decoder));
}

Array lstm_attention_pair(const Value& config) {
  const Common common = read_common(config, kRecurrentDefaults);
  if (common.hidden % 2 != 0) refuse(config, "hidden", "expected an even number: half for each direction");
  Array encoder = recurrent_inputs(common), decoder = encoder;
  for (int i = 0; i < common.layers; ++i) push_lstm(encoder, common, common.hidden / 2, "both");
  const Value attention = Object{{"type", "bahdanau"}, {"width", common.hidden}, {"mask", kSource}};
  for (int i = 0; i < common.layers; ++i) {
    push_lstm(decoder, common, common.hidden, "forward", "source_first");
    if (i == 0) decoder.emplace_back(Object{{"type", "concat_self"}, {"block", attention}});
  }
  decoder.push_back(linear_block(common.hidden));
  decoder.push_back(activation_block(common.activation));
  decoder.push_back(dropout_block(common.dropout));
  return pair_frame(config, std::move(encoder), std::move(decoder));
}

Array lstm_pair(const Value& config) {
  const Common common = read_common(config, kRecurrentDefaults);
  Array encoder = recurrent_inputs(common), decoder = encoder;
  for (int i = 0; i < common.layers; ++i) {
    push_lstm(encoder, common, common.hidden, "backward");
    push_lstm(decoder, common, common.hidden, "forward", "source_first");
  }
  return pair_frame(config, std::move(encoder), std::move(decoder));
}

}  // namespace edgewise::nn::detail
