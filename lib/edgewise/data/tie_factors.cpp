#include "edgewise/data/tie_factors.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "edgewise/core/check.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/data/detail/thin_matrices.hpp"
#include "edgewise/graph/link_candidates.hpp"

namespace edgewise::data {
namespace {

using Eigen::Index;

constexpr std::array<Index, 3> kFactorCounts = {8, 32, 96};
constexpr Index kMoreFactors = 16;  // so that the last of those that are kept are right, too
constexpr std::size_t kPairsOfFactors = 2048;

/// S^-1/2 A T^-1/2, [nodes, nodes]: the rows of sources have the columns of targets.
SparseMatrix weighed_ties(const graph::Ties& ties, std::span<const std::uint8_t> sides) {
  const auto nodes = static_cast<Index>(ties.node_count());
  SparseMatrix matrix(nodes, nodes);
  for (graph::Node source = 0; source < ties.node_count(); ++source) {
    matrix.startVec(source);
    if (sides[source] != graph::kSourceSide) continue;
    for (const graph::Node target : ties.neighbours(source))
      matrix.insertBack(source, target) =
          1 / std::sqrt(static_cast<float>(ties.degree(source)) * static_cast<float>(ties.degree(target)));
  }
  matrix.finalize();
  matrix.makeCompressed();
  return matrix;
}

/// The columns of `rows`, last first.
Matrix turned(const Eigen::MatrixXd& rows, Index kept) { return rows.rowwise().reverse().leftCols(kept).cast<float>(); }

}  // namespace

TieFactors::TieFactors(const graph::Ties& ties, std::span<const std::uint8_t> sides) {
  check_count("TieFactors", "sides", sides.size(), ties.node_count());
  const SparseMatrix matrix = weighed_ties(ties, sides), across = matrix.transpose();
  const Index most = std::min<Index>(std::ranges::count(sides, graph::kSourceSide),
                                     std::ranges::count(sides, graph::kTargetSide));
  const Index width = std::min(kFactorCounts.back() + kMoreFactors, most);
  const Index kept = std::min(kFactorCounts.back(), width);
  rows_ = Matrix::Zero(matrix.rows(), kept);
  if (kept == 0) return;
  const Matrix space = detail::strongest_space(matrix, across, width);
  const Matrix projected = detail::product(across, space);  // V s W', with W the rotation below
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(detail::gram(projected));
  const Matrix rotation = turned(found.eigenvectors(), kept);  // ascending
  rows_ = space * rotation;
  const Matrix of_targets = projected * rotation;
  for (graph::Node node = 0; node < ties.node_count(); ++node) {
    if (sides[node] == graph::kTargetSide) rows_.row(node) = of_targets.row(node);
    rows_.row(node) *= std::sqrt(static_cast<float>(ties.degree(node)));
  }
}

Matrix TieFactors::of(std::span<const graph::Node> sources, std::span<const graph::Node> targets) const {
  check_count("TieFactors", "targets", targets.size(), sources.size());
  check_indices("TieFactors", "sources", sources, static_cast<std::size_t>(rows_.rows()));
  check_indices("TieFactors", "targets", targets, static_cast<std::size_t>(rows_.rows()));
  Matrix numbers(static_cast<Index>(sources.size()), static_cast<Index>(kNames.size()));
  parallel_for(sources.size(), kPairsOfFactors, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto source = rows_.row(sources[i]), target = rows_.row(targets[i]);
      for (std::size_t number = 0; number < kFactorCounts.size(); ++number) {
        const Index count = std::min(kFactorCounts[number], rows_.cols());
        numbers(static_cast<Index>(i), static_cast<Index>(number)) = source.head(count).dot(target.head(count));
      }
    }
  });
  return numbers;
}

}  // namespace edgewise::data
