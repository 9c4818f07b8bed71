#pragma once

#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/io/node_table.hpp"
#include "edgewise/train/config.hpp"

namespace edgewise::train {

/// What was read for a job, before anything is fitted to a split. Nodes in the order of `graph.names()`.
struct JobData {
  std::string name;  ///< The data set's, or the file that names the nodes.
  DataConfig config;  ///< How it was read: as asked, with what the catalogue knows of its set put in.
  graph::Graph graph;
  /// Columns of the nodes; labels, splits and names among them. No rows when there is no table.
  io::NodeTable table;
  /// Features that need no fitting (sparse files, sets of the catalogue); no columns when there are none.
  data::Features features;
  data::Labels labels;             ///< Empty names when nothing is to be learnt.
  std::vector<data::Split> splits;  ///< Given ones.
  std::vector<std::string> notes;   ///< What a person should know about how it was read.
};

struct LoadOptions {
  /// Whether `DataConfig::label` must be there. When false, labels are read if the table has them.
  bool needs_labels = true;
  /// A model's classes or labels and their task, when the data is for a model that exists.
  std::vector<std::string> known_labels = {};
  std::string known_task = {};
  /// Columns of sparse features when a model fixes them; 0: what the file says.
  std::uint32_t sparse_columns = 0;
  std::string split_name = {};  ///< SplitConfig::name
};

/// Reads the data of a job: a set of the catalogue, or a graph file or an edge list with a node table and features.
/// With a node table, its nodes are the nodes: an edge to another one is an error.
/// Throws UsageError when the configuration names too little or too much, DataError for what is wrong in the files.
JobData load_job_data(const DataConfig& config, const LoadOptions& options = {});

/// The column of the node table that holds the split: the configured one, or one that is called "split"; or "".
std::string split_column(const JobData& data, const SplitConfig& config);

/// The split of run `run` (0, 1, ...): one of the given ones, one of a file, or a new one drawn from the seed.
/// "auto" means given when there is one, else random shares (stratified in a classification).
/// Throws UsageError when what is asked for is not there.
data::Split make_split(const JobData& data, const SplitConfig& config, std::uint64_t seed, std::int64_t run);

}  // namespace edgewise::train
