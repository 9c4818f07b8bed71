#pragma once

#include "edgewise/nn/detail/preset_parts.hpp"

/// @file
/// Presets for pairs: an encoder of the source (the node set "source") and a decoder, whose nodes are the tokens of the
/// target. Each node predicts the token after its own, from those up to its own and from the source. Their masks,
/// besides those by rule, are listed in train/loop/pair_batches.hpp.
namespace edgewise::nn::detail {

/// The Transformer (Vaswani et al. 2017), with its norms before the layers.
Array transformer_pair(const Value& config);

/// Recurrent networks with additive attention (Bahdanau et al. 2015): after the first layer of the decoder, whose state
/// is the query, as in Wu et al. 2016. Then all steps of a known target run at once.
Array lstm_attention_pair(const Value& config);

/// Recurrent networks that meet in one state only (Sutskever et al. 2014); the source is read from its end.
Array lstm_pair(const Value& config);

}  // namespace edgewise::nn::detail
