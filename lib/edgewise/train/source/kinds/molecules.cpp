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

std::optional<Dataset> rows_of_table(const DataConfig& request, const io::ReadAsText& texts) {
  Dataset rows;
  rows.reading = request;
  read_molecule_texts(texts, rows);
  return rows;
}

/// Finds the column of the SMILES if the request does not name it. It need not have the same name as in training.
void find_smiles(const Reuse& reuse, DataConfig& data, std::vector<std::string>& notes) {
  if (data.molecules.empty() || reuse.gives("smiles")) return;
  const std::optional<std::string> column = io::find_smiles_column(data.molecules, data.smiles);
  if (column && *column != data.smiles)
    notes.push_back(
        fmt::format("{}: the molecules are read from the column \"{}\"{}", data.molecules, *column,
                    data.smiles.empty() ? "" : fmt::format("; in training it was \"{}\"", data.smiles)));
  data.smiles = column.value_or("");
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
      .takes = {DataGroup::molecules, DataGroup::features, DataGroup::target, DataGroup::tables, DataGroup::labels},
      .replaces = {},
      .shape = [](const json::Value&) { return DataShape::molecules; },
      .check =
          [](const DataConfig& config) {
            if (!(config.nodes.empty() && config.features.empty()))
              throw UsageError("data: a table of molecules cannot be combined with a node table or features");
          },
      .read = load_molecules,
      .own_meaning = {"features"},  // of atoms
      .suits = [](const data::CatalogueSet& set) { return set.is_molecules(); },
      .read_set = load_molecule_set,
      .defaults = molecule_defaults,
      .candidates = [](const Dataset& data) -> std::vector<std::string> {
        if (!data.graphs || !data.graphs->are_molecules) return {};
        return {"fingerprint", "descriptors", "boosted_trees", "sage", "gatv2"};
      },
      .read_rows = rows_of_table,
      .check_reuse = check_no_reactions,
      .adapt = find_smiles};
  return kSource;
}

}  // namespace edgewise::train
