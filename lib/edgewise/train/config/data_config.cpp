#include "edgewise/train/config/data_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "edgewise/core/list.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/train/config/byte_count.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {
namespace {

using json::Flag;
using json::Integer;
using json::make_field;
using json::OneOf;
using json::refuse;
using json::section;
using json::Text;
using json::Texts;

template <auto kMember, class Kind>
constexpr auto encoding(std::string_view name, std::string_view doc, std::string_view flag) {
  return make_field<EncodingConfig, kMember, Kind>(name, doc, flag);
}

constexpr std::array kEncodingFields = {
    encoding<&EncodingConfig::degree, Flag>("degree", "Node features: the degree of each node", "--degree"),
    encoding<&EncodingConfig::random_walk, Integer<0, 128>>(
        "random_walk", "Node features: return probabilities of random walks of 1 to this many steps", "--random-walk"),
    encoding<&EncodingConfig::laplacian, Integer<0, 128>>(
        "laplacian", "Node features: this many eigenvectors of the Laplacian", "--laplacian"),
    encoding<&EncodingConfig::distances, Integer<0, 254>>(
        "distances", "Graphs: lengths of shortest paths up to this one, for attention between all", "--distances"),
    encoding<&EncodingConfig::virtual_node, Flag>("virtual_node", "Graphs: one more node, connected to all others",
                                                  "--virtual-node"),
};

std::span<const json::Field<EncodingConfig>> encoding_fields() { return kEncodingFields; }

/// Texts, written as a single text if there is only one.
struct Labels : Texts {
  static json::Value write(const std::vector<std::string>& texts) {
    return texts.size() == 1 ? json::Value(texts[0]) : Texts::write(texts);
  }
};

/// Lists of texts by name; omitted if empty.
struct TextsByName {
  static constexpr json::FieldType kType = json::FieldType::object;
  static io::Categories read(const json::Value& object, std::string_view name, const io::Categories&) {
    io::Categories lists;
    for (const auto& [key, texts] : section(object, name).as_object()) lists[key] = texts.as_strings();
    return lists;
  }
  static json::Value write(const io::Categories& lists) {
    json::Object object;
    for (const auto& [name, texts] : lists) object.emplace_back(name, texts);
    return object.empty() ? json::Value() : json::Value(std::move(object));
  }
};

/// Omitted if it has no columns.
struct Scaler {
  static constexpr json::FieldType kType = json::FieldType::object;
  static data::ColumnScaler read(const json::Value& object, std::string_view name, const data::ColumnScaler& preset) {
    const json::Value* value = object.find(name);
    return value == nullptr ? preset : data::ColumnScaler::from_json(*value);
  }
  static json::Value write(const data::ColumnScaler& scaler) {
    return scaler.columns() == 0 ? json::Value() : scaler.to_json();
  }
};

std::vector<std::string> learnt_tasks() {
  std::vector<std::string> names = {"auto"};
  for (const Target* target : all_targets()) names.emplace_back(target->task().name);
  return names;
}

struct TaskKind : json::Plain<std::string> {
  static constexpr json::FieldType kType = json::FieldType::text;
  static std::string read(const json::Value& object, std::string_view name, const std::string& fallback) {
    const std::string given = object.get(name, fallback.c_str());
    if (given == fallback) return given;
    std::vector<std::string> names = learnt_tasks();
    names.insert(names.end(), {"masked_atoms", "masked_tokens"});
    return names[static_cast<std::size_t>(json::read_choice(object, name, names, 0))];
  }
  static std::string_view doc() {
    static const std::string text = fmt::format("{}; to pretrain: masked_atoms of molecules, masked_tokens of texts",
                                                fmt::join(learnt_tasks(), ", "));
    return text;
  }
};

/// Not written if not given.
struct AffixesKind {
  static constexpr json::FieldType kType = json::FieldType::integer;
  static std::optional<std::int64_t> read(const json::Value& object, std::string_view name,
                                          std::optional<std::int64_t> fallback) {
    const json::Value* value = object.find(name);
    return value == nullptr || value->is_null() ? fallback : Integer<0, 16>::read(object, name, std::int64_t{0});
  }
  static json::Value write(std::optional<std::int64_t> affixes) {
    return affixes ? json::Value(*affixes) : json::Value();
  }
};

constexpr const char* kDuplicates[] = {"keep_first", "keep_all", "refuse", "sum", "mean", "max", "min", "count"};
constexpr const char* kComponents[] = {"all", "largest"};
constexpr const char* kTokens[] = {"words", "characters"};
constexpr const char* kPairTokens[] = {"auto", "words", "characters", "pieces"};

/// "auto" if not given.
struct TokensOrAuto {
  static constexpr json::FieldType kType = json::FieldType::text;
  static std::optional<data::Tokens> read(const json::Value& object, std::string_view name,
                                          std::optional<data::Tokens> fallback) {
    const std::string text = OneOf<kPairTokens>::read(object, name, std::string(kPairTokens[place(fallback)]));
    const auto known = std::ranges::find(kPairTokens, text) - std::begin(kPairTokens);
    return known == 0 ? std::nullopt : std::optional(static_cast<data::Tokens>(known - 1));
  }
  static json::Value write(std::optional<data::Tokens> tokens) { return kPairTokens[place(tokens)]; }
  static std::size_t place(std::optional<data::Tokens> tokens) {
    return tokens ? static_cast<std::size_t>(*tokens) + 1 : 0;
  }
};

constexpr const char* kSelfLoops[] = {"keep", "drop", "refuse"};
constexpr const char* kUnknownNodes[] = {"refuse", "drop", "add"};

constexpr const char* kReactionModes[] = {"reac_diff",         "reac_prod",         "prod_diff",
                                          "reac_diff_balance", "reac_prod_balance", "prod_diff_balance"};

/// Not written if it is the default.
struct ReactionModeKind : OneOf<kReactionModes> {
  static json::Value write(data::ReactionMode mode) {
    return mode == DataConfig().reaction_mode ? json::Value() : OneOf<kReactionModes>::write(mode);
  }
};

/// Not written if it is false.
struct FlagIfSet : Flag {
  static json::Value write(bool is_set) { return is_set ? json::Value(true) : json::Value(); }
};

struct DataMember {
  DataGroup group;
  json::Field<DataConfig> field;
};

template <DataGroup kGroup, auto kMember, class Kind>
constexpr DataMember data(std::string_view name, std::string_view doc, std::string_view flag = {}) {
  return {kGroup, make_field<DataConfig, kMember, Kind>(name, doc, flag)};
}

constexpr std::array kDataMembers = {
    data<DataGroup::source, &DataConfig::dataset, Text>("dataset", "A data set of the catalogue"),
    data<DataGroup::source, &DataConfig::edges, json::Tables>(
        "edges",
        "Edge list: CSV, TSV or space-separated, also .gz; several are read one after the other; for kinds of nodes "
        "KIND:RELATION:KIND=FILE",
        "--edges"),
    data<DataGroup::source, &DataConfig::graph, json::File>(
        "graph", "Nodes and edges in one file: GraphML, GEXF, GML, DOT, JSON, .mtx, Pajek, SIF ...", "--graph"),
    data<DataGroup::nodes, &DataConfig::nodes, json::Tables>(
        "nodes", "Node table: CSV with a header; several are read one after the other; for kinds of nodes KIND=FILE",
        "--nodes"),
    data<DataGroup::source, &DataConfig::frozen, json::File>(
        "frozen", "A network from edgewise data freeze", "--frozen"),
    data<DataGroup::frozen, &DataConfig::memory, Text>(
        "memory", "Frozen networks: memory for their parts, such as 4G; the rest is spilled to disk", "--memory"),
    data<DataGroup::source, &DataConfig::molecules, json::Table>(
        "molecules", "Table of molecules: CSV with a column of SMILES, or SDF, also .gz", "--molecules"),
    data<DataGroup::source, &DataConfig::reactions, json::Table>(
        "reactions", "Table of reactions: CSV with a column of mapped reaction SMILES, also .gz", "--reactions"),
    data<DataGroup::reactions, &DataConfig::reaction_mode, ReactionModeKind>(
        "reaction_mode", "What a model sees: reac_diff, reac_prod, prod_diff, each also with _balance",
        "--reaction-mode"),
    data<DataGroup::reactions, &DataConfig::align, FlagIfSet>(
        "align", "Find the atom map numbers of reactions that have none", "--align"),
    data<DataGroup::source, &DataConfig::tu, json::Folder>(
        "tu", "Folder of NAME_A.txt, NAME_graph_indicator.txt, ...: many graphs with one label each", "--tu"),
    data<DataGroup::tu_labels, &DataConfig::node_labels, Texts>(
        "node_labels", "With --tu: labels of nodes, one column each; default: all"),
    data<DataGroup::tu_labels, &DataConfig::edge_labels, Texts>(
        "edge_labels", "With --tu: labels of edges, one column each; default: all"),
    data<DataGroup::molecules, &DataConfig::smiles, Labels>(
        "smiles", "Column of the SMILES; several: each row is that many molecules", "--smiles"),
    data<DataGroup::atoms, &DataConfig::atom_target, Labels>(
        "atom_target", "Molecules: column(s) with a list in each cell, one value for each atom, to learn",
        "--atom-target"),
    data<DataGroup::atoms, &DataConfig::bond_target, Labels>(
        "bond_target", "Molecules: column(s) with a list of one value for each bond, to learn", "--bond-target"),
    data<DataGroup::atoms, &DataConfig::atom_table, json::Table>(
        "atom_table", "Molecules: table of these values with a row for each atom (bond): molecule,atom,value",
        "--atom-table"),
    data<DataGroup::atoms, &DataConfig::atom_columns, Texts>(
        "atom_columns", "Its columns of the molecule and of the atom (two for bonds), if not found by their names",
        "--atom-columns"),
    data<DataGroup::atoms, &DataConfig::atom_total, Text>(
        "atom_total", "Column with the sum of a molecule's atom values; charge: its formal charge",
        "--atom-total"),
    data<DataGroup::mixtures, &DataConfig::amount, Texts>(
        "amount", "Several molecules in a row: the columns with the amount of each", "--amount"),
    data<DataGroup::mixtures, &DataConfig::symmetric, FlagIfSet>(
        "symmetric", "Several molecules in a row: their order means nothing", "--symmetric"),
    data<DataGroup::features, &DataConfig::features, json::Table>(
        "features",
        "Features of nodes: node,x1,x2,... or sparse node,feature,value CSV, or {\"node\": [feature]} JSON; for "
        "molecules: the name of a feature set",
        "--features"),
    data<DataGroup::edge_columns, &DataConfig::source, Text>(
        "source", "Column of the edge list (name, or position from 1)", "--source"),
    data<DataGroup::target, &DataConfig::target, Text>(
        "target", "Molecules: the column(s) to learn, as --label; in an edge list: the column of targets", "--target"),
    data<DataGroup::source, &DataConfig::edge_label, Labels>(
        "edge_label", "Column(s) of the edge list to learn: the edges are labelled, not the nodes", "--edge-label"),
    data<DataGroup::edges, &DataConfig::weight, Text>(
        "weight", "Column of the edge list, or edge attribute in the graph file", "--weight"),
    data<DataGroup::any, &DataConfig::row_weight, Text>(
        "row_weight", "Column of the items' table that says how much each counts in the loss (of molecules: --weight)",
        "--row-weight"),
    data<DataGroup::edges, &DataConfig::edge_features, Texts>(
        "edge_features",
        "Columns of the edge list, or attributes in the graph file, to use as edge features", "--edge-features"),
    data<DataGroup::edges, &DataConfig::edge_categories, TextsByName>(
        "edge_categories", "Categories of the edge features that are texts; default: all"),
    data<DataGroup::edges, &DataConfig::edge_scaler, Scaler>(
        "edge_scaler", "Means and scales of the edge features that are numbers; default: fitted"),
    data<DataGroup::names, &DataConfig::id, Text>("id", "Column of the node table that names the node", "--id"),
    data<DataGroup::graph_attributes, &DataConfig::node_names, Text>(
        "node_names", "Attribute of the graph file that names the nodes", "--node-names"),
    data<DataGroup::any, &DataConfig::label, Labels>("label", "Column(s) of the table to learn", "--label"),
    data<DataGroup::kinds, &DataConfig::node_kind, Text>(
        "node_kind", "Column of the node table with the kind of each node, such as person or product", "--node-kind"),
    data<DataGroup::kinds, &DataConfig::edge_kind, Text>(
        "edge_kind", "Column of the edge list with the relation that each edge is of, such as buys", "--edge-kind"),
    data<DataGroup::kinds, &DataConfig::relations, Texts>("relations", "The relations that such columns make"),
    data<DataGroup::labels, &DataConfig::label_kind, Text>(
        "label_kind", "Of several kinds of nodes the one with the labels"),
    data<DataGroup::any, &DataConfig::task, TaskKind>("task", "", "--task"),
    data<DataGroup::any, &DataConfig::categorical, Texts>(
        "categorical", "Columns that are categories although they hold numbers", "--categorical"),
    data<DataGroup::any, &DataConfig::ignore, Texts>("ignore", "Node columns that are not features", "--ignore"),
    data<DataGroup::tables, &DataConfig::missing, Texts>(
        "missing",
        "Texts that mean that a value is unknown, besides NA, null, None and the like; with empty: instead of "
        "them", "--missing"),
    data<DataGroup::labels, &DataConfig::missing_labels, Texts>(
        "missing_labels", "Texts that mean that a label is unknown, such as unknown,-", "--missing-labels"),
    data<DataGroup::labels, &DataConfig::separator, Text>(
        "separator", "What separates the labels of one cell, such as ';', with --task multilabel", "--separator"),
    data<DataGroup::labels, &DataConfig::label_list, Text>("label_list", "The column that holds these labels"),
    data<DataGroup::labels, &DataConfig::relation, Text>(
        "relation",
        "Column that says which labels are bounds (<, >); none: treat all labels as exact; with --task links, of "
        "several relations the one whose ties are learnt, KIND:RELATION:KIND", "--relation"),
    data<DataGroup::features, &DataConfig::normalise_rows, Flag>(
        "normalise_rows", "Divide each row of bag-of-words features by its sum", "--normalise-rows"),
    data<DataGroup::edges, &DataConfig::directed, Flag>(
        "directed",
        "With an edge source,target only the target attends to the source; --directed=false: both do, whatever "
        "the file says", "--directed"),
    data<DataGroup::edges, &DataConfig::undirected, Flag>(
        "undirected", "Both ends attend, even if a graph file says it is directed"),
    data<DataGroup::component, &DataConfig::component, OneOf<kComponents>>(
        "component", "all, or largest: only the largest connected part of the graph", "--component"),
    data<DataGroup::edges, &DataConfig::duplicates, OneOf<kDuplicates>>(
        "duplicates",
        "Edges between the same nodes: keep_first, keep_all, refuse, or sum, mean, max, min, count of their "
        "weights", "--duplicates"),
    data<DataGroup::edges, &DataConfig::self_loops, OneOf<kSelfLoops>>(
        "self_loops", "keep, drop or refuse", "--self-loops"),
    data<DataGroup::unknown_nodes, &DataConfig::unknown_nodes, OneOf<kUnknownNodes>>(
        "unknown_nodes",
        "Edges to nodes that the node table does not list: refuse, drop, or add the nodes", "--unknown-nodes"),
    data<DataGroup::molecules, &DataConfig::atom_features, Text>(
        "atom_features", "The feature set of molecules, by name and version"),
    data<DataGroup::molecules, &DataConfig::descriptors, Texts>(
        "descriptors",
        "Molecules: numbers that are appended to the readout: rdkit (its descriptors), numeric columns",
        "--descriptors"),
    data<DataGroup::source, &DataConfig::graph_column, Text>(
        "graph_column", "Many graphs: column of the node table with the graph of each node", "--graph-column"),
    data<DataGroup::collection, &DataConfig::order, Text>(
        "order", "Many graphs: column of the node table that gives the order of the nodes", "--order"),
    data<DataGroup::collection, &DataConfig::head, Text>(
        "head", "Many graphs: column with the position of the node from which an edge comes, 0 for none", "--head"),
    data<DataGroup::collection, &DataConfig::graphs, json::Table>(
        "graphs", "Many graphs: table with one row per graph", "--graphs"),
    data<DataGroup::source, &DataConfig::texts, json::Table>(
        "texts", "Table of texts: CSV with a header; each text is a graph, its tokens are the nodes", "--texts"),
    data<DataGroup::collection, &DataConfig::text, Text>("text", "Column of the texts", "--text"),
    data<DataGroup::collection, &DataConfig::tokens, OneOf<kTokens>>(
        "tokens", "What texts are split into: words (at blanks) or characters", "--tokens"),
    data<DataGroup::collection, &DataConfig::token_columns, Texts>(
        "token_columns", "Node columns with a vocabulary, such as words", "--token-columns"),
    data<DataGroup::collection, &DataConfig::affixes, AffixesKind>(
        "affixes", "Use prefixes and suffixes of tokens up to this length as features, too", "--affixes"),
    data<DataGroup::source, &DataConfig::grid, Text>(
        "grid", "Each row of the node table is a grid, such as 8x8: one image per row", "--grid"),
    data<DataGroup::source, &DataConfig::sequence, Flag>(
        "sequence", "Each row of the node table is a sequence of its columns: one signal per row", "--sequence"),
    data<DataGroup::collection, &DataConfig::value_columns, Texts>(
        "value_columns", "With --grid or --sequence: the columns of the values, in order; default: all others"),
    data<DataGroup::source, &DataConfig::pairs, json::File>("pairs", "Pairs: lines of source TAB target, also .gz",
                                                      "--pairs"),
    data<DataGroup::source, &DataConfig::source_texts, json::File>(
        "source_texts", "Pairs in two files: a source a line", "--source-texts"),
    data<DataGroup::source, &DataConfig::target_texts, json::File>(
        "target_texts", "Pairs in two files: the target of the same line", "--target-texts"),
    data<DataGroup::pairs, &DataConfig::source_rows, json::File>(
        "source_rows", "Pairs: table of numbers; sources name groups of its rows, such as recordings",
        "--source-rows"),
    data<DataGroup::pairs, &DataConfig::source_column, Text>(
        "source_column", "Pairs: column of this table with the source that a row belongs to", "--source-column"),
    data<DataGroup::pairs, &DataConfig::source_order, Text>(
        "source_order", "Pairs: column of this table that orders the rows of a source", "--source-order"),
    data<DataGroup::pairs, &DataConfig::source_tokens, TokensOrAuto>(
        "source_tokens", "Pairs: what sources are cut into: words, characters or pieces of words", "--source-tokens"),
    data<DataGroup::pairs, &DataConfig::target_tokens, TokensOrAuto>(
        "target_tokens", "Pairs: what targets are cut into, likewise", "--target-tokens"),
    data<DataGroup::pairs, &DataConfig::pieces, Integer<1, 1000000>>(
        "pieces", "Pairs: how many pieces of words to merge from byte pairs", "--pieces"),
    data<DataGroup::pairs, &DataConfig::merges, json::File>(
        "merges", "Pairs: file of merges of byte pairs, in place of learning them", "--merges"),
    data<DataGroup::pairs, &DataConfig::longest, Integer<1, 100000>>(
        "longest", "Pairs: most tokens of a source or target", "--longest"),
    data<DataGroup::molecules, &DataConfig::hydrogens, Flag>(
        "hydrogens", "Molecules: make hydrogens explicit atoms", "--hydrogens"),
    data<DataGroup::molecules, &DataConfig::strict, Flag>(
        "strict", "Molecules: stop at the first one that cannot be read", "--strict"),
    data<DataGroup::any, &DataConfig::encodings, json::Nested<encoding_fields>>(
        "encodings", "Features from the graph's structure"),
};

/// Another name for a member of "data" that it has if something else is given: the "target" of molecules is a label.
struct Alias {
  std::string_view with;
  std::string_view name;
  std::string_view of;
  void (*move)(DataConfig& data);
};

constexpr auto kLabelOfTarget = [](DataConfig& data) { data.label = split_list(std::exchange(data.target, "")); };

constexpr Alias kAliases[] = {
    {"molecules", "weight", "row_weight", [](DataConfig& data) { data.row_weight = std::exchange(data.weight, ""); }},
    {"molecules", "features", "atom_features",
     [](DataConfig& data) { data.atom_features = std::exchange(data.features, ""); }},
    {"molecules", "target", "label", kLabelOfTarget},
    {"reactions", "weight", "row_weight", [](DataConfig& data) { data.row_weight = std::exchange(data.weight, ""); }},
    {"reactions", "features", "atom_features",
     [](DataConfig& data) { data.atom_features = std::exchange(data.features, ""); }},
    {"reactions", "target", "label", kLabelOfTarget},
    {"dataset", "target", "label", kLabelOfTarget}};

}  // namespace

std::optional<data::MixtureOptions> DataConfig::mixtures() const {
  if (!are_mixtures()) return std::nullopt;
  return data::MixtureOptions{.names = smiles, .is_sum = symmetric, .has_amounts = !amount.empty()};
}

graph::GraphOptions DataConfig::graph_options() const {
  using namespace graph;
  GraphOptions options;
  options.direction = directed ? Direction::directed : Direction::undirected;
  options.duplicates = combining() ? DuplicateEdges::keep_first : static_cast<DuplicateEdges>(duplicates);
  options.self_loops = self_loops;
  return options;
}

std::optional<graph::Combine> DataConfig::combining() const {
  if (duplicates < Duplicates::sum) return std::nullopt;
  return static_cast<graph::Combine>(static_cast<int>(duplicates) - static_cast<int>(Duplicates::sum));
}

std::vector<std::string> DataConfig::categorical_of_nodes() const {
  std::vector<std::string> columns;
  std::ranges::copy_if(categorical, std::back_inserter(columns),
                       [&](const std::string& name) { return std::ranges::count(edge_features, name) == 0; });
  return columns;
}

DataConfig parse_data(const json::Value& value) {
  json::allow_fields(value, data_fields());
  DataConfig data = json::read_fields(value, data_fields());
  if (data.directed && data.undirected)
    refuse(value, "undirected", "expected one of \"directed\" and \"undirected\", not both");
  if (!data.memory.empty()) bytes_of_size(value.path() + ".memory", data.memory);
  for (const Alias& alias : kAliases) {
    const auto is_given = [&](std::string_view member) { return std::ranges::count(given_members(data), member) > 0; };
    if (!is_given(alias.with) || !is_given(alias.name)) continue;
    if (alias.of == "label" && is_given("label"))
      refuse(value, alias.name, "expected one of \"target\" and \"label\", not both");
    alias.move(data);
  }
  for (auto label = data.label.begin(); label != data.label.end(); ++label)
    if (std::find(data.label.begin(), label, *label) != label)
      refuse(value, "label", "expected each column once");
  return data;
}

std::span<const json::Field<DataConfig>> data_fields() {
  static const auto kFields = [] {
    auto fields = std::apply([](const auto&... member) { return std::array{member.field...}; }, kDataMembers);
    std::ranges::find(fields, "task", &json::Field<DataConfig>::name)->doc = TaskKind::doc();
    return fields;
  }();
  return kFields;
}

bool is_given_as_alias(std::string_view member, const json::Value& base, const json::Value& over) {
  return std::ranges::any_of(kAliases, [&](const Alias& alias) {
    const bool is_alias = over.find(alias.with) != nullptr || base.find(alias.with) != nullptr;
    return is_alias && alias.of == member && over.find(alias.name) != nullptr;
  });
}

std::optional<DataGroup> group_of(std::string_view member) {
  const auto known = std::ranges::find(kDataMembers, member, [](const DataMember& one) { return one.field.name; });
  return known == kDataMembers.end() ? std::nullopt : std::optional(known->group);
}

std::string purpose_of(DataGroup group) {
  switch (group) {
    case DataGroup::any:
    case DataGroup::source: return "another source of data";
    case DataGroup::nodes: return "the nodes of a network or a collection";
    case DataGroup::features: return fmt::format("ready-made features of nodes ({})", setting("data.features"));
    case DataGroup::component: return "one graph; here are many";
    case DataGroup::names: return fmt::format("a table of nodes ({})", setting("data.nodes"));
    case DataGroup::unknown_nodes:
      return fmt::format("edges between the nodes of a table ({})", setting("data.nodes"));
    case DataGroup::graph_attributes: return fmt::format("a graph file ({})", setting("data.graph"));
    case DataGroup::edge_columns:
    case DataGroup::target: return fmt::format("an edge list ({})", setting("data.edges"));
    case DataGroup::edges:
      return fmt::format("an edge list ({}) or a graph file ({})", setting("data.edges"), setting("data.graph"));
    case DataGroup::tables: return "files of your own";
    case DataGroup::labels: return "labels in a table of nodes, graphs or molecules";
    case DataGroup::molecules: return fmt::format("molecules ({})", setting("data.molecules"));
    case DataGroup::reactions: return fmt::format("reactions ({})", setting("data.reactions"));
    case DataGroup::mixtures:
      return fmt::format("several molecules in a row ({} a {} b)", setting("data.smiles"), setting("data.smiles"));
    case DataGroup::atoms: return fmt::format("one molecule in a row ({})", setting("data.molecules"));
    case DataGroup::tu_labels: return fmt::format("a TU folder ({})", setting("data.tu"));
    case DataGroup::kinds: return fmt::format("one edge list whose edges have no labels ({})", setting("data.edges"));
    case DataGroup::collection:
      return fmt::format("collections ({}, {})", setting("data.texts"), setting("data.graph_column"));
    case DataGroup::frozen: return fmt::format("a frozen network ({})", setting("data.frozen"));
    case DataGroup::pairs:
      return fmt::format("pairs ({}, or {} and {})", setting("data.pairs"), setting("data.source_texts"),
                         setting("data.target_texts"));
  }
  return "";
}

json::Value to_json(const DataConfig& data) { return json::written(data_fields(), data); }

std::string name_of(data::ReactionMode mode) { return kReactionModes[static_cast<std::size_t>(mode)]; }

std::vector<std::string_view> given_members(const DataConfig& data) {
  static const DataConfig kDefaults;
  std::vector<std::string_view> given;
  for (const json::Field<DataConfig>& field : data_fields())
    if (!(field.write(data) == field.write(kDefaults))) given.push_back(field.name);
  return given;
}

}  // namespace edgewise::train
