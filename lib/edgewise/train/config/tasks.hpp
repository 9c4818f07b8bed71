#pragma once

#include <string_view>

#include "edgewise/train/config/config.hpp"

namespace edgewise::train {

/// DataConfig::task of pretraining (source/pretraining.hpp).
inline constexpr const char* kMaskedAtoms = "masked_atoms";
inline constexpr const char* kMaskedTokens = "masked_tokens";

inline bool is_pretraining(std::string_view task) { return task == kMaskedAtoms || task == kMaskedTokens; }
inline bool is_pretraining(const DataConfig& config) { return is_pretraining(config.task); }

}  // namespace edgewise::train
