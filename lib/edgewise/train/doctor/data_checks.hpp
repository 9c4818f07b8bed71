#pragma once

#include "edgewise/train/config/data_config.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Checks of what a configuration says about data that was read.
namespace edgewise::train {

/// Throws UsageError or DataError for members that name columns of tables that the data does not have, and for rows to
/// be normalised if it has no ready-made features.
void check_columns(const DataConfig& config, const Dataset& data);

/// Throws UsageError or DataError for columns that should be categorical, but do not exist or are read as numbers.
void check_categorical(const DataConfig& config, const Dataset& data);

}  // namespace edgewise::train
