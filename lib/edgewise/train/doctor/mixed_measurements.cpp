#include "edgewise/train/doctor/mixed_measurements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/csv.hpp"

namespace edgewise::train {
namespace {

/// What the words of a column's name and its values make of it.
struct MeasurementKind {
  std::span<const std::string_view> words;   // one of them ends the name
  std::span<const std::string_view> values;  // one of them is in the column
  const char* differ;
  const char* remedy;
};

constexpr std::string_view kUnitWords[] = {"unit", "units"};
constexpr std::string_view kMeasurementUnits[] = {"M",
                                                  "mM",
                                                  "uM",
                                                  "µM",
                                                  "μM",
                                                  "nM",
                                                  "pM",
                                                  "fM",
                                                  "mol/L",
                                                  "mmol/L",
                                                  "umol/L",
                                                  "nmol/L",
                                                  "g/L",
                                                  "mg/L",
                                                  "ug/L",
                                                  "mg/mL",
                                                  "ug/mL",
                                                  "µg/mL",
                                                  "μg/mL",
                                                  "ng/mL",
                                                  "pg/mL",
                                                  "ug.mL-1",
                                                  "mg.L-1",
                                                  "ng.mL-1",
                                                  "mg.kg-1",
                                                  "mg/kg",
                                                  "ug/kg",
                                                  "%",
                                                  "percent",
                                                  "molar",
                                                  "millimolar",
                                                  "micromolar",
                                                  "nanomolar",
                                                  "kcal/mol",
                                                  "kJ/mol",
                                                  "hr",
                                                  "h",
                                                  "min",
                                                  "s",
                                                  "mL/min/kg",
                                                  "mL.min-1.kg-1",
                                                  "uL/min/mg",
                                                  "uL.min-1.(10^6cells)-1",
                                                  "log",
                                                  "logM",
                                                  "K",
                                                  "C",
                                                  "degC",
                                                  "F",
                                                  "°C",
                                                  "°F",
                                                  "mm",
                                                  "cm",
                                                  "m",
                                                  "km",
                                                  "in",
                                                  "ft",
                                                  "mg",
                                                  "g",
                                                  "kg",
                                                  "lb",
                                                  "eV",
                                                  "Hartree"};
constexpr std::string_view kTypeWords[] = {"type",     "endpoint", "measurement", "measure",
                                           "activity", "name",     "parameter"};
constexpr std::string_view kTypes[] = {
    "IC50", "pIC50",      "Ki",           "pKi",     "Kd",         "pKd",      "EC50",  "pEC50", "AC50",
    "GI50", "ED50",       "CC50",         "LC50",    "LD50",       "MIC",      "MIC50", "MIC90", "IC90",
    "EC90", "Inhibition", "% Inhibition", "Potency", "Activity",   "Efficacy", "Km",    "Kcat",  "Kon",
    "Koff", "Tm",         "CL",           "T1/2",    "Solubility", "Papp",     "logD",  "logP"};
constexpr std::string_view kAssayWords[] = {"assay type"};
constexpr std::string_view kAssays[] = {"B", "F", "A", "T", "P", "Binding", "Functional", "ADMET", "Toxicity"};
constexpr MeasurementKind kMeasurementKinds[] = {
    {kAssayWords, kAssays, "from assays of different types", "keep one type, or empty the values of the others"},
    {kUnitWords, kMeasurementUnits, "in different units", "convert them to one, or empty the values in others"},
    {kTypeWords, kTypes, "different quantities", "keep one, or empty the values of the others"}};

/// "Standard_Units" in small letters with blanks.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name)
    plain += c == '_' || c == '-' || c == '.' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return plain;
}

bool ends_with_word(std::string_view name, std::string_view word) {
  return name.ends_with(word) && (name.size() == word.size() || name[name.size() - word.size() - 1] == ' ');
}

const MeasurementKind* kind_of(const io::Column& column) {
  const std::string name = plain_name(column.name);
  const auto fits = [&](const MeasurementKind& kind) {
    return std::ranges::any_of(kind.words, [&](std::string_view word) { return ends_with_word(name, word); }) &&
           std::ranges::any_of(column.categories, [&](const std::string& category) {
             return std::ranges::any_of(
                 kind.values, [&](std::string_view value) { return io::equals_ignoring_case(category, value); });
           });
  };
  const auto* found = column.is_numeric ? std::end(kMeasurementKinds) : std::ranges::find_if(kMeasurementKinds, fits);
  return found == std::end(kMeasurementKinds) ? nullptr : found;
}

/// How often each value is in these rows, the most frequent first.
std::vector<std::pair<std::size_t, std::string>> counts_of_values(const io::Column& column,
                                                                  std::span<const graph::Node> rows) {
  std::map<std::string, std::size_t> counts;
  for (const graph::Node row : rows)
    if (!column.is_missing(row)) ++counts[column.text(row)];
  std::vector<std::pair<std::size_t, std::string>> sorted;
  for (const auto& [value, count] : counts) sorted.emplace_back(count, value);
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &std::pair<std::size_t, std::string>::first);
  return sorted;
}

}  // namespace

std::vector<std::string> mixed_measurement_notes(const Dataset& data) {
  const data::Labels& labels = data.labels;
  if (!labels.has_numbers() || labels.names.size() != 1) return {};
  std::vector<std::string> notes;
  const std::vector<graph::Node> rows = data::labelled_nodes(labels);
  for (const io::Column& column : data.table.columns) {
    const MeasurementKind* kind = column.name == labels.names.front() ? nullptr : kind_of(column);
    if (kind == nullptr) continue;
    const auto counts = counts_of_values(column, rows);
    if (counts.size() < 2) continue;
    std::vector<std::string> shown;
    for (const auto& [count, value] : counts) shown.push_back(fmt::format("{} {}", value, count));
    notes.push_back(
        fmt::format("the column \"{}\" says that the values of \"{}\" are {} ({}), which are learnt as one: {}",
                    column.name, labels.names.front(), kind->differ, first_of(shown), kind->remedy));
  }
  return notes;
}

}  // namespace edgewise::train
