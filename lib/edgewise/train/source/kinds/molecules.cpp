#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/molecule_table.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/defaults.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/kinds.hpp"

namespace edgewise::train {
namespace {

/// Throws UsageError unless atoms and bonds can be the items.
void check_atoms(const DataConfig& config) {
  std::vector<std::string> columns = config.atom_target;
  columns.insert(columns.end(), config.bond_target.begin(), config.bond_target.end());
  const std::string flags = fmt::format("{}, {}", setting("data.atom_target"), setting("data.bond_target"));
  if (!config.label.empty() && config.label != columns)
    throw UsageError(fmt::format("data.label: the atoms or bonds are to be learnt ({}), not the molecules", flags));
  for (const std::string& column : columns)
    if (std::ranges::count(columns, column) > 1)
      throw UsageError(fmt::format("data.atom_target, data.bond_target: expected each column once, got \"{}\" again",
                                   column));
  if (!config.atom_total.empty() && columns != config.atom_target)
    throw UsageError("data.atom_total: is for values of atoms alone");
  const std::size_t named = config.bond_target.empty() ? 2 : 3;
  if (!config.atom_columns.empty() && config.atom_columns.size() != named)
    throw UsageError(fmt::format("data.atom_columns: expected {} columns, of the molecule and {}, got {}", named,
                                 named == 2 ? "the atom" : "the two atoms of a bond", config.atom_columns.size()));
  if (config.are_mixtures() || is_pretraining(config) || !config.descriptors.empty())
    throw UsageError(fmt::format("{}: for one molecule in a row, without {} and without pretraining", flags,
                                 setting("data.descriptors")));
  if (config.encodings.virtual_node || config.encodings.distances > 0)
    throw UsageError(fmt::format("data.encodings: virtual_node and distances are not for atoms or bonds ({})", flags));
}

/// Throws UsageError unless the columns of several molecules in a row and of their amounts go together.
void check_mixtures(const DataConfig& config) {
  constexpr std::size_t kMost = 16;
  if (config.smiles.size() > kMost)
    throw UsageError(fmt::format("data.smiles: expected at most {} columns, got {}", kMost, config.smiles.size()));
  std::vector<std::string> columns = config.smiles;
  columns.insert(columns.end(), config.amount.begin(), config.amount.end());
  for (const std::string& column : columns) {
    if (std::ranges::count(columns, column) > 1)
      throw UsageError(fmt::format("data.smiles, data.amount: expected each column once, got \"{}\" again", column));
    if (std::ranges::count(config.label, column) > 0)
      throw UsageError(fmt::format("data.label: \"{}\" is a column of molecules or amounts", column));
  }
  if (!config.amount.empty() && config.amount.size() != config.smiles.size())
    throw UsageError(fmt::format("data.amount: expected one for each of {} columns of SMILES, got {}",
                                 config.smiles.size(), config.amount.size()));
  if (config.encodings.virtual_node)
    throw UsageError("data.encodings.virtual_node: is for one molecule in a row");
  for (const std::string& name : config.descriptors)
    if (config.symmetric && std::ranges::count(config.amount, name) > 0)
      throw UsageError(fmt::format("data.descriptors: \"{}\" is an amount, of which the order of the molecules would "
                                   "decide ({})",
                                   name, setting("data.symmetric")));
  if (is_pretraining(config)) throw UsageError(fmt::format("data.task: {} is for one molecule in a row", config.task));
}

void check_molecules(const DataConfig& config) {
  if (!(config.nodes.empty() && config.features.empty()))
    throw UsageError("data: a table of molecules cannot be combined with a node table or features");
  if (config.labels_atoms()) check_atoms(config);
  for (const auto& [member, is_given] : {std::pair("atom_total", !config.atom_total.empty()),
                                         std::pair("atom_table", config.has_atom_rows())})
    if (!config.labels_atoms() && is_given)
      throw UsageError(fmt::format("data.{}: is for values of atoms ({})", member, setting("data.atom_target")));
  if (config.are_mixtures()) return check_mixtures(config);
  if (config.symmetric || !config.amount.empty())
    throw UsageError(fmt::format("data.{}: is for {}", config.symmetric ? "symmetric" : "amount",
                                 purpose_of(DataGroup::mixtures)));
}

/// Throws ModelError unless rows are as many molecules as in training, in the same way.
void check_same_mixtures(const Reuse& reuse, const DataConfig& data) {
  const std::size_t trained = std::max(reuse.trained.smiles.size(), std::size_t{1});
  if (std::max(data.smiles.size(), std::size_t{1}) != trained)
    throw ModelError(fmt::format("{}: the model was trained on {} in a row: give their columns ({})", reuse.path,
                                 counted(trained, "molecule"), setting("data.smiles")));
  if (data.symmetric != reuse.trained.symmetric || data.amount.empty() != reuse.trained.amount.empty())
    throw ModelError(fmt::format("{}: the model was trained {} amounts ({}) and {} an order of the molecules ({})",
                                 reuse.path, reuse.trained.amount.empty() ? "without" : "with", setting("data.amount"),
                                 reuse.trained.symmetric ? "without" : "with", setting("data.symmetric")));
}

/// Finds the column of the SMILES if the request does not name it. It need not have the same name as in training.
void find_smiles(const Reuse& reuse, DataConfig& data, std::vector<std::string>& notes) {
  if (data.molecules.empty()) return;
  check_same_mixtures(reuse, data);
  if (reuse.gives("smiles") || data.are_mixtures()) return;
  const std::string known = data.smiles_column();
  const std::optional<std::string> column = io::find_smiles_column(data.molecules, known);
  if (column && *column != known)
    notes.push_back(fmt::format("{}: the molecules are read from the column \"{}\"{}", data.molecules, *column,
                                known.empty() ? "" : fmt::format("; in training it was \"{}\"", known)));
  data.smiles = column ? std::vector{*column} : std::vector<std::string>();
}

void check_no_reactions(const Reuse& reuse) {
  if (reuse.gives("reactions"))
    throw ModelError(fmt::format("{}: the model was trained on molecules, not on reactions: give a table of molecules "
                                 "({})",
                                 reuse.path, setting("data.molecules")));
}

}  // namespace

const Source& molecules_source() {
  static const Source kSource{
      .noun = "a table of molecules",
      .named_by = {"molecules"},
      .takes = {DataGroup::molecules, DataGroup::mixtures, DataGroup::atoms, DataGroup::features, DataGroup::target,
                DataGroup::tables, DataGroup::labels},
      .replaces = {"atom_table"},
      .shape = [](const json::Value&) { return DataShape::molecules; },
      .check = check_molecules,
      .read = load_molecules,
      .own_meaning = {"features"},  // of atoms
      .suits = [](const data::CatalogueSet& set) { return set.is_molecules(); },
      .read_set = load_molecule_set,
      .defaults = molecule_defaults,
      .candidates = [](const Dataset& data) -> std::vector<std::string> {
        if (data.atoms) return {"boosted_trees", "neighbour_trees", "mlp", "sage", "gatv2"};
        if (!data.graphs || !data.graphs->are_molecules) return {};
        return {"fingerprint", "descriptors", "boosted_trees", "sage", "gatv2"};
      },
      .read_rows = read_molecule_texts,
      .check_reuse = check_no_reactions,
      .adapt = find_smiles};
  return kSource;
}

}  // namespace edgewise::train
