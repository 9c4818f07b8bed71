#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"

namespace edgewise::train {

/// Further columns of the support rows. A kernel is multiplied by exp(-width |x - y|^2 / columns) of them, if there are
/// any.
struct KernelColumns {
  Matrix values = {};  ///< [support rows, columns]
  double width = 1;
};

/// The trained part of a kernel baseline: R support rows. Any other row becomes R features f(x) = L^-1 k(x, support),
/// where L L^T is the kernel of the support, so that k(x, y) = f(x) . f(y) for support rows y (Nystroem features;
/// Williams and Seeger 2001).
class KernelMap {
 public:
  /// Tanimoto similarity to count rows, as in tanimoto_kernel. Throws ModelError if the support is empty or its rows
  /// are not independent.
  static KernelMap tanimoto(SparseMatrix support, KernelColumns further = {});
  /// exp(-width |x - y|^2 / columns), as in gaussian_kernel. Throws likewise.
  static KernelMap gaussian(Matrix support, double width, KernelColumns further = {});

  bool is_tanimoto() const { return width_ == 0; }
  /// Number of features, one per support row.
  std::size_t columns() const { return static_cast<std::size_t>(factor_.rows()); }
  Eigen::Index further_columns() const { return further_.values.cols(); }

  /// [rows, columns()] for rows of counts or of values, with their further columns. Rows are independent, up to
  /// rounding that depends on their position in a block of 256; bitwise identical at any number of threads. Throws
  /// ModelError if the number of columns differs from the support.
  Matrix apply(const SparseMatrix& counts, const Matrix& further = {}) const;
  Matrix apply(const Matrix& values, const Matrix& further = {}) const;

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json`.
  static KernelMap from_json(const json::Value& value);

 private:
  template <class Rows>
  Matrix features_of(const Rows& rows, const Matrix& further) const;
  void fill(const SparseMatrix& counts, Eigen::Index row, Eigen::Ref<Eigen::VectorXd> out) const;
  void fill(const Matrix& values, Eigen::Index row, Eigen::Ref<Eigen::VectorXd> out) const;
  void scale_by_further(const Matrix& further, Eigen::Index row, Eigen::Ref<Eigen::VectorXd> out) const;
  template <class Rows>
  void factorise(const Rows& support);

  SparseMatrix counts_;                                        // Tanimoto: the support,
  Eigen::SparseMatrix<float, Eigen::ColMajor> by_column_ = {};  // the same, column-major,
  Eigen::VectorXd sums_ = {};                                  // and its row sums
  Matrix values_;                                              // Gaussian
  double width_ = 0;
  KernelColumns further_;
  Eigen::MatrixXd factor_ = {};  // L
};

/// What features f of a kernel with k(x, x) = 1 leave unexplained of each row, sqrt(1 - f . f): the posterior standard
/// deviation of a Gaussian process without noise, given the support (Rasmussen and Williams 2006, eq. 2.26). [rows, 1]
Matrix unexplained(const Matrix& features);

}  // namespace edgewise::train
