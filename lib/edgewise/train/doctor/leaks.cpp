#include "edgewise/train/doctor/leaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "edgewise/core/correlation.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/train/source/column_warnings.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kFewestRows = 20;
constexpr std::size_t kMostRows = 20'000;
constexpr std::size_t kMostCategories = 1000;  // as in NodeEncoderOptions
constexpr std::uint64_t kOrderOfEqual = 0x9e3779b97f4a7c15;
constexpr double kNearlyAll = 0.98;            // share of the rows whose class is told
constexpr double kErrorsLeft = 0.1;            // of those made by the most frequent class
constexpr double kCorrelation = 0.995;
constexpr double kExplained = 0.99;  // share of a target's variance

/// The values of a candidate in the rows that are compared.
struct Feature {
  std::string name;
  std::vector<std::int64_t> groups = {};  // equal for equal values, -1 where missing
  std::vector<double> numbers = {};       // empty for categories
};

/// Something to be learnt, in the rows that are compared.
struct TargetColumn {
  std::string name;
  std::vector<std::int32_t> classes = {};  // or else numbers
  std::vector<double> numbers = {};
};

/// The share of rows of which something is told.
struct Leak {
  double share = 0;
  bool by_absence = false;
  bool of_known = false;  ///< Of the rows that have a value.
};

std::size_t count_most_frequent(std::span<const std::int32_t> classes) {
  std::vector<std::size_t> counts;
  for (const std::int32_t of : classes) {
    if (static_cast<std::size_t>(of) >= counts.size()) counts.resize(static_cast<std::size_t>(of) + 1);
    ++counts[static_cast<std::size_t>(of)];
  }
  return counts.empty() ? 0 : *std::ranges::max_element(counts);
}

bool are_nearly_all(double told, std::size_t most_frequent, std::size_t rows) {
  const double all = static_cast<double>(rows), wrong = all - told;
  return told >= kNearlyAll * all && wrong <= kErrorsLeft * static_cast<double>(rows - most_frequent);
}

/// Calls `visit` with the rows of each group, in order of (group, class or row).
template <class Visit>
void for_each_group(std::span<const std::int64_t> groups, const Visit& visit) {
  std::vector<std::uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return groups[row]; });
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && groups[order[end]] == groups[order[begin]]) ++end;
    visit(std::span<const std::uint32_t>(order).subspan(begin, end - begin));
  }
}

/// The number of rows whose class is the most frequent one of the other rows with the same value.
double told_by_groups(std::span<const std::int64_t> groups, std::span<const std::int32_t> classes) {
  std::size_t told = 0;
  std::vector<std::int32_t> of_group;
  for_each_group(groups, [&](std::span<const std::uint32_t> rows) {
    of_group.clear();
    for (const std::uint32_t row : rows) of_group.push_back(classes[row]);
    std::ranges::sort(of_group);
    std::size_t most = 0, second = 0;
    for (std::size_t begin = 0, end = 0; begin < of_group.size(); begin = end) {
      while (end < of_group.size() && of_group[end] == of_group[begin]) ++end;
      const std::size_t count = end - begin;
      second = std::max(second, std::min(most, count));
      most = std::max(most, count);
    }
    if (most >= 2 && most - 1 > second) told += most;
  });
  return static_cast<double>(told);
}

/// The number of rows whose class is that of both rows below, of both rows above, or of three of these four, in the
/// order of the numbers; equal numbers are in random order.
double told_by_neighbours(std::span<const double> numbers, std::span<const std::int32_t> classes) {
  std::vector<std::pair<std::pair<double, std::uint32_t>, std::int32_t>> sorted;
  for (std::size_t row = 0; row < numbers.size(); ++row)
    sorted.push_back({{numbers[row], random_bits(kOrderOfEqual, static_cast<std::uint32_t>(row))}, classes[row]});
  std::ranges::sort(sorted);
  std::size_t told = 0;
  const auto count = static_cast<std::ptrdiff_t>(sorted.size());
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const auto is_same = [&](std::ptrdiff_t step) {
      const std::ptrdiff_t j = i + step;
      return j >= 0 && j < count &&
             sorted[static_cast<std::size_t>(j)].second == sorted[static_cast<std::size_t>(i)].second;
    };
    const int below = (is_same(-1) ? 1 : 0) + (is_same(-2) ? 1 : 0),
              above = (is_same(1) ? 1 : 0) + (is_same(2) ? 1 : 0);
    told += below == 2 || above == 2 || below + above == 3 ? 1 : 0;
  }
  return static_cast<double>(told);
}

/// The share of rows whose class the feature tells, if these are nearly all. Being missing is a value, too.
std::optional<double> told_share(const Feature& feature, std::span<const std::int32_t> classes) {
  const std::size_t rows = classes.size(), most_frequent = count_most_frequent(classes);
  if (rows - most_frequent < 5) return std::nullopt;
  double told = told_by_groups(feature.groups, classes);
  if (!feature.numbers.empty() && std::ranges::count(feature.groups, -1) == 0)
    told = std::max(told, told_by_neighbours(feature.numbers, classes));
  if (!are_nearly_all(told, most_frequent, rows)) return std::nullopt;
  return told / static_cast<double>(rows);
}

std::optional<Leak> tells_class(const Feature& feature, std::span<const std::int32_t> classes) {
  Feature absence, known;
  std::vector<std::int32_t> of_known;
  for (std::size_t row = 0; row < classes.size(); ++row) {
    const bool is_missing = feature.groups[row] < 0;
    absence.groups.push_back(is_missing ? -1 : 0);
    if (is_missing) continue;
    known.groups.push_back(feature.groups[row]);
    if (!feature.numbers.empty()) known.numbers.push_back(feature.numbers[row]);
    of_known.push_back(classes[row]);
  }
  if (const auto share = told_share(absence, classes)) return Leak{.share = *share, .by_absence = true};
  if (const auto share = told_share(feature, classes)) return Leak{.share = *share};
  if (of_known.size() < kFewestRows || 2 * of_known.size() < classes.size()) return std::nullopt;
  if (const auto share = told_share(known, of_known)) return Leak{.share = *share, .of_known = true};
  return std::nullopt;
}

/// The share of the variance of `targets` that the means of the other rows with the same value explain.
double explained_by_groups(std::span<const std::int64_t> groups, std::span<const double> targets) {
  const auto count = static_cast<double>(targets.size());
  const double mean = std::accumulate(targets.begin(), targets.end(), 0.0) / count;
  double all = 0, left = 0;
  for (const double target : targets) all += (target - mean) * (target - mean);
  for_each_group(groups, [&](std::span<const std::uint32_t> rows) {
    double sum = 0;
    for (const std::uint32_t row : rows) sum += targets[row];
    for (const std::uint32_t row : rows) {
      const double others = rows.size() < 2 ? mean : (sum - targets[row]) / static_cast<double>(rows.size() - 1);
      left += (targets[row] - others) * (targets[row] - others);
    }
  });
  return all > 0 ? 1 - left / all : 0;
}

/// Whether the feature tells the target nearly exactly.
bool tells_number(const Feature& feature, std::span<const double> targets) {
  if (explained_by_groups(feature.groups, targets) >= kExplained) return true;
  if (feature.numbers.empty()) return false;
  std::vector<double> known, of_known;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    if (feature.groups[row] < 0) continue;
    known.push_back(feature.numbers[row]);
    of_known.push_back(targets[row]);
  }
  if (known.size() < kFewestRows || 2 * known.size() < targets.size()) return false;
  const double by_rank = std::abs(rank_correlation(known, of_known));
  return by_rank >= kCorrelation ||
         (by_rank >= 0.9 && correlation(known, of_known) * correlation(known, of_known) >= 0.999);
}

/// At most kMostRows of the rows, evenly.
std::vector<graph::Node> some_of(std::vector<graph::Node> rows) {
  if (rows.size() <= kMostRows) return rows;
  std::vector<graph::Node> some;
  for (std::size_t i = 0; i < kMostRows; ++i) some.push_back(rows[i * rows.size() / kMostRows]);
  return some;
}

/// What is to be learnt: the class, or each target, with the rows that have it.
template <class Visit>
void for_each_wanted(const Dataset& data, const Visit& visit) {
  const data::Labels& labels = data.labels;
  const auto rows_with = [&](Eigen::Index target) {
    std::vector<graph::Node> rows;
    for (graph::Node row = 0; row < labels.item_count(); ++row)
      if (labels.has_value(row, target)) rows.push_back(row);
    return some_of(std::move(rows));
  };
  if (labels.has_classes()) {
    const std::vector<graph::Node> rows = rows_with(0);
    TargetColumn wanted{.name = data.reading.label.empty() ? "label" : data.reading.label.front()};
    for (const graph::Node row : rows) wanted.classes.push_back(labels.classes[row]);
    return visit(wanted, rows);
  }
  for (Eigen::Index target = 0; target < labels.targets.cols(); ++target) {
    const std::vector<graph::Node> rows = rows_with(target);
    TargetColumn wanted{.name = labels.names[static_cast<std::size_t>(target)]};
    for (const graph::Node row : rows) {
      const float value = labels.targets(row, target);
      if (labels.has_flags())
        wanted.classes.push_back(value > 0.5F ? 1 : 0);
      else
        wanted.numbers.push_back(value);
    }
    visit(wanted, rows);
  }
}

/// The values of `column` in `rows`, which are indices of `places` if that is not empty.
Feature feature_of(const io::Column& column, std::span<const graph::Node> rows, std::span<const graph::Node> places) {
  Feature feature{.name = column.name};
  for (const graph::Node item : rows) {
    const graph::Node row = places.empty() ? item : places[item];
    if (!column.is_numeric) {
      feature.groups.push_back(column.codes[row]);
      continue;
    }
    const double number = column.numbers[row];
    feature.numbers.push_back(number);
    feature.groups.push_back(std::isnan(number) ? -1 : 0);
  }
  if (!column.is_numeric) return feature;
  std::vector<double> values;
  for (const double number : feature.numbers)
    if (!std::isnan(number)) values.push_back(number);
  std::ranges::sort(values);
  for (std::size_t i = 0; i < feature.numbers.size(); ++i)
    if (feature.groups[i] == 0)
      feature.groups[i] = std::ranges::lower_bound(values, feature.numbers[i]) - values.begin();
  return feature;
}

bool is_same_in_graphs(const io::Column& column, std::span<const graph::Node> offsets) {
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g)
    for (graph::Node row = offsets[g] + 1; row < offsets[g + 1]; ++row) {
      const bool is_same = column.is_numeric ? column.numbers[row] == column.numbers[offsets[g]]
                                             : column.codes[row] == column.codes[offsets[g]];
      if (!is_same && !(column.is_missing(row) && column.is_missing(offsets[g]))) return false;
    }
  return true;
}

/// Whether the feature tells what is wanted: a line about it, or "".
std::string line_about(const Feature& feature, const TargetColumn& wanted, bool is_descriptor) {
  std::string what;
  if (!wanted.classes.empty()) {
    const std::optional<Leak> told = tells_class(feature, wanted.classes);
    if (!told) return "";
    what = fmt::format("{} tells \"{}\" for {:.1f} % of the rows{}",
                       told->by_absence ? fmt::format("whether column \"{}\" has a value", feature.name)
                                        : fmt::format("column \"{}\" alone", feature.name),
                       wanted.name, 100 * told->share, told->of_known ? " that have a value" : "");
  } else {
    if (!tells_number(feature, wanted.numbers)) return "";
    what = fmt::format("column \"{}\" alone tells \"{}\" nearly exactly", feature.name, wanted.name);
  }
  return fmt::format("{}: is it known before \"{}\" is? if not, {}", what, wanted.name,
                     is_descriptor
                         ? fmt::format("leave it out of {}", setting("data.descriptors"))
                         : fmt::format("leave it out with {} {}", setting("data.ignore"), as_argument(feature.name)));
}

/// The columns that a model would see.
std::vector<const io::Column*> columns_of_features(const Dataset& data, const io::NodeTable& table,
                                                   const std::vector<std::string>& split_columns) {
  const bool are_molecules = data.graphs && data.graphs->are_molecules;
  std::vector<const io::Column*> columns;
  for (const io::Column& column : table.columns) {
    const auto is_in = [&](const std::vector<std::string>& names) {
      return std::ranges::count(names, column.name) > 0;
    };
    if (are_molecules ? !is_in(data.reading.descriptors) : is_in(data.reading.ignore)) continue;
    if (is_in(data.reading.label) || column.name == "split" || is_in(split_columns)) continue;
    if (column.name == data.reading.row_weight) continue;
    if (data.collection && (is_in(data.collection->placing) || is_in(data.collection->tokens))) continue;
    if (!column.is_numeric && column.categories.size() > kMostCategories) continue;
    if (io::is_unnamed_index(column)) continue;
    columns.push_back(&column);
  }
  return columns;
}

}  // namespace

std::vector<const io::Column*> feature_columns(const Dataset& data, const std::vector<std::string>& split_columns) {
  const bool are_molecules = data.graphs && data.graphs->are_molecules;
  if (data.features.columns() > 0 && !are_molecules) return {};  // the table's are not used
  return columns_of_features(data, are_molecules ? data.table : data.node_table(), split_columns);
}

std::vector<std::string> leak_warnings(const Dataset& data, const std::vector<std::string>& split_columns) {
  if (data.labels.names.empty()) return {};
  const bool are_molecules = data.graphs && data.graphs->are_molecules;
  std::vector<const io::Column*> columns = feature_columns(data, split_columns);
  std::vector<graph::Node> first_nodes;
  if (data.graphs && !are_molecules) {
    const std::vector<graph::Node>& offsets = data.graphs->offsets;
    if (std::ranges::adjacent_find(offsets) != offsets.end()) return {};  // a graph without nodes
    first_nodes.assign(offsets.begin(), offsets.end() - 1);
    std::erase_if(columns, [&](const io::Column* column) { return !is_same_in_graphs(*column, offsets); });
  }
  std::vector<std::string> lines;
  std::size_t count = 0;
  constexpr std::size_t kShown = 5;
  for_each_wanted(data, [&](const TargetColumn& wanted, const std::vector<graph::Node>& rows) {
    if (rows.size() < kFewestRows) return;
    for (const io::Column* column : columns) {
      std::string line = line_about(feature_of(*column, rows, first_nodes), wanted, are_molecules);
      if (!line.empty() && ++count <= kShown) lines.push_back(std::move(line));
    }
  });
  if (count > kShown) lines.push_back(fmt::format("{} more columns tell a label in this way", count - kShown));
  return lines;
}

}  // namespace edgewise::train
