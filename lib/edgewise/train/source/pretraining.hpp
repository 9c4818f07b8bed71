#pragma once

#include "edgewise/nn/model.hpp"
#include "edgewise/train/config/model_config.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Pretraining without labels: the features of some nodes are hidden, and the model predicts what they are.
/// "training.from" continues from the resulting weights. "data.task" is
/// - "masked_atoms": the elements of atoms of molecules (Hu et al. 2020, "Strategies for Pre-training Graph Neural
///   Networks", attribute masking);
/// - "masked_tokens": the tokens of texts, or of other collections that have some (Devlin et al. 2019, "BERT", without
///   its tokens in other places).
namespace edgewise::train {

/// Share of the nodes that are masked.
inline constexpr double kMaskedShare = 0.15;

/// The most tokens that are told apart: the most frequent ones. The others are visible, but never predicted.
inline constexpr std::size_t kMaxMaskedTokens = 1000;

/// Throws UsageError if the configuration names data of another kind, or more than their graphs.
void check_pretraining(const DataConfig& config);

/// Makes nodes the items, with what is hidden of them as classes: in a table of molecules the atoms, with their
/// elements, in a collection the nodes, with the first of their columns of tokens. Features are those of the atoms, or
/// all columns of tokens, followed by encodings. Throws UsageError if there are no molecules or no tokens.
void label_masked(Dataset& data);

/// `split` with a share `kMaskedShare` of the validation and test nodes, drawn from a fixed seed; the others get no
/// role. Predicted nodes are hidden, and the rest must stay visible.
data::Split masked_split(const data::Split& split);

/// The blocks of `model`, a graph-level model, up to its readout, followed by a linear map to the outputs, so that
/// tensors keep the names they have in `model`. Throws UsageError if it has no readout.
json::Value without_readout(const ModelConfig& model);

}  // namespace edgewise::train
