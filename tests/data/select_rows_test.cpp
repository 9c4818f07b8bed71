#include "edgewise/data/select_rows.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "edgewise/core/error.hpp"
#include "support/features.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::data;
using test::dense_features;
using test::sparse_features;

TEST_CASE("rows are selected dense and sparse alike", "[data][select_rows]") {
  Matrix all = test::random_matrix(50, 7, 1);
  all = (all.array() > 0.2F).select(all, 0.0F);
  Features dense = dense_features(all), sparse = sparse_features(all);
  dense.names = sparse.names = {"a", "b", "c", "d", "e", "f", "g"};
  const std::vector<graph::Node> rows = {49, 0, 7, 7, 12};
  const Features of_dense = select_rows(dense, rows), of_sparse = select_rows(sparse, rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    CHECK(of_dense.dense.row(static_cast<Eigen::Index>(i)) == all.row(rows[i]));
  CHECK_FALSE(of_dense.is_sparse);
  CHECK(of_sparse.is_sparse);
  CHECK(Matrix(of_sparse.sparse) == of_dense.dense);
  CHECK(of_dense.names == dense.names);
  CHECK(of_sparse.names == dense.names);
}

TEST_CASE("selecting no rows keeps the columns", "[data][select_rows]") {
  for (const Features& features : {dense_features(Matrix::Zero(3, 5)), sparse_features(Matrix::Zero(3, 5))}) {
    CHECK(select_rows(features, {}).rows() == 0);
    CHECK(select_rows(features, {}).columns() == 5);
  }
}

TEST_CASE("rows beyond the last are refused", "[data][select_rows]") {
  const std::vector<graph::Node> rows = {0, 3};
  for (const Features& features : {dense_features(Matrix::Zero(3, 5)), sparse_features(Matrix::Zero(3, 5))})
    CHECK_THROWS_WITH(select_rows(features, rows), "select_rows: rows contains 3, expected less than 3");
  CHECK_THROWS_AS(select_rows(sparse_features(Matrix::Zero(3, 5)).sparse, rows), UsageError);
}
