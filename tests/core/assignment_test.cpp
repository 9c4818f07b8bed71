#include "edgewise/core/assignment.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"

using namespace edgewise;

namespace {

double cost_of(const Matrix& costs, const std::vector<Eigen::Index>& columns) {
  double sum = 0;
  for (std::size_t row = 0; row < columns.size(); ++row) sum += costs(static_cast<Eigen::Index>(row), columns[row]);
  return sum;
}

/// The least cost of all ways to give each row a column of its own.
double least_cost(const Matrix& costs) {
  std::vector<Eigen::Index> columns(static_cast<std::size_t>(costs.cols()));
  std::iota(columns.begin(), columns.end(), 0);
  double least = std::numeric_limits<double>::infinity();
  do {
    const auto end = columns.begin() + costs.rows();
    least = std::min(least, cost_of(costs, {columns.begin(), end}));
  } while (std::ranges::next_permutation(columns).found);
  return least;
}

Matrix random_costs(Eigen::Index rows, Eigen::Index columns, Random& random, bool has_ties) {
  Matrix costs(rows, columns);
  for (Eigen::Index i = 0; i < costs.size(); ++i)
    costs.data()[i] = has_ties ? static_cast<float>(random.below(3)) : static_cast<float>(random.uniform(-5, 5));
  return costs;
}

}  // namespace

TEST_CASE("an assignment costs no more than any other", "[core][assignment]") {
  Random random(1, Stream::generate);
  for (Eigen::Index rows = 0; rows <= 5; ++rows)
    for (Eigen::Index columns = std::max<Eigen::Index>(rows, 1); columns <= 7; ++columns)
      for (int i = 0; i < 20; ++i) {
        const Matrix costs = random_costs(rows, columns, random, i % 2 == 1);
        INFO(costs);
        const std::vector<Eigen::Index> found = assign(costs);
        REQUIRE(found.size() == static_cast<std::size_t>(rows));
        std::vector<Eigen::Index> sorted = found;
        std::ranges::sort(sorted);
        CHECK(std::ranges::adjacent_find(sorted) == sorted.end());
        CHECK(cost_of(costs, found) == Approx(least_cost(costs)).margin(1e-5));
      }
}

TEST_CASE("the nearest column of every row may not be the best", "[core][assignment]") {
  Matrix costs(2, 2);
  costs << 1, 2, 1, 4;
  CHECK(assign(costs) == std::vector<Eigen::Index>{1, 0});
  CHECK(assign(Matrix(0, 3)).empty());
  CHECK(assign(Matrix(0, 0)).empty());
}

TEST_CASE("an assignment needs enough columns and finite costs", "[core][assignment]") {
  CHECK_THROWS_AS(assign(Matrix::Zero(3, 2)), UsageError);
  for (const float broken : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Matrix costs = Matrix::Zero(2, 2);
    costs(1, 0) = broken;
    CHECK_THROWS_AS(assign(costs), UsageError);
  }
}
