#pragma once

#include <string_view>

#include "edgewise/train/config/data_config.hpp"

namespace edgewise::train {

/// DataConfig::task of pretraining (source/pretraining.hpp).
inline constexpr const char* kMaskedAtoms = "masked_atoms";
inline constexpr const char* kMaskedTokens = "masked_tokens";

/// DataConfig::task of learning which ties a network has (source/link_data.hpp): the ties are the items.
inline constexpr const char* kLinks = "links";
inline bool is_of_links(const DataConfig& config) { return config.task == kLinks; }

inline bool is_pretraining(std::string_view task) { return task == kMaskedAtoms || task == kMaskedTokens; }
inline bool is_pretraining(const DataConfig& config) { return is_pretraining(config.task); }

}  // namespace edgewise::train
