#include "edgewise/train/source/odd_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/train/source/leaks.hpp"

namespace edgewise::train {
namespace {

constexpr std::array<float, 14> kUsualSentinels = {-1,  -9,   -99,   -999,   -9999,  -99999, -999999,
                                                   999, 9999, 99999, 999999, -888,   -8888,  -32768};
constexpr std::size_t kFewestOthers = 5;  // different values, to tell what is far from them

struct ValueCount {
  float value;
  std::size_t rows;
};

/// The different known values, ascending.
std::vector<ValueCount> counts_of(const std::vector<float>& numbers) {
  std::vector<float> sorted;
  for (const float number : numbers)
    if (!std::isnan(number)) sorted.push_back(number);
  std::ranges::sort(sorted);
  std::vector<ValueCount> counts;
  for (const float value : sorted) {
    if (counts.empty() || counts.back().value != value) counts.push_back({value, 0});
    ++counts.back().rows;
  }
  return counts;
}

/// Whether the value is a sentinel beside others between `smallest` and `largest`, with a gap to the nearest of them.
bool is_sentinel(const ValueCount& count, double gap, double smallest, double largest) {
  constexpr double kGapOfUnusual = 10, kGapOfSingle = 3;  // widths of the other values
  constexpr float kSmallestOfDigit = -9;                  // marks among numbers of two digits or more
  const double width = largest - smallest;
  if (std::ranges::count(kUsualSentinels, count.value) == 0) return count.rows > 1 && gap > kGapOfUnusual * width;
  const bool is_digit = count.value >= kSmallestOfDigit && count.value < 0;
  if (is_digit && smallest >= 10 && count.rows > 1) return true;
  return gap > (count.rows > 1 ? 1 : kGapOfSingle) * width;
}

/// How many of the highest of `counts` (or lowest, if `at_low_end`) lie far from the rest in the sense of
/// is_far(count, gap, smallest, largest); at most three.
template <class IsFar>
std::size_t count_far(std::span<const ValueCount> counts, bool at_low_end, const IsFar& is_far) {
  constexpr std::size_t kMost = 3;
  for (std::size_t tried = kMost; tried > 0; --tried) {
    if (counts.size() < kFewestOthers + tried) continue;
    const auto rest = at_low_end ? counts.subspan(tried) : counts.first(counts.size() - tried);
    const auto ends = at_low_end ? counts.first(tried) : counts.last(tried);
    const double smallest = rest.front().value, largest = rest.back().value;
    const auto is_one_far = [&](const ValueCount& count) {
      return is_far(count, at_low_end ? smallest - count.value : count.value - largest, smallest, largest);
    };
    if (std::ranges::all_of(ends, is_one_far)) return tried;
  }
  return 0;
}

/// Those of `counts` that remain without far ones at both ends.
template <class IsFar>
std::span<const ValueCount> without_far(std::span<const ValueCount> counts, const IsFar& is_far) {
  counts = counts.subspan(count_far(counts, true, is_far));
  return counts.first(counts.size() - count_far(counts, false, is_far));
}

std::string sentinel_line(const std::string& name, const Sentinel& sentinel, bool is_label) {
  return fmt::format(
      "column \"{}\": {} in {}, far from all other values ({:.6g} to {:.6g}): does it mark missing values? "
      "if so, {}",
      name, sentinel.value, counted(sentinel.rows, "row"), sentinel.smallest, sentinel.largest,
      is_label ? fmt::format("use {}={}", setting("data.missing_labels"), sentinel.value) : "leave these cells empty");
}

/// Nothing if no value of the target is far from all others, apart from sentinels.
std::optional<std::string> outlier_line(const std::string& name, const std::vector<float>& numbers) {
  constexpr double kGap = 3;
  const std::vector<ValueCount> counts = counts_of(numbers);
  const auto usual = without_far(counts, is_sentinel);
  const auto rest = without_far(usual, [](const ValueCount&, double gap, double smallest, double largest) {
    return gap > kGap * (largest - smallest);
  });
  if (rest.size() == usual.size()) return std::nullopt;
  const bool is_low = rest.data() != usual.data();
  const float example = is_low ? usual.front().value : usual.back().value;
  return fmt::format(
      "column \"{}\": {} far from all others ({:.6g} to {:.6g}), such as {:.6g}: a slip or another unit? "
      "such values decide the mean error",
      name, counted(usual.size() - rest.size(), "value is", "values are"), rest.front().value, rest.back().value,
      example);
}

}  // namespace

std::vector<Sentinel> find_sentinels(const std::vector<float>& numbers) {
  const std::vector<ValueCount> counts = counts_of(numbers);
  const auto rest = without_far(counts, is_sentinel);
  std::vector<Sentinel> sentinels;
  for (const ValueCount& count : counts)
    if (!rest.empty() && (count.value < rest.front().value || count.value > rest.back().value))
      sentinels.push_back({count.value, count.rows, rest.front().value, rest.back().value});
  return sentinels;
}

std::vector<std::string> odd_value_warnings(const Dataset& data, const std::vector<std::string>& split_columns) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> lines;
  const auto add = [&](const std::string& name, const std::vector<float>& numbers, bool is_label) {
    for (const Sentinel& sentinel : find_sentinels(numbers))
      if (lines.size() < kShown) lines.push_back(sentinel_line(name, sentinel, is_label));
  };
  const data::Labels& labels = data.labels;
  for (Eigen::Index i = 0; labels.task == data::Task::regression && i < labels.targets.cols(); ++i) {
    const std::string& name = labels.names[static_cast<std::size_t>(i)];
    const Eigen::VectorXf column = labels.targets.col(i);
    const std::vector<float> numbers(column.begin(), column.end());
    add(name, numbers, true);
    if (std::optional<std::string> line = outlier_line(name, numbers)) lines.push_back(std::move(*line));
  }
  for (const io::Column* column : feature_columns(data, split_columns))
    if (column->is_numeric) add(column->name, column->numbers, false);
  return lines;
}

}  // namespace edgewise::train
