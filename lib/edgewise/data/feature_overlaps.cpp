#include "edgewise/data/feature_overlaps.hpp"

#include <cmath>

#include "edgewise/core/check.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/data/feature_directions.hpp"

namespace edgewise::data {
namespace {

using Eigen::Index;

constexpr std::size_t kPairsOfOverlaps = 2048;

float cosine(double product, double lengths) { return static_cast<float>(lengths > 0 ? product / lengths : 0); }

}  // namespace

FeatureOverlaps::FeatureOverlaps(const SparseMatrix& features)
    : rows_(features),
      squared_weights_(column_weights(features).cast<double>().array().square()),
      lengths_(features.rows()),
      weighed_lengths_(features.rows()) {
  for (Index row = 0; row < rows_.rows(); ++row) {
    const Shared own = shared(row, row);
    lengths_[row] = std::sqrt(own.product);
    weighed_lengths_[row] = std::sqrt(own.weighed_product);
  }
}

FeatureOverlaps::Shared FeatureOverlaps::shared(Index one, Index other) const {
  Shared sums;
  SparseMatrix::InnerIterator a(rows_, one), b(rows_, other);
  while (a && b) {
    const Index of_a = a.col(), of_b = b.col();
    if (of_a == of_b) {
      const double product = static_cast<double>(a.value()) * static_cast<double>(b.value());
      sums.product += product;
      sums.weighed_product += product * squared_weights_[of_a];
      sums.count += 1;
      sums.weight += squared_weights_[of_a];
    }
    if (of_a <= of_b) ++a;
    if (of_b <= of_a) ++b;
  }
  return sums;
}

Matrix FeatureOverlaps::of(std::span<const graph::Node> sources, std::span<const graph::Node> targets) const {
  check_count("FeatureOverlaps", "targets", targets.size(), sources.size());
  check_indices("FeatureOverlaps", "sources", sources, static_cast<std::size_t>(rows_.rows()));
  check_indices("FeatureOverlaps", "targets", targets, static_cast<std::size_t>(rows_.rows()));
  Matrix numbers(static_cast<Index>(sources.size()), static_cast<Index>(kNames.size()));
  parallel_for(sources.size(), kPairsOfOverlaps, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto u = static_cast<Index>(sources[i]), v = static_cast<Index>(targets[i]);
      const Shared sums = shared(u, v);
      numbers.row(static_cast<Index>(i)) << cosine(sums.product, lengths_[u] * lengths_[v]),
          cosine(sums.weighed_product, weighed_lengths_[u] * weighed_lengths_[v]), static_cast<float>(sums.count),
          static_cast<float>(sums.weight);
    }
  });
  return numbers;
}

}  // namespace edgewise::data
