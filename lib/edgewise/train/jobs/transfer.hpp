#pragma once

#include <span>
#include <string>

#include "edgewise/train/jobs/trained_model.hpp"

/// @file
/// Going on from the weights of a trained model ("training.from"): transfer learning.
namespace edgewise::train {

/// The model of a file that can be gone on from: of an average the first that is no baseline, alone. Throws ModelError
/// where there is none (the weights of baselines are not trained in steps), and as `load_trained_model`.
TrainedModel load_source(const std::string& path);

/// The layers of the model in a file, as a configuration has them: what is trained from it where no model is named.
/// Throws as `load_source`.
json::Value model_of_file(const std::string& path);

/// What of "data" decides the features of the file's model, for where nothing else is said: atom features, hydrogens,
/// encodings, and how texts are split.
json::Value reading_of_file(const std::string& path);

/// The features of `data` as the model knows them, where they were fitted (columns of a table, a vocabulary, names of
/// nodes); else, or where the two are of different kinds, `own`. Throws UsageError when they are made of a column that
/// is now no feature: `excluded` are a label, a split or ignored.
FeatureMap features_from(const TrainedModel& source, FeatureMap own, std::span<const std::string> excluded);

/// Likewise of descriptors: those of the model where `own` has the same names. Throws UsageError for as many others.
DescriptorMap descriptors_from(const TrainedModel& source, DescriptorMap own);

/// Copies into `model`, one for `labels`, the tensors of the `member`-th model of `source` (of as many as it
/// has, in turn) whose name and shape are the same; those of the last block, which gives the outputs, only where the
/// labels are the same. `freeze`: these stay as they are. Says in a line how many, and which begin anew. Throws
/// ModelError when none fits, UsageError when nothing is left to train.
std::string take_weights(TrainedModel& source, const std::string& path, std::size_t member, const data::Labels& labels,
                         bool freeze, nn::Model& model);

}  // namespace edgewise::train
