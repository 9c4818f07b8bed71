#pragma once

#include "edgewise/nn/model.hpp"
#include "edgewise/train/jobs/job_data.hpp"

/// @file
/// Pretraining of models for molecules without any target ("data.task": "masked_atoms"): the features of some atoms are
/// hidden, and the model tells their elements (Hu et al. 2020, "Strategies for Pre-training Graph Neural Networks",
/// attribute masking). What it learns of molecules is gone on from with "training.from".
namespace edgewise::train {

/// DataConfig::task
inline constexpr const char* kMaskedAtoms = "masked_atoms";

/// Of the atoms.
inline constexpr double kMaskedShare = 0.15;

bool is_pretraining(const DataConfig& config);

/// Throws UsageError where the configuration names no molecules, or something besides their graphs.
void check_pretraining(const DataConfig& config);

/// Makes atoms, with their elements as classes, the items of a table of molecules: the collection of their graphs.
/// Throws UsageError where there are no molecules.
void label_atoms(JobData& data);

/// `split` with `kMaskedShare` of the validating and testing atoms, drawn from a seed of their own; the others have no
/// part in it: what is asked for is hidden, and the rest must be seen.
data::Split masked_split(const data::Split& split);

/// The blocks of `model`, a model of graphs, up to its readout, and behind them a linear map to the outputs: so that
/// their tensors have the names that they have in `model`. Throws UsageError where it has no readout.
json::Value without_readout(const json::Value& model);

}  // namespace edgewise::train
