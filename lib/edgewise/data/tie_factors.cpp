#include "edgewise/data/tie_factors.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "edgewise/core/check.hpp"
#include "edgewise/data/detail/pair_numbers.hpp"
#include "edgewise/data/detail/thin_matrices.hpp"
#include "edgewise/graph/link_candidates.hpp"

namespace edgewise::data {
namespace {

using Eigen::Index;

constexpr std::array<Index, 3> kFactorCounts = {8, 32, 96};
constexpr Index kMoreFactors = 16;  // so that the last of those that are kept are right, too
constexpr float kLeastSquare = 1e-8F;  // of a singular value, the largest of which is 1; below it there is only rounding

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

TieFactors::TieFactors(const graph::Ties& ties, std::span<const std::uint8_t> sides) : ties_(ties) {
  check_count("TieFactors", "sides", sides.size(), ties.node_count());
  const SparseMatrix matrix = weighed_ties(ties, sides), across = matrix.transpose();
  const Index most = std::min<Index>(std::ranges::count(sides, graph::kSourceSide),
                                     std::ranges::count(sides, graph::kTargetSide));
  const Index width = std::min(kFactorCounts.back() + kMoreFactors, most);
  const Index kept = std::min(kFactorCounts.back(), (most + 1) / 2);
  rows_ = Matrix::Zero(matrix.rows(), kept);
  squares_ = Eigen::VectorXf::Zero(kept);
  if (kept == 0) return;
  const Matrix space = detail::strongest_space(matrix, across, width);
  const Matrix projected = detail::product(across, space);  // V s W', with W the rotation below
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(detail::gram(projected));
  const Matrix rotation = turned(found.eigenvectors(), kept);  // ascending
  rows_ = space * rotation;
  const Matrix of_targets = projected * rotation;
  squares_ = of_targets.colwise().squaredNorm();
  for (graph::Node node = 0; node < ties.node_count(); ++node) {
    if (sides[node] == graph::kTargetSide) rows_.row(node) = of_targets.row(node);
    rows_.row(node) *= std::sqrt(static_cast<float>(ties.degree(node)));
  }
}

/// How much of the entry of a tie is its own: 1 - (1 - |u|^2) (1 - |v|^2), with the rows u and v of its ends in the
/// singular vectors.
double TieFactors::share_of_tie(graph::Node source, graph::Node target, Index count) const {
  const double of_source = rows_.row(source).head(count).squaredNorm() / static_cast<double>(ties_.degree(source));
  double of_target = 0;
  for (Index j = 0; j < count; ++j)
    if (squares_[j] > kLeastSquare) of_target += rows_(target, j) * rows_(target, j) / squares_[j];
  of_target /= static_cast<double>(ties_.degree(target));
  return 1 - std::max(0.0, 1 - of_source) * std::max(0.0, 1 - of_target);
}

Matrix TieFactors::of(std::span<const graph::Node> sources, std::span<const graph::Node> targets,
                      graph::OwnTie own_tie) const {
  const auto fill = [&](graph::Node source, graph::Node target, auto row) {
    const bool leaves_out = own_tie == graph::OwnTie::omit && ties_.contains(source, target);
    for (std::size_t number = 0; number < kFactorCounts.size(); ++number) {
      const Index count = std::min(kFactorCounts[number], rows_.cols());
      float& entry = row[static_cast<Index>(number)];
      entry = rows_.row(source).head(count).dot(rows_.row(target).head(count));
      if (leaves_out) entry -= static_cast<float>(share_of_tie(source, target, count));
    }
  };
  return detail::pair_numbers("TieFactors", sources, targets, rows_.rows(), kNames.size(), fill);
}

}  // namespace edgewise::data
