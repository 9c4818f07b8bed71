#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/data/target_scaler.hpp"
#include "edgewise/train/jobs/job_data.hpp"
#include "edgewise/train/jobs/trained_model.hpp"

/// @file
/// Known labels of nodes as features: what a model of the nodes of one graph may see of its neighbours' labels (Shi et
/// al. 2021, "Masked Label Prediction", section 3.2; Wang et al. 2021, "Bag of Tricks for Node Classification with
/// Graph Neural Networks", label usage). While training, loop/label_mask.hpp hides those that are asked for.
namespace edgewise::train {

/// Of a class: one for each, 1 at the node's. Of several labels: one for each, 1 for yes, -1 for no. Of numbers: one
/// for each, in deviations from the mean of the training nodes, and one that is 1 where any is known.
std::size_t label_columns(data::Task task, std::size_t labels);

/// Puts the labels of the nodes `known` into `label_columns` columns behind all others; 0 for all other nodes, and
/// where a label is not known. `scaler` is that of the training nodes (regression).
void append_labels(const data::Labels& labels, const data::TargetScaler& scaler, std::span<const graph::Node> known,
                   data::Features& features);

/// What a trained model gets of the nodes of `data`: their features, and behind them, where labels are its input, known
/// labels. These are of the training nodes where it is the data of the training, or has a split of its own; else of all
/// nodes with a label. `data` has its labels where it has any. Throws as FeatureMap::apply does. `notes`, when set,
/// gets what a person should know.
data::Features features_for(const TrainedModel& trained, const JobData& data, const SplitConfig& split,
                            std::vector<std::string>* notes = nullptr);

}  // namespace edgewise::train
