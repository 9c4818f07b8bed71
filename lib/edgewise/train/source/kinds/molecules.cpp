#include "edgewise/core/error.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/kinds.hpp"

namespace edgewise::train {

const Source& molecules_source() {
  static const Source kSource{
      .noun = "a table of molecules",
      .named_by = {"molecules"},
      .takes = {DataGroup::molecules, DataGroup::features, DataGroup::target, DataGroup::tables, DataGroup::labels},
      .replaces = {},
      .shape = [](const json::Value&) { return DataShape::molecules; },
      .check =
          [](const DataConfig& config) {
            if (!(config.nodes.empty() && config.features.empty()))
              throw UsageError("data: a table of molecules cannot be combined with a node table or features");
          },
      .read = load_molecules};
  return kSource;
}

}  // namespace edgewise::train
