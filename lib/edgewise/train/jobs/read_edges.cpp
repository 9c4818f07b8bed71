#include "edgewise/train/jobs/read_edges.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace edgewise::train {
namespace {

io::EdgeListOptions options_of(const DataConfig& config, const graph::NodeNames* known) {
  io::EdgeListOptions options{.known_nodes = known};
  options.source_column = config.source;
  options.target_column = config.target;
  options.weight_column = config.weight;
  options.feature_columns = config.edge_features;
  std::ranges::copy_if(config.edge_features, std::back_inserter(options.categorical),
                       [&](const std::string& name) { return std::ranges::count(config.categorical, name) > 0; });
  options.categories = config.edge_categories;
  return options;
}

}  // namespace

io::EdgeListResult read_edges(const LoadOptions& options, const graph::NodeNames* known, JobData& data) {
  DataConfig& config = data.config;
  io::EdgeListResult result = io::read_edge_list(config.edges, options_of(config, known));
  const io::EdgeListReport& report = result.report;
  config.edge_categories = report.categories;
  const bool is_of_model = !options.known_task.empty();
  if (!is_of_model && !report.unused_columns.empty())
    data.notes.push_back(fmt::format("{}: not used: {}; --edge-features makes columns features of the edges",
                                     config.edges, fmt::join(report.unused_columns, ", ")));
  if (report.unknown_categories > 0)
    data.notes.push_back(fmt::format("{}: {} values of {} are none of the categories that the model knows",
                                     config.edges, report.unknown_categories, fmt::join(config.edge_features, ", ")));
  return result;
}

}  // namespace edgewise::train
