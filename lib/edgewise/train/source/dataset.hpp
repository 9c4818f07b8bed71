#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/lazy.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/data/path_lengths.hpp"
#include "edgewise/graph/graph_union.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/node_table.hpp"
#include "edgewise/io/pairs.hpp"
#include "edgewise/train/config/data_config.hpp"
#include "edgewise/train/loop/part_holding.hpp"
#include "edgewise/train/source/node_pairs.hpp"

namespace edgewise::data {
class FrozenNetwork;
}

namespace edgewise::train {

struct TrainedModel;

/// The model that a training starts from, and its file.
struct StartModel {
  std::string path;
  std::shared_ptr<TrainedModel> model = {};
};

/// Numeric descriptors of whole graphs.
struct GraphDescriptors {
  std::vector<std::string> names;  ///< One per column.
  Matrix values;                   ///< [graphs, names], in the units of their source; NaN if unknown.
};

/// What items are called: "molecule" and "molecules".
struct Noun {
  std::string_view one;
  std::string_view many;

  std::string_view of(std::size_t count) const { return count == 1 ? one : many; }
};

/// Several molecules in a row, each a part of the row's graph.
struct MixtureItems {
  std::vector<std::string> names;  ///< Of the molecules: their columns.
  bool is_sum = false;             ///< Their order says nothing.
  std::vector<graph::Node> offsets = {0};  ///< Within Dataset::graph: part p of graph g is range g * names.size() + p.
  Matrix shares = {};                      ///< [graphs * names, 1]: amounts over that of all.

  std::size_t size() const { return names.size(); }
};

/// Additional data of a graph-level job, in which each graph is an item.
struct GraphItems {
  std::vector<graph::Node> offsets = {0};  ///< Of the graphs within Dataset::graph, their disjoint union.
  graph::NodeNames names;                  ///< Names of the graphs: row numbers from 1, or as in the files.
  bool are_molecules = false;  ///< Or reactions, or several molecules each.
  bool are_reactions = false;
  std::optional<MixtureItems> mixtures = {};  ///< Set if each is several molecules.
  /// For molecules, one per graph; of reactions, all sides; of several molecules, all (io/mixture_text.hpp).
  std::vector<std::string> smiles;
  std::vector<std::string> problems;  ///< Why a molecule could not be parsed and is an empty graph; "" if all is well.
  std::vector<io::AtomOrder> orders = {};  ///< Of SDF, if atoms have a table: MoleculeTable::orders.
  Eigen::Index sign_columns = 0;      ///< The last feature columns, whose signs are drawn at random in training.
  GraphDescriptors descriptors;       ///< Descriptors named in DataConfig::descriptors.
  Lazy<GraphDescriptors> rdkit = {};  ///< Result of `rdkit_descriptors`.
  Lazy<std::vector<std::string>> scaffolds = {};  ///< For molecules, result of data::murcko_scaffolds.
  Lazy<std::vector<std::string>> clusters = {};   ///< For molecules, the centres of data::butina_clusters.
  Lazy<std::vector<std::string>> centres = {};    ///< For reactions, result of data::reaction_centres.
  data::PathLengths paths;            ///< Between the nodes of each graph; `maximum` is 0 if not requested.

  /// That of molecules, reactions, mixtures or graphs.
  Noun noun() const;
  /// Of one of several molecules in a row: its texts. Throws UsageError if no such column is one of them.
  std::vector<std::string> smiles_of(std::string_view column) const;
};

/// Additional data of molecules whose atoms or bonds have the labels. Dataset::graph has a node for each atom and, if
/// bonds have labels, for each bond (data/bond_nodes.hpp), Dataset::table a row; the molecules are a collection.
struct AtomItems {
  GraphItems molecules;            ///< Without labels; offsets within Dataset::graph.
  io::NodeTable rows;              ///< Their table.
  std::vector<graph::Node> bonds;  ///< The first bond of each molecule, or the end of the molecule.
  std::vector<float> totals = {};  ///< What the values of each molecule's atoms add up to, NaN if unknown; or empty.
};

/// Additional data of a collection: graphs whose nodes are rows of a table. The labels belong to the nodes or to the
/// graphs (then there are GraphItems too).
struct Collection {
  std::vector<graph::Node> offsets = {0};  ///< Of the graphs within Dataset::graph, their disjoint union.
  graph::NodeNames graphs;
  io::NodeTable nodes;               ///< Node attributes, if graphs have the labels.
  std::vector<std::string> placing;  ///< Node columns that position a node; they are not features.
  std::vector<std::string> tokens;   ///< Node columns with a vocabulary.
  std::uint32_t grid_columns = 0;    ///< Columns of each graph's grid, with nodes in row-major order.
};

/// Additional data of pairs, which are the items.
struct PairItems {
  io::TextPairs texts;
  /// If sources are rows of numbers: those of pair p are rows row_offsets[p] ... row_offsets[p + 1] - 1.
  Matrix rows = {};
  std::vector<graph::Node> row_offsets = {0};
  std::vector<std::string> columns = {};  ///< Of the rows.

  std::size_t size() const { return texts.sources.size(); }
  bool has_rows() const { return !columns.empty(); }
  /// Location of a pair, for messages.
  TextLocation where(std::size_t pair) const { return {.file = texts.file, .line = texts.lines[pair]}; }
};

/// Additional data of a network whose ties are the items: tie i leads from sources[i] to targets[i], and is none of the
/// others, nor, in an undirected network, their reverse. No node has a tie to itself.
struct LinkItems {
  std::vector<graph::Node> sources, targets;
  std::size_t others = 0;  ///< The last so many ties are no items: never predicted, always seen.
  /// For each edge of the graph the tie that it is, or kNoTie for a loop, and for edges of other relations.
  std::vector<graph::StoredEdge> tie_of_edge;
  graph::Direction direction = graph::Direction::undirected;  ///< Of ties.
  /// At which end of ties each node can stand, as for graph::LinkCandidates; empty: all at both.
  std::vector<std::uint8_t> sides = {};
  bool has_two_sides = false;  ///< No node can stand at both.
  graph::NodeNames names;                      ///< "SOURCE,TARGET", as in a CSV file.
  io::NodeTable nodes;                         ///< Attributes of the nodes; Dataset::table has those of the ties.

  static constexpr graph::StoredEdge kNoTie = ~graph::StoredEdge{0};
  std::size_t size() const { return sources.size() - others; }
  std::size_t all() const { return sources.size(); }
};

/// Additional data of a network whose edges have the labels (DataConfig::edge_label): item i leads from sources[i] to
/// targets[i]. Dataset::graph has a node for each item, called "SOURCE,TARGET" as in a CSV file, and no edges.
struct EdgeItems {
  graph::NodeNames nodes;  ///< KIND:NAME if sources and targets are of two kinds.
  std::vector<graph::Node> sources, targets;
  bool is_directed = true;
  std::string source_kind = {}, target_kind = {};  ///< Empty if they are of one.

  std::size_t size() const { return sources.size(); }
  PairNames names() const;
  /// The same for edges between the same nodes and, unless edges have a direction, their reverses.
  std::uint64_t key(std::size_t item) const;
};

/// Edges of one meaning between nodes of two kinds, or of one.
struct Relation {
  std::string name;
  std::size_t source = 0;  ///< Place of the kind in NodeKinds::kinds.
  std::size_t target = 0;
  std::size_t edges = 0;
  bool is_undirected = false;  ///< Both ways alike: its edges have one number, not another one for their reverse.
};

/// The nodes of one kind: a range of the nodes of Dataset::graph.
struct NodeKind {
  std::string name;
  graph::Node first = 0;
  graph::Node count = 0;
  io::NodeTable table = {};  ///< Its columns are called KIND.COLUMN. No rows if there is none, or it is Dataset::table.
};

/// Additional data of a network of several kinds of nodes. Dataset::graph names its nodes KIND:NAME, and is directed:
/// it has each edge once for its relation and once for the reverse. The features of an edge are 1 in the column of its
/// relation, or of that relation's reverse, and 0 in the others.
struct NodeKinds {
  std::vector<NodeKind> kinds;      ///< The first has the labels: its nodes are the items.
  std::vector<Relation> relations;  ///< By ends and name.
  graph::NodeNames items;           ///< The names of the nodes of the first kind.

  /// Place of the relation whose edges are the items; nothing if nodes are.
  std::optional<std::size_t> asked = {};

  std::size_t edge_count() const;
  /// Of the features of the relation's edges. Unless both ways are alike, their reverses have the next one.
  Eigen::Index column_of(std::size_t relation) const;
  /// KIND:RELATION:KIND of each.
  std::vector<std::string> names_of_relations() const;
  /// Of a node of the graph.
  const NodeKind& kind_of(graph::Node node) const;
  /// `products "5"`, for messages.
  std::string describe(const graph::NodeNames& names, graph::Node node) const;
};

/// What a source read, before anything is fitted to a split; no training changes it. An *item* is what has a
/// label: a node, a graph, a tie, or an edge.
struct Dataset {
  std::string name;  ///< Name of the data set, or of the file with the nodes.
  /// How it was read: what was requested, completed with the catalogue's entry and the columns found. A model of the
  /// data reads other data in the same way.
  DataConfig reading;
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
  Lazy<std::vector<graph::Node>> duplicates = {};  ///< Result of `duplicate_of`.
  /// Columns of the edges that a job of ties needs, such as their times: one row for each edge of the user; else no
  /// rows.
  io::NodeTable edge_table = {};
  std::optional<Collection> collection;
  std::optional<AtomItems> atoms = {};  ///< Set if atoms or bonds of molecules have the labels.
  std::optional<PairItems> pairs = {};
  std::optional<LinkItems> links = {};  ///< Set if ties have the labels.
  std::optional<EdgeItems> edges = {};  ///< Set if edges have labels.
  std::optional<NodeKinds> kinds = {};  ///< Set if there are nodes of several kinds; one of them has the labels.
  /// Set if the network is frozen: `graph` then has the nodes, but no edges, and `features` are in the file, too.
  std::shared_ptr<const data::FrozenNetwork> frozen = {};
  /// The frozen network that all of this was read from, into memory; its features, `features`, were fitted then.
  std::shared_ptr<const data::FrozenNetwork> thawed = {};
  StartModel start = {};     ///< LoadOptions::start.
  PartHolding parts = {};    ///< Those of a frozen network: LoadOptions::parts, with DataConfig::memory.

  /// The table of node attributes.
  const io::NodeTable& node_table() const {
    if (links) return links->nodes;
    return collection && graphs ? collection->nodes : table;
  }

  bool has_many_graphs() const { return graphs || collection; }

  /// The rows of a table of molecules or reactions, whether they or their atoms are the items; else nullptr.
  const GraphItems* molecules() const {
    if (atoms) return &atoms->molecules;
    return graphs && graphs->are_molecules ? &*graphs : nullptr;
  }

  /// Whether there are path lengths between the nodes of each graph.
  bool has_paths() const { return graphs && graphs->paths.maximum > 0; }

  /// Offsets of the graphs within `graph`; a single range if it is one graph.
  std::vector<graph::Node> offsets() const {
    if (graphs) return graphs->offsets;
    if (collection) return collection->offsets;
    return {0, static_cast<graph::Node>(graph.node_count())};
  }

  /// As the user gave them, also where edges are the items.
  std::size_t node_count() const { return edges ? edges->nodes.size() : graph.node_count(); }
  std::size_t edge_count() const;

  /// The node of this name; of several kinds, the item, which may also be called KIND:NAME.
  std::optional<graph::Node> find_node(std::string_view name) const;

  /// What nodes are called where pairs of them are read and written.
  PairNames pair_names() const;

  /// What the items are: nodes, molecules, ties, ...
  Noun noun() const;

  /// Names of the items.
  const graph::NodeNames& items() const {
    if (links) return links->names;
    if (kinds) return kinds->items;
    return graphs ? graphs->names : graph.names();
  }
};

}  // namespace edgewise::train
