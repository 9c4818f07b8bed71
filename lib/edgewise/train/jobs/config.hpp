#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/data/column_scaler.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/io/edge_list.hpp"
#include "edgewise/train/loop/train_options.hpp"

/// @file
/// The one description of a training job, shared by the library and the command line:
/// `{"schema": "edgewise.config/1", "data": {...}, "split": {...}, "model": {...}, "training": {...}}`.
/// docs/command-line.md documents each member.
namespace edgewise::train {

/// "data.encodings": what the nodes of graphs are told of their place in them. docs/molecules.md says what each is.
struct EncodingConfig {
  bool degree = false;
  std::int64_t random_walk = 0;  ///< Steps.
  std::int64_t laplacian = 0;    ///< Eigenvectors.
  std::int64_t distances = 0;    ///< Shortest paths up to here as features of pairs, for attention between all nodes.
  bool virtual_node = false;     ///< One more node in each graph, tied to all others.

  friend bool operator==(const EncodingConfig&, const EncodingConfig&) = default;
};

/// "data": where the nodes, edges and labels come from. Either `dataset`, or files.
struct DataConfig {
  std::string dataset;   ///< A name of the catalogue.
  std::string edges;     ///< Edge list: CSV, TSV or blanks, also .gz.
  std::string graph;     ///< Instead of `edges`, and of `nodes` when it has attributes: GraphML, GML, DOT, node-link JSON.
  std::string nodes;     ///< Node table (CSV).
  std::string molecules;  ///< Table of molecules (CSV with a column of SMILES, SDF): one graph a row.
  std::string tu;         ///< Folder of a set in the layout of the TU Dortmund collection: many graphs with a label each.
  std::vector<std::string> node_labels;  ///< Of such a set: labels of nodes, in the order of the columns; empty: the set's.
  std::vector<std::string> edge_labels;  ///< The same of the edges.
  std::string smiles;     ///< Its column of SMILES; empty: found by its usual names.
  std::string features;  ///< Sparse features: node,feature,value CSV or {"node": [feature, ...]} JSON.
  std::string source;    ///< Columns of the edge list; empty: found by their usual names.
  /// With `molecules` or `dataset`: another word for `label`, several with commas.
  std::string target;
  std::string weight;
  std::vector<std::string> edge_features;
  io::Categories edge_categories;        ///< Of those that are texts; empty: what the file has.
  data::ColumnScaler edge_scaler;        ///< Of those that are numbers; without columns: fitted to the file.
  std::string id;                        ///< Column of the node table that names the node.
  std::vector<std::string> label;        ///< Column(s) to be learnt.
  std::string task = "auto";             ///< auto, classification, multilabel, regression.
  std::vector<std::string> categorical;  ///< Columns, of edges too, that are categories although they hold numbers.
  std::vector<std::string> ignore;       ///< Columns that are no features.
  std::vector<std::string> missing_labels;  ///< Texts that mean that a label is not known.
  bool normalise_rows = false;           ///< Divide each row of bag-of-words features by its sum.
  bool directed = false;
  bool undirected = false;         ///< Also a graph file that says it is directed.
  std::string component = "all";  ///< all, largest: the largest connected part of the graph.
  std::string duplicates = "keep_first";  ///< keep_first, keep_all, refuse.
  std::string self_loops = "keep";        ///< keep, drop, refuse.
  std::string atom_features = "standard/1";  ///< Which features molecules get, by name and version.
  std::vector<std::string> descriptors;      ///< Of molecules, beside the graph: "rdkit", and columns of the table.
  bool hydrogens = false;                    ///< Hydrogens are atoms of their own.
  bool strict = false;                       ///< A molecule that cannot be read is an error, not a row left out.
  EncodingConfig encodings = {};
  /// Collections of graphs by a table of their nodes, of texts, or of rows that are grids or sequences.
  std::string graph_column;                ///< Of `nodes`: the graph that a node belongs to.
  std::string order;                       ///< Of `nodes`: its place in the graph, a number.
  std::string head;                        ///< Of `nodes`: the place of the node that an edge comes from, 0 for none.
  std::string graphs;                      ///< Table of the graphs, named as in `graph_column`.
  std::string texts;                       ///< Table of texts: each is a graph, its tokens are the nodes.
  std::string text;                        ///< Their column.
  std::string tokens = "words";            ///< words, characters.
  std::vector<std::string> token_columns;  ///< Of `nodes`: columns with a vocabulary, besides those of many categories.
  std::int64_t affixes = 0;  ///< Prefixes and suffixes of tokens of up to so many characters are features, too.
  std::string grid;          ///< "8x8": each row of `nodes` is a grid of so many rows and columns.
  bool sequence = false;     ///< Each row of `nodes` is a sequence of its columns.

  /// Whether many graphs are read from a table of nodes, texts or rows.
  bool is_collection() const { return !(graph_column.empty() && texts.empty() && grid.empty() && !sequence); }
  graph::GraphOptions graph_options() const;
  /// What `categorical` names of tables of nodes: all but features of edges.
  std::vector<std::string> categorical_of_nodes() const;
};

/// "split": which nodes train, validate and test.
struct SplitConfig {
  std::string kind = "auto";  ///< auto, given, random, stratified, k_fold, per_class, scaffold,
                              ///< balanced_scaffold.
  std::string name;           ///< Given: which kind of split of a data set ("public", "geom-gcn"); empty: its first.
  std::string file;           ///< node,split CSV; implies "given".
  std::string column;         ///< Column of the node table; implies "given".
  std::int64_t index = -1;    ///< Given: which of several splits; -1: run r takes split r (modulo their number).
  double train = 0.6;         ///< random, stratified, scaffold: shares; the rest is the test.
  double validation = 0.2;
  std::int64_t folds = 10;  ///< k_fold: run r tests on fold r and validates on the next.
  std::int64_t train_per_class = 20;  ///< per_class.
  std::int64_t validation_count = 500;
  std::int64_t test_count = 1000;
  std::int64_t seed = -1;  ///< -1: the seed of the run, so that each run has its own split.
  double holdout = 0;      ///< Share of the training items that validate where a split has no validation items.
  double keep = 1;         ///< Share of the training items that are kept; smaller shares are parts of larger ones.
};

struct Config {
  DataConfig data;
  SplitConfig split;
  /// As nn::Model takes it, or {"preset": "auto"}, which choose.hpp explains: what is taken when nothing is said of the
  /// model. Members without a preset describe a "gat".
  json::Value model;
  TrainOptions training;
  std::int64_t runs = 1;      ///< "training.runs": seeds seed, seed + 1, ...
  /// "training.correct_and_smooth", for classes of nodes: never; always; or auto: where the model is chosen, and where
  /// it pays on the validation nodes. See baselines/correct_and_smooth.hpp.
  std::string correct_and_smooth = "auto";
  std::int64_t ensemble = 1;  ///< "training.ensemble": models a run, whose predictions are averaged.
  std::string from = {};      ///< "training.from": model file whose weights are gone on from. See transfer.hpp.
  bool freeze = false;        ///< "training.freeze": these stay as they are.
};

/// Throws UsageError when a configuration has a member that there is not.
void check_members(const json::Value& value);
/// Reads a configuration; what is missing keeps its default. Throws UsageError naming the member by its path.
Config parse_config(const json::Value& value);
/// All members, also those at their defaults; `parse_config` of it gives an equal configuration.
json::Value to_json(const Config& config);

/// "data", "split" and "training" with their members, each with its flag of the command line.
std::vector<json::FieldDoc> config_fields();

/// Whether "data" of a configuration reads many graphs from a table of nodes, texts or rows.
bool is_collection(const json::Value& data);

/// "gat", or "blocks" for a model that is no preset.
std::string model_name(const json::Value& model);

/// `base` with the members of `over` put over it, objects member by member. A model with another "preset" or with
/// "blocks" replaces the model of the base whole; another source of data (a set, an edge list, a graph file) replaces
/// the old one.
json::Value merge_configs(const json::Value& base, const json::Value& over);

}  // namespace edgewise::train
