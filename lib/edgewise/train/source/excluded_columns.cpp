#include "edgewise/train/source/excluded_columns.hpp"

#include <algorithm>
#include <iterator>

namespace edgewise::train {

std::vector<std::string> excluded_columns(const Dataset& data, const SplitConfig& split) {
  std::vector<std::string> wanted = data.reading.ignore;
  for (const std::string& column : data.reading.label) wanted.push_back(column);
  std::ranges::copy(split.columns(), std::back_inserter(wanted));
  if (!data.reading.row_weight.empty()) wanted.push_back(data.reading.row_weight);
  if (data.labels.has_bounds() && data.table.find(data.reading.relation) != nullptr)
    wanted.push_back(data.reading.relation);
  std::vector<std::string> excluded;
  for (const std::string& column : wanted) {
    const bool is_of_nodes = data.node_table().find(column) != nullptr;
    if (is_of_nodes) excluded.push_back(column);
    const bool is_of_graphs = data.collection && data.graphs;  // a label, or removed from a dense table
    if (!is_of_nodes && !is_of_graphs) data.table.at(column);  // throws, listing the columns
  }
  if (data.node_table().find("split") != nullptr) excluded.emplace_back("split");
  if (data.collection)
    excluded.insert(excluded.end(), data.collection->placing.begin(), data.collection->placing.end());
  return excluded;
}

}  // namespace edgewise::train
