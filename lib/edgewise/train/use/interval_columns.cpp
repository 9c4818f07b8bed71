#include "edgewise/train/use/interval_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <span>

#include "edgewise/io/text_writer.hpp"

namespace edgewise::train {
namespace {

/// The members of the set in these columns of each row.
io::TextColumn set_column(std::string name, const Matrix& sets, Eigen::Index first,
                          std::span<const std::string> members) {
  io::TextColumn column{std::move(name), {}};
  for (Eigen::Index row = 0; row < sets.rows(); ++row) {
    std::vector<std::string> held;
    for (std::size_t i = 0; i < members.size(); ++i)
      if (sets(row, first + static_cast<Eigen::Index>(i)) > 0) held.push_back(members[i]);
    column.values.push_back(fmt::format("{}", fmt::join(held, "|")));
  }
  return column;
}

}  // namespace

std::vector<io::TextColumn> interval_columns(const Intervals& intervals, data::Task task,
                                             const std::vector<std::string>& names) {
  if (task.has_classes()) return {set_column("set", intervals.sets, 0, names)};
  const std::string present[] = {"0", "1"};
  std::vector<io::TextColumn> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto target = static_cast<Eigen::Index>(i);
    if (task.has_flags()) {
      columns.push_back(set_column("set_" + names[i], intervals.sets, 2 * target, present));
      continue;
    }
    columns.push_back(io::number_column("lower_" + names[i], intervals.lower, target));
    columns.push_back(io::number_column("upper_" + names[i], intervals.upper, target));
  }
  return columns;
}

void add_intervals(const TrainedModel& trained, double level, io::Predictions& table) {
  std::vector<io::TextColumn> columns = interval_columns(
      trained.calibration.intervals(table.values, table.deviations, level), trained.task, trained.label_names);
  table.after.insert(table.after.begin(), std::make_move_iterator(columns.begin()),
                     std::make_move_iterator(columns.end()));
}

}  // namespace edgewise::train
