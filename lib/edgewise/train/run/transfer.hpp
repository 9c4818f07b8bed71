#pragma once

#include <memory>
#include <span>
#include <string>

#include "edgewise/train/model/trained_model.hpp"

/// @file
/// Transfer learning: continuing from the weights of a trained model ("training.from").
namespace edgewise::train {

/// Loads a model to start from; for an average, the first member that is not a baseline, alone. Throws ModelError if
/// there is none (baselines are not trained step by step), and as `load_trained_model`.
std::shared_ptr<TrainedModel> load_source(const std::string& path);

/// The members of "data" that determine the features of the model, as defaults: atom features, hydrogens, what
/// reactions show, encodings, and how texts are split.
json::Value reading_of(const TrainedModel& source);

/// The model's feature map, if it was fitted (table columns, a vocabulary, node names); `own` if it was not or the two
/// are of different kinds. Throws UsageError if it uses a column that is now excluded: `excluded` are label, split and
/// ignored columns.
FeatureMap features_from(const TrainedModel& source, FeatureMap own, std::span<const std::string> excluded);

/// Likewise for descriptors: the model's map if `own` has the same names. Throws UsageError if it has the same number
/// of columns but other names.
DescriptorMap descriptors_from(const TrainedModel& source, DescriptorMap own);

/// Copies into `model`, which predicts `labels`, the tensors of member `member` of `source` (cycling through its
/// members) with the same name and shape; those of the last block, which gives the outputs, only if the labels are the
/// same. With `freeze` the copied ones stay fixed. Returns a line saying how many were copied and which start from
/// scratch. Throws ModelError if none fits, UsageError if nothing is left to train.
std::string take_weights(TrainedModel& source, const std::string& path, std::size_t member, const data::Labels& labels,
                         bool freeze, nn::Model& model);

}  // namespace edgewise::train
