#include "edgewise/data/feature_overlaps.hpp"

#include <cmath>

#include "edgewise/data/detail/pair_numbers.hpp"
#include "edgewise/data/feature_directions.hpp"

namespace edgewise::data {
namespace {

using Eigen::Index;

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
  const auto fill = [&](Index u, Index v, auto row) {
    const Shared sums = shared(u, v);
    row << cosine(sums.product, lengths_[u] * lengths_[v]),
        cosine(sums.weighed_product, weighed_lengths_[u] * weighed_lengths_[v]), static_cast<float>(sums.count),
        static_cast<float>(sums.weight);
  };
  return detail::pair_numbers("FeatureOverlaps", sources, targets, rows_.rows(), kNames.size(), fill);
}

}  // namespace edgewise::data
