#include "edgewise/core/principal_components.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/random.hpp"

using namespace edgewise;

namespace {

/// Normal numbers, each column with its own spread.
Matrix spread_rows(Eigen::Index rows, Eigen::Index columns) {
  Random random(3, Stream::generate);
  Matrix table(rows, columns);
  for (Eigen::Index row = 0; row < rows; ++row)
    for (Eigen::Index column = 0; column < columns; ++column)
      table(row, column) = static_cast<float>(random.normal() * static_cast<double>(column + 1));
  return table;
}

}  // namespace

TEST_CASE("points on a line have one component, along it", "[core][principal_components]") {
  Matrix rows(4, 2);
  rows << 0, 0, 3, 4, 6, 8, -3, -4;  // steps of length 5; the mean is (1.5, 2)
  const Matrix components = principal_components(rows, 2);
  const float expected[] = {-2.5F, 2.5F, 7.5F, -7.5F};
  for (Eigen::Index row = 0; row < 4; ++row) {
    CHECK(components(row, 0) == Approx(expected[row]));
    CHECK(std::abs(components(row, 1)) < 1e-5F);
  }
}

TEST_CASE("components are centred, uncorrelated, and descend in variance", "[core][principal_components]") {
  for (const Eigen::Index columns : {2, 3, 40}) {
    const Matrix rows = spread_rows(300, columns);
    const Eigen::MatrixXd found = principal_components(rows, 2).cast<double>();
    CHECK(found.colwise().sum().cwiseAbs().maxCoeff() < 0.1);
    const double first = found.col(0).squaredNorm(), second = found.col(1).squaredNorm();
    CHECK(first > second);
    CHECK(std::abs(found.col(0).dot(found.col(1))) < 1e-3 * first);
    // No direction varies more than the first: above all none of the columns.
    const Eigen::MatrixXd centred = rows.cast<double>().rowwise() - rows.cast<double>().colwise().mean();
    CHECK(first > centred.colwise().squaredNorm().maxCoeff() * 0.999);
  }
}

TEST_CASE("what does not vary has components of 0", "[core][principal_components]") {
  CHECK(principal_components(Matrix::Constant(5, 3, 7), 2).cwiseAbs().maxCoeff() < 1e-4F);
  CHECK(principal_components(Matrix(0, 3), 2).rows() == 0);
  CHECK(principal_components(Matrix(3, 0), 2) == Matrix::Zero(3, 2));
  CHECK(principal_components(spread_rows(9, 1), 2).col(1) == Matrix::Zero(9, 1));
}
