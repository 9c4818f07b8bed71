#include "edgewise/io/molecule_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "edgewise/core/error.hpp"
#include "edgewise/core/input_file.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/detail/keyed_table.hpp"
#include "edgewise/io/limits.hpp"
#include "edgewise/io/memory_table.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/reaction_text.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

constexpr std::array<const char*, 7> kSmilesNames = {"smiles", "canonical_smiles", "isomeric_smiles", "smi",
                                                          "mol",    "molecule",         "structure"};
constexpr std::array<const char*, 4> kReactionNames = {"reaction_smiles", "rxn_smiles", "reaction", "rxn"};
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

/// The first values of a column, "" where missing.
struct Sample {
  std::string name;
  std::vector<std::string> texts;

  /// The share of the known values that RDKit reads as SMILES; 0 for a column of numbers, and without any value.
  double share_of_smiles() const {
    std::size_t known = 0, readable = 0;
    bool has_text = false;
    for (const std::string& text : texts) {
      float number = 0;
      known += text.empty() ? 0 : 1;
      has_text = has_text || (!text.empty() && parse_number(text, number) == NumberFault::not_a_number);
    }
    if (!has_text) return 0;
    for (const std::string& text : texts) readable += !text.empty() && is_smiles(text) ? 1 : 0;
    return static_cast<double>(readable) / static_cast<double>(known);
  }
  /// Whether most of the known values are reactions.
  bool holds_reactions() const {
    std::size_t known = 0, reactions = 0;
    for (const std::string& text : texts) {
      known += text.empty() ? 0 : 1;
      reactions += split_reaction(text).problem.empty() ? 1 : 0;
    }
    return reactions > 0 && 5 * reactions >= 4 * known;
  }
  /// Some of the molecules may be unreadable.
  bool holds_smiles() const { return share_of_smiles() >= 0.8; }
  bool has_stereo() const {
    return std::ranges::any_of(texts, [](const std::string& text) { return text.find_first_of("@/\\") != text.npos; });
  }
};

std::vector<Sample> samples_of(CsvReader& csv, const std::vector<std::string>& header) {
  const std::vector<std::string>& missing = default_missing_texts();
  std::vector<Sample> samples(header.size());
  for (std::size_t i = 0; i < header.size(); ++i) samples[i].name = header[i];
  for (std::size_t row = 0; row < kRowsTried && csv.next(); ++row)
    for (std::size_t i = 0; i < header.size(); ++i) {
      std::string& text = samples[i].texts.emplace_back(csv.fields()[i]);
      if (std::ranges::count(missing, text) > 0) text.clear();
    }
  return samples;
}

/// The letters of the atoms that a SMILES spells, in alphabetical order. They are those of its stereoisomers, too.
std::string atoms_of(std::string_view smiles) {
  std::string letters;
  std::ranges::copy_if(smiles, std::back_inserter(letters), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z' && c != 'H');
  });
  std::ranges::sort(letters);
  return letters;
}

/// Whether the other column holds the same molecules with stereochemistry, of which this one has none.
bool is_flat_beside(const Sample& one, const Sample& other) {
  if (one.has_stereo() || !other.has_stereo() || !other.holds_smiles()) return false;
  std::size_t same = 0, both = 0;
  for (std::size_t row = 0; row < one.texts.size(); ++row) {
    if (one.texts[row].empty() || other.texts[row].empty()) continue;
    ++both;
    same += atoms_of(one.texts[row]) == atoms_of(other.texts[row]) ? 1 : 0;
  }
  return 10 * same >= 9 * both;
}

bool is_called_isomeric(std::string_view name) {
  constexpr std::string_view kWord = "isomeric";
  for (std::size_t at = 0; at + kWord.size() <= name.size(); ++at)
    if (equals_ignoring_case(name.substr(at, kWord.size()), kWord)) return true;
  return false;
}

[[noreturn]] void ask_which(const std::string& path, const std::string& what, const std::vector<std::string>& columns) {
  throw DataError(fmt::format("{}: {}: {}; say which one to take ({})", path, what, list_of_columns(columns),
                              setting("data.smiles")));
}

/// Nothing if most values of the column are molecules; else the only column that holds some. Throws DataError if there
/// are several.
std::optional<std::string> in_place_of(const Sample& usual, const std::vector<Sample>& samples,
                                       const std::string& path) {
  constexpr double kFew = 0.2;
  if (usual.share_of_smiles() >= kFew) return std::nullopt;
  std::vector<std::string> others;
  for (const Sample& other : samples)
    if (&other != &usual && other.holds_smiles()) others.push_back(other.name);
  if (others.size() > 1)
    ask_which(path, fmt::format("the column \"{}\" holds no SMILES, and several others do", usual.name), others);
  return others.empty() ? std::nullopt : std::optional(others.front());
}

/// The column to take where one has a usual name. Throws DataError if it is not clear.
std::string best_column(const Sample& usual, const std::vector<Sample>& samples, const std::string& path) {
  if (const auto other = in_place_of(usual, samples, path)) return *other;
  if (is_called_isomeric(usual.name)) return usual.name;
  std::vector<std::string> columns = {usual.name};
  for (const Sample& other : samples) {
    if (&other == &usual) continue;
    if (is_called_isomeric(other.name) && other.holds_smiles()) return other.name;
    if (is_flat_beside(usual, other)) columns.push_back(other.name);
  }
  if (columns.size() > 1)
    ask_which(path, "several columns hold the same molecules, the first without stereochemistry", columns);
  return usual.name;
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
  // The values can only be looked at beforehand in a file that can be read twice.
  if (options.reactions && can_be_read_twice(path))
    return column_index(header, *find_reaction_column(path, ""), path);
  if (!options.reactions && can_be_read_twice(path))
    return column_index(header, *find_smiles_column(path, ""), path);
  if (const auto usual = find_usual(header)) return *usual;
  throw DataError(fmt::format("{}: no column is called smiles; say which one holds SMILES ({}) of {}", path,
                              setting("data.smiles"), list_of_columns(header)));
}

/// The counts of atoms and bonds in the fourth line of a mol block end with its version.
bool starts_with_mol_block(const std::string& path) {
  constexpr std::uint64_t kCounts = 4;
  TextReader reader(path, limits().line_bytes, OtherText::is_latin1);
  std::string_view line;
  while (reader.line_number() < kCounts && reader.next(line)) {
  }
  return reader.line_number() == kCounts && (line.ends_with("V2000") || line.ends_with("V3000"));
}

bool is_sdf(const std::string& path) {
  if (!std::filesystem::path(path).has_extension())
    return is_regular_file(path_to_open(path)) && starts_with_mol_block(path);
  const std::string_view name = without_gz(path);
  return std::ranges::any_of(std::array{".sdf", ".sd", ".mol"}, [&](std::string_view end) {
    return ends_with_ignoring_case(name, end);
  });
}

}  // namespace

TextLocation MoleculeTable::where(std::size_t row) const { return {file, row < lines.size() ? lines[row] : 0, 0}; }

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
  const std::vector<Sample> samples = samples_of(csv, header);
  if (const auto usual = find_usual(header)) return best_column(samples[*usual], samples, path);
  std::vector<std::string> columns;
  for (const Sample& sample : samples)
    if (sample.holds_smiles()) columns.push_back(sample.name);
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
  ask_which(path, fmt::format("no column is called {}, and several hold SMILES", known.empty() ? "smiles" : known),
            columns);
}

std::optional<std::string> find_reaction_column(const std::string& path, const std::string& known) {
  if (is_sdf(path)) throw DataError(fmt::format("{}: expected a table with a column of reactions, found SDF", path));
  if (is_smi(path)) return std::nullopt;
  CsvReader csv(path);
  std::vector<std::string> names = {known};
  names.insert(names.end(), kReactionNames.begin(), kReactionNames.end());
  const std::vector<std::string> header = read_header(csv, names, "a table of reactions");
  if (const auto same = find_ignoring_case(header, known); same && !known.empty()) return header[*same];
  std::vector<std::string> columns;
  for (const Sample& sample : samples_of(csv, header))
    if (sample.holds_reactions()) columns.push_back(sample.name);
  if (columns.size() == 1) return columns.front();
  const std::vector<std::string>& choice = columns.empty() ? header : columns;
  for (const char* usual : kReactionNames)
    if (const auto place = find_ignoring_case(choice, usual)) return choice[*place];
  if (!columns.empty()) ask_which(path, "several columns hold reactions", columns);
  throw DataError(fmt::format("{}: expected a column of reactions (reactants>>products), found none among {}", path,
                              list_of_columns(header)));
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
                                           {kExpected,
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
