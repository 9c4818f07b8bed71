#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/file_list.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/json_fields.hpp"
#include "edgewise/data/column_scaler.hpp"
#include "edgewise/data/molecules.hpp"
#include "edgewise/data/vocabulary.hpp"
#include "edgewise/graph/duplicate_edges.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/io/edge_feature_report.hpp"
#include "edgewise/io/edge_list_options.hpp"

namespace edgewise::train {

/// "data.encodings": positional encodings of the nodes of graphs. docs/molecules.md describes each.
struct EncodingConfig {
  bool degree = false;
  std::int64_t random_walk = 0;  ///< Steps.
  std::int64_t laplacian = 0;    ///< Eigenvectors.
  std::int64_t distances = 0;    ///< Maximum path length, as features of node pairs for attention between all nodes.
  bool virtual_node = false;     ///< Adds a node to each graph, connected to all others.

  friend bool operator==(const EncodingConfig&, const EncodingConfig&) = default;
};

/// What a member of "data" is about. A source of data (source/sources.hpp) takes some groups and refuses the others.
enum class DataGroup : std::uint8_t {
  any,               ///< Taken by all sources.
  source,            ///< It names the source.
  nodes,             ///< The table of the nodes.
  features,          ///< Ready-made features of nodes.
  component,         ///< A part of one graph.
  names,             ///< Names in the table of the nodes.
  unknown_nodes,     ///< Edges beyond this table.
  graph_attributes,  ///< Of a graph file.
  edge_columns,      ///< Of an edge list.
  target,            ///< Of an edge list; of molecules, another name for a label.
  edges,             ///< Of an edge list or a graph file.
  tables,            ///< Files of one's own.
  labels,            ///< Labels in columns of a table.
  molecules,
  reactions,
  mixtures,  ///< Several molecules in a row.
  atoms,     ///< Labels of atoms and bonds.
  tu_labels,         ///< Of a TU folder.
  kinds,  ///< Columns with kinds of nodes and edges.
  collection,
  pairs,
  frozen,  ///< A frozen network.
};

/// Which part of one graph is used.
enum class Component : std::uint8_t { all, largest };

/// What happens to several edges between the same nodes; from `sum` on they become one, with that of their weights.
enum class Duplicates : std::uint8_t { keep_first, keep_all, refuse, sum, mean, max, min, count };

/// "data": the source of the nodes, edges and labels. Either `dataset`, or files.
struct DataConfig {
  std::string dataset;   ///< A name in the catalogue.
  FileList edges;        ///< Edge list: CSV, TSV or space-separated, optionally .gz.
  std::string graph;     ///< Instead of `edges`, and of `nodes` if it has attributes: GraphML, GML, DOT, JSON.
  FileList nodes;        ///< Node table (CSV).
  std::string frozen;    ///< Instead of all others: a network from edgewise data freeze.
  std::string memory;    ///< How much memory its parts may take, such as "4G"; empty: all there is.
  std::string molecules;  ///< Table of molecules (CSV with a column of SMILES, SDF): one graph per row.
  std::string reactions;  ///< Table of reactions (CSV with a column of reaction SMILES): one graph per row.
  data::ReactionMode reaction_mode = data::ReactionMode::reac_diff;  ///< What their atoms and bonds show.
  bool align = false;  ///< Reactions without atom map numbers get some: see io/reaction_alignment.hpp.
  std::string tu;         ///< Folder of a set in TU Dortmund layout: many graphs with one label each.
  std::vector<std::string> node_labels;  ///< Its node labels, in column order; empty: the set's own.
  std::vector<std::string> edge_labels;  ///< Its edge labels, likewise.
  /// Column of SMILES in `molecules` or `reactions`; empty: found by its usual names or its values. Several: each row
  /// is that many molecules.
  std::vector<std::string> smiles;
  std::vector<std::string> amount;  ///< Columns with their amounts, if any.
  bool symmetric = false;           ///< Their order says nothing.
  std::vector<std::string> atom_target;  ///< Column(s) of `molecules` with a list of values, one for each atom: the
                                         ///< atoms are the items.
  std::vector<std::string> bond_target;  ///< The same of bonds.
  std::string atom_table;  ///< Table of these values, with a row for each atom or bond; empty: lists in cells.
  std::vector<std::string> atom_columns;  ///< Its columns of the molecule and of one or two atoms; found if empty.
  std::string atom_total;  ///< Column of what the values of a molecule's atoms add up to; "charge": its formal charge.
  std::string features;  ///< Sparse features: node,feature,value CSV or {"node": [feature, ...]} JSON.
  std::string source;    ///< Columns of the edge list; empty: found by their usual names.
  /// With `molecules` or `dataset`: an alias of `label`; several are separated by commas.
  std::string target;
  std::vector<std::string> edge_label;  ///< Column(s) of the edge list to learn: then the edges are the items.
  std::string weight;  ///< Column of the edge list or edge attribute of the graph file; empty: by its usual names.
  std::string row_weight;  ///< Column of the items' table: how much each counts in the loss; empty: all alike.
  std::vector<std::string> edge_features;
  io::Categories edge_categories;        ///< For text columns; empty: what the file has.
  data::ColumnScaler edge_scaler;        ///< For numeric columns; without columns: fitted to the file.
  std::string id;                        ///< Column of the node table with the node names.
  std::string node_names;                ///< Node attribute of the graph file with the node names; empty: their ids.
  std::vector<std::string> label;        ///< Column(s) to learn.
  std::string node_kind;  ///< Column of the node table with the kind of each node.
  std::string edge_kind;  ///< Column of the edge list with the relation that each edge is of.
  std::vector<std::string> relations = {};  ///< KIND:RELATION:KIND, which such columns make; found when data is read.
  std::string label_kind = {};  ///< Of several kinds of nodes the one with the labels; found when data is read.
  std::string task = "auto";             ///< auto, classification, multilabel, regression.
  std::vector<std::string> categorical;  ///< Columns, also of edges, that are categorical although they hold numbers.
  std::vector<std::string> ignore;       ///< Columns that are not features.
  std::vector<std::string> missing;  ///< Texts that mean an unknown value, see io::missing_texts.
  std::vector<std::string> missing_labels;  ///< Texts that mean an unknown label.
  /// Multi-label: what separates the labels in the cells of the one label column, such as ";".
  std::string separator;
  std::string label_list;  ///< The column that `separator` made into those of `label`; found when the data is read.
  /// Regression: the column that says whether the label is exact (=) or a bound (<, >, ...). Empty: a cell such as ">5"
  /// is a bound, and so are those that the only column of relations marks; none: there are no bounds. For ties between
  /// several kinds of nodes: the relation that is learnt, KIND:RELATION:KIND.
  std::string relation;
  bool normalise_rows = false;           ///< Divide each row of bag-of-words features by its sum.
  bool directed = false;
  bool undirected = false;         ///< Even if a graph file says it is directed.
  Component component = Component::all;
  Duplicates duplicates = Duplicates::keep_first;
  graph::SelfLoops self_loops = graph::SelfLoops::keep;
  io::UnknownNodes unknown_nodes = io::UnknownNodes::refuse;  ///< Of edges, beyond the node table.
  std::string atom_features = "standard/2";  ///< Atom and bond features of molecules, by name and version.
  std::vector<std::string> descriptors;      ///< Of molecules, besides the graph: "rdkit", and columns of the table.
  bool hydrogens = false;                    ///< Hydrogens become atoms.
  bool strict = false;                       ///< A molecule that cannot be parsed is an error; otherwise it is skipped.
  EncodingConfig encodings = {};
  /// Collections of graphs from a table of their nodes, of texts, or of rows that are grids or sequences.
  std::string graph_column;                ///< In `nodes`: the graph a node belongs to.
  std::string order;                       ///< In `nodes`: its place in the graph, a number.
  std::string head;                        ///< In `nodes`: the place of the head node, where an edge starts; 0: none.
  std::string graphs;                      ///< Table of the graphs, named as in `graph_column`.
  std::string texts;                       ///< Table of texts: each is a graph, its tokens are the nodes.
  std::string text;                        ///< Column of the texts.
  data::Tokens tokens = data::Tokens::words;  ///< Or characters.
  std::vector<std::string> token_columns;  ///< In `nodes`: vocabulary columns, besides those of many categories.
  /// Token prefixes and suffixes of up to this many characters become features. By default as many as the data set
  /// says, none otherwise.
  std::optional<std::int64_t> affixes;
  std::string grid;          ///< "8x8": each row of `nodes` is a grid with this many rows and columns.
  bool sequence = false;     ///< Each row of `nodes` is a sequence, one element per column.
  std::vector<std::string> value_columns;  ///< Columns of the values of a grid or sequence; empty: all others.
  /// Pairs of a source and its target.
  std::string pairs;         ///< Lines of source TAB target.
  std::string source_texts;  ///< Instead of `pairs`: a source a line,
  std::string target_texts;  ///< and its target in the same line.
  std::string source_rows;   ///< Table of numbers: sources are names of groups of its rows, such as recordings.
  std::string source_column;           ///< In `source_rows`: the source that a row belongs to.
  std::string source_order;            ///< In `source_rows`: its place in the source, a number.
  std::optional<data::Tokens> source_tokens;  ///< By default as is usual for such texts, see inputs/pair_map.hpp.
  std::optional<data::Tokens> target_tokens;
  std::int64_t pieces = 4000;  ///< Merges of byte pairs to learn.
  std::string merges;          ///< A file of merges, in place of learning them.
  std::int64_t longest = 1000;  ///< Tokens of one side.

  /// Whether the data is many graphs read from a table of nodes, texts or rows.
  bool is_collection() const { return !(graph_column.empty() && texts.empty() && grid.empty() && !sequence); }
  bool are_reactions() const { return !reactions.empty(); }
  /// Whether each row is several molecules.
  bool are_mixtures() const { return smiles.size() > 1; }
  /// Whether atoms have rows in a table of their own, at least in training.
  bool has_atom_rows() const { return !(atom_table.empty() && atom_columns.empty()); }
  /// Whether atoms or bonds have the labels.
  bool labels_atoms() const { return !(atom_target.empty() && bond_target.empty()); }
  /// The column of the SMILES, of several the first; empty if it is not known.
  std::string smiles_column() const { return smiles.empty() ? "" : smiles.front(); }
  /// How rows that are several molecules are read.
  std::optional<data::MixtureOptions> mixtures() const;
  /// The table of molecules or of reactions.
  const std::string& molecule_table() const { return are_reactions() ? reactions : molecules; }
  graph::GraphOptions graph_options() const;
  /// How `duplicates` makes one edge of those between the same nodes; nothing if it does not.
  std::optional<graph::Combine> combining() const;
  /// The names in `categorical` that refer to node tables, excluding edge features.
  std::vector<std::string> categorical_of_nodes() const;
};

/// The members of "data".
std::span<const json::Field<DataConfig>> data_fields();
/// Reads "data" of a configuration. Throws UsageError naming the member by its path.
DataConfig parse_data(const json::Value& value);
/// "data" of a configuration.
json::Value to_json(const DataConfig& data);
/// "reac_diff"
std::string name_of(data::ReactionMode mode);
/// The members of "data" that differ from their defaults.
std::vector<std::string_view> given_members(const DataConfig& data);

/// Whether `over` gives a member of "data" of `base` by another name: the "target" of molecules is a label.
bool is_given_as_alias(std::string_view member, const json::Value& base, const json::Value& over);

/// The group of a member of "data"; nothing if there is no such member.
std::optional<DataGroup> group_of(std::string_view member);
/// What members of a group are for: "molecules (data.molecules)".
std::string purpose_of(DataGroup group);

}  // namespace edgewise::train
