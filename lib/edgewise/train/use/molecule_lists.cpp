#include "edgewise/train/use/molecule_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "edgewise/io/cell_lists.hpp"
#include "edgewise/train/source/atom_items.hpp"

namespace edgewise::train {
namespace {

/// One column of lists: the cells of nodes that are atoms, or bonds, in a row for each molecule.
io::TextColumn lists_of(const AtomItems& items, bool are_bonds, const io::TextColumn& cells, bool are_numbers) {
  io::TextColumn lists{.name = cells.name, .values = {}, .is_numeric = false, .is_json = true};
  for (std::size_t molecule = 0; molecule < items.bonds.size(); ++molecule) {
    const auto [first, end] = part_of_molecule(items, molecule, are_bonds);
    const std::vector<std::string> values(cells.values.begin() + first, cells.values.begin() + end);
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

/// Whether a column called after a label, such as "std_order", is about bonds.
bool is_about_bonds(const DataConfig& reading, const std::string& column) {
  if (reading.atom_target.empty()) return true;
  return std::ranges::any_of(reading.bond_target, [&](const std::string& label) {
    return column == label || column.ends_with("_" + label) || column.starts_with(label + "_");
  });
}

/// The ends of each bond: [[0,1],[1,2]].
io::TextColumn ends_of_bonds(const Dataset& data) {
  const AtomItems& items = *data.atoms;
  const graph::EdgeList& edges = data.graph.edges();
  io::TextColumn column{.name = "bonds", .values = {}, .is_numeric = false, .is_json = true};
  std::size_t bond = 0;
  for (std::size_t molecule = 0; molecule < items.bonds.size(); ++molecule) {
    const graph::Node first = items.molecules.offsets[molecule];
    const auto [begin, end] = part_of_molecule(items, molecule, true);
    std::string text = "[";
    for (graph::Node node = begin; node < end; ++node, ++bond)
      text += fmt::format("{}[{},{}]", node == begin ? "" : ",", edges.sources[bond] - first,
                          edges.targets[bond] - first);
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
  io::TextColumn column{.name = cells.name, .values = {}};
  for (std::size_t molecule = 0; molecule < items.bonds.size(); ++molecule) {
    const auto [first, end] = part_of_molecule(items, molecule, false);
    column.values.push_back(first < end ? cells.values[first] : "");
  }
  return column;
}

}  // namespace

io::Predictions as_written(const Dataset& data, io::Predictions table, std::vector<io::TextColumn> kept) {
  if (!data.atoms) return table;
  const AtomItems& items = *data.atoms;
  io::Predictions lists{.kind = io::PredictionKind::numbers,
                        .columns = {},
                        .values = Matrix(static_cast<Eigen::Index>(items.bonds.size()), 0),
                        .key = "row",
                        .before = std::move(kept)};
  const auto is_kept = [&](const std::string& name) {
    return std::ranges::any_of(lists.before, [&](const io::TextColumn& column) { return column.name == name; });
  };
  if (!is_kept("smiles"))
    lists.before.insert(lists.before.begin(), {.name = "smiles", .values = items.molecules.smiles});
  if (!data.reading.bond_target.empty()) lists.after.push_back(ends_of_bonds(data));
  std::vector<io::TextColumn> columns = predicted_columns(table);
  for (const std::vector<io::TextColumn>* others : {&table.before, &table.after})
    std::ranges::copy(*others, std::back_inserter(columns));
  for (const io::TextColumn& column : columns) {
    const bool are_numbers =
        column.is_numeric || (table.kind == io::PredictionKind::numbers && column.name.starts_with("known"));
    lists.after.push_back(is_of_molecules(column.name)
                              ? first_cells(items, column)
                              : lists_of(items, is_about_bonds(data.reading, column.name), column, are_numbers));
  }
  for (io::TextColumn& column : lists.before)
    if (std::ranges::any_of(lists.after, [&](const io::TextColumn& ours) { return ours.name == column.name; }))
      column.name.insert(0, "kept_");
  lists.after.push_back({.name = "problem", .values = items.molecules.problems});
  return lists;
}

const graph::NodeNames& names_of_rows(const Dataset& data) {
  return data.atoms ? data.atoms->molecules.names : data.items();
}

}  // namespace edgewise::train
