#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/lazy.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/data/path_lengths.hpp"
#include "edgewise/graph/graph_union.hpp"
#include "edgewise/io/node_table.hpp"
#include "edgewise/train/config/config.hpp"

namespace edgewise::train {

/// Numeric descriptors of whole graphs.
struct GraphDescriptors {
  std::vector<std::string> names;  ///< One per column.
  Matrix values;                   ///< [graphs, names], in the units of their source; NaN if unknown.
};

/// Additional data of a graph-level job, in which each graph is an item.
struct GraphItems {
  std::vector<graph::Node> offsets = {0};  ///< Of the graphs within JobData::graph, their disjoint union.
  graph::NodeNames names;                  ///< Names of the graphs: row numbers from 1, or as in the files.
  bool are_molecules = false;
  std::vector<std::string> smiles;         ///< For molecules, one per graph.
  std::vector<std::string> problems;  ///< Why a molecule could not be parsed and is an empty graph; "" if all is well.
  Eigen::Index sign_columns = 0;      ///< The last feature columns, whose signs are drawn at random in training.
  GraphDescriptors descriptors;       ///< Descriptors named in DataConfig::descriptors.
  Lazy<GraphDescriptors> rdkit = {};  ///< Result of `rdkit_descriptors`.
  Lazy<std::vector<std::string>> scaffolds = {};  ///< For molecules, result of data::murcko_scaffolds.
  data::PathLengths paths;            ///< Between the nodes of each graph; `maximum` is 0 if not requested.
};

/// Additional data of a collection: graphs whose nodes are rows of a table. The labels belong to the nodes or to the
/// graphs (then there are GraphItems too).
struct Collection {
  std::vector<graph::Node> offsets = {0};  ///< Of the graphs within JobData::graph, their disjoint union.
  graph::NodeNames graphs;
  io::NodeTable nodes;               ///< Node attributes, if graphs have the labels.
  std::vector<std::string> placing;  ///< Node columns that position a node; they are not features.
  std::vector<std::string> tokens;   ///< Node columns with a vocabulary.
  std::uint32_t grid_columns = 0;    ///< Columns of each graph's grid, with nodes in row-major order.
};

/// The data read for a job, before anything is fitted to a split. An *item* is what has a label: a node, or a graph.
struct JobData {
  std::string name;  ///< Name of the data set, or of the file with the nodes.
  /// How it was read: the request, completed with the catalogue's entry and the columns found.
  DataConfig config;
  graph::Graph graph;
  /// Columns of the items, including labels, splits and names. No rows if there is no table.
  io::NodeTable table;
  /// Node features that need no fitting (sparse files, sets of the catalogue, atoms); no columns if there are none.
  data::Features features;
  Matrix encodings;                ///< Positional encodings of the nodes; they follow all other features.
  Eigen::Index sign_columns = 0;   ///< The last encoding columns, whose signs are drawn at random in training.
  data::Labels labels;             ///< Of the items. Names are empty if there is nothing to learn.
  std::vector<data::Split> splits;  ///< Given ones.
  std::vector<std::string> notes;   ///< Remarks for the user on how the data was read.
  std::optional<GraphItems> graphs;  ///< Set if graphs have the labels.
  Lazy<std::vector<graph::Node>> equals = {};  ///< Result of `first_equals`.
  std::optional<Collection> collection;

  /// The table of node attributes.
  const io::NodeTable& node_table() const { return collection && graphs ? collection->nodes : table; }

  bool has_many_graphs() const { return graphs || collection; }

  /// Names of the items.
  const graph::NodeNames& items() const { return graphs ? graphs->names : graph.names(); }
};

/// Columns with node names, with the ends of edges and with weights that a model does not need.
struct NamingColumns {
  std::string id;
  std::string source;
  std::string target;
  std::string weight;
};

struct LoadOptions {
  /// Whether `DataConfig::label` must exist. If false, labels are read if the table has them.
  bool needs_labels = true;
  /// A model's classes or labels and their task, if the data is for an existing model.
  std::vector<std::string> known_labels = {};
  std::string known_task = {};
  /// Number of sparse feature columns if fixed by a model; 0: as in the file.
  std::uint32_t sparse_columns = 0;
  std::string split_name = {};    ///< SplitConfig::name
  std::string split_column = {};  ///< SplitConfig::column
  /// Whether graphs have the labels, if the data is for an existing model; decides for collections.
  std::optional<bool> is_graph_level = std::nullopt;
  /// Label columns that are not features of rows even if there is nothing to learn.
  std::vector<std::string> label_columns = {};
  /// From a model's training; used if `DataConfig` names none and the files have them.
  NamingColumns naming_columns = {};
  /// Columns of nodes and of items whose spelling matters: a model's categories and labels, and what is kept.
  io::ReadAsText texts = {};
  /// False for an existing model that uses no edges: a collection may then lack the column for them.
  bool needs_edges = true;

  /// Whether the data is for an existing model.
  bool is_for_model() const { return !known_labels.empty(); }
};

/// For data that is to be split in this way.
inline LoadOptions load_options_for(const SplitConfig& split) {
  return {.split_name = split.name, .split_column = split.column};
}

/// Reads the data of a job: a set of the catalogue, a graph file or an edge list with a node table and features, or a
/// table of molecules. A node table defines the nodes: an edge to any other node is an error. Throws UsageError if the
/// configuration is incomplete or contradictory, DataError for errors in the files.
JobData load_job_data(const DataConfig& config, const LoadOptions& options = {});

/// The rows of a table of molecules without their graphs: the result of `load_job_data` with empty graph, features and
/// labels. `make_molecules` then builds a few graphs at a time, so that a large table is never held with all its
/// features. `texts` is LoadOptions::texts. Nothing if `config` names no molecules, or no data source, or several.
std::optional<JobData> read_molecule_rows(const DataConfig& config, const io::ReadAsText& texts = {});

/// The columns of nodes and of items to read as texts, whether or not the files have them.
io::ReadAsText read_as_text(const DataConfig& config, const LoadOptions& options);

/// The task in DataConfig::task; nothing for "auto".
std::optional<data::Task> task_of(const std::string& name);
/// The task of a model, if the data is for one, else the one that is asked for.
std::optional<data::Task> task_of(const DataConfig& config, const LoadOptions& options);

/// Replaces patterns among the labels of `data.config` by the columns of numbers in `data.table` that they match and
/// that are not ignored.
void expand_labels(JobData& data);

/// How to read the labels in DataConfig::label.
data::LabelOptions label_options(const DataConfig& config, std::optional<data::Task> task, const LoadOptions& options);

}  // namespace edgewise::train
