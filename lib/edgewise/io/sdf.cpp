#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/io/cell_lists.hpp"
#include "edgewise/io/detail/column_builder.hpp"
#include "edgewise/io/limits.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/molecule_table.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

constexpr std::size_t kRows = 16;  // records a thread takes at a time
constexpr std::string_view kRecordEnd = "$$$$";
constexpr std::string_view kBlockEnd = "M  END";

struct Property {
  std::string name;
  std::string text;
  std::uint64_t line = 0;
};

struct Record {
  std::string block;
  std::string name;
  std::vector<Property> properties;
  std::uint64_t line = 0;
  std::string problem;  // with the properties

  std::uint64_t bytes() const {
    std::uint64_t sum = block.size();
    for (const Property& property : properties) sum += property.name.size() + property.text.size();
    return sum;
  }
};

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

/// "> 25 <logP>  (3)" is the header of logP; "" if this is no header.
std::string property_name(std::string_view line) {
  const std::size_t begin = line.find('<'), end = line.rfind('>');
  if (!line.starts_with('>') || begin == line.npos || end <= begin + 1) return "";
  return std::string(line.substr(begin + 1, end - begin - 1));
}

/// Reads the records of a file one by one.
class RecordReader {
 public:
  explicit RecordReader(const std::string& path)
      : reader_(path, limits().line_bytes, OtherText::is_latin1) {}

  std::optional<Record> next() {
    Record record;
    record.line = reader_.line_number() + 1;
    bool is_empty = true, is_ended = false;
    std::string_view line;
    while (!is_ended && reader_.next(line)) {
      is_ended = line.starts_with(kRecordEnd);
      if (is_ended) break;
      is_empty = is_empty && is_blank(line);
      if (record.block.empty()) record.name = line.substr(0, line.find_last_not_of(" \t") + 1);
      record.block.append(line).push_back('\n');
      if (!line.starts_with(kBlockEnd)) continue;
      is_ended = read_properties(record);
      break;
    }
    if (!is_ended && is_empty) return std::nullopt;
    return record;
  }

 private:
  /// Reads what follows the mol block; false if the file ends before the record does. A text may have empty lines: it
  /// ends with the next property.
  bool read_properties(Record& record) {
    std::string_view line;
    bool is_inside = false;
    std::size_t empty_lines = 0;
    while (reader_.next(line)) {
      if (line.starts_with(kRecordEnd)) {
        drop_repeated(record);
        return true;
      }
      if (is_blank(line)) {
        is_inside = false;
        ++empty_lines;
        continue;
      }
      std::string name = is_inside ? "" : property_name(line);
      if (!name.empty()) {
        record.properties.push_back({std::move(name), "", reader_.line_number()});
        is_inside = true;
      } else if (record.properties.empty()) {
        note(record, fmt::format("expected a property (> <name>) or $$$$ in line {}, got {}", reader_.line_number(),
                                 quote(line)));
      } else {
        std::string& text = record.properties.back().text;
        if (!text.empty()) text.append(is_inside ? 1 : empty_lines + 1, '\n');
        text += line;
        is_inside = true;
      }
      empty_lines = 0;
    }
    if (is_inside && (!reader_.is_terminated() || record.properties.back().text.empty()))
      throw DataError({reader_.path(), reader_.line_number(), 0},
                      fmt::format("the file ends within the property {}; expected an empty line or $$$$ after it",
                                  quote(record.properties.back().name)));
    drop_repeated(record);
    return false;
  }

  static void note(Record& record, std::string problem) {
    if (record.problem.empty()) record.problem = std::move(problem);
  }

  /// Keeps the first of several properties with one name; if they differ, none of them can be trusted.
  static void drop_repeated(Record& record) {
    std::vector<Property>& properties = record.properties;
    std::unordered_map<std::string_view, std::size_t> places;
    std::vector<bool> is_repeated(properties.size());
    for (std::size_t i = 0; i < properties.size(); ++i) {
      const auto [place, is_new] = places.emplace(properties[i].name, i);
      const Property& first = properties[place->second];
      is_repeated[i] = !is_new;
      if (first.text != properties[i].text)
        note(record, fmt::format("the property {} has different values in lines {} and {}", quote(first.name),
                                 first.line, properties[i].line));
    }
    if (places.size() == properties.size()) return;
    std::vector<Property> kept;
    for (std::size_t i = 0; i < properties.size(); ++i)
      if (!is_repeated[i]) kept.push_back(std::move(properties[i]));
    properties = std::move(kept);
  }

  TextReader reader_;
};

/// All values of one property: text and line of each row that has it.
struct Values {
  std::string name;
  std::map<std::size_t, std::pair<std::string, std::uint64_t>> rows;
};

void add_value(std::vector<Values>& all, std::map<std::string, std::size_t>& index, std::size_t row,
               Property property) {
  const auto [place, is_new] = index.emplace(property.name, all.size());
  if (is_new) all.push_back({property.name, {}});
  all[place->second].rows[row] = {std::move(property.text), property.line};
}

Column column_of(const Values& values, std::size_t rows, detail::ColumnKind kind, const std::string& path,
                 const MoleculeTableOptions& options) {
  detail::ColumnBuilder builder(values.name, kind, options.missing);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto found = values.rows.find(row);
    if (found == values.rows.end())
      builder.add_missing();
    else
      builder.add(found->second.first, {path, found->second.second, 0});
  }
  if (!builder.must_start_again()) return builder.finish();
  return column_of(values, rows, detail::ColumnKind::categorical, path, options);
}

/// Columns hold a value for every row; most of the values may be missing.
void check_cells(std::uint64_t cells, std::uint64_t text_bytes, const std::string& path) {
  if (cells > limits().cells(text_bytes))
    throw DataError(
        fmt::format("{}: {} values of properties, most of them missing; if that is so, raise the limits "
                    "({})",
                    path, cells, setting("raise_limits")));
}

std::vector<Column> columns_of(const std::vector<Values>& all, std::size_t rows, const std::string& path,
                               const MoleculeTableOptions& options) {
  std::vector<std::string> header;
  for (const Values& values : all) header.push_back(values.name);
  std::vector<bool> is_kept(all.size(), options.columns.empty());
  std::vector<detail::ColumnKind> kinds;
  for (const std::string& name : header)
    kinds.push_back(options.texts.contains(name) ? detail::ColumnKind::categorical : detail::ColumnKind::unknown);
  for (const std::string& name : options.columns) is_kept[column_index(header, name, path)] = true;
  for (const std::string& name : options.categorical)
    kinds[column_index(header, name, path)] = detail::ColumnKind::categorical;
  for (const std::string& name : options.numeric)
    kinds[column_index(header, name, path)] = detail::ColumnKind::numeric;
  std::vector<Column> columns;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (is_kept[i]) columns.push_back(column_of(all[i], rows, kinds[i], path, options));
  return columns;
}

using Ends = std::pair<std::size_t, std::size_t>;

/// The atoms and bonds of a block.
struct BlockOrder {
  AtomOrder atoms;                     // without places if those of the SMILES' atoms are not clear
  std::vector<std::size_t> written;    // the place of each atom of the SMILES, also of those that are merged later
  std::vector<std::size_t> hydrogens;  // those at each of these atoms in turn
  std::map<Ends, std::size_t> bonds;   // the place of each, by its atoms in the block
};

constexpr const char* kPlace = "_edgewisePlace";

/// The places in the block of the atoms that are left.
std::vector<std::size_t> places_of_atoms(const RDKit::RWMol& molecule) {
  std::vector<std::size_t> places;
  for (const RDKit::Atom* atom : molecule.atoms()) places.push_back(atom->getProp<unsigned>(kPlace));
  return places;
}

/// What RDKit makes of a block when it merges hydrogens.
struct MergedBlock {
  std::vector<std::size_t> parsed;                  // the atoms of the molecule
  std::vector<bool> is_kept;                        // of the block, those that stay atoms
  std::vector<std::vector<std::size_t>> hydrogens;  // merged ones at each atom of the block
};

MergedBlock merge_hydrogens(RDKit::RWMol& whole, bool merges_isotopes) {
  MergedBlock merged;
  merged.hydrogens.resize(whole.getNumAtoms());
  for (RDKit::Atom* atom : whole.atoms()) atom->setProp(kPlace, atom->getIdx());
  RDKit::RWMol left(whole);
  RDKit::MolOps::removeHs(left);
  merged.parsed = places_of_atoms(left);
  RDKit::MolOps::RemoveHsParameters parameters;
  parameters.removeAndTrackIsotopes = merges_isotopes;
  parameters.showWarnings = false;
  RDKit::MolOps::removeHs(left, parameters);
  merged.is_kept.resize(whole.getNumAtoms(), false);
  for (const std::size_t place : places_of_atoms(left)) merged.is_kept[place] = true;
  for (const RDKit::Atom* atom : whole.atoms())
    for (const RDKit::Atom* neighbour : whole.atomNeighbors(atom))
      if (!merged.is_kept[neighbour->getIdx()]) merged.hydrogens[atom->getIdx()].push_back(neighbour->getIdx());
  return merged;
}

/// `molecule` was parsed from the block, and written as SMILES.
BlockOrder order_in_block(const std::string& block, const RDKit::RWMol& molecule, bool merges_isotopes) {
  BlockOrder order;
  MergedBlock merged;
  std::string problem;
  const auto read = [&] {
    const std::unique_ptr<RDKit::RWMol> whole(RDKit::MolBlockToMol(block, true, false));
    order.atoms.count = whole->getNumAtoms();
    for (const RDKit::Bond* bond : whole->bonds())
      order.bonds.emplace(std::minmax(bond->getBeginAtomIdx(), bond->getEndAtomIdx()), bond->getIdx());
    merged = merge_hydrogens(*whole, merges_isotopes);
  };
  std::vector<unsigned> written;
  if (!run_rdkit(read, problem) || merged.parsed.size() != molecule.getNumAtoms() ||
      !molecule.getPropIfPresent(RDKit::common_properties::_smilesAtomOutputOrder, written))
    return order;
  for (const unsigned atom : written) {
    const std::size_t place = merged.parsed[atom];
    order.written.push_back(place);
    if (!merged.is_kept[place]) continue;
    order.atoms.places.push_back(place);
    std::ranges::copy(merged.hydrogens[place], std::back_inserter(order.hydrogens));
  }
  return order;
}

/// For each bond of the SMILES between atoms that are not merged its place among those of the block.
std::vector<std::size_t> places_of_bonds(const BlockOrder& order, const std::string& smiles) {
  std::vector<std::size_t> places;
  const ParsedMolecule read = parse_smiles(smiles);
  if (!read.molecule || read.molecule->getNumAtoms() != order.written.size()) return places;
  const auto is_kept = [&](std::size_t place) { return std::ranges::count(order.atoms.places, place) > 0; };
  for (const RDKit::Bond* bond : read.molecule->bonds()) {
    const Ends ends = std::minmax(order.written[bond->getBeginAtomIdx()], order.written[bond->getEndAtomIdx()]);
    const auto found = order.bonds.find(ends);
    if (found != order.bonds.end() && is_kept(ends.first) && is_kept(ends.second)) places.push_back(found->second);
  }
  return places;
}

std::string in_order(const std::vector<std::size_t>& places, const std::vector<std::string>& values) {
  std::vector<std::string> ordered;
  for (const std::size_t place : places) ordered.push_back(values[place]);
  return list_of_values(ordered, false);
}

/// A list of values for the atoms; one of another length stays as it is.
std::string atoms_in_order(const BlockOrder& order, bool with_hydrogens, const std::string& list) {
  const std::vector<std::string> values = values_of_list(list);
  std::optional<std::vector<std::size_t>> places = order.atoms.places_in(values.size());
  if (!places) return list;
  if (with_hydrogens && values.size() == order.atoms.count)
    places->insert(places->end(), order.hydrogens.begin(), order.hydrogens.end());
  return in_order(*places, values);
}

/// The texts of a record's properties of these names.
std::vector<std::string*> lists_of(std::size_t row, const std::vector<std::string>& names, std::vector<Values>& all) {
  std::vector<std::string*> lists;
  for (Values& values : all)
    if (const auto found = values.rows.find(row);
        found != values.rows.end() && std::ranges::count(names, values.name) > 0)
      lists.push_back(&found->second.first);
  return lists;
}

/// Puts the lists of one record in order. Without any, and unless orders are asked for, the order is not needed.
void order_lists(const std::string& block, const RDKit::RWMol& molecule, const MoleculeTableOptions& options,
                 std::size_t row, std::vector<Values>& all, MoleculeTable& table) {
  const std::vector<std::string*> of_atoms = lists_of(row, options.atom_lists, all);
  const std::vector<std::string*> of_bonds = lists_of(row, options.bond_lists, all);
  if (of_atoms.empty() && of_bonds.empty() && !options.with_orders) return;
  BlockOrder order = order_in_block(block, molecule, options.merges_isotopes);
  if (order.atoms.places.empty()) {
    table.problems[row] = "the order of its atoms is not clear";
    table.smiles[row].clear();
    return;
  }
  for (std::string* list : of_atoms) *list = atoms_in_order(order, options.with_hydrogens, *list);
  if (!of_bonds.empty()) {
    const std::vector<std::size_t> places = places_of_bonds(order, table.smiles[row]);
    for (std::string* list : of_bonds)
      if (const std::vector<std::string> values = values_of_list(*list); values.size() == order.bonds.size())
        *list = in_order(places, values);
  }
  if (options.with_orders) table.orders[row] = std::move(order.atoms);
}

void parse_blocks(const std::vector<std::string>& blocks, const MoleculeTableOptions& options, std::vector<Values>& all,
                  MoleculeTable& table) {
  parallel_for(blocks.size(), kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!table.problems[i].empty()) continue;
      ParsedMolecule parsed = parse_mol_block(blocks[i]);
      table.problems[i] = std::move(parsed.problem);
      if (!parsed.molecule) continue;
      run_rdkit([&] { table.smiles[i] = RDKit::MolToSmiles(*parsed.molecule); }, table.problems[i]);
      if (table.smiles[i].empty() && table.problems[i].empty()) table.problems[i] = "the molecule has no atoms";
      if (table.problems[i].empty()) order_lists(blocks[i], *parsed.molecule, options, i, all, table);
    }
  });
}

}  // namespace

MoleculeTable read_sdf(const std::string& path, const MoleculeTableOptions& options) {
  MoleculeTable table;
  table.file = path;
  std::vector<std::string> blocks;
  std::vector<Values> values;
  std::map<std::string, std::size_t> index;
  Values names{"name", {}};
  RecordReader reader(path);
  std::uint64_t text_bytes = 0;
  while (std::optional<Record> record = reader.next()) {
    const std::size_t row = blocks.size();
    text_bytes += record->bytes();
    for (Property& property : record->properties) add_value(values, index, row, std::move(property));
    if (!record->name.empty()) names.rows[row] = {std::move(record->name), record->line};
    blocks.push_back(std::move(record->block));
    table.lines.push_back(record->line);
    table.problems.push_back(std::move(record->problem));
  }
  if (blocks.empty()) throw DataError(fmt::format("{}: holds no molecules, expected SDF", path));
  if (!names.rows.empty() && !index.contains("name")) values.insert(values.begin(), std::move(names));
  table.smiles.resize(blocks.size());
  if (options.with_orders) table.orders.resize(blocks.size());
  check_cells(static_cast<std::uint64_t>(blocks.size()) * values.size(), text_bytes, path);
  parse_blocks(blocks, options, values, table);
  table.columns = columns_of(values, table.rows(), path, options);
  return table;
}

}  // namespace edgewise::io
