#pragma once

#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// Replaces patterns among the labels of `data.reading` by the columns of numbers in `data.table` that they match and
/// that are not ignored.
void expand_labels(Dataset& data);

}  // namespace edgewise::train
