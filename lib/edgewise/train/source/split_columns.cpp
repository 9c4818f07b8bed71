#include "edgewise/train/source/split_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/split_file.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/categorical_column.hpp"
#include "edgewise/io/category.hpp"
#include "edgewise/io/text_reader.hpp"
#include "edgewise/train/source/column_warnings.hpp"

namespace edgewise::train {
namespace {

constexpr const char* kSplit = "split";

/// A column that says which items are in a part.
struct SplitMask {
  data::Role role;
  bool is_marked;  ///< Its name says that it is one: "train_mask", "is_train", but not "train".
  const io::Column* column;
};

constexpr std::pair<std::string_view, data::Role> kPartNames[] = {
    {"train", data::Role::train},        {"training", data::Role::train}, {"val", data::Role::validation},
    {"valid", data::Role::validation},   {"dev", data::Role::validation}, {"validation", data::Role::validation},
    {"test", data::Role::test},          {"testing", data::Role::test}};

bool holds_truths(const io::Column& column) {
  if (!column.is_numeric) return io::are_truths(column.categories);
  return column.missing < column.size() &&
         std::ranges::all_of(column.numbers, [](float n) { return std::isnan(n) || n == 0 || n == 1; });
}

bool is_true(const io::Column& column, std::size_t row) {
  if (column.is_missing(row)) return false;
  return column.is_numeric ? column.numbers[row] == 1 : io::parse_truth(column.text(row)).value_or(false);
}

std::optional<SplitMask> split_mask_of(const io::Column& column) {
  const std::string core = core_of_name(column.name);
  const std::string stem = core.substr(0, core.find_last_not_of("0123456789") + 1);  // of "train_mask_0"
  constexpr std::string_view kBefore[] = {"is", "in", "mask"}, kBehind[] = {"mask", "idx", "index", "flag", "set"};
  for (const auto& [part, role] : kPartNames) {
    const bool is_marked =
        std::ranges::any_of(kBefore, [&](std::string_view word) { return stem == fmt::format("{}{}", word, part); }) ||
        std::ranges::any_of(kBehind, [&](std::string_view word) { return stem == fmt::format("{}{}", part, word); });
    if ((is_marked || core == part) && holds_truths(column)) return SplitMask{role, is_marked, &column};
  }
  return std::nullopt;
}

/// Whether the masks are a split: one for training or for the test, and one for each part at most. Names such as
/// "train" and "valid" mean other things, too, unless there are several of them.
bool are_split(const std::vector<SplitMask>& masks) {
  std::set<data::Role> roles;
  for (const SplitMask& mask : masks) roles.insert(mask.role);
  if (roles.size() < masks.size() || masks.empty()) return false;
  if (masks.size() == 1) return masks.front().is_marked && masks.front().role != data::Role::validation;
  return roles.contains(data::Role::train) || (roles.contains(data::Role::test) && masks.front().is_marked);
}

/// The part of items that no mask names.
data::Role role_of_others(const std::vector<SplitMask>& masks) {
  const auto has = [&](data::Role role) { return std::ranges::count(masks, role, &SplitMask::role) > 0; };
  if (!has(data::Role::train)) return data::Role::train;
  return has(data::Role::test) ? data::Role::none : data::Role::test;
}

std::vector<std::string> names_of_masks(const std::vector<SplitMask>& masks) {
  std::vector<std::string> names;
  for (const SplitMask& mask : masks) names.push_back(mask.column->name);
  return names;
}

data::Split split_of_masks(const std::vector<SplitMask>& masks, const io::NodeTable& table) {
  const data::Role others = role_of_others(masks);
  data::Split split;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const SplitMask* in = nullptr;
    for (const SplitMask& mask : masks) {
      if (!is_true(*mask.column, row)) continue;
      if (in != nullptr)
        throw DataError(table.where(row),
                        fmt::format("{} is in \"{}\" and in \"{}\", but has one part in a split; {} {} leaves the "
                                    "masks out",
                                    io::quote(table.names[static_cast<graph::Node>(row)]), in->column->name,
                                    mask.column->name, setting("data.ignore"), fmt::join(names_of_masks(masks), ",")));
      in = &mask;
    }
    const bool is_known = std::ranges::none_of(masks, [&](const SplitMask& m) { return m.column->is_missing(row); });
    split.push_back(in != nullptr ? in->role : is_known ? others : data::Role::none);
  }
  return split;
}

/// Whether the categories are words for parts, among them training and another.
bool holds_roles(const io::Column& column) {
  std::set<data::Role> roles;
  for (const std::string& category : column.categories) {
    const std::optional<data::Role> role = data::parse_role(category);
    if (!role) return false;
    roles.insert(*role);
  }
  roles.erase(data::Role::none);
  return roles.contains(data::Role::train) && roles.size() > 1;
}

/// Whether a column that was not read as a split may be one: by its name and a few values, or as two of these are words
/// for parts.
bool may_be_split(const io::Column& column) {
  constexpr std::size_t kMostParts = 20;
  constexpr std::string_view kFolds[] = {"fold", "folds", "foldid", "kfold", "cvfold", "foldnumber", "foldindex"};
  constexpr std::string_view kSets[] = {"set", "subset", "partition", "datasplit", "splitid", "dataset", "part"};
  constexpr std::string_view kAbbreviations[] = {"tr", "trn", "va", "vl", "te", "tst"};
  const std::string core = core_of_name(column.name);
  if (const std::optional<SplitMask> mask = split_mask_of(column))
    return core != "isvalid" && (mask->is_marked || mask->role != data::Role::validation);
  std::set<std::string> values;
  for (std::size_t row = 0; row < column.size() && values.size() <= kMostParts; ++row)
    if (!column.is_missing(row)) values.insert(column.text(row));
  if (values.size() < 2 || values.size() > kMostParts) return false;
  if (std::ranges::count(kFolds, core) > 0) return true;
  const auto count = [&](std::optional<data::Role> wanted) {
    return std::ranges::count_if(values, [&](const std::string& text) {
      const std::optional<data::Role> role = data::parse_role(text);
      return role && (!wanted || role == wanted);
    });
  };
  const auto words = count(std::nullopt);
  if (words >= 2 && count(data::Role::train) > 0) return true;
  const bool are_numbers = column.is_numeric && std::ranges::all_of(column.numbers, [](float n) {
    return std::isnan(n) || n == std::floor(n);
  });
  const bool are_short = std::ranges::all_of(
      values, [&](const std::string& text) { return std::ranges::count(kAbbreviations, core_of_name(text)) > 0; });
  return are_short || (std::ranges::count(kSets, core) > 0 && (words > 0 || are_numbers));
}

/// "60 train, 20 validation, 20 test"
std::string counts_text(const data::Split& split) {
  std::vector<std::string> counts;
  for (const data::Role role : {data::Role::train, data::Role::validation, data::Role::test})
    counts.push_back(fmt::format("{} {}", std::ranges::count(split, role), role_name(role)));
  return fmt::format("{}", fmt::join(counts, ", "));
}

void note_split(const std::vector<std::string>& columns, const data::Split& split, Dataset& data) {
  data.notes.push_back(fmt::format("{}: the split is read from {} ({}); {} random draws another", data.table.file,
                                   io::list_of_columns(columns), counts_text(split), setting("split.kind")));
}

/// Columns that may say the split: no others have a meaning already.
std::vector<const io::Column*> free_columns(const LoadOptions& options, const Dataset& data) {
  std::vector<const io::Column*> columns;
  for (const io::Column& column : data.table.columns) {
    const auto is_in = [&](const std::vector<std::string>& names) {
      return std::ranges::count(names, column.name) > 0;
    };
    const DataConfig& config = data.reading;
    const bool is_taken = is_in(config.label) || is_in(config.ignore) || is_in(config.categorical) ||
                          is_in(config.descriptors) || is_in(options.split_columns) ||
                          is_in(options.label_columns) || column.name == config.row_weight || column.name == kSplit;
    if (!is_taken) columns.push_back(&column);
  }
  return columns;
}

/// Replaces the masks by a column "split".
void take_masks(const std::vector<SplitMask>& masks, Dataset& data) {
  const std::vector<std::string> names = names_of_masks(masks);
  const data::Split split = split_of_masks(masks, data.table);
  note_split(names, split, data);
  std::vector<std::string> roles;
  for (const data::Role role : split) roles.emplace_back(role_name(role));
  std::erase_if(data.table.columns,
                [&](const io::Column& column) { return std::ranges::count(names, column.name) > 0; });
  data.table.columns.push_back(io::categorical_column(kSplit, roles));
}

void take_roles(const std::string& name, Dataset& data) {
  note_split({name}, data::split_from_column(data.table, name), data);
  std::ranges::find(data.table.columns, name, &io::Column::name)->name = kSplit;
}

/// `columns` are some.
void note_possible_split(const std::vector<std::string>& columns, Dataset& data) {
  const bool are_features = !(data.graphs && data.graphs->are_molecules);
  const bool is_one = columns.size() == 1;
  const std::string first = as_argument(columns.front());
  data.notes.push_back(fmt::format(
      "{}: {} {} like a split, and {} {}; {} {} reads one with train, validation and test, {} {} keeps items with the "
      "same value together{}",
      data.table.file, io::list_of_columns(columns), is_one ? "looks" : "look", is_one ? "is" : "are",
      are_features ? (is_one ? "taken for a feature" : "taken for features") : "not read as one",
      setting("split.column"), first, setting("split.group"), first,
      are_features ? fmt::format(", {} {} leaves {} out", setting("data.ignore"),
                                 as_argument(fmt::format("{}", fmt::join(columns, ","))), is_one ? "it" : "them")
                   : ""));
}

}  // namespace

void take_split_columns(const LoadOptions& options, Dataset& data) {
  const bool has_split = data.table.find(kSplit) != nullptr;
  std::vector<SplitMask> masks;
  std::vector<std::string> words;
  for (const io::Column* column : free_columns(options, data)) {
    if (const std::optional<SplitMask> mask = split_mask_of(*column)) masks.push_back(*mask);
    if (holds_roles(*column)) words.push_back(column->name);
  }
  if (!has_split && are_split(masks))
    take_masks(masks, data);
  else if (!has_split && masks.empty() && words.size() == 1)
    take_roles(words.front(), data);
  if (options.is_for_model()) return;
  std::vector<std::string> possible;
  for (const io::Column* column : free_columns(options, data))
    if (may_be_split(*column)) possible.push_back(column->name);
  if (!possible.empty()) note_possible_split(possible, data);
}

}  // namespace edgewise::train
