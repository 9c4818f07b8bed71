#include "edgewise/core/product.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using test::random_matrix;

TEST_CASE("products equal Eigen's and do not depend on the threads", "[core][product]") {
  const auto [n, k, m] = GENERATE(table<int, int, int>(
      {{0, 3, 4}, {1, 1, 1}, {65, 7, 9}, {5000, 33, 17}, {0, 3, 16}, {1, 1, 16}, {263, 48, 80}, {5000, 64, 64},
       {130, 64, 7}, {130, 64, 70}, {130, 0, 16}, {9, 2500, 33}}));
  const Matrix a = random_matrix(n, k, 1), b = random_matrix(k, m, 2), c = random_matrix(n, m, 3);
  const auto run = [&](int thread_count) {
    set_threads(thread_count);
    Workspace workspace;
    Matrix product = Matrix::Ones(n, m), transposed = Matrix::Ones(k, m), by_transpose(n, k), sums = Matrix::Ones(1, m);
    multiply(a, b, product, workspace, Result::add);
    multiply_transpose(a, c, transposed, workspace, Result::add);
    multiply_by_transpose(c, b, by_transpose, workspace);
    add_column_sums(c, sums, workspace);
    return std::vector<Matrix>{product, transposed, by_transpose, sums};
  };
  const int before = threads();
  const std::vector<Matrix> one = run(1), three = run(3);
  set_threads(before);
  for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i] == three[i]);
  CHECK((one[0] - Matrix::Ones(n, m)).isApprox(a * b, 1e-4F));
  CHECK((one[1] - Matrix::Ones(k, m) - a.transpose() * c).cwiseAbs().sum() <= 1e-3F * static_cast<float>(k * m));
  CHECK(one[2].isApprox(c * b.transpose(), 1e-4F));
  CHECK((one[3] - Matrix::Ones(1, m) - c.colwise().sum()).cwiseAbs().sum() < 1e-3F * static_cast<float>(m));
}

TEST_CASE("a row of a product does not depend on the other rows, nor on its place", "[core][product]") {
  const Matrix a = random_matrix(100, 40, 1), b = random_matrix(40, 23, 2);
  Matrix whole(100, 23), alone(1, 23), parts = Matrix::Ones(100, 60);
  Workspace workspace;
  multiply(a, b, whole, workspace);
  for (const int row : {0, 5, 63, 64, 98, 99}) {
    multiply(a.middleRows(row, 1), b, alone, workspace);
    CHECK(alone == whole.row(row));
  }
  multiply(a, b, parts.middleCols(30, 23), workspace);
  CHECK(parts.middleCols(30, 23) == whole);
  CHECK((parts.leftCols(30).array() == 1).all());
  CHECK((parts.rightCols(7).array() == 1).all());
}

TEST_CASE("products refuse shapes that do not fit", "[core][product]") {
  const Matrix a = random_matrix(4, 3, 1), b = random_matrix(3, 2, 2), c = random_matrix(4, 2, 3);
  Matrix product(4, 2), narrow(4, 1);
  Workspace workspace;
  CHECK_THROWS_WITH(multiply(a, c, product, workspace), "multiply: b has shape [4, 2], expected [3, 2]");
  CHECK_THROWS_WITH(multiply(a, b, narrow, workspace), "multiply: out has shape [4, 1], expected [4, 2]");
  CHECK_THROWS_AS(multiply_by_transpose(a, b, product, workspace), UsageError);
  CHECK_THROWS_AS(multiply_by_transpose(c, b, product, workspace), UsageError);
  CHECK_THROWS_AS(multiply_transpose(a, b, product, workspace), UsageError);
  CHECK_THROWS_AS(multiply_transpose(a, c, product, workspace), UsageError);
  CHECK_THROWS_AS(add_column_sums(a, product, workspace), UsageError);
}
