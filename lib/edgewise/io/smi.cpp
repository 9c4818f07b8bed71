#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "edgewise/core/error.hpp"
#include "edgewise/core/input_file.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/detail/column_builder.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/molecule_table.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

constexpr std::string_view kSmiBlanks = " \t";

/// The length of the molecule that a line starts with, with a CXSMILES extension (|...|).
std::size_t molecule_length(std::string_view line) {
  const std::size_t end = std::min(line.find_first_of(kSmiBlanks), line.size());
  const std::size_t next = line.find_first_not_of(kSmiBlanks, end);
  if (next == line.npos || line[next] != '|') return end;
  const std::size_t closing = line.find('|', next + 1);
  return closing == line.npos ? end : closing + 1;
}

/// Texts by column, row by row; "" where a line has fewer fields than others.
class SmiFields {
 public:
  /// What follows the molecule: a name, or several fields with tabs in between.
  void add_row(std::string_view rest) {
    std::size_t column = 0;
    while (!rest.empty()) {
      const std::size_t tab = std::min(rest.find('\t'), rest.size());
      if (column == columns_.size()) columns_.emplace_back();
      columns_[column].resize(rows_);
      columns_[column++].emplace_back(trimmed(rest.substr(0, tab)));
      rest.remove_prefix(std::min(tab + 1, rest.size()));
    }
    ++rows_;
  }

  /// The first column is the name; the others are called as in a table without a header.
  std::vector<Column> columns(const MoleculeTable& table, const MoleculeTableOptions& options) {
    std::vector<Column> made;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      columns_[i].resize(rows_);
      const std::string name = i == 0 ? "name" : fmt::format("column {}", i + 2);
      const bool is_text = i == 0 || options.texts.contains(name);
      const auto kind = is_text ? detail::ColumnKind::categorical : detail::ColumnKind::unknown;
      made.push_back(column_of(name, columns_[i], kind, table, options));
    }
    return made;
  }

 private:
  static Column column_of(const std::string& name, const std::vector<std::string>& texts, detail::ColumnKind kind,
                          const MoleculeTable& table, const MoleculeTableOptions& options) {
    detail::ColumnBuilder builder(name, kind, options.missing);
    for (std::size_t row = 0; row < texts.size(); ++row) builder.add(texts[row], table.where(row));
    if (!builder.must_start_again()) return builder.finish();
    return column_of(name, texts, detail::ColumnKind::categorical, table, options);
  }

  std::vector<std::vector<std::string>> columns_;
  std::size_t rows_ = 0;
};

bool has_name_of_smi(std::string_view name) {
  name = without_gz(name);
  return std::ranges::any_of(std::array{".smi", ".smiles", ".ism"}, [&](std::string_view end) {
    return ends_with_ignoring_case(name, end);
  });
}

/// Whether a line is one of SMI rather than a header of a table.
bool starts_with_molecule(std::string_view line) {
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find_first_of(" \t,;", begin), line.size());
    if (is_usual_smiles_name(line.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return parse_smiles(std::string(line.substr(0, molecule_length(line)))).problem.empty();
}

}  // namespace

bool is_smi(const std::string& path) {
  const bool is_unnamed = !std::filesystem::path(path).has_extension() && is_regular_file(path_to_open(path));
  if (!is_unnamed && !has_name_of_smi(path)) return false;
  TextReader reader(path);
  std::string_view line;
  while (reader.next(line) && trimmed(line).empty()) {
  }
  if (is_unnamed) return starts_with_molecule(line);
  // A comma is in no SMILES, and tabs in a header separate the columns of a table.
  const std::string_view first = line.substr(0, line.find_first_of(" \t,;"));
  if (is_usual_smiles_name(first)) return line.find_first_of("\t,;") == line.npos;
  return line.substr(0, molecule_length(line)).find(',') == line.npos || line.find('|') != line.npos;
}

MoleculeTable read_smi(const std::string& path, const MoleculeTableOptions& options) {
  MoleculeTable table;
  table.file = path;
  SmiFields fields;
  TextReader reader(path);
  std::string_view line;
  while (reader.next(line)) {
    if (trimmed(line).empty()) continue;
    const std::size_t length = molecule_length(line);
    const std::string_view molecule = line.substr(0, length);
    if (table.smiles.empty() && is_usual_smiles_name(molecule)) continue;  // a header
    table.smiles.emplace_back(molecule);
    table.lines.push_back(reader.line_number());
    std::string_view rest = line.substr(length);
    if (!rest.empty()) rest.remove_prefix(1);
    fields.add_row(rest);
  }
  if (table.smiles.empty()) throw DataError(fmt::format("{}: holds no molecules, expected one SMILES per line", path));
  table.problems.resize(table.rows());
  table.columns = fields.columns(table, options);
  return table;
}

}  // namespace edgewise::io
