#pragma once

#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// The values that stand for a feature that was deleted.
namespace edgewise::train {

/// [1, columns]: 0 where a feature is encoded, which is the mean of a number in training and no category of a text; for
/// features used as they are, 0 if they are sparse or of whole graphs, else their mean over the nodes of the data.
Matrix neutral_row(const FeatureMap& map, const Dataset& data, Eigen::Index columns);

/// Whether the columns of a row have these values already.
bool are_neutral(const data::Features& features, Eigen::Index row, const FeatureColumns& columns,
                 const Matrix& neutral);

/// Gives the columns of a row these values; in sparse features, 0.
void make_neutral(Eigen::Index row, const FeatureColumns& columns, const Matrix& neutral, data::Features& features);

}  // namespace edgewise::train
