#include "edgewise/core/assignment.hpp"

#include <fmt/format.h>

#include <limits>

#include "edgewise/core/error.hpp"

namespace edgewise {
namespace {

using Eigen::Index;

constexpr Index kNone = -1;

/// Columns with the rows they are taken by. Reduced costs, costs - row potential - column potential, are at least 0,
/// and 0 where a column is taken.
class Assignment {
 public:
  explicit Assignment(ConstMatrixRef costs)
      : costs_(costs), of_rows_(costs.rows(), 0), of_columns_(costs.cols(), 0), taken_by_(costs.cols(), kNone) {}

  /// Gives the row a column, for which others may change theirs: along the cheapest path to a free column.
  void add(Index row) {
    const Index count = costs_.cols();
    std::vector<double> distance(at(count), std::numeric_limits<double>::infinity());
    std::vector<Index> before(at(count), kNone);  // the column from which a column is reached
    std::vector<bool> is_done(at(count), false);
    double length = 0;
    Index last = kNone;
    for (Index from = row;; from = taken_by_[at(last)]) {
      Index nearest = kNone;
      for (Index column = 0; column < count; ++column) {
        if (is_done[at(column)]) continue;
        const double through = length + costs_(from, column) - of_rows_[at(from)] - of_columns_[at(column)];
        if (through < distance[at(column)]) {
          distance[at(column)] = through;
          before[at(column)] = last;
        }
        if (nearest == kNone || distance[at(column)] < distance[at(nearest)]) nearest = column;
      }
      length = distance[at(nearest)];
      is_done[at(nearest)] = true;
      last = nearest;
      if (taken_by_[at(last)] == kNone) break;
    }
    of_rows_[at(row)] += length;
    for (Index column = 0; column < count; ++column) {
      if (!is_done[at(column)] || column == last) continue;
      of_rows_[at(taken_by_[at(column)])] += length - distance[at(column)];
      of_columns_[at(column)] -= length - distance[at(column)];
    }
    for (Index column = last; column != kNone; column = before[at(column)])
      taken_by_[at(column)] = before[at(column)] == kNone ? row : taken_by_[at(before[at(column)])];
  }

  std::vector<Index> columns() const {
    std::vector<Index> columns(of_rows_.size());
    for (std::size_t column = 0; column < taken_by_.size(); ++column)
      if (taken_by_[column] != kNone) columns[at(taken_by_[column])] = static_cast<Index>(column);
    return columns;
  }

 private:
  static std::size_t at(Index index) { return static_cast<std::size_t>(index); }

  ConstMatrixRef costs_;
  std::vector<double> of_rows_, of_columns_;  // potentials
  std::vector<Index> taken_by_;
};

}  // namespace

std::vector<Index> assign(ConstMatrixRef costs) {
  if (costs.rows() > costs.cols())
    throw UsageError(fmt::format("assign: expected a column for each of {} rows, got {}", costs.rows(), costs.cols()));
  if (!costs.allFinite()) throw UsageError("assign: expected finite costs");
  Assignment assignment(costs);
  for (Index row = 0; row < costs.rows(); ++row) assignment.add(row);
  return assignment.columns();
}

}  // namespace edgewise
