#include "edgewise/train/source/atom_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/limits.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::train {
namespace {

using graph::Node;

constexpr const char* kRowColumn = "row";
constexpr Node kMerged = ~Node{0};  // a hydrogen that is part of another atom

/// "Atom_Index_0" and "atom2" name atoms.
bool names_atoms(std::string_view column) {
  std::string core = core_of_name(column);
  core.erase(core.find_last_not_of("0123456789") + 1);
  constexpr std::string_view kNames[] = {"atom", "atomindex", "atomidx", "atomid", "atommap", "atomnumber"};
  return std::ranges::count(kNames, core) > 0;
}

/// The columns that name the molecule and the atoms. Throws DataError if that is not clear.
std::vector<std::string> find_columns(const io::NodeTable& table, const DataConfig& reading) {
  const std::vector<std::string> header = io::names_of(table.columns);
  std::vector<std::string> columns;
  for (const std::string& usual : molecule_columns())
    if (columns.empty() && std::ranges::count(header, usual) > 0) columns.push_back(usual);
  for (const std::string& name : header)
    if (!columns.empty() && names_atoms(name)) columns.push_back(name);
  const bool are_bonds = !reading.bond_target.empty();
  if (columns.size() == (are_bonds ? 3 : 2)) return columns;
  throw DataError(fmt::format("{}: expected a column of molecules and {}, found {}; say which they are ({})",
                              table.file.text(),
                              are_bonds ? "two of the atoms of a bond, such as molecule,atom_1,atom_2"
                                        : "one of atoms, such as molecule,atom",
                              io::list_of_columns(header), setting("data.atom_columns")));
}

/// Molecules by what a table of atoms calls them.
struct MoleculeNames {
  std::string source;  ///< Where the names are from.
  std::unordered_map<std::string, std::size_t> rows = {};
  std::unordered_map<std::string, std::size_t> second_rows = {};  ///< Of names that several have.
};

MoleculeNames names_from(std::string source, std::size_t rows, const std::function<std::string(std::size_t)>& name_of) {
  MoleculeNames names{.source = std::move(source)};
  for (std::size_t row = 0; row < rows; ++row) {
    const auto [place, is_new] = names.rows.emplace(name_of(row), row);
    if (!is_new) names.second_rows.emplace(place->first, row);
  }
  return names;
}

/// By the column that is called as the one with the names, or else the first that has one of them.
MoleculeNames molecules_by_name(const AtomItems& items, const io::Column& given) {
  const io::NodeTable& table = items.rows;
  const std::string& column = given.name;
  const auto from_column = [&](const std::string& name) {
    const io::Column& texts = table.at(name);
    return names_from(fmt::format("column {}", io::quote(name)), table.rows(),
                      [&](std::size_t row) { return texts.text(row); });
  };
  if (table.find(column) != nullptr) return from_column(column);
  if (column == kRowColumn)
    return names_from("numbers of rows", table.rows(), [&](std::size_t row) { return std::to_string(row + 1); });
  for (const std::string& usual : molecule_columns()) {
    if (table.find(usual) == nullptr) continue;
    MoleculeNames names = from_column(usual);
    for (std::size_t row = 0; row < given.size(); ++row)
      if (names.rows.contains(given.text(row))) return names;
  }
  return names_from("SMILES", table.rows(), [&](std::size_t row) { return items.molecules.smiles[row]; });
}

/// The order that says what the atoms of a molecule are called, if it is not that of its SMILES.
std::optional<io::AtomOrder> order_of(const AtomItems& items, std::size_t molecule) {
  const GraphItems& molecules = items.molecules;
  return molecules.orders.empty() ? io::order_by_maps(molecules.smiles[molecule]) : molecules.orders[molecule];
}

/// A row, and what it says.
struct AtomRow {
  std::size_t row = 0;
  std::size_t molecule = 0;
  std::vector<std::size_t> atoms;  ///< One, or the two of a bond.
};

/// Reads which molecules and atoms the rows name.
class RowReader {
 public:
  RowReader(const Dataset& data, const io::NodeTable& table, bool needs_labels)
      : items_(*data.atoms),
        table_(table),
        needs_labels_(needs_labels),
        is_strict_(data.reading.strict),
        may_be_atoms_(!data.reading.atom_target.empty()) {
    for (const std::string& name : data.reading.atom_columns) columns_.push_back(&table.at(name));
  }

  std::vector<AtomRow> read() {
    std::vector<AtomRow> rows;
    if (table_.rows() == 0) return rows;
    const MoleculeNames names = molecules_by_name(items_, *columns_[0]);
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      const std::optional<std::size_t> molecule = find(names, row);
      if (!molecule) unknown_.push_back(row);
      if (!molecule || !items_.molecules.problems[*molecule].empty()) continue;
      rows.push_back({.row = row, .molecule = *molecule, .atoms = atoms_of_row(row)});
    }
    if (is_strict_ && !unknown_.empty()) refuse_molecule(unknown_.front(), names);
    if (needs_labels_ && unknown_.size() == table_.rows()) refuse_molecule(0, names);
    return rows;
  }

  /// About the rows of molecules that are not there, of which there are some.
  std::string note() const {
    const std::size_t first = unknown_.front();
    return fmt::format("{}: {} about molecules that are not in {}, such as {} in {}: not used", table_.file.text(),
                       counted(unknown_.size(), "row is", "rows are"), items_.rows.file.text(),
                       io::quote(columns_[0]->text(first)), table_.place_of(first));
  }
  bool has_unknown() const { return !unknown_.empty(); }

 private:
  [[noreturn]] void refuse_molecule(std::size_t row, const MoleculeNames& names) const {
    throw DataError(table_.where(row), fmt::format("expected a molecule of {} ({}), got {}", items_.rows.file.text(),
                                                   names.source, io::quote(columns_[0]->text(row))));
  }

  /// Nothing for a molecule that is not there.
  std::optional<std::size_t> find(const MoleculeNames& names, std::size_t row) const {
    const std::string name = columns_[0]->text(row);
    if (const auto second = names.second_rows.find(name); second != names.second_rows.end())
      throw DataError(table_.where(row),
                      fmt::format("{} is two molecules of {}, in {} and {}; expected each once, or their numbers in a "
                                  "column \"{}\"",
                                  io::quote(name), items_.rows.file.text(), items_.rows.place_of(names.rows.at(name)),
                                  items_.rows.place_of(second->second), kRowColumn));
    const auto found = names.rows.find(name);
    return found == names.rows.end() ? std::nullopt : std::optional(found->second);
  }

  std::vector<std::size_t> atoms_of_row(std::size_t row) const {
    std::vector<std::size_t> atoms;
    for (std::size_t i = 1; i < columns_.size(); ++i) {
      if (i > 1 && may_be_atoms_ && columns_[i]->is_missing(row)) continue;
      const std::string text = columns_[i]->text(row);
      const std::string_view whole(text.data(), text.ends_with(".0") ? text.size() - 2 : text.size());  // as pandas may
      const std::optional<std::uint64_t> number = io::parse_index(whole);
      if (!number)
        throw DataError(table_.where(row), fmt::format("column {}: expected the number of an atom, got {}",
                                                       io::quote(columns_[i]->name), io::quote(text)));
      atoms.push_back(*number);
    }
    return atoms;
  }

  const AtomItems& items_;
  const io::NodeTable& table_;
  bool needs_labels_, is_strict_;
  bool may_be_atoms_;  // of a table of bonds, the rows with one atom
  std::vector<const io::Column*> columns_;
  std::vector<std::size_t> unknown_;
};

/// The atoms of a molecule by their numbers.
struct NumberedAtoms {
  std::map<std::size_t, Node> atoms;
  bool have_maps = false;
};

NumberedAtoms numbered_atoms(const Dataset& data, std::size_t molecule) {
  const AtomItems& items = *data.atoms;
  NumberedAtoms numbered;
  const std::optional<io::AtomOrder> order = order_of(items, molecule);
  numbered.have_maps = order && !order->numbers.empty();
  for (std::size_t place = 0; order && place < order->count; ++place)
    numbered.atoms.emplace(order->number_at(place), kMerged);
  if (order && data.reading.hydrogens)
    throw DataError(items.rows.where(molecule),
                    fmt::format("the atoms have numbers of their own, and which of them a hydrogen has is not clear; "
                                "leave out {}",
                                setting("data.hydrogens")));
  Node atom = items.molecules.offsets[molecule];
  for (const std::size_t number : atom_numbers(items, molecule)) numbered.atoms[number] = atom++;
  return numbered;
}

/// Finds the nodes that rows are about.
class NodeFinder {
 public:
  NodeFinder(const Dataset& data, const io::NodeTable& table, bool starts_with_one)
      : data_(data), table_(table), starts_with_one_(starts_with_one) {
    if (data.reading.bond_target.empty()) return;
    const graph::EdgeList& edges = data.graph.edges();
    for (std::size_t end = edges.size() / 3; end < edges.size(); end += 2)  // both ends of a bond
      bonds_[std::minmax(edges.sources[end], edges.sources[end + 1])] = edges.targets[end];
  }

  /// kMerged where it is about a hydrogen that is part of another atom.
  Node find(const AtomRow& row) {
    if (!molecule_ || *molecule_ != row.molecule) {
      numbered_ = numbered_atoms(data_, row.molecule);
      molecule_ = row.molecule;
    }
    const Node one = atom(row, row.atoms.front());
    if (row.atoms.size() == 1) return one;
    const Node other = atom(row, row.atoms.back());
    if (one == kMerged || other == kMerged) return kMerged;
    if (const auto bond = bonds_.find(std::minmax(one, other)); bond != bonds_.end()) return bond->second;
    throw DataError(table_.where(row.row), fmt::format("expected two atoms of {} with a bond, got {} and {}",
                                                       smiles(row), row.atoms.front(), row.atoms.back()));
  }

  bool has_counted() const { return has_counted_; }

 private:
  Node atom(const AtomRow& row, std::size_t number) {
    const std::size_t shift = starts_with_one_ && !numbered_.have_maps ? 1 : 0;
    has_counted_ = has_counted_ || !numbered_.have_maps;
    const std::map<std::size_t, Node>& atoms = numbered_.atoms;
    if (const auto found = atoms.find(number - shift); found != atoms.end()) return found->second;
    throw DataError(table_.where(row.row), fmt::format("expected an atom of {}, {} to {}, got {}", smiles(row),
                                                       atoms.begin()->first + shift, atoms.rbegin()->first + shift,
                                                       number));
  }
  const std::string& smiles(const AtomRow& row) const { return data_.atoms->molecules.smiles[row.molecule]; }

  const Dataset& data_;
  const io::NodeTable& table_;
  bool starts_with_one_;
  bool has_counted_ = false;
  std::map<std::pair<Node, Node>, Node> bonds_;
  std::optional<std::size_t> molecule_;
  NumberedAtoms numbered_;
};

bool says_zero(const AtomRow& row) { return std::ranges::count(row.atoms, std::size_t{0}) > 0; }

}  // namespace

std::vector<std::string> AtomTable::values_of(const io::Column& column) const {
  std::vector<std::string> values;
  for (const std::size_t row : rows) values.push_back(row == kNoRow ? "" : column.text(row));
  return values;
}

std::vector<std::uint64_t> AtomTable::lines() const {
  std::vector<std::uint64_t> lines;
  for (const std::size_t row : rows) lines.push_back(row == kNoRow ? 0 : table.lines[row]);
  return lines;
}

const std::vector<std::string>& molecule_columns() {
  static const std::vector<std::string> kNames = {kRowColumn, "molecule", "molecule_name", "molecule_id",
                                                  "mol",      "mol_id",   "mol_name",      "name",
                                                  "id",       "compound", "smiles"};
  return kNames;
}

std::vector<std::size_t> atom_numbers(const AtomItems& items, std::size_t molecule) {
  const std::size_t atoms = items.bonds[molecule] - items.molecules.offsets[molecule];
  const std::optional<io::AtomOrder> order = order_of(items, molecule);
  const bool is_ordered = order && order->places.size() == atoms;
  std::vector<std::size_t> numbers;
  for (std::size_t atom = 0; atom < atoms; ++atom)
    numbers.push_back(is_ordered ? order->number_at(order->places[atom]) : atom);
  return numbers;
}

AtomTable read_atom_table(bool needs_labels, Dataset& data) {
  AtomTable result{.table = io::read_node_table(data.reading.atom_table,
                                                {.expected = "a table of atoms",
                                                 .is_numbered = true,
                                                 .texts = {.names = {}, .is_all = true},
                                                 .missing = io::missing_texts(data.reading.missing)}),
                   .rows = std::vector<std::size_t>(data.graph.node_count(), AtomTable::kNoRow)};
  const io::NodeTable& table = result.table;
  if (data.reading.atom_columns.empty()) data.reading.atom_columns = find_columns(table, data.reading);
  RowReader reader(data, table, needs_labels);
  const std::vector<AtomRow> rows = reader.read();
  const bool starts_with_one = std::ranges::none_of(rows, says_zero);
  NodeFinder finder(data, table, starts_with_one);
  for (const AtomRow& row : rows) {
    const Node node = finder.find(row);
    if (node == kMerged) continue;
    std::size_t& place = result.rows[node];
    if (place != AtomTable::kNoRow)
      throw DataError(table.where(row.row), fmt::format("expected one row for each atom or bond, got a second one of "
                                                        "that in {}",
                                                        table.place_of(place)));
    place = row.row;
  }
  if (starts_with_one && finder.has_counted())
    result.notes.push_back(fmt::format("{}: no row is about an atom 0, so that atoms are counted from 1",
                                       table.file.text()));
  if (reader.has_unknown()) result.notes.push_back(reader.note());
  return result;
}

}  // namespace edgewise::train
