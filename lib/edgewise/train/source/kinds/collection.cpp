#include "edgewise/train/source/collection_data.hpp"
#include "edgewise/train/source/kinds.hpp"

namespace edgewise::train {

const Source& collection_source() {
  static const Source kSource{
      .noun = "a collection",
      .named_by = {"graph_column", "texts", "grid", "sequence"},
      .takes = {DataGroup::nodes, DataGroup::names, DataGroup::unknown_nodes, DataGroup::edge_columns,
                DataGroup::target, DataGroup::edges, DataGroup::tables, DataGroup::labels, DataGroup::collection},
      .replaces = {"nodes", "texts", "graphs"},
      // Graphs of one's own, with edges and labels of the graphs, are like those of a TU folder.
      .shape =
          [](const json::Value& data) {
            const auto has = [&](const char* member) { return !data.get(member, "").empty(); };
            return has("graph_column") && has("graphs") && has("edges") ? DataShape::graphs : DataShape::collection;
          },
      .check = [](const DataConfig&) {},  // what a collection of the catalogue says is known when it is read
      .read = load_collection};
  return kSource;
}

}  // namespace edgewise::train
