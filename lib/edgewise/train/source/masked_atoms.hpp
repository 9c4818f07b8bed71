#pragma once

#include "edgewise/nn/model.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Pretraining on molecules without targets ("data.task": "masked_atoms"): the features of some atoms are hidden, and
/// the model predicts their elements (Hu et al. 2020, "Strategies for Pre-training Graph Neural Networks", attribute
/// masking). "training.from" continues from the resulting weights.
namespace edgewise::train {

/// DataConfig::task
inline constexpr const char* kMaskedAtoms = "masked_atoms";

/// Share of the atoms that are masked.
inline constexpr double kMaskedShare = 0.15;

bool is_pretraining(const DataConfig& config);

/// Throws UsageError if the configuration names no molecules, or anything besides their graphs.
void check_pretraining(const DataConfig& config);

/// Makes atoms the items of a table of molecules, with their elements as classes: a collection of the molecular graphs.
/// Throws UsageError if there are no molecules.
void label_atoms(Dataset& data);

/// `split` with a share `kMaskedShare` of the validation and test atoms, drawn from a fixed seed; the others get no
/// role. Predicted atoms are hidden, and the rest must stay visible.
data::Split masked_split(const data::Split& split);

/// The blocks of `model`, a graph-level model, up to its readout, followed by a linear map to the outputs, so that
/// tensors keep the names they have in `model`. Throws UsageError if it has no readout.
json::Value without_readout(const json::Value& model);

}  // namespace edgewise::train
