#pragma once

#include <functional>
#include <span>
#include <vector>

#include "edgewise/train/baselines/linear_baseline.hpp"

/// @file
/// Linear models in the feature space of a kernel: rows get predictions like those of similar known rows.
namespace edgewise::train {

/// A similarity of rows, positive semidefinite, with k(i, i) = 1.
struct Kernel {
  std::size_t rows = 0;
  /// Writes k(row, i) for i = begin ... end - 1 to out[0 ...]. Called from several threads.
  std::function<void(std::size_t row, std::size_t begin, std::size_t end, double* out)> fill;
};

/// Tanimoto similarity of count rows, sum min(x, y) / sum max(x, y) (Ralaivola et al. 2005); 1 if both are empty.
/// `counts` [rows, columns] must be compressed and non-negative, and outlive the kernel.
Kernel tanimoto_kernel(const SparseMatrix& counts);

/// exp(-width |x - y|^2 / columns). `values` [rows, columns] must outlive the kernel.
Kernel gaussian_kernel(const Matrix& values, double width);

/// The product of two kernels on the same rows.
Kernel product_kernel(Kernel a, Kernel b);

struct KernelFeatures {
  data::Features features;          ///< [rows, at most rank], dense.
  std::vector<graph::Node> pivots;  ///< The row that each column is derived from.
};

/// Features whose dot products approximate the kernel with at most `rank` columns. A pivoted Cholesky factor (Fine and
/// Scheinberg 2001): each pivot is the `train` row least explained by those before, until no residual exceeds 1e-6.
/// With as many columns as training rows it is exact. O(rows * rank^2).
KernelFeatures kernel_features(const Kernel& kernel, std::span<const graph::Node> train, std::size_t rank);

struct KernelBaselineOptions {
  std::size_t rank = 1000;
  std::vector<double> penalties = {1e-3, 1e-2, 1e-1, 0.3, 1, 3, 10};
};

struct KernelBaseline {
  LinearBaseline linear;            ///< On the kernel features.
  std::size_t kernel = 0;           ///< Index of the chosen kernel.
  std::vector<graph::Node> pivots;  ///< Its pivot rows: the support of a KernelMap.
};

/// Kernel ridge regression (the mean of a Gaussian process), or kernel logistic regression: `fit_linear_baseline` on
/// the features of each kernel. Selects the kernel and penalty with the lowest validation loss, the first in case of a
/// tie. Throws as it does, and UsageError if there is no kernel.
KernelBaseline fit_kernel_baseline(std::span<const Kernel> kernels, const data::Labels& labels,
                                   std::span<const graph::Node> train, std::span<const graph::Node> validation,
                                   const KernelBaselineOptions& options = {});

}  // namespace edgewise::train
