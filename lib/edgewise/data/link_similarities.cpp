#include "edgewise/data/link_similarities.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <vector>

#include "edgewise/core/check.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/data/detail/pair_numbers.hpp"

namespace edgewise::data {
namespace {

using Eigen::Index;

constexpr std::size_t kNodesInPiece = 512;
constexpr std::size_t kDrawnNodes = 1000;
constexpr std::size_t kNearest = 10;

/// The means over neighbours, brought to length 1; zeros for a node without any.
Matrix means_of_neighbours(const Matrix& rows, const graph::Ties& ties, bool have_unit_length) {
  Matrix means = Matrix::Zero(rows.rows(), rows.cols());
  parallel_for(ties.node_count(), kNodesInPiece, [&](std::size_t begin, std::size_t end) {
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

/// Nodes to measure densities by; all if there are few.
std::vector<Index> drawn_nodes(std::size_t count) {
  std::vector<Index> nodes(count);
  std::iota(nodes.begin(), nodes.end(), Index{0});
  Random random(1, Stream::generate);
  shuffle(std::span(nodes), random);
  nodes.resize(std::min(count, kDrawnNodes));
  return nodes;
}

/// The mean of the largest `kNearest`; 0 if there are none.
float mean_of_largest(std::vector<float>& values) {
  const std::size_t count = std::min(kNearest, values.size());
  if (count == 0) return 0;
  std::ranges::partial_sort(values, values.begin() + static_cast<std::ptrdiff_t>(count), std::ranges::greater());
  return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), 0.0F) /
         static_cast<float>(count);
}

/// Of rows of length 1: the mean of the largest products with other rows among those that are drawn.
Eigen::VectorXf densities(const Matrix& rows) {
  const std::vector<Index> drawn = drawn_nodes(static_cast<std::size_t>(rows.rows()));
  const Matrix others = rows(drawn, Eigen::all);
  Eigen::VectorXf result(rows.rows());
  parallel_for(static_cast<std::size_t>(rows.rows()), kNodesInPiece, [&](std::size_t begin, std::size_t end) {
    const auto first = static_cast<Index>(begin), count = static_cast<Index>(end - begin);
    const Matrix products = rows.middleRows(first, count) * others.transpose();
    std::vector<float> values;
    for (Index row = 0; row < count; ++row) {
      values.clear();
      for (std::size_t i = 0; i < drawn.size(); ++i)
        if (drawn[i] != first + row) values.push_back(products(row, static_cast<Index>(i)));
      result[first + row] = mean_of_largest(values);
    }
  });
  return result;
}

}  // namespace

LinkSimilarities::LinkSimilarities(const Matrix& own, const graph::Ties& ties) : own_(own) {
  check_count("similarities", "rows", static_cast<std::size_t>(own.rows()), ties.node_count());
  const Matrix means = means_of_neighbours(own, ties, /*have_unit_length=*/false);
  far_ = means_of_neighbours(means, ties, /*have_unit_length=*/true);
  near_ = unit_rows(means);
  const Matrix all = own_ + near_ + far_;
  lengths_ = all.rowwise().norm();
  densities_ = densities(unit_rows(all));
}

Matrix LinkSimilarities::between_sides(std::span<const graph::Node> sources,
                                       std::span<const graph::Node> targets) const {
  const auto fill = [&](Index u, Index v, auto row) {
    row << own_.row(u).dot(near_.row(v)), near_.row(u).dot(own_.row(v)), near_.row(u).dot(far_.row(v)),
        far_.row(u).dot(near_.row(v));
  };
  return detail::pair_numbers("similarities", sources, targets, own_.rows(), kNamesOfSides.size(), fill);
}

Matrix LinkSimilarities::of(std::span<const graph::Node> sources, std::span<const graph::Node> targets) const {
  const auto fill = [&](Index u, Index v, auto row) {
    const auto dot = [&](const Matrix& of_u, const Matrix& of_v) { return of_u.row(u).dot(of_v.row(v)); };
    const auto [own_near, near_own] = std::pair(dot(own_, near_), dot(near_, own_));
    const auto [own_far, far_own] = std::pair(dot(own_, far_), dot(far_, own_));
    const auto [near_far, far_near] = std::pair(dot(near_, far_), dot(far_, near_));
    const auto [own, near, far] = std::tuple(dot(own_, own_), dot(near_, near_), dot(far_, far_));
    const float lengths = lengths_[u] * lengths_[v];
    const float sum = own + near + far + (own_near + near_own) + (own_far + far_own) + (near_far + far_near);
    const float all = lengths > 0 ? sum / lengths : 0;
    const auto [sparser, denser] = std::minmax({densities_[u], densities_[v]});
    row << own, std::min(own_near, near_own), std::max(own_near, near_own), std::min(own_far, far_own),
        std::max(own_far, far_own), near, std::min(near_far, far_near), std::max(near_far, far_near), far, all,
        all - denser, all - sparser, 2 * all - (sparser + denser);
  };
  return detail::pair_numbers("similarities", sources, targets, own_.rows(), kNames.size(), fill);
}

}  // namespace edgewise::data
