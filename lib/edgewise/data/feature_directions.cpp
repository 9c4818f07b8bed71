#include "edgewise/data/feature_directions.hpp"

#include <algorithm>
#include <cmath>

#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::data {
namespace {

using Eigen::Index;

constexpr int kPowerIterations = 3;
constexpr std::size_t kRowsInPiece = 512;

void bring_to_length_1(Matrix& rows) {
  for (Index row = 0; row < rows.rows(); ++row)
    if (const float length = rows.row(row).norm(); length > 0) rows.row(row) /= length;
}

Matrix standardised(const Matrix& columns) {
  Matrix rows = columns;
  for (Index column = 0; column < rows.cols(); ++column) {
    const double count = std::max<double>(1, static_cast<double>(rows.rows()));
    const double mean = rows.col(column).cast<double>().sum() / count;
    const double variance = (rows.col(column).cast<double>().array() - mean).square().sum() / count;
    const double scale = variance > 0 ? 1 / std::sqrt(variance) : 0;
    rows.col(column) = ((rows.col(column).cast<double>().array() - mean) * scale).cast<float>();
  }
  return rows;
}

/// Rare columns weigh more; rows of length 1.
SparseMatrix weighed(const SparseMatrix& features) {
  SparseMatrix rows = features;
  rows.makeCompressed();
  std::vector<double> counts(static_cast<std::size_t>(rows.cols()), 0);
  for (Index i = 0; i < rows.nonZeros(); ++i) counts[static_cast<std::size_t>(rows.innerIndexPtr()[i])] += 1;
  const auto nodes = static_cast<double>(rows.rows());
  for (Index row = 0; row < rows.rows(); ++row) {
    double squares = 0;
    for (SparseMatrix::InnerIterator entry(rows, row); entry; ++entry) {
      const double count = counts[static_cast<std::size_t>(entry.col())];
      entry.valueRef() *= static_cast<float>(std::log((1 + nodes) / (1 + count)));
      squares += static_cast<double>(entry.value()) * static_cast<double>(entry.value());
    }
    const auto length = static_cast<float>(std::sqrt(squares));
    for (SparseMatrix::InnerIterator entry(rows, row); entry && length > 0; ++entry) entry.valueRef() /= length;
  }
  return rows;
}

/// x * y, row by row.
Matrix product(const SparseMatrix& x, const Matrix& y) {
  Matrix result(x.rows(), y.cols());
  parallel_for(static_cast<std::size_t>(x.rows()), kRowsInPiece, [&](std::size_t begin, std::size_t end) {
    for (auto row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row) {
      result.row(row).setZero();
      for (SparseMatrix::InnerIterator entry(x, row); entry; ++entry)
        result.row(row) += entry.value() * y.row(entry.col());
    }
  });
  return result;
}

/// x' x in double, summed over fixed pieces of the rows in order.
Eigen::MatrixXd gram(const Matrix& x) {
  const auto rows = static_cast<std::size_t>(x.rows());
  const std::size_t pieces = (rows + kRowsInPiece - 1) / kRowsInPiece;
  std::vector<Eigen::MatrixXd> parts(pieces);
  parallel_for(rows, kRowsInPiece, [&](std::size_t begin, std::size_t end) {
    const Eigen::MatrixXd piece =
        x.middleRows(static_cast<Index>(begin), static_cast<Index>(end - begin)).cast<double>();
    parts[begin / kRowsInPiece].noalias() = piece.transpose() * piece;
  });
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(x.cols(), x.cols());
  for (const Eigen::MatrixXd& part : parts) sum += part;
  return sum;
}

/// The lower triangle L of a = L L' (Cholesky); a column that depends on those before it becomes 0.
Eigen::MatrixXd triangle_of(const Eigen::MatrixXd& a) {
  constexpr double kDependent = 1e-10;
  Eigen::MatrixXd l = Eigen::MatrixXd::Zero(a.rows(), a.cols());
  for (Index j = 0; j < a.cols(); ++j) {
    const double rest = a(j, j) - l.row(j).head(j).squaredNorm();
    if (rest <= kDependent * std::max(a(j, j), 1e-300)) continue;
    l(j, j) = std::sqrt(rest);
    for (Index i = j + 1; i < a.rows(); ++i) l(i, j) = (a(i, j) - l.row(i).head(j).dot(l.row(j).head(j))) / l(j, j);
  }
  return l;
}

/// Columns at right angles to each other, of length 1 or 0, that span those of x: x L'^-1.
Matrix orthonormal(const Matrix& x) {
  const Eigen::MatrixXd l = triangle_of(gram(x));
  Matrix q(x.rows(), x.cols());
  parallel_for(static_cast<std::size_t>(x.rows()), kRowsInPiece, [&](std::size_t begin, std::size_t end) {
    Eigen::VectorXd solved(x.cols());
    for (auto row = static_cast<Index>(begin); row < static_cast<Index>(end); ++row) {
      for (Index j = 0; j < x.cols(); ++j)
        solved[j] = l(j, j) > 0 ? (static_cast<double>(x(row, j)) - l.row(j).head(j).dot(solved.head(j))) / l(j, j) : 0;
      q.row(row) = solved.cast<float>();
    }
  });
  return q;
}

/// The rows in the directions of the largest singular values: their products are those of x, but for what is left out.
Matrix strongest_directions(const SparseMatrix& x, Index width) {
  const SparseMatrix across = x.transpose();
  Matrix random(x.cols(), width);
  Random draw(1, Stream::generate);
  for (float& number : std::span(random.data(), static_cast<std::size_t>(random.size())))
    number = static_cast<float>(draw.normal());
  Matrix q = orthonormal(product(x, random));
  for (int i = 0; i < kPowerIterations; ++i) q = orthonormal(product(x, orthonormal(product(across, q))));
  const Eigen::MatrixXd l = triangle_of(gram(product(across, q)));  // of q' x x' q
  return q * l.cast<float>();
}

}  // namespace

Matrix feature_directions(const Features& features, Index width) {
  const auto columns = static_cast<Index>(features.columns());
  Matrix rows;
  if (!features.is_sparse)
    rows = standardised(features.dense);
  else if (columns <= width)
    rows = Matrix(weighed(features.sparse));
  else
    rows = strongest_directions(weighed(features.sparse), std::min<Index>(width, static_cast<Index>(features.rows())));
  bring_to_length_1(rows);
  return rows;
}

}  // namespace edgewise::data
