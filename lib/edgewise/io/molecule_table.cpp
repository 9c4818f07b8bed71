#include "edgewise/io/molecule_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "edgewise/core/error.hpp"
#include "edgewise/io/detail/keyed_table.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

constexpr std::array<std::string_view, 6> kSmilesNames = {"smiles", "canonical_smiles", "isomeric_smiles",
                                                          "smi",    "mol",              "structure"};

std::size_t smiles_column(const std::vector<std::string>& header, const std::string& path,
                          const MoleculeTableOptions& options) {
  if (!options.smiles_column.empty()) return column_index(header, options.smiles_column, path);
  for (const std::string_view usual : kSmilesNames) {
    const auto found = std::find_if(header.begin(), header.end(),
                                    [&](const std::string& name) { return equals_ignoring_case(name, usual); });
    if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
  }
  if (header.size() == 1 && options.header == HeaderRow::no) return 0;
  throw DataError(fmt::format("{}: no column is called smiles; say which one holds the molecules of {}", path,
                              list_of_columns(header)));
}

bool is_sdf(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  for (const std::string_view end : {".sdf", ".sd", ".mol"})
    if (path.size() >= end.size() && equals_ignoring_case(path.substr(path.size() - end.size()), end)) return true;
  return false;
}

}  // namespace

TextLocation MoleculeTable::where(std::size_t row) const { return {file, row < lines.size() ? lines[row] : 0, 0}; }

const Column* MoleculeTable::find(std::string_view name) const { return find_column(columns, name); }

const Column& MoleculeTable::at(std::string_view name) const { return column_at(columns, name, file); }

MoleculeTable read_molecule_table(const std::string& path, const MoleculeTableOptions& options) {
  if (is_sdf(path)) return read_sdf(path, options);
  MoleculeTable table;
  const auto add = [&](std::string_view smiles, std::uint64_t line) {
    const bool is_missing = std::find(options.missing.begin(), options.missing.end(), smiles) != options.missing.end();
    table.smiles.emplace_back(is_missing ? std::string_view() : smiles);
    table.lines.push_back(line);
    return true;
  };
  const detail::KeyHandler handler = {
      [&](const std::vector<std::string>& header) { return smiles_column(header, path, options); },
      [&](const std::string& column) {
        table = MoleculeTable();
        table.file = path;
        table.smiles_column = column;
      },
      add};
  table.columns = detail::read_keyed_table(path,
                                           {options.delimiter,
                                            options.header,
                                            "a table of molecules",
                                            options.columns,
                                            options.categorical,
                                            {},
                                            options.numeric,
                                            options.missing},
                                           handler);
  table.problems.resize(table.rows());
  return table;
}

}  // namespace edgewise::io
