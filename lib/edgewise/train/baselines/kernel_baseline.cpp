#include "edgewise/train/baselines/kernel_baseline.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::train {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t kRows = 256;     // per chunk
constexpr double kNothingLeft = 1e-6;  // relative to k(i, i) = 1

/// Sum of min(x, y) over the columns of two rows of a compressed matrix.
double shared(const SparseMatrix& counts, std::size_t a, std::size_t b) {
  const auto* offsets = counts.outerIndexPtr();
  const auto* columns = counts.innerIndexPtr();
  const float* values = counts.valuePtr();
  double sum = 0;
  auto i = offsets[a], j = offsets[b];
  while (i < offsets[a + 1] && j < offsets[b + 1]) {
    if (columns[i] == columns[j])
      sum += std::min(values[i++], values[j++]);
    else
      columns[i] < columns[j] ? ++i : ++j;
  }
  return sum;
}

/// The row of `rows` with the largest residual, the first in case of a tie.
graph::Node pivot_of(std::span<const graph::Node> rows, const VectorXd& left) {
  return *std::max_element(rows.begin(), rows.end(), [&](graph::Node a, graph::Node b) { return left[a] < left[b]; });
}

/// Adds column `step` of the factor: the part of the similarity to `pivot` that earlier columns do not explain.
void add_column(const Kernel& kernel, graph::Node pivot, Index step, Eigen::MatrixXd& factor, VectorXd& left) {
  const VectorXd before = factor.row(pivot).head(step);
  const double root = std::sqrt(left[pivot]);
  parallel_for(kernel.rows, kRows, [&](std::size_t begin, std::size_t end) {
    const auto first = static_cast<Index>(begin), count = static_cast<Index>(end - begin);
    auto column = factor.col(step).segment(first, count);
    kernel.fill(pivot, begin, end, column.data());
    column.noalias() -= factor.block(first, 0, count, step) * before;
    column /= root;
    left.segment(first, count) -= column.cwiseAbs2();
  });
  left[pivot] = 0;
}

}  // namespace

Kernel tanimoto_kernel(const SparseMatrix& counts) {
  std::vector<double> sums(static_cast<std::size_t>(counts.rows()), 0);
  for (std::size_t row = 0; row < sums.size(); ++row)
    for (SparseMatrix::InnerIterator entry(counts, static_cast<Index>(row)); entry; ++entry) sums[row] += entry.value();
  const std::size_t rows = sums.size();
  return {rows, [&counts, sums = std::move(sums)](std::size_t row, std::size_t begin, std::size_t end, double* out) {
            for (std::size_t i = begin; i < end; ++i) {
              const double both = shared(counts, row, i), all = sums[row] + sums[i] - both;
              out[i - begin] = all > 0 ? both / all : 1;
            }
          }};
}

Kernel gaussian_kernel(const Matrix& values, double width) {
  const double scale = width / static_cast<double>(std::max<Index>(1, values.cols()));
  return {static_cast<std::size_t>(values.rows()),
          [&values, scale](std::size_t row, std::size_t begin, std::size_t end, double* out) {
            for (std::size_t i = begin; i < end; ++i) {
              const float distance =
                  (values.row(static_cast<Index>(row)) - values.row(static_cast<Index>(i))).squaredNorm();
              out[i - begin] = std::exp(-scale * distance);
            }
          }};
}

Kernel product_kernel(Kernel a, Kernel b) {
  const std::size_t rows = a.rows;
  return {rows, [a = std::move(a), b = std::move(b)](std::size_t row, std::size_t begin, std::size_t end, double* out) {
            std::vector<double> other(end - begin);
            a.fill(row, begin, end, out);
            b.fill(row, begin, end, other.data());
            for (std::size_t i = 0; i < other.size(); ++i) out[i] *= other[i];
          }};
}

KernelFeatures kernel_features(const Kernel& kernel, std::span<const graph::Node> train, std::size_t rank) {
  const auto most = static_cast<Index>(std::min(rank, train.size()));
  Eigen::MatrixXd factor(static_cast<Index>(kernel.rows), most);
  VectorXd left = VectorXd::Ones(factor.rows());
  KernelFeatures result;
  Index columns = 0;
  for (; columns < most; ++columns) {
    report_step("comparing with training items", static_cast<double>(columns), static_cast<double>(most));
    const graph::Node pivot = pivot_of(train, left);
    if (left[pivot] <= kNothingLeft) break;
    add_column(kernel, pivot, columns, factor, left);
    result.pivots.push_back(pivot);
  }
  result.features.dense = factor.leftCols(columns).cast<float>();
  return result;
}

KernelBaseline fit_kernel_baseline(std::span<const Kernel> kernels, const data::Labels& labels,
                                   std::span<const graph::Node> train, std::span<const graph::Node> validation,
                                   const KernelBaselineOptions& options) {
  std::optional<KernelBaseline> best;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelFeatures made = kernel_features(kernels[i], train, options.rank);
    LinearBaseline fitted =
        fit_linear_baseline(made.features, labels, train, validation,
                            {.penalties = options.penalties, .standardise = false, .tolerance = 1e-4});
    if (best && !(fitted.validation_loss < best->linear.validation_loss)) continue;
    best = KernelBaseline{.linear = std::move(fitted), .kernel = i, .pivots = std::move(made.pivots)};
  }
  if (!best) throw UsageError("kernel baseline: expected at least one kernel");
  return std::move(*best);
}

}  // namespace edgewise::train
