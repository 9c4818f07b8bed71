#pragma once

#include <functional>
#include <span>
#include <vector>

#include "edgewise/train/baselines/linear_baseline.hpp"

/// @file
/// Linear models in the space of a kernel: what is like known rows is predicted like them.
namespace edgewise::train {

/// A likeness of rows, positive semidefinite, with k(i, i) = 1.
struct Kernel {
  std::size_t rows = 0;
  /// k(row, i) for i = begin ... end - 1 into out[0 ...]. Called from several threads.
  std::function<void(std::size_t row, std::size_t begin, std::size_t end, double* out)> fill;
};

/// Tanimoto likeness of rows of counts, sum min(x, y) / sum max(x, y) (Ralaivola et al. 2005); 1 where both are empty.
/// `counts` [rows, columns] must be compressed, at least 0, and outlive the kernel.
Kernel tanimoto_kernel(const SparseMatrix& counts);

/// exp(-width |x - y|^2 / columns). `values` [rows, columns] must outlive the kernel.
Kernel gaussian_kernel(const Matrix& values, double width);

struct KernelFeatures {
  data::Features features;          ///< [rows, at most rank], dense.
  std::vector<graph::Node> pivots;  ///< The row that each column comes from.
};

/// Features whose dot products are the kernel, as far as `rank` columns can say. A Cholesky factor by pivots among the
/// `train` rows, each the one that those before say least of (Fine and Scheinberg 2001), until none has more than 1e-6
/// of itself left; with as many columns as training rows nothing is lost. O(rows * rank^2).
KernelFeatures kernel_features(const Kernel& kernel, std::span<const graph::Node> train, std::size_t rank);

struct KernelBaselineOptions {
  std::size_t rank = 1000;
  std::vector<double> penalties = {1e-3, 1e-2, 1e-1, 0.3, 1, 3, 10};
};

struct KernelBaseline {
  LinearBaseline linear;            ///< On the features of the kernel.
  std::size_t kernel = 0;           ///< The place of the one that was chosen.
  std::vector<graph::Node> pivots;  ///< Its rows: the support of a KernelMap.
};

/// Kernel ridge regression (the mean of a Gaussian process), or kernel logistic regression: `fit_linear_baseline` on
/// the features of each kernel; of kernels and penalties those with the least loss on the validation rows, of equals
/// the first. Throws as it does, and UsageError when there is no kernel.
KernelBaseline fit_kernel_baseline(std::span<const Kernel> kernels, const data::Labels& labels,
                                   std::span<const graph::Node> train, std::span<const graph::Node> validation,
                                   const KernelBaselineOptions& options = {});

}  // namespace edgewise::train
