#include <fmt/format.h>

#include <optional>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/io/molecule_table.hpp"
#include "edgewise/train/source/defaults.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/kinds.hpp"

namespace edgewise::train {
namespace {

void check_reactions(const DataConfig& config) {
  if (!(config.nodes.empty() && config.features.empty()))
    throw UsageError("data: a table of reactions cannot be combined with a node table or features");
  if (config.are_mixtures())
    throw UsageError(fmt::format("data.smiles: expected one column of reactions, got {}", config.smiles.size()));
  if (config.hydrogens)
    throw UsageError(fmt::format("data.hydrogens: is for molecules ({}); hydrogens of reactions are atoms where they "
                                 "have a map number",
                                 setting("data.molecules")));
}

void check_same_kind(const Reuse& reuse) {
  if (reuse.gives("molecules"))
    throw ModelError(fmt::format("{}: the model was trained on reactions, not on molecules: give a table of reactions "
                                 "({})",
                                 reuse.path, setting("data.reactions")));
}

/// Finds the column of the reactions if the request does not name it. It need not have the same name as in training.
void find_reactions(const Reuse& reuse, DataConfig& data, std::vector<std::string>& notes) {
  if (data.reactions.empty() || reuse.gives("smiles")) return;
  const std::string known = data.smiles_column();
  const std::optional<std::string> column = io::find_reaction_column(data.reactions, known);
  if (column && *column != known)
    notes.push_back(fmt::format("{}: the reactions are read from the column \"{}\"; in training it was \"{}\"",
                                data.reactions, *column, known));
  data.smiles = column ? std::vector{*column} : std::vector<std::string>();
}

}  // namespace

const Source& reactions_source() {
  static const Source kSource{
      .noun = "a table of reactions",
      .named_by = {"reactions"},
      .takes = {DataGroup::molecules, DataGroup::reactions, DataGroup::features, DataGroup::target, DataGroup::tables,
                DataGroup::labels},
      .replaces = {},
      .shape = [](const json::Value&) { return DataShape::molecules; },
      .check = check_reactions,
      .read = load_molecules,
      .own_meaning = {"features"},  // of atoms
      .defaults = molecule_defaults,
      .read_rows = read_molecule_texts,
      .check_reuse = check_same_kind,
      .adapt = find_reactions};
  return kSource;
}

}  // namespace edgewise::train
