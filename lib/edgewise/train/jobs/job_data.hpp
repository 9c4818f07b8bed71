#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/lazy.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/data/path_lengths.hpp"
#include "edgewise/graph/graph_union.hpp"
#include "edgewise/io/node_table.hpp"
#include "edgewise/train/jobs/config.hpp"

namespace edgewise::train {

/// Numbers that are known of graphs as a whole.
struct GraphDescriptors {
  std::vector<std::string> names;  ///< One a column.
  Matrix values;                   ///< [graphs, names], in the units of their source; NaN where not known.
};

/// What the data of a graph-level job has besides: each graph is an item.
struct GraphItems {
  std::vector<graph::Node> offsets = {0};  ///< Of the graphs in JobData::graph, their disjoint union.
  graph::NodeNames names;                  ///< Of the graphs: row numbers from 1, or the numbers that the files use.
  bool are_molecules = false;
  std::vector<std::string> smiles;         ///< Of molecules, one a graph.
  std::vector<std::string> problems;  ///< Why a molecule could not be read, and is an empty graph; "" when all is well.
  Eigen::Index sign_columns = 0;      ///< The last columns of the features, whose signs training draws at random.
  GraphDescriptors descriptors;       ///< What DataConfig::descriptors names.
  Lazy<GraphDescriptors> rdkit = {};  ///< What `rdkit_descriptors` gives.
  Lazy<std::vector<std::string>> scaffolds = {};  ///< Of molecules, as data::murcko_scaffolds gives them.
  data::PathLengths paths;            ///< Between the nodes of each graph; `maximum` is 0 when not asked for.
};

/// What the data of a collection has besides: graphs of nodes that stand in a table. The nodes have the labels, or the
/// graphs do (then there are GraphItems, too).
struct Collection {
  std::vector<graph::Node> offsets = {0};  ///< Of the graphs in JobData::graph, their disjoint union.
  graph::NodeNames graphs;
  io::NodeTable nodes;               ///< What is known of the nodes, where graphs have the labels.
  std::vector<std::string> placing;  ///< Columns of the nodes that say where one stands: they are no features.
  std::vector<std::string> tokens;   ///< Columns of the nodes with a vocabulary.
  std::uint32_t grid_columns = 0;    ///< Of each graph, whose nodes are the rows of a grid, one behind the other.
};

/// What was read for a job, before anything is fitted to a split. An *item* is what has a label: a node, or a graph.
struct JobData {
  std::string name;  ///< The data set's, or the file that names the nodes.
  /// How it was read: as asked, with what the catalogue knows of its set, and the columns that were found, put in.
  DataConfig config;
  graph::Graph graph;
  /// Columns of the items; labels, splits and names among them. No rows when there is no table.
  io::NodeTable table;
  /// Features of nodes that need no fitting (sparse files, sets of the catalogue, atoms); no columns when there are
  /// none.
  data::Features features;
  Matrix encodings;                ///< Of the nodes, behind all other features: where each is in its graph.
  Eigen::Index sign_columns = 0;   ///< The last columns of the encodings, whose signs training draws at random.
  data::Labels labels;             ///< Of the items. Empty names when nothing is to be learnt.
  std::vector<data::Split> splits;  ///< Given ones.
  std::vector<std::string> notes;   ///< What a person should know about how it was read.
  std::optional<GraphItems> graphs;  ///< Set when graphs have the labels.
  std::optional<Collection> collection;

  /// The table that says what is known of the nodes.
  const io::NodeTable& node_table() const { return collection && graphs ? collection->nodes : table; }

  bool has_many_graphs() const { return graphs || collection; }

  /// Names of the items.
  const graph::NodeNames& items() const { return graphs ? graphs->names : graph.names(); }
};

/// Columns that name nodes, and that edges run between.
struct NamingColumns {
  std::string id;
  std::string source;
  std::string target;
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
  /// Whether graphs have the labels, when the data is for a model that exists; it decides for collections.
  std::optional<bool> is_graph_level = std::nullopt;
  /// Columns of labels that are no features of rows, although nothing is to be learnt.
  std::vector<std::string> label_columns = {};
  /// Of a model's training, taken where `DataConfig` names none and the files have them.
  NamingColumns naming_columns = {};
  /// False for a model that exists and goes along no edges: a collection may then lack the column they stand in.
  bool needs_edges = true;

  /// Whether the data is for a model that exists.
  bool is_for_model() const { return !known_labels.empty(); }
};

/// Reads the data of a job: a set of the catalogue, a graph file or an edge list with a node table and features, or a
/// table of molecules.
/// With a node table, its nodes are the nodes: an edge to another one is an error.
/// Throws UsageError when the configuration names too little or too much, DataError for what is wrong in the files.
JobData load_job_data(const DataConfig& config, const LoadOptions& options = {});

/// The rows of a table of molecules without their graphs, to be taken some at a time by `make_molecules`, so that a
/// large table is not held with all its features at once: of what `load_job_data` gives, the graph, the features and
/// the labels are empty. Nothing when `config` names no molecules, or no source of data or several.
std::optional<JobData> read_molecule_rows(const DataConfig& config);

/// The task of DataConfig::task; nothing for "auto".
std::optional<data::Task> task_of(const std::string& name);

/// The column of the node table that holds the split: the configured one, or one that is called "split"; or "".
std::string split_column(const JobData& data, const SplitConfig& config);

/// Throws UsageError where each run takes one of several given splits, or tests on a fold of its own, and there are
/// more runs than those.
void check_runs(const JobData& data, const SplitConfig& config, std::int64_t runs);

/// The split of run `run` (0, 1, ...): one of the given ones, one of a file, or a new one drawn from the seed.
/// "auto" means given when there is one, else random shares (stratified in a classification).
/// Throws UsageError when what is asked for is not there.
data::Split make_split(const JobData& data, const SplitConfig& config, std::uint64_t seed, std::int64_t run);

}  // namespace edgewise::train
