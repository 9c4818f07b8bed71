#pragma once

#include <string_view>
#include <vector>

#include "edgewise/data/labels.hpp"
#include "edgewise/train/targets/target.hpp"

namespace edgewise::train {

/// In alphabetical order.
const std::vector<const Target*>& all_targets();

/// nullptr if there is none of this name.
const Target* find_target(std::string_view name);
const data::Task* find_task(std::string_view name);

/// Throws UsageError for a task that no target is for.
const Target& target_of(const data::Task& task);
const Target& target_of(const data::Labels& labels);

}  // namespace edgewise::train
