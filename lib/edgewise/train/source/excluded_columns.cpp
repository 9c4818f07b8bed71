#include "edgewise/train/source/excluded_columns.hpp"

namespace edgewise::train {

std::vector<std::string> excluded_columns(const JobData& data, const std::string& split_column) {
  std::vector<std::string> wanted = data.config.ignore;
  for (const std::string& column : data.config.label) wanted.push_back(column);
  if (!split_column.empty()) wanted.push_back(split_column);
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
