#include "edgewise/data/link_similarities.hpp"

#include <algorithm>

#include "edgewise/core/check.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::data {
namespace {

using Eigen::Index;

constexpr std::size_t kPairsInPiece = 512;

/// The means over neighbours, brought to length 1; zeros for a node without any.
Matrix means_of_neighbours(const Matrix& rows, const graph::Ties& ties, bool have_unit_length) {
  Matrix means = Matrix::Zero(rows.rows(), rows.cols());
  parallel_for(ties.node_count(), kPairsInPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t node = begin; node < end; ++node) {
      const auto row = static_cast<Index>(node);
      const std::span<const graph::Node> others = ties.neighbours(static_cast<graph::Node>(node));
      for (const graph::Node other : others) means.row(row) += rows.row(static_cast<Index>(other));
      if (!others.empty()) means.row(row) /= static_cast<float>(others.size());
      if (!have_unit_length) continue;
      if (const float length = means.row(row).norm(); length > 0) means.row(row) /= length;
    }
  });
  return means;
}

Matrix unit_rows(const Matrix& rows) {
  Matrix unit = rows;
  for (Index row = 0; row < unit.rows(); ++row)
    if (const float length = unit.row(row).norm(); length > 0) unit.row(row) /= length;
  return unit;
}

}  // namespace

LinkSimilarities::LinkSimilarities(const Matrix& own, const graph::Ties& ties) : own_(own) {
  check_count("similarities", "rows", static_cast<std::size_t>(own.rows()), ties.node_count());
  const Matrix means = means_of_neighbours(own, ties, /*have_unit_length=*/false);
  far_ = means_of_neighbours(means, ties, /*have_unit_length=*/true);
  near_ = unit_rows(means);
}

void LinkSimilarities::check(std::span<const graph::Node> sources, std::span<const graph::Node> targets) const {
  check_count("similarities", "targets", targets.size(), sources.size());
  check_indices("similarities", "sources", sources, static_cast<std::size_t>(own_.rows()));
  check_indices("similarities", "targets", targets, static_cast<std::size_t>(own_.rows()));
}

Matrix LinkSimilarities::between_sides(std::span<const graph::Node> sources,
                                       std::span<const graph::Node> targets) const {
  check(sources, targets);
  Matrix numbers(static_cast<Index>(sources.size()), static_cast<Index>(kNamesOfSides.size()));
  parallel_for(sources.size(), kPairsInPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto u = static_cast<Index>(sources[i]), v = static_cast<Index>(targets[i]);
      numbers.row(static_cast<Index>(i)) << own_.row(u).dot(near_.row(v)), near_.row(u).dot(own_.row(v)),
          near_.row(u).dot(far_.row(v)), far_.row(u).dot(near_.row(v));
    }
  });
  return numbers;
}

Matrix LinkSimilarities::of(std::span<const graph::Node> sources, std::span<const graph::Node> targets) const {
  check(sources, targets);
  Matrix numbers(static_cast<Index>(sources.size()), static_cast<Index>(kNames.size()));
  parallel_for(sources.size(), kPairsInPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto u = static_cast<Index>(sources[i]), v = static_cast<Index>(targets[i]);
      const auto dot = [&](const Matrix& of_u, const Matrix& of_v) { return of_u.row(u).dot(of_v.row(v)); };
      const auto [own_near, near_own] = std::pair(dot(own_, near_), dot(near_, own_));
      const auto [own_far, far_own] = std::pair(dot(own_, far_), dot(far_, own_));
      const auto [near_far, far_near] = std::pair(dot(near_, far_), dot(far_, near_));
      numbers.row(static_cast<Index>(i)) << dot(own_, own_), std::min(own_near, near_own), std::max(own_near, near_own),
          std::min(own_far, far_own), std::max(own_far, far_own), dot(near_, near_), std::min(near_far, far_near),
          std::max(near_far, far_near), dot(far_, far_);
    }
  });
  return numbers;
}

}  // namespace edgewise::data
