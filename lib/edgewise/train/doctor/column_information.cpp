#include "edgewise/train/doctor/column_information.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/train/doctor/data_facts.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kMinTestedRows = 100;
constexpr std::size_t kParts = 10;  // of numbers
constexpr double kDeviationsByChance = 2;  // of the statistic, above what chance gives

/// A group per row, -1 where it is not known.
using Groups = std::vector<std::int32_t>;

/// Numbers by tenths; equal numbers are together.
Groups by_rank(const std::vector<float>& numbers) {
  std::vector<float> sorted;
  std::ranges::copy_if(numbers, std::back_inserter(sorted), [](float number) { return !std::isnan(number); });
  std::ranges::sort(sorted);
  std::vector<float> starts;
  for (std::size_t part = 1; part < kParts && !sorted.empty(); ++part)
    starts.push_back(sorted[part * sorted.size() / kParts]);
  Groups groups;
  for (const float number : numbers)
    groups.push_back(std::isnan(number) ? -1
                                        : static_cast<std::int32_t>(std::ranges::upper_bound(starts, number) -
                                                                    starts.begin()));
  return groups;
}

Groups groups_of(const io::Column& column) { return column.is_numeric ? by_rank(column.numbers) : column.codes; }

Groups groups_of(const data::Labels& labels) {
  if (labels.has_classes()) return labels.classes;
  const Eigen::VectorXf targets = labels.targets.col(0);
  return by_rank({targets.begin(), targets.end()});
}

/// The chi-squared statistic of two groupings, and what it is by chance.
struct ChiSquared {
  double value = 0;
  double freedom = 0;
  std::size_t rows = 0;

  /// By chance its mean is the number of degrees of freedom, times n / (n - 1), and its variance about twice that.
  bool is_by_chance() const {
    const auto n = static_cast<double>(rows);
    return value < freedom * n / (n - 1) + kDeviationsByChance * std::sqrt(2 * freedom);
  }
};

ChiSquared chi_squared(const Groups& a, const Groups& b) {
  std::map<std::pair<std::int32_t, std::int32_t>, double> both;
  std::map<std::int32_t, double> of_a, of_b;
  ChiSquared result;
  for (std::size_t row = 0; row < a.size(); ++row) {
    if (a[row] < 0 || b[row] < 0) continue;
    ++both[{a[row], b[row]}];
    ++of_a[a[row]];
    ++of_b[b[row]];
    ++result.rows;
  }
  const auto n = static_cast<double>(result.rows);
  double sum = 0;  // of observed^2 / expected; the statistic is this minus n
  for (const auto& [pair, count] : both) sum += count * count * n / (of_a[pair.first] * of_b[pair.second]);
  result.value = sum - n;
  result.freedom = (static_cast<double>(of_a.size()) - 1) * (static_cast<double>(of_b.size()) - 1);
  return result;
}

/// Names are no features: most of their values occur once.
bool is_feature(const ColumnFacts& column, std::size_t rows) {
  return 2 * column.categories <= rows &&
         !(column.is_label || column.is_placing || column.is_constant || column.is_empty || column.counts_rows) &&
         column.numbered_by.empty() && column.name != "split";
}

}  // namespace

std::vector<std::string> columns_without_information(const Dataset& data) {
  if (data.has_many_graphs() || data.table.rows() == 0 || data.labels.names.empty() || data.labels.target_count() != 1)
    return {};
  const Groups labels = groups_of(data.labels);
  if (labels.size() != data.table.rows()) return {};
  std::vector<std::string> columns;
  visit_columns(data, data.table, [&](const ColumnFacts& facts) {
    if (!is_feature(facts, data.table.rows()) || std::ranges::count(data.reading.ignore, facts.name) > 0) return;
    const ChiSquared test = chi_squared(groups_of(data.table.at(facts.name)), labels);
    if (test.rows >= kMinTestedRows && test.freedom > 0 && test.is_by_chance()) columns.push_back(facts.name);
  });
  return columns;
}

std::string information_warning(const std::vector<std::string>& columns) {
  constexpr std::size_t kShown = 10;
  if (columns.empty()) return "";
  std::vector<std::string> shown;
  for (const std::string& column : columns)
    if (shown.size() < kShown) shown.push_back(fmt::format("\"{}\"", column));
  const std::string more = columns.size() > kShown ? fmt::format(" and {} more", columns.size() - kShown) : "";
  return fmt::format(
      "{} {} no more about the label than chance would: {}{}; {} leaves columns out, and {} identity "
      "learns from the edges alone",
      counted(columns.size(), "column"), columns.size() == 1 ? "says" : "say", fmt::join(shown, ", "), more,
      setting("data.ignore"), setting("training.inputs"));
}

}  // namespace edgewise::train
