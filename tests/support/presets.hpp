#pragma once

#include <string>
#include <vector>

#include "edgewise/nn/presets.hpp"

namespace edgewise::test {

/// The presets whose nodes are those of the data; the others write targets for sources (train/loop/pair_batches.hpp).
inline std::vector<std::string> presets_of_nodes() {
  std::vector<std::string> names = nn::preset_names();
  std::erase_if(names, [](const std::string& name) { return nn::find_preset(name)->writes; });
  return names;
}

}  // namespace edgewise::test
