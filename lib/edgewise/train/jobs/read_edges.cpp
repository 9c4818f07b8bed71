#include "edgewise/train/jobs/read_edges.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace edgewise::train {
namespace {

std::vector<std::string> categorical_of_edges(const DataConfig& config) {
  std::vector<std::string> columns;
  std::ranges::copy_if(config.edge_features, std::back_inserter(columns),
                       [&](const std::string& name) { return std::ranges::count(config.categorical, name) > 0; });
  return columns;
}

io::EdgeListOptions options_of(const DataConfig& config, const graph::NodeNames* known) {
  io::EdgeListOptions options{.known_nodes = known};
  options.source_column = config.source;
  options.target_column = config.target;
  options.weight_column = config.weight;
  options.feature_columns = config.edge_features;
  options.categorical = categorical_of_edges(config);
  options.categories = config.edge_categories;
  return options;
}

/// Keeps the categories for the model, and says what else the file has.
void note_features(const std::string& file, const io::EdgeCategories& categories,
                   const std::vector<std::string>& unused, const LoadOptions& options, JobData& data) {
  data.config.edge_categories = categories.of;
  const bool is_of_model = !options.known_task.empty();
  if (!is_of_model && !unused.empty())
    data.notes.push_back(fmt::format("{}: not used: {}; --edge-features makes them features of the edges", file,
                                     fmt::join(unused, ", ")));
  if (categories.unknown > 0)
    data.notes.push_back(fmt::format("{}: {} values of {} are none of the categories that the model knows", file,
                                     categories.unknown, fmt::join(data.config.edge_features, ", ")));
}

}  // namespace

io::EdgeListResult read_edges(const LoadOptions& options, const graph::NodeNames* known, JobData& data) {
  io::EdgeListResult result = io::read_edge_list(data.config.edges, options_of(data.config, known));
  note_features(data.config.edges, result.report.categories, result.report.unused_columns, options, data);
  return result;
}

io::GraphFile read_graph(const LoadOptions& options, JobData& data) {
  const DataConfig& config = data.config;
  io::GraphFile file = io::read_graph_file(config.graph, {.edge_features = config.edge_features,
                                                          .categorical = categorical_of_edges(config),
                                                          .categories = config.edge_categories});
  note_features(config.graph, file.edge_categories, file.unused_edge_attributes, options, data);
  for (const std::string& attribute : file.unused_attributes)
    data.notes.push_back(fmt::format("{}: the attribute \"{}\" cannot be used", config.graph, attribute));
  return file;
}

}  // namespace edgewise::train
