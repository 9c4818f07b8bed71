#include "edgewise/train/source/atom_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/categorical_column.hpp"
#include "edgewise/io/cell_lists.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/train/source/atom_table.hpp"
#include "edgewise/train/source/collection_data.hpp"
#include "edgewise/train/source/duplicate_items.hpp"
#include "edgewise/train/source/network.hpp"

namespace edgewise::train {
namespace {

std::size_t graph_of_node(const std::vector<graph::Node>& offsets, graph::Node node) {
  return static_cast<std::size_t>(std::ranges::upper_bound(offsets, node) - offsets.begin() - 1);
}

/// The first bond of each molecule; of the edges, the last two thirds lead to bonds.
std::vector<graph::Node> first_bonds(const graph::Graph& graph, const std::vector<graph::Node>& offsets) {
  std::vector<graph::Node> first(offsets.begin() + 1, offsets.end());
  const std::vector<graph::Node>& targets = graph.edges().targets;
  for (std::size_t end = targets.size() / 3; end < targets.size(); ++end) {
    graph::Node& bond = first[graph_of_node(offsets, targets[end])];
    bond = std::min(bond, targets[end]);
  }
  return first;
}

/// The names of nodes by the numbers that a table of atoms has.
graph::NodeNames names_by_numbers(const Dataset& data) {
  const AtomItems& items = *data.atoms;
  std::vector<std::string> numbers(data.graph.node_count());
  for (std::size_t molecule = 0; molecule < items.bonds.size(); ++molecule) {
    graph::Node node = items.molecules.offsets[molecule];
    for (const std::size_t number : atom_numbers(items, molecule)) numbers[node++] = std::to_string(number);
  }
  const graph::EdgeList& edges = data.graph.edges();
  const std::size_t first_end = data.reading.bond_target.empty() ? edges.size() : edges.size() / 3;
  for (std::size_t end = first_end; end < edges.size(); end += 2)  // both ends of a bond
    numbers[edges.targets[end]] = fmt::format("{}-{}", numbers[edges.sources[end]], numbers[edges.sources[end + 1]]);
  graph::NodeNames names;
  for (graph::Node node = 0; node < numbers.size(); ++node) {
    const auto molecule = static_cast<graph::Node>(molecule_of(items, node));
    names.add(fmt::format("{}:{}", items.molecules.names[molecule], numbers[node]));
  }
  return names;
}

/// Reads the lists of one column.
class ListReader {
 public:
  ListReader(const Dataset& data, bool is_strict) : data_(data), items_(*data.atoms), is_strict_(is_strict) {}

  /// The value of each node, "" where there is none. Throws DataError for a list of another length.
  std::vector<std::string> values_of(const io::Column& column) {
    const bool are_bonds = is_of_bonds(data_.reading, column.name);
    std::vector<std::string> values(data_.graph.node_count());
    for (std::size_t molecule = 0; molecule < items_.rows.rows(); ++molecule) {
      const auto [begin, end] = part_of_molecule(items_, molecule, are_bonds);
      if (begin == end || column.is_missing(molecule)) continue;
      std::vector<std::string> list = io::values_of_list(column.text(molecule));
      if (!are_bonds) put_in_order(molecule, list);
      const bool is_nested = io::is_nested_list(column.text(molecule));
      if (list.size() == end - begin && !is_nested)
        std::ranges::move(list, values.begin() + begin);
      else
        refuse(column, molecule, end - begin, is_nested ? "a list of lists" : std::to_string(list.size()));
    }
    return values;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    if (ordered_ > 0)
      notes.push_back(fmt::format("{}: in {} the values are those of the atoms in the order of their map numbers, "
                                  "which is not that of the SMILES",
                                  items_.rows.file, counted(ordered_, "molecule")));
    if (ignored_ > 0)
      notes.push_back(fmt::format("{} of another length than the atoms or bonds, and taken as unknown: {}{}",
                                  counted(ignored_, "list is", "lists are"), first_ignored_,
                                  ignored_ == 1 ? "" : fmt::format("; and {} more", ignored_ - 1)));
    return notes;
  }

 private:
  /// A list by map numbers in the order of the atoms.
  void put_in_order(std::size_t molecule, std::vector<std::string>& list) {
    const std::optional<io::AtomOrder> order = io::order_by_maps(items_.molecules.smiles[molecule]);
    if (!order || order->is_of_text()) return;
    const std::optional<std::vector<std::size_t>> places = order->places_in(list.size());
    if (!places) return;
    if (data_.reading.hydrogens)
      throw DataError(items_.rows.where(molecule),
                      fmt::format("the atoms have map numbers in another order than the SMILES, which is not clear "
                                  "with hydrogens as atoms; leave out {}",
                                  setting("data.hydrogens")));
    std::vector<std::string> ordered;
    for (const std::size_t place : *places) ordered.push_back(std::move(list[place]));
    list = std::move(ordered);
    ++ordered_;
  }

  void refuse(const io::Column& column, std::size_t molecule, std::size_t expected, const std::string& found) {
    const bool are_bonds = is_of_bonds(data_.reading, column.name);
    const DataError error(items_.rows.where(molecule),
                          fmt::format("column \"{}\": expected {}, one for each {} of {}{}, got {}", column.name,
                                      counted(expected, "value"), are_bonds ? "bond" : "atom",
                                      items_.molecules.smiles[molecule],
                                      data_.reading.hydrogens ? "" : " without hydrogens that are part of other atoms",
                                      found));
    if (is_strict_) throw error;
    if (ignored_++ == 0) first_ignored_ = error.what();
  }

  const Dataset& data_;
  const AtomItems& items_;
  bool is_strict_;
  std::size_t ordered_ = 0, ignored_ = 0;
  std::string first_ignored_;
};

/// The molecule that each node is in.
std::vector<std::size_t> molecules_of_nodes(const std::vector<graph::Node>& offsets) {
  std::vector<std::size_t> molecules;
  for (std::size_t m = 0; m + 1 < offsets.size(); ++m)
    molecules.insert(molecules.end(), offsets[m + 1] - offsets[m], m);
  return molecules;
}

/// A row for each node, with the columns of its molecule that say how to split and weigh.
io::NodeTable table_of_nodes(const LoadOptions& options, const Dataset& data) {
  io::NodeTable rows = data.atoms->rows;
  std::erase_if(rows.columns, [&](const io::Column& column) {
    return column.name != "split" && column.name != data.reading.row_weight &&
           std::ranges::count(options.split_columns, column.name) == 0;
  });
  io::NodeTable table = io::rows_of(rows, molecules_of_nodes(data.atoms->molecules.offsets));
  table.names = data.graph.names();
  return table;
}

/// Adds the columns of labels that `table` has, in which `values_of` a column are those of the nodes.
void add_label_columns(const LoadOptions& options, const std::vector<std::string>& labels, const io::NodeTable& table,
                       const std::function<std::vector<std::string>(const io::Column&)>& values_of, Dataset& data) {
  const std::vector<std::string> missing = io::missing_texts(data.reading.missing);
  for (const std::string& label : labels) {
    if (options.needs_labels) table.at(label);  // throws, listing the columns
    if (const io::Column* column = table.find(label))
      data.table.columns.push_back(
          io::column_of_texts(label, values_of(*column), missing, options.texts.contains(label)));
  }
}

/// Adds the columns of labels that the molecules have, or the table of their atoms.
void add_labels(const LoadOptions& options, const std::vector<std::string>& labels, Dataset& data) {
  if (!data.reading.atom_table.empty()) {
    AtomTable atoms = read_atom_table(options.needs_labels, data);
    const auto values_of = [&](const io::Column& column) { return atoms.values_of(column); };
    add_label_columns(options, labels, atoms.table, values_of, data);
    data.notes.insert(data.notes.end(), atoms.notes.begin(), atoms.notes.end());
    data.table.lines = atoms.lines();
    data.table.file = std::move(atoms.table.file);
    return;
  }
  ListReader reader(data, options.needs_labels);
  const auto values_of = [&](const io::Column& column) { return reader.values_of(column); };
  add_label_columns(options, labels, data.atoms->rows, values_of, data);
  std::ranges::move(reader.notes(), std::back_inserter(data.notes));
}

/// What the values of each molecule's atoms add up to.
std::vector<float> read_totals(const Dataset& data) {
  const AtomItems& items = *data.atoms;
  const std::string& name = data.reading.atom_total;
  std::vector<float> totals;
  if (name.empty()) return totals;
  const bool are_classes = !data.labels.names.empty() && data.labels.has_classes();
  if (data.reading.atom_target.size() > 1 || are_classes)
    throw UsageError("data.atom_total: is for one number of each atom");
  const bool is_column = items.rows.find(name) != nullptr && name != data.reading.atom_target.front();
  const bool is_formal_charge = name == "charge" && !is_column;
  for (std::size_t molecule = 0; molecule < items.rows.rows(); ++molecule)
    totals.push_back(is_formal_charge ? static_cast<float>(io::formal_charge(items.molecules.smiles[molecule]))
                                      : items.rows.number(items.rows.at(name), molecule));
  return totals;
}

}  // namespace

const std::vector<std::string>& targets_of(const Dataset& data, graph::Node node) {
  const bool is_bond = node >= data.atoms->bonds[molecule_of(*data.atoms, node)];
  return is_bond ? data.reading.bond_target : data.reading.atom_target;
}

bool is_of_bonds(const DataConfig& reading, std::string_view label) {
  return std::ranges::count(reading.bond_target, label) > 0;
}

std::size_t molecule_of(const AtomItems& items, graph::Node node) {
  return graph_of_node(items.molecules.offsets, node);
}

std::vector<graph::Node> atoms_of(const AtomItems& items, graph::Node node, const graph::Graph& graph) {
  const std::size_t molecule = molecule_of(items, node);
  const graph::Node first = items.molecules.offsets[molecule];
  if (node < items.bonds[molecule]) return {node - first};
  std::vector<graph::Node> ends;
  const graph::EdgeList& edges = graph.edges();
  for (std::size_t e = edges.size() / 3; e < edges.size(); ++e)
    if (edges.targets[e] == node) ends.push_back(edges.sources[e] - first);
  return ends;
}

std::pair<graph::Node, graph::Node> part_of_molecule(const AtomItems& items, std::size_t molecule, bool are_bonds) {
  const std::vector<graph::Node>& offsets = items.molecules.offsets;
  return are_bonds ? std::pair(items.bonds[molecule], offsets[molecule + 1])
                   : std::pair(offsets[molecule], items.bonds[molecule]);
}

data::Split split_of_molecules(const AtomItems& items, const data::Split& split) {
  data::Split molecules;
  for (std::size_t m = 0; m + 1 < items.molecules.offsets.size(); ++m) {
    const auto [first, end] = part_of_molecule(items, m, false);
    molecules.push_back(first < end ? split[first] : data::Role::none);
  }
  return molecules;
}

void make_atom_items(const LoadOptions& options, Dataset& data) {
  duplicate_of(data);  // while the molecules are the items
  AtomItems& items = data.atoms.emplace();
  items.molecules = std::move(*data.graphs);
  items.rows = std::move(data.table);
  data.graphs.reset();
  const std::vector<graph::Node>& offsets = items.molecules.offsets;
  items.bonds = data.reading.bond_target.empty() ? std::vector(offsets.begin() + 1, offsets.end())
                                                 : first_bonds(data.graph, offsets);
  if (data.reading.has_atom_rows()) data.graph = graph::Graph(names_by_numbers(data), data.graph.edges());
  Collection& collection = data.collection.emplace();
  collection.offsets = offsets;
  collection.graphs = items.molecules.names;
  data.sign_columns = items.molecules.sign_columns;
  for (data::Split& split : data.splits) split = spread_over_nodes(split, offsets);
  data.table = table_of_nodes(options, data);
  std::vector<std::string> labels = data.reading.atom_target;
  labels.insert(labels.end(), data.reading.bond_target.begin(), data.reading.bond_target.end());
  add_labels(options, labels, data);
  data.reading.label = std::move(labels);
  if (!data.table.columns.empty() && data.table.rows() > 0) load_labels(options, data);
  items.totals = read_totals(data);
}

void keep_totals(const AtomItems& items, Matrix& predictions) {
  for (std::size_t molecule = 0; molecule < items.totals.size(); ++molecule) {
    const auto [first, end] = part_of_molecule(items, molecule, false);
    if (first == end || std::isnan(items.totals[molecule])) continue;
    auto values = predictions.middleRows(first, end - first);
    const double missing = items.totals[molecule] - values.cast<double>().sum();
    values.array() += static_cast<float>(missing / (end - first));
  }
}

}  // namespace edgewise::train
