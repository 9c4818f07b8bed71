#include <fmt/format.h>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/train/source/defaults.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/kinds.hpp"

namespace edgewise::train {

const Source& tu_folder_source() {
  static const Source kSource{
      .noun = "a TU folder",
      .named_by = {"tu"},
      .takes = {DataGroup::tu_labels},
      .replaces = {"label"},
      .shape = [](const json::Value&) { return DataShape::graphs; },
      .check =
          [](const DataConfig& config) {
            if (!(config.nodes.empty() && config.features.empty() && config.label.empty()))
              throw UsageError(fmt::format("data.tu: the set has its own nodes, features and labels (no {}, {}, {})",
                                           setting("data.nodes"), setting("data.features"), setting("data.label")));
          },
      .read = load_tu_set,
      .suits = [](const data::CatalogueSet& set) { return set.is_graph_level() && !set.is_pairs(); },
      .read_set = load_graph_set,
      .defaults = graph_defaults,
      .candidates = [](const Dataset& data) -> std::vector<std::string> {
        if (!data.graphs || data.graphs->are_molecules || data.collection) return {};
        return {"sum_features", "neighbour_trees", "sage", "gatv2"};
      }};
  return kSource;
}

}  // namespace edgewise::train
