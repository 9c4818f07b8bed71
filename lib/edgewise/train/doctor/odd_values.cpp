#include "edgewise/train/doctor/odd_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>

#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/train/doctor/data_facts.hpp"
#include "edgewise/train/doctor/data_warnings.hpp"
#include "edgewise/train/doctor/leaks.hpp"
#include "edgewise/train/source/column_warnings.hpp"

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
      "such values dominate the mean error",
      name, counted(usual.size() - rest.size(), "value is", "values are"), rest.front().value, rest.back().value,
      example);
}

/// Whether a value may mean "not known" beside these: the only negative one, or one that is far above small numbers.
/// Beside yes and no, it may be a code of surveys: 7 for a refusal, 8 for "don't know", 9 for what is missing.
bool is_mark(const ValueCount& count, std::span<const ValueCount> others) {
  constexpr float kSmallestLarge = 99, kTimes = 3, kCodes[] = {7, 8, 9, 77, 88};
  if (others.size() < 2 || count.rows < 2) return false;
  const bool is_usual = count.value == kSmallestLarge || std::ranges::count(kUsualSentinels, count.value) > 0 ||
                        (others.size() == 2 && std::ranges::count(kCodes, count.value) > 0);
  const float smallest = others.front().value, largest = others.back().value;
  return is_usual && smallest >= 0 && (count.value < 0 || count.value > kTimes * std::max(largest, 1.0F));
}

/// Among values that are few, or that are none below 0: the one that may mean "not known".
std::optional<float> find_mark(std::span<const ValueCount> counts) {
  if (counts.size() < 3) return std::nullopt;
  if (is_mark(counts.front(), counts.subspan(1))) return counts.front().value;
  if (is_mark(counts.back(), counts.first(counts.size() - 1))) return counts.back().value;
  return std::nullopt;
}

/// The classes by their numbers; nothing if one of them is a name.
std::vector<ValueCount> counts_of_classes(const data::Labels& labels) {
  std::vector<ValueCount> counts;
  for (const auto& [name, rows] : label_counts(labels)) {
    float value = 0;
    if (io::parse_number(name, value) != io::NumberFault::none) return {};
    counts.push_back({value, rows});
  }
  std::ranges::sort(counts, {}, &ValueCount::value);
  return counts;
}

std::string values_text(std::span<const ValueCount> counts) {
  std::vector<std::string> texts;
  for (const ValueCount& count : counts) texts.push_back(fmt::format("{}", count.value));
  const std::string last = texts.back();
  texts.pop_back();
  return fmt::format("{} and {}", fmt::join(texts, ", "), last);
}

bool is_sign(std::span<const ValueCount> counts) {
  return counts.size() == 3 && counts[0].value == -1 && counts[1].value == 0 && counts[2].value == 1;
}

/// The remark about a class whose name says that the class is not known.
std::optional<std::string> unknown_class_line(const data::Labels& labels) {
  constexpr std::string_view kWords[] = {"unknown",   "unk",        "undetermined",  "undefined",   "unlabeled",
                                         "unlabelled", "notknown",  "notdetermined", "nottested",   "notmeasured",
                                         "missing",   "dontknow",   "tbd",           "nd",
                                         "na",        "nan",        "nat",           "none",
                                         "null",      "blank",      "pending",       "unavailable",
                                         "notavailable", "notapplicable"};
  constexpr std::string_view kSigns[] = {"-", "--", "---", "–", ".", "..", "*", "#VALUE!", "#DIV/0!", "#REF!",
                                         "#NAME?", "#NUM!"};
  const auto name = std::ranges::find_if(labels.names, [&](const std::string& known) {
    return std::ranges::count(kWords, core_of_name(known)) > 0 || std::ranges::count(kSigns, known) > 0;
  });
  if (name == labels.names.end() || labels.names.size() < 3) return std::nullopt;
  return fmt::format("\"{}\" is learnt as a class of its own; if it marks those that are not known, use {}={}", *name,
                     setting("data.missing_labels"), as_argument(*name));
}

/// The remark about classes of which one may mean that the class is not known.
std::vector<std::string> class_mark_lines(const data::Labels& labels) {
  if (std::optional<std::string> line = unknown_class_line(labels)) return {*line};
  constexpr std::size_t kShown = 10;
  std::vector<ValueCount> counts = counts_of_classes(labels);
  const std::optional<float> mark = find_mark(counts);
  if (!mark) return {};
  const std::string shown = counts.size() <= kShown
                                ? values_text(counts)
                                : fmt::format("{} to {}", counts.front().value, counts.back().value);
  const std::string flag = setting("data.missing_labels");
  return {fmt::format("the classes are {}: does {} mark those that are not known? if so, use {}={}{}", shown, *mark,
                      flag, *mark, is_sign(counts) ? fmt::format("; if 0 does, {}=0", flag) : "")};
}

/// Targets with the same few values.
struct FewValues {
  std::vector<ValueCount> counts;
  std::vector<std::string> names;
};

std::vector<FewValues> few_values_of(const data::Labels& labels) {
  std::vector<FewValues> all;
  for (Eigen::Index i = 0; i < labels.targets.cols(); ++i) {
    const Eigen::VectorXf column = labels.targets.col(i);
    const std::string& name = labels.names[static_cast<std::size_t>(i)];
    std::vector<ValueCount> counts = counts_of({column.begin(), column.end()});
    if (counts.size() < 2 || counts.size() > kFewestOthers) continue;
    const auto known = std::ranges::find_if(all, [&](const FewValues& few) {
      return std::ranges::equal(few.counts, counts, {}, &ValueCount::value, &ValueCount::value);
    });
    if (known == all.end())
      all.push_back({std::move(counts), {name}});
    else
      known->names.push_back(name);
  }
  return all;
}

/// The remarks about targets that would be yes and no but for a value that may mean "not known".
std::vector<std::string> few_values_lines(const data::Labels& labels) {
  std::vector<std::string> lines;
  for (const auto& [counts, names] : few_values_of(labels)) {
    const std::string who =
        fmt::format("{} ({}) {} the values {} only, which are learnt as numbers", counted(names.size(), "target"),
                    first_of(names), names.size() == 1 ? "has" : "have", values_text(counts));
    if (const std::optional<float> mark = find_mark(counts))
      lines.push_back(fmt::format("{}: does {} mark values that are not known? if so, use {}={}{}", who, *mark,
                                  setting("data.missing_labels"), *mark,
                                  is_sign(counts) ? "; if 0 does and -1 means no, empty these cells and write 0 for -1"
                                                  : ""));
    else if (counts.size() == 2 && counts[0].value == -1 && counts[1].value == 1)
      lines.push_back(fmt::format("{}: if -1 means no and 1 yes, write 0 for -1", who));
  }
  return lines;
}

/// The remark about the most frequent value of a target, the only one below 0.
std::optional<std::string> negative_mark_line(const std::string& name, const std::vector<float>& numbers) {
  constexpr std::size_t kFewestRows = 5;
  const std::vector<ValueCount> counts = counts_of(numbers);
  if (counts.size() <= kFewestOthers || counts.front().value >= 0) return std::nullopt;
  const auto others = std::span(counts).subspan(1);
  const std::size_t most = std::ranges::max(others, {}, &ValueCount::rows).rows;
  const ValueCount& mark = counts.front();
  if (!is_mark(mark, others) || mark.rows < kFewestRows || mark.rows <= most) return std::nullopt;
  if (!find_sentinels(numbers).empty()) return std::nullopt;
  return fmt::format(
      "column \"{}\": {} in {}, and no other value below 0 ({:.6g} to {:.6g}): does it mark missing values? if so, use "
      "{}={}",
      name, mark.value, counted(mark.rows, "row"), others.front().value, others.back().value,
      setting("data.missing_labels"), mark.value);
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
  for (Eigen::Index i = 0; labels.has_numbers() && i < labels.targets.cols(); ++i) {
    const std::string& name = labels.names[static_cast<std::size_t>(i)];
    const Eigen::VectorXf column = labels.targets.col(i);
    const std::vector<float> numbers(column.begin(), column.end());
    add(name, numbers, true);
    if (std::optional<std::string> line = negative_mark_line(name, numbers)) lines.push_back(std::move(*line));
    if (std::optional<std::string> line = outlier_line(name, numbers)) lines.push_back(std::move(*line));
  }
  if (labels.has_numbers()) std::ranges::move(few_values_lines(labels), std::back_inserter(lines));
  if (labels.has_classes()) std::ranges::move(class_mark_lines(labels), std::back_inserter(lines));
  for (const io::Column* column : feature_columns(data, split_columns))
    if (column->is_numeric) add(column->name, column->numbers, false);
  return lines;
}

}  // namespace edgewise::train
