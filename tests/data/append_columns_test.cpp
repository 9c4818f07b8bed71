#include "edgewise/data/append_columns.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;

TEST_CASE("columns are appended to dense and to sparse ones", "[data][append_columns]") {
  const Matrix added = (Matrix(2, 2) << 0, 3, 4, 0).finished();
  Matrix matrix = (Matrix(2, 1) << 1, 2).finished();
  data::append_columns(added, matrix);
  const Matrix expected = (Matrix(2, 3) << 1, 0, 3, 2, 4, 0).finished();
  CHECK(matrix == expected);

  data::Features features;
  features.dense = expected.leftCols(1);
  data::append_columns(added, features);
  data::append_columns(Matrix(2, 0), features);
  CHECK(features.dense == expected);

  features.is_sparse = true;
  features.sparse = expected.leftCols(1).sparseView();
  data::append_columns(added, features);
  data::append_columns(Matrix(2, 0), features);
  CHECK(Matrix(features.sparse) == expected);
  CHECK(features.sparse.nonZeros() == 4);
}
