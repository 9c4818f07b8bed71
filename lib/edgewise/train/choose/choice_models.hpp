#pragma once

#include <string>
#include <vector>

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// The models that an automatic choice is among.
namespace edgewise::train {

/// The complete models to try. Models suggested by the data are dropped if they turn out not to fit; errors in the
/// configuration's own models are reported.
std::vector<ModelConfig> models_to_try(const Config& config, const Dataset& data);

/// The baselines to try.
std::vector<std::string> baselines_to_try(const Config& config, const Dataset& data);

/// Of these models the one to use when nothing can be selected.
ModelConfig default_model(const std::vector<ModelConfig>& models);

}  // namespace edgewise::train
