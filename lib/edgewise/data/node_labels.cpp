#include "edgewise/data/node_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/odd_cells.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/category.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"
#include "edgewise/io/text_writer.hpp"

namespace edgewise::data {
namespace {

constexpr std::size_t kMaxNumericClasses = 20;

bool is_flags(const io::Column& column) {
  for (std::size_t row = 0; row < column.size(); ++row)
    if (!column.is_missing(row) && !io::parse_truth(column.text(row))) return false;
  return true;
}

bool looks_like_classes(const io::Column& column) {
  if (!column.is_numeric) return true;
  std::set<float> values;
  for (const float value : column.numbers) {
    if (std::isnan(value)) continue;
    values.insert(value);
    if (value != std::floor(value) || values.size() > kMaxNumericClasses) return false;
  }
  return true;
}

Task guess_task(const std::vector<const io::Column*>& columns) {
  if (columns.size() == 1) return looks_like_classes(*columns[0]) ? Task::classification : Task::regression;
  const bool are_flags = std::all_of(columns.begin(), columns.end(), [](const io::Column* c) { return is_flags(*c); });
  return are_flags ? Task::multilabel : Task::regression;
}

/// The distinct labels of a column, ascending.
std::vector<std::string> classes_of(const io::Column& column) {
  std::vector<std::string> classes;
  if (!column.is_numeric) {
    // If rows were removed from the table, a category may no longer occur.
    std::vector<bool> occurs(column.categories.size(), false);
    for (const std::int32_t code : column.codes)
      if (code >= 0) occurs[static_cast<std::size_t>(code)] = true;
    for (std::size_t c = 0; c < occurs.size(); ++c)
      if (occurs[c]) classes.push_back(column.categories[c]);
    return classes;
  }
  std::set<std::pair<float, std::string>> values;
  for (std::size_t row = 0; row < column.size(); ++row)
    if (!column.is_missing(row)) values.emplace(column.numbers[row], column.text(row));
  for (const auto& [value, text] : values) classes.push_back(text);
  return classes;
}

/// Throws DataError unless there are two classes.
void check_classes(const io::NodeTable& table, const io::Column& column, const std::vector<std::string>& names,
                   std::string_view noun) {
  if (names.empty())
    throw DataError(fmt::format("{}: column \"{}\": no {} has a label", table.file, column.name, noun));
  if (names.size() == 1)
    throw DataError(fmt::format("{}: column \"{}\": every label is {}; expected two classes or more", table.file,
                                column.name, io::quote(names[0])));
}

/// The number as a column of numbers spells it ("1" for "1.0" and "01"); "" for any other text.
std::string as_number(const std::string& text) {
  float number = 0;
  return io::parse_number(text, number) == io::NumberFault::none ? io::number_text(number) : "";
}

Labels read_classes(const io::NodeTable& table, const io::Column& column, const LabelOptions& options) {
  if (!column.rounded.empty())
    throw DataError(
        fmt::format("{}: column \"{}\": {} has more digits than a number keeps, so that classes would be "
                    "mixed up; name the column in {}",
                    table.file, column.name, column.rounded, setting("data.categorical")));
  Labels labels;
  labels.names = options.classes.empty() ? classes_of(column) : options.classes;
  if (!options.allows_any) check_classes(table, column, labels.names, options.noun);
  const io::CategoryMatch match(labels.names);
  const bool are_numbers = std::ranges::all_of(labels.names, [](const auto& name) { return as_number(name) == name; });
  labels.classes.assign(table.rows(), -1);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (column.is_missing(row)) continue;
    const std::string text = column.text(row);
    std::optional<std::size_t> found = match.find(text);
    if (!found && are_numbers) found = match.find(as_number(text));
    if (!found)
      throw DataError(table.where(row), fmt::format("column \"{}\": {} is not one of the model's classes ({})",
                                                    column.name, io::quote(text), first_of(labels.names)));
    labels.classes[row] = static_cast<std::int32_t>(*found);
  }
  return labels;
}

[[noreturn]] void refuse_cell(const io::NodeTable& table, const io::Column& column, std::size_t row) {
  const std::string text = column.text(row);
  throw DataError(table.where(row), fmt::format("column \"{}\": expected a number, got {}, {}", column.name,
                                                io::quote(text), advice_on_cell(text)));
}

float target_of(const io::NodeTable& table, const io::Column& column, std::size_t row, const Task& task) {
  if (task.has_numbers()) {
    if (!column.is_numeric && !column.is_missing(row) && !io::is_number(column.text(row)))
      refuse_cell(table, column, first_odd_cell(column));
    const float number = table.number(column, row);
    if (!std::isnan(number) && !task.takes(number))
      throw DataError(table.where(row), fmt::format("column \"{}\": expected {}, got {}", column.name, task.expected(),
                                                    io::quote(column.text(row))));
    return number;
  }
  if (column.is_missing(row)) return std::numeric_limits<float>::quiet_NaN();
  const std::optional<bool> flag = io::parse_truth(column.text(row));
  if (!flag)
    throw DataError(table.where(row), fmt::format("column \"{}\": expected 0 or 1 (true, false, yes, no), got {}",
                                                  column.name, io::quote(column.text(row))));
  return *flag ? 1.0F : 0.0F;
}

/// Throws DataError for numbers that differ by little more than floats of their size round off.
void check_spread(const io::NodeTable& table, const io::Column& column) {
  constexpr double kMinSteps = 30;  // between floats, per standard deviation
  double sum = 0, squares = 0, largest = 0;
  const auto count = static_cast<double>(column.numbers.size() - column.missing);
  for (const float value : column.numbers)
    if (!std::isnan(value)) sum += value;
  for (const float value : column.numbers) {
    if (std::isnan(value)) continue;
    squares += (value - sum / count) * (value - sum / count);
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  const double deviation = std::sqrt(squares / std::max(count, 1.0));
  const bool is_constant = deviation <= 1e-9 * largest;
  if (is_constant ? column.rounded.empty() : deviation >= kMinSteps * largest * std::numeric_limits<float>::epsilon())
    return;
  throw DataError(fmt::format("{}: column \"{}\": the values differ only beyond the seven digits that are kept; "
                              "subtract a common offset",
                              table.file, column.name));
}

bool contains(const std::vector<std::string>& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

/// Moves the targets that are bounds to the bounds.
void take_bounds_of(const io::Column& column, Eigen::Index target, Labels& labels) {
  if (column.bounds.empty()) return;
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  if (!labels.has_bounds())
    for (Matrix* bounds : {&labels.lower_bounds, &labels.upper_bounds})
      bounds->setConstant(labels.targets.rows(), labels.targets.cols(), kNone);
  for (std::size_t row = 0; row < column.bounds.size(); ++row) {
    if (column.bounds[row] == 0) continue;
    Matrix& bounds = column.bounds[row] > 0 ? labels.lower_bounds : labels.upper_bounds;
    bounds(static_cast<Eigen::Index>(row), target) =
        std::exchange(labels.targets(static_cast<Eigen::Index>(row), target), kNone);
  }
}

void set_numbers(std::vector<float> numbers, io::Column& column) {
  column.is_numeric = true;
  column.numbers = std::move(numbers);
  column.codes.clear();
  column.categories.clear();
}

/// Makes a column numeric if all remaining values are numbers and no whole number would be spelt in another way.
void make_numeric(io::Column& column) {
  std::vector<float> numbers(column.codes.size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    if (column.codes[row] < 0) continue;
    const std::string& text = column.categories[static_cast<std::size_t>(column.codes[row])];
    if (io::parse_number(text, numbers[row]) != io::NumberFault::none) return;
    if (io::changes_as_float(text)) return;
  }
  set_numbers(std::move(numbers), column);
}

void forget(const std::vector<std::string>& missing, io::Column& column) {
  const auto says_nothing = [&](const std::string& text) {
    return contains(missing, text) || text.find_first_not_of(" \t") == std::string::npos;
  };
  bool is_changed = false;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (column.is_missing(row) || !says_nothing(column.text(row))) continue;
    if (column.is_numeric)
      column.numbers[row] = std::numeric_limits<float>::quiet_NaN();
    else
      column.codes[row] = -1;
    ++column.missing;
    is_changed = true;
  }
  if (is_changed && !column.is_numeric) make_numeric(column);
}

io::Column* find(std::string_view name, io::NodeTable& table) {
  const auto found = std::ranges::find(table.columns, name, &io::Column::name);
  return found == table.columns.end() ? nullptr : &*found;
}

/// A logarithm under which a column can be learnt.
struct Logarithm {
  std::string_view name;      // prefix of the column name
  std::string_view expected;  // for messages
  bool takes_zero;
  float (*of)(float);
};

constexpr std::array<Logarithm, 2> kLogarithms = {
    {{"log10", "a number above 0, which has a logarithm (\"log1p\" in place of \"log10\" takes 0, too)", false,
      [](float x) { return std::log10(x); }},
     {"log1p", "0 or a number above it, which has a logarithm with 1 added", true,
      [](float x) { return std::log1p(x); }}}};

std::string name_of(const Logarithm& logarithm, std::string_view column) {
  return fmt::format("{}({})", logarithm.name, column);
}

void take_logarithms(const Logarithm& logarithm, const io::NodeTable& table, io::Column& column) {
  std::vector<float> numbers(column.size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    if (column.is_missing(row)) continue;
    const float number = target_of(table, column, row, Task::regression);
    if (!(number > 0 || (logarithm.takes_zero && number == 0)))
      throw DataError(table.where(row),
                      fmt::format("column \"{}\": expected {}, got {}", column.name, logarithm.expected, number));
    numbers[row] = logarithm.of(number);
  }
  set_numbers(std::move(numbers), column);
}

/// Replaces the column whose logarithm is called `name`, if there is one.
void learn_logarithm(const std::string& name, const std::vector<std::string>& missing, io::NodeTable& table) {
  for (const Logarithm& logarithm : kLogarithms)
    for (io::Column& column : table.columns) {
      if (name_of(logarithm, column.name) != name) continue;
      forget(missing, column);
      take_logarithms(logarithm, table, column);
      column.name = name;
      return;
    }
}

/// The skewness: the third central moment in units of the standard deviation; 0 if all values are equal.
double skewness(const Eigen::ArrayXd& values) {
  const Eigen::ArrayXd from_mean = values - values.mean();
  const double variance = from_mean.square().mean();
  return variance > 0 ? from_mean.cube().mean() / std::pow(variance, 1.5) : 0;
}

Eigen::ArrayXd known_values(const Labels& labels, Eigen::Index target) {
  std::vector<double> known;
  for (const float value : labels.targets.col(target))
    if (!std::isnan(value)) known.push_back(value);
  return Eigen::Map<const Eigen::ArrayXd>(known.data(), static_cast<Eigen::Index>(known.size()));
}

/// The logarithm to learn for values in ascending order, or nullptr.
const Logarithm* wanted_logarithm(const Eigen::ArrayXd& values) {
  constexpr Eigen::Index kMinValues = 20;
  constexpr double kMinTimes = 5;       // largest value over median
  constexpr double kMinSkewness = 1.5;  // an exponential distribution has 2
  constexpr double kMaxSkewnessLeft = 0.5;       // share of the skewness left after taking logarithms
  if (values.size() < kMinValues || values[0] < 0) return nullptr;
  if (values[values.size() - 1] < kMinTimes * values[values.size() / 2]) return nullptr;
  const double skewed = skewness(values);
  const bool has_zero = values[0] == 0;
  const double left = skewness(has_zero ? Eigen::ArrayXd(values.log1p()) : Eigen::ArrayXd(values.log10()));
  return skewed > kMinSkewness && std::abs(left) < kMaxSkewnessLeft * skewed ? &kLogarithms[has_zero ? 1 : 0] : nullptr;
}

}  // namespace

bool is_logarithm_of(std::string_view name, std::string_view column) {
  return std::ranges::any_of(kLogarithms,
                             [&](const Logarithm& logarithm) { return name == name_of(logarithm, column); });
}

void forget_cells(const std::vector<std::size_t>& rows, io::Column& column) {
  if (column.is_numeric) return;
  io::Column without = column;
  for (const std::size_t row : rows) {
    without.missing += without.is_missing(row) ? 0 : 1;
    without.codes[row] = -1;
  }
  make_numeric(without);
  if (without.is_numeric && without.missing < without.size()) column = std::move(without);
}

void prepare_label_columns(const std::vector<std::string>& columns, const std::vector<std::string>& missing,
                           io::NodeTable& table) {
  for (const std::string& name : columns) {
    if (io::Column* column = find(name, table))
      forget(missing, *column);
    else
      learn_logarithm(name, missing, table);
  }
}

Labels read_labels(const io::NodeTable& table, const LabelOptions& options) {
  if (options.columns.empty()) throw UsageError("labels: no column is named");
  std::vector<const io::Column*> columns;
  for (const std::string& name : options.columns) columns.push_back(&table.at(name));
  if (table.rows() == 0 && options.classes.empty()) throw DataError(table.no_rows());
  const Task task = options.task.value_or(guess_task(columns));
  if (!options.task && task.has_classes() && !options.are_categories && !options.allows_any)
    refuse_odd_cells(table, *columns[0], fmt::format("if these are classes: {} classification", setting("data.task")));
  if (task.has_classes()) {
    if (columns.size() > 1)
      throw UsageError(
          fmt::format("labels: classification takes one column, got {}", fmt::join(options.columns, ", ")));
    return read_classes(table, *columns[0], options);
  }
  Labels labels;
  labels.task = task;
  labels.names = options.columns;
  labels.targets.resize(static_cast<Eigen::Index>(table.rows()), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (task.has_numbers() && columns[c]->is_numeric) check_spread(table, *columns[c]);
    for (std::size_t row = 0; row < table.rows(); ++row)
      labels.targets(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(c)) =
          target_of(table, *columns[c], row, task);
    if (task.takes_bounds) take_bounds_of(*columns[c], static_cast<Eigen::Index>(c), labels);
    if (options.classes.empty() && !options.allows_any && columns[c]->missing == table.rows())
      throw DataError(fmt::format("{}: column \"{}\": no {} has a value", table.file, columns[c]->name,
                                  options.noun));
  }
  return labels;
}

void forget_label(graph::Node item, Labels& labels) {
  if (labels.has_classes())
    labels.classes[item] = -1;
  for (Matrix* values : {&labels.targets, &labels.lower_bounds, &labels.upper_bounds})
    if (values->size() > 0) values->row(item).setConstant(std::numeric_limits<float>::quiet_NaN());
}

std::vector<std::string> class_notes(const Labels& labels) {
  constexpr std::size_t kMinClasses = 10;
  const std::size_t known = labelled_nodes(labels).size();
  if (labels.names.size() < kMinClasses || 2 * labels.names.size() <= known) return {};
  return {
      fmt::format("the label has {} classes for {} labelled rows, too few of each to learn from: for amounts, use "
                  "{} regression",
                  labels.names.size(), known, setting("data.task"))};
}

std::vector<std::string> logarithm_notes(const Labels& labels) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < labels.names.size(); ++i) {
    Eigen::ArrayXd values = known_values(labels, static_cast<Eigen::Index>(i));
    std::ranges::sort(values);
    const Logarithm* logarithm = wanted_logarithm(values);
    if (logarithm == nullptr) continue;
    notes.push_back(fmt::format(
        "\"{0}\" is {1} everywhere, and a few values are far larger than most (the median is {2:.6g}, the largest "
        "{3:.6g}): they dominate the error; learn its logarithm with \"{4}\" in its place",
        labels.names[i], logarithm->takes_zero ? "0 or above" : "above 0", values[values.size() / 2],
        values[values.size() - 1], name_of(*logarithm, labels.names[i])));
  }
  return notes;
}

}  // namespace edgewise::data
