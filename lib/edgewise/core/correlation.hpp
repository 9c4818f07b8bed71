#pragma once

#include <span>

/// @file
/// How two lists of the same length go together, from -1 to 1; NaN if either is constant or has fewer than two values.
namespace edgewise {

/// Pearson's. O(n).
double correlation(std::span<const double> x, std::span<const double> y);

/// Spearman's: that of the ranks, where equal values share their mean. O(n log n).
double rank_correlation(std::span<const double> x, std::span<const double> y);

}  // namespace edgewise
