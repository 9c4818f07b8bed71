#include "edgewise/core/correlation.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace edgewise {
namespace {

/// Ranks from 0; equal values share their mean.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + end - 1) / 2;
  }
  return ranks;
}

}  // namespace

double correlation(std::span<const double> x, std::span<const double> y) {
  const Eigen::Map<const Eigen::ArrayXd> a(x.data(), std::ssize(x)), b(y.data(), std::ssize(y));
  if (a.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::ArrayXd from_a = a - a.mean(), from_b = b - b.mean();
  return (from_a * from_b).sum() / std::sqrt(from_a.square().sum() * from_b.square().sum());
}

double rank_correlation(std::span<const double> x, std::span<const double> y) {
  return correlation(ranks_of(x), ranks_of(y));
}

}  // namespace edgewise
