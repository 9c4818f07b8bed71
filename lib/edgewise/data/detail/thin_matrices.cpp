#include "edgewise/data/detail/thin_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::data::detail {

using Eigen::Index;

namespace {

constexpr int kPowerIterations = 3;
constexpr std::size_t kRowsInPiece = 512;

}  // namespace

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

Matrix strongest_space(const SparseMatrix& x, const SparseMatrix& across, Index width) {
  Matrix random(x.cols(), width);
  Random draw(1, Stream::generate);
  for (float& number : std::span(random.data(), static_cast<std::size_t>(random.size())))
    number = static_cast<float>(draw.normal());
  Matrix q = orthonormal(product(x, random));
  for (int i = 0; i < kPowerIterations; ++i) q = orthonormal(product(x, orthonormal(product(across, q))));
  return q;
}

}  // namespace edgewise::data::detail
