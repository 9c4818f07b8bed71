#include "edgewise/data/feature_directions.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/parallel.hpp"
#include "support/gradient_check.hpp"
#include "support/random_sparse.hpp"

using namespace edgewise;

namespace {

data::Features sparse_features(Eigen::Index rows, Eigen::Index columns) {
  data::Features features;
  features.is_sparse = true;
  features.sparse = test::random_sparse(rows, columns, 0.1);
  return features;
}

/// log((1 + nodes) / (1 + nodes with the column)) times each entry, and rows of length 1.
Matrix weighed_naively(const SparseMatrix& features) {
  Matrix rows = Matrix(features);
  for (Eigen::Index column = 0; column < rows.cols(); ++column) {
    const auto count = static_cast<float>((rows.col(column).array() != 0).count());
    rows.col(column) *= std::log((1 + static_cast<float>(rows.rows())) / (1 + count));
  }
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    if (rows.row(row).norm() > 0) rows.row(row) /= rows.row(row).norm();
  return rows;
}

}  // namespace

TEST_CASE("few sparse columns keep the products of weighed rows", "[data][feature_directions]") {
  const data::Features features = sparse_features(60, 40);
  const Matrix expected = weighed_naively(features.sparse);
  const Matrix directions = data::feature_directions(features, 64);
  CHECK((directions * directions.transpose() - expected * expected.transpose()).norm() < 1e-4F);
}

TEST_CASE("as many directions as the rank keep all products", "[data][feature_directions]") {
  const data::Features few = sparse_features(30, 200);
  data::Features features;  // 300 rows of 30 kinds
  features.is_sparse = true;
  features.sparse.resize(300, 200);
  for (Eigen::Index row = 0; row < 300; ++row)
    for (SparseMatrix::InnerIterator entry(few.sparse, row % 30); entry; ++entry)
      features.sparse.insert(row, entry.col()) = entry.value();
  features.sparse.makeCompressed();
  const Matrix expected = weighed_naively(features.sparse);
  const Matrix directions = data::feature_directions(features, 40);
  REQUIRE(directions.cols() == 40);
  CHECK((directions * directions.transpose() - expected * expected.transpose()).cwiseAbs().maxCoeff() < 1e-3F);
}

TEST_CASE("dense columns count alike whatever their units", "[data][feature_directions]") {
  data::Features features;
  features.dense = test::random_matrix(20, 3, 1);
  const Matrix plain = data::feature_directions(features);
  features.dense.col(1) = features.dense.col(1) * 1000.0F + Matrix::Constant(20, 1, 7);
  CHECK((data::feature_directions(features) - plain).norm() < 1e-3F);
  features.dense.col(1).setConstant(5);
  CHECK(data::feature_directions(features).col(1).isZero());
}

TEST_CASE("directions have the same bits at any number of threads", "[data][feature_directions]") {
  const data::Features features = sparse_features(1500, 300);
  const int before = threads();
  set_threads(1);
  const Matrix one = data::feature_directions(features, 16);
  set_threads(2);
  CHECK(data::feature_directions(features, 16) == one);
  set_threads(before);
}
