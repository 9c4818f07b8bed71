#include "edgewise/train/use/molecule_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "edgewise/graph/permutation.hpp"
#include "edgewise/io/cell_lists.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/train/source/atom_items.hpp"
#include "edgewise/train/source/atom_table.hpp"

namespace edgewise::train {
namespace {

/// The nodes in the order of the lists: atoms by their map numbers where lists are read so, and then the bonds.
std::vector<graph::Node> nodes_in_lists(const Dataset& data) {
  const AtomItems& items = *data.atoms;
  std::vector<graph::Node> nodes(data.graph.node_count());
  std::iota(nodes.begin(), nodes.end(), graph::Node{0});
  for (std::size_t molecule = 0; molecule < items.bonds.size(); ++molecule) {
    const auto [first, end] = part_of_molecule(items, molecule, false);
    const std::optional<io::AtomOrder> order = io::order_by_maps(items.molecules.smiles[molecule]);
    if (!order || order->places.size() != end - first) continue;
    const std::vector<std::size_t> places = *order->places_in(end - first);
    for (std::size_t atom = 0; atom < places.size(); ++atom)
      nodes[first + places[atom]] = first + static_cast<graph::Node>(atom);
  }
  return nodes;
}

/// One column of lists: the cells of nodes that are atoms, or bonds, in a row for each molecule.
io::TextColumn lists_of(const AtomItems& items, const std::vector<graph::Node>& nodes, bool are_bonds,
                        const io::TextColumn& cells, bool are_numbers) {
  io::TextColumn lists{.name = cells.name, .values = {}, .is_numeric = false, .is_json = true};
  for (std::size_t molecule = 0; molecule < items.bonds.size(); ++molecule) {
    const auto [first, end] = part_of_molecule(items, molecule, are_bonds);
    std::vector<std::string> values;
    for (graph::Node place = first; place < end; ++place) values.push_back(cells.values[nodes[place]]);
    const bool is_read = items.molecules.problems[molecule].empty();
    lists.values.push_back(is_read ? io::list_of_values(values, are_numbers) : "");
  }
  return lists;
}

/// What is predicted, as columns of texts.
std::vector<io::TextColumn> predicted_columns(const io::Predictions& table) {
  std::vector<io::TextColumn> columns;
  const bool are_numbers = table.kind == io::PredictionKind::numbers;
  if (!are_numbers) {
    columns.push_back({.name = "predicted", .values = {}});
    for (Eigen::Index row = 0; row < table.values.rows(); ++row)
      columns.back().values.push_back(io::predicted_text(table, static_cast<std::size_t>(row)));
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    columns.push_back(io::number_column(are_numbers ? table.columns[i] : fmt::format("p_{}", table.columns[i]),
                                        table.values, static_cast<Eigen::Index>(i)));
  for (std::size_t i = 0; i < table.columns.size() && table.has_deviations(); ++i)
    columns.push_back(io::number_column(fmt::format("std_{}", table.columns[i]), table.deviations,
                                        static_cast<Eigen::Index>(i)));
  return columns;
}

/// Whether a column is called after one of the labels, such as "std_order".
bool is_about(const std::vector<std::string>& labels, const std::string& column) {
  return std::ranges::any_of(labels, [&](const std::string& label) {
    return column == label || column.ends_with("_" + label) || column.starts_with(label + "_");
  });
}

bool is_about_bonds(const DataConfig& reading, const std::string& column) {
  return reading.atom_target.empty() || is_about(reading.bond_target, column);
}

/// The ends of each bond, by their places in the lists of atoms: [[0,1],[1,2]].
io::TextColumn ends_of_bonds(const Dataset& data, const std::vector<graph::Node>& nodes) {
  const AtomItems& items = *data.atoms;
  const std::vector<graph::Node> places = graph::inverse(nodes);
  const graph::EdgeList& edges = data.graph.edges();
  io::TextColumn column{.name = "bonds", .values = {}, .is_numeric = false, .is_json = true};
  std::size_t bond = 0;
  for (std::size_t molecule = 0; molecule < items.bonds.size(); ++molecule) {
    const graph::Node first = items.molecules.offsets[molecule];
    const auto [begin, end] = part_of_molecule(items, molecule, true);
    std::string text = "[";
    for (graph::Node node = begin; node < end; ++node, ++bond)
      text += fmt::format("{}[{},{}]", node == begin ? "" : ",", places[edges.sources[bond]] - first,
                          places[edges.targets[bond]] - first);
    column.values.push_back(text + "]");
  }
  return column;
}

/// Whether the column says the same of all atoms of a molecule.
bool is_of_molecules(const std::string& column) {
  return column == "split" || column == "similarity" || column == "unlike";
}

/// A column of molecules.
io::TextColumn first_cells(const AtomItems& items, const io::TextColumn& cells) {
  io::TextColumn column{.name = cells.name, .values = {}, .is_numeric = cells.is_numeric};
  for (std::size_t molecule = 0; molecule < items.bonds.size(); ++molecule) {
    const auto [first, end] = part_of_molecule(items, molecule, false);
    column.values.push_back(first < end ? cells.values[first] : "");
  }
  return column;
}

/// What is predicted and what else is known of nodes, as columns of texts.
std::vector<io::TextColumn> columns_of_nodes(const io::Predictions& table) {
  std::vector<io::TextColumn> columns = predicted_columns(table);
  for (const std::vector<io::TextColumn>* others : {&table.before, &table.after})
    std::ranges::copy(*others, std::back_inserter(columns));
  return columns;
}

/// Columns of molecules that are called as one of the others get another name.
void rename_kept_of_molecules(io::Predictions& table) {
  for (io::TextColumn& column : table.before)
    if (std::ranges::any_of(table.after, [&](const io::TextColumn& ours) { return ours.name == column.name; }))
      column.name.insert(0, "kept_");
}

/// A table of texts without rows, with columns of molecules.
io::Predictions empty_table(const AtomItems& items, std::vector<io::TextColumn> kept) {
  io::Predictions table{.kind = io::PredictionKind::numbers, .columns = {}, .values = {}, .key = io::kRowKey};
  table.before = std::move(kept);
  if (std::ranges::none_of(table.before, [](const io::TextColumn& column) { return column.name == "smiles"; }))
    table.before.insert(table.before.begin(), {.name = "smiles", .values = items.molecules.smiles});
  return table;
}

constexpr graph::Node kNoNode = ~graph::Node{0};

/// The rows of a table of atoms: a molecule, and a node of it, or kNoNode if it cannot be read.
struct AtomRows {
  std::vector<graph::Node> molecules, nodes;
  std::vector<bool> are_bonds;

  AtomRows(const AtomItems& items, bool has_atoms) {
    for (graph::Node molecule = 0; molecule < items.bonds.size(); ++molecule) {
      if (!items.molecules.problems[molecule].empty()) add(molecule, kNoNode, false);
      const graph::Node first = items.molecules.offsets[molecule], bond = items.bonds[molecule];
      for (graph::Node node = has_atoms ? first : bond; node < items.molecules.offsets[molecule + 1]; ++node)
        add(molecule, node, node >= bond);
    }
  }

  io::TextColumn of_molecules(const io::TextColumn& column) const {
    return spread(column, [&](std::size_t row) { return column.values[molecules[row]]; });
  }
  /// Those of atoms or of bonds may be left out.
  io::TextColumn of_nodes(const io::TextColumn& column, bool has_atoms, bool has_bonds) const {
    return spread(column, [&](std::size_t row) {
      const bool is_in = nodes[row] != kNoNode && (are_bonds[row] ? has_bonds : has_atoms);
      return is_in ? column.values[nodes[row]] : "";
    });
  }

 private:
  void add(graph::Node molecule, graph::Node node, bool is_bond) {
    molecules.push_back(molecule);
    nodes.push_back(node);
    are_bonds.push_back(is_bond);
  }
  template <class CellOf>
  io::TextColumn spread(const io::TextColumn& column, const CellOf& cell_of) const {
    io::TextColumn result{
        .name = column.name, .values = {}, .is_numeric = column.is_numeric, .is_json = column.is_numeric};
    for (std::size_t row = 0; row < nodes.size(); ++row) result.values.push_back(cell_of(row));
    return result;
  }
};

/// The numbers of the atom that a node is, or of the two atoms of a bond.
std::vector<io::TextColumn> numbers_of_nodes(const Dataset& data) {
  std::vector<io::TextColumn> columns;
  for (std::size_t i = 1; i < data.reading.atom_columns.size(); ++i)
    columns.push_back({.name = data.reading.atom_columns[i],
                       .values = std::vector<std::string>(data.graph.node_count()),
                       .is_numeric = true});
  const AtomItems& items = *data.atoms;
  const graph::EdgeList& edges = data.graph.edges();
  for (std::size_t molecule = 0; molecule < items.bonds.size(); ++molecule) {
    graph::Node node = items.molecules.offsets[molecule];
    for (const std::size_t number : atom_numbers(items, molecule))
      columns[0].values[node++] = std::to_string(number);
  }
  const std::size_t first_end = data.reading.bond_target.empty() ? edges.size() : edges.size() / 3;
  for (std::size_t end = first_end; end < edges.size(); ++end)
    columns[(end - first_end) % 2].values[edges.targets[end]] = columns[0].values[edges.sources[end]];
  return columns;
}

/// Predictions in a row for each atom and bond.
io::Predictions as_rows(const Dataset& data, const io::Predictions& table, std::vector<io::TextColumn> kept) {
  const AtomItems& items = *data.atoms;
  const DataConfig& reading = data.reading;
  AtomRows rows(items, !reading.atom_target.empty());
  io::Predictions result = empty_table(items, std::move(kept));
  for (io::TextColumn& column : result.before) column = rows.of_molecules(column);
  for (const io::TextColumn& column : numbers_of_nodes(data)) result.after.push_back(rows.of_nodes(column, true, true));
  for (const io::TextColumn& column : columns_of_nodes(table))
    result.after.push_back(
        rows.of_nodes(column, says_of(reading, column.name, false), says_of(reading, column.name, true)));
  rename_kept_of_molecules(result);
  result.after.push_back(rows.of_molecules({.name = "problem", .values = items.molecules.problems}));
  result.values = Matrix(static_cast<Eigen::Index>(rows.nodes.size()), 0);
  result.nodes = std::move(rows.molecules);
  return result;
}

}  // namespace

io::Predictions as_lists(const Dataset& data, io::Predictions table, std::vector<io::TextColumn> kept) {
  if (!data.atoms) return table;
  const AtomItems& items = *data.atoms;
  const std::vector<graph::Node> nodes = nodes_in_lists(data);
  io::Predictions lists = empty_table(items, std::move(kept));
  lists.values = Matrix(static_cast<Eigen::Index>(items.bonds.size()), 0);
  if (!data.reading.bond_target.empty()) lists.after.push_back(ends_of_bonds(data, nodes));
  for (const io::TextColumn& column : columns_of_nodes(table))
    lists.after.push_back(is_of_molecules(column.name)
                              ? first_cells(items, column)
                              : lists_of(items, nodes, is_about_bonds(data.reading, column.name), column,
                                         column.is_numeric));
  rename_kept_of_molecules(lists);
  lists.after.push_back({.name = "problem", .values = items.molecules.problems});
  return lists;
}

io::Predictions as_written(const Dataset& data, io::Predictions table, std::vector<io::TextColumn> kept) {
  const bool has_rows = data.atoms && data.reading.atom_columns.size() > 1;
  return has_rows ? as_rows(data, table, std::move(kept)) : as_lists(data, std::move(table), std::move(kept));
}

bool says_of(const DataConfig& reading, const std::string& column, bool are_bonds) {
  if (is_of_molecules(column)) return true;
  const std::vector<std::string>& own = are_bonds ? reading.bond_target : reading.atom_target;
  const std::vector<std::string>& others = are_bonds ? reading.atom_target : reading.bond_target;
  return !own.empty() && !is_about(others, column);
}

const graph::NodeNames& names_of_rows(const Dataset& data) {
  return data.atoms ? data.atoms->molecules.names : data.items();
}

}  // namespace edgewise::train
