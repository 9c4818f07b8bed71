#include "edgewise/io/molecule_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/io/detail/keyed_table.hpp"
#include "edgewise/io/memory_table.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

constexpr std::array<const char*, 7> kSmilesNames = {"smiles", "canonical_smiles", "isomeric_smiles", "smi",
                                                          "mol",    "molecule",         "structure"};
constexpr std::size_t kRowsTried = 100;
constexpr const char* kExpected = "a table of molecules";

std::optional<std::size_t> find_ignoring_case(const std::vector<std::string>& header, std::string_view wanted) {
  const auto found = std::find_if(header.begin(), header.end(),
                                  [&](const std::string& name) { return equals_ignoring_case(name, wanted); });
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

std::optional<std::size_t> find_usual(const std::vector<std::string>& header) {
  for (const std::string_view usual : kSmilesNames)
    if (const auto place = find_ignoring_case(header, usual)) return place;
  return std::nullopt;
}

/// Names of columns by which to know the header of a table of molecules.
std::vector<std::string> usual_names(const std::string& smiles) {
  std::vector<std::string> names = {smiles};
  for (const char* usual : kSmilesNames) names.emplace_back(usual);
  return names;
}

bool is_smiles(std::string_view text) { return parse_smiles(std::string(text)).problem.empty(); }

/// Columns of text whose non-missing values in the first rows are mostly SMILES: some molecules may be unreadable.
std::vector<std::string> columns_of_smiles(CsvReader& csv, const std::vector<std::string>& header) {
  const std::vector<std::string>& missing = default_missing_texts();
  constexpr double kShare = 0.8;
  std::vector<int> texts(header.size(), 0), readable(header.size(), 0);
  std::vector<bool> has_text(header.size(), false);
  for (std::size_t row = 0; row < kRowsTried && csv.next(); ++row)
    for (std::size_t i = 0; i < header.size(); ++i) {
      const std::string text(csv.fields()[i]);
      if (std::find(missing.begin(), missing.end(), text) != missing.end()) continue;
      ++texts[i];
      readable[i] += is_smiles(text) ? 1 : 0;
      float number = 0;
      has_text[i] = has_text[i] || parse_number(text, number) == NumberFault::not_a_number;
    }
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < header.size(); ++i)
    if (has_text[i] && readable[i] >= kShare * texts[i]) columns.push_back(header[i]);
  return columns;
}

/// Throws DataError if a column is called InChI.
void refuse_inchi(const std::vector<std::string>& header, const std::string& path) {
  for (const std::string& name : header)
    if (equals_ignoring_case(name, "inchi") || equals_ignoring_case(name, "standard_inchi") ||
        equals_ignoring_case(name, "standard inchi"))
      throw DataError(fmt::format("{}: the column {} holds InChI, which is not read; convert the molecules to SMILES",
                                  path, quote(name)));
}

std::size_t smiles_column(const std::vector<std::string>& header, const std::string& path,
                          const MoleculeTableOptions& options) {
  if (!options.smiles_column.empty()) return column_index(header, options.smiles_column, path);
  if (const auto usual = find_usual(header)) return *usual;
  if (header.size() == 1 && options.header == HeaderRow::no) return 0;
  // The values can only be looked at beforehand in a file that can be read twice.
  if (options.header != HeaderRow::no && can_be_read_twice(path))
    return column_index(header, *find_smiles_column(path, ""), path);
  throw DataError(fmt::format("{}: no column is called smiles; say which one holds SMILES ({}) of {}", path,
                              setting("data.smiles"), list_of_columns(header)));
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

bool is_delimited(const std::string& path) { return !is_sdf(path) && !is_smi(path); }

bool is_usual_smiles_name(std::string_view name) {
  return std::ranges::any_of(kSmilesNames, [&](std::string_view usual) { return equals_ignoring_case(name, usual); });
}

std::optional<std::string> find_smiles_column(const std::string& path, const std::string& known) {
  if (is_sdf(path) || is_smi(path)) return std::nullopt;
  CsvReader csv(path);
  const std::vector<std::string> header = read_header(csv, usual_names(known), kExpected);
  if (!known.empty() && std::find(header.begin(), header.end(), known) != header.end()) return known;
  if (const auto same = find_ignoring_case(header, known)) return header[*same];
  if (const auto usual = find_usual(header)) return header[*usual];
  const std::vector<std::string> columns = columns_of_smiles(csv, header);
  if (columns.empty()) refuse_inchi(header, path);
  if (columns.size() == 1 && is_smiles(columns[0]))
    throw DataError(TextLocation{path, 1, 0},
                    fmt::format("expected the names of the columns, found the molecule {}: put a "
                                "line with the name, smiles, above it",
                                quote(columns[0])));
  if (columns.size() == 1) return columns[0];
  if (columns.empty())
    throw DataError(fmt::format("{}: no column is called {}, and none holds SMILES; say which one does ({}) of {}",
                                path, known.empty() ? "smiles" : known, setting("data.smiles"),
                                list_of_columns(header)));
  throw DataError(fmt::format("{}: no column is called {}, and several hold SMILES: {}; say which one to take ({})",
                              path, known.empty() ? "smiles" : known, list_of_columns(columns),
                              setting("data.smiles")));
}

MoleculeTable read_molecule_table(const std::string& path, const MoleculeTableOptions& options) {
  if (is_sdf(path)) return read_sdf(path, options);
  if (is_smi(path)) return read_smi(path, options);
  MoleculeTable table;
  const auto add = [&](std::string_view smiles, std::uint64_t line) {
    const bool is_missing = std::find(options.missing.begin(), options.missing.end(), smiles) != options.missing.end();
    table.smiles.emplace_back(is_missing ? std::string_view() : smiles);
    table.lines.push_back(line);
    return true;
  };
  const detail::KeyHandler handler = {
      [&](const std::vector<std::string>& header) {
        return detail::SpecialColumns{.key = smiles_column(header, path, options)};
      },
      [&](const std::string& column) {
        table = MoleculeTable();
        table.file = path;
        table.smiles_column = column;
      },
      add,
      [&](std::string_view first) {
        const bool is_description = table.smiles.empty() && first.starts_with("RESULT_");
        table.descriptions += is_description ? 1 : 0;
        return is_description;
      }};
  table.columns = detail::read_keyed_table(path,
                                           {options.delimiter,
                                            options.header,
                                            kExpected,
                                            options.columns,
                                            options.categorical,
                                            {},
                                            options.texts,
                                            options.numeric,
                                            options.missing,
                                            usual_names(options.smiles_column)},
                                           handler);
  table.problems.resize(table.rows());
  return table;
}

}  // namespace edgewise::io
