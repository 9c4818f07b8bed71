#include "edgewise/core/sparse_columns.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;

TEST_CASE("all entries are stored, including zeros", "[core][sparse_columns]") {
  Matrix dense(2, 3);
  dense << 1, 0, 2, 0, 0, 3;
  const SparseMatrix sparse = with_all_entries(dense);
  CHECK(sparse.isCompressed());
  CHECK(sparse.nonZeros() == 6);
  CHECK(Matrix(sparse) == dense);
  CHECK(with_all_entries(Matrix(0, 3)).rows() == 0);
}

TEST_CASE("matrices are joined side by side with their stored entries", "[core][sparse_columns]") {
  Matrix dense(2, 2);
  dense << 0, 4, 5, 0;
  SparseMatrix few(2, 3);
  few.insert(1, 2) = 7;
  few.makeCompressed();
  const SparseMatrix both = side_by_side(with_all_entries(dense), few);
  Matrix wanted(2, 5);
  wanted << 0, 4, 0, 0, 0, 5, 0, 0, 0, 7;
  CHECK(Matrix(both) == wanted);
  CHECK(both.isCompressed());
  CHECK(both.nonZeros() == 5);
  CHECK(Matrix(side_by_side(few, SparseMatrix(2, 0))) == Matrix(few));
}
