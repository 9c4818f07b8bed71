#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"

namespace edgewise::train {

/// What a kernel baseline keeps of its training: R rows, the support, by whose likeness any other row becomes R
/// features with k(x, y) = f(x) . f(y) for support rows y: f(x) = L^-1 k(x, support), where L L^T is the kernel of the
/// support (Nystroem features; Williams and Seeger 2001).
class KernelMap {
 public:
  /// Tanimoto likeness to rows of counts, as tanimoto_kernel. Throws ModelError when rows say the same, or there are
  /// none.
  static KernelMap tanimoto(SparseMatrix support);
  /// exp(-width |x - y|^2 / columns), as gaussian_kernel. Throws likewise.
  static KernelMap gaussian(Matrix support, double width);

  bool is_tanimoto() const { return width_ == 0; }
  /// Features made: the rows of the support.
  std::size_t columns() const { return static_cast<std::size_t>(factor_.rows()); }

  /// [rows, columns()] of rows of counts, or of values. Rows are independent, up to rounding that depends on their
  /// place in a block of 256; the same bits at any number of threads. Throws ModelError when they have other columns
  /// than the support.
  Matrix apply(const SparseMatrix& counts) const;
  Matrix apply(const Matrix& values) const;

  json::Value to_json() const;
  /// Throws ModelError when `value` was not made by `to_json`.
  static KernelMap from_json(const json::Value& value);

 private:
  template <class Rows>
  Matrix features_of(const Rows& rows) const;
  void fill(const SparseMatrix& counts, Eigen::Index row, Eigen::Ref<Eigen::VectorXd> out) const;
  void fill(const Matrix& values, Eigen::Index row, Eigen::Ref<Eigen::VectorXd> out) const;
  template <class Rows>
  void factorise(const Rows& support);

  SparseMatrix counts_;                                        // Tanimoto: the support,
  Eigen::SparseMatrix<float, Eigen::ColMajor> by_column_ = {};  // the same by columns,
  Eigen::VectorXd sums_ = {};                                  // and the sums of its rows
  Matrix values_;                                              // Gaussian
  double width_ = 0;
  Eigen::MatrixXd factor_ = {};  // L
};

}  // namespace edgewise::train
