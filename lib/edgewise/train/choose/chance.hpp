#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"

/// @file
/// How far two metrics on the same few items may differ by chance.
namespace edgewise::train {

/// The items a metric is measured on.
struct Sample {
  /// For a label, or for one class against the rest.
  struct Sides {
    std::size_t positives = 0;
    std::size_t negatives = 0;
  };

  std::size_t items = 0;           ///< Items with any label.
  std::vector<Sides> labels = {};  ///< Labels with both sides; a single entry for two classes, none in regression.
  double kurtosis = 3;             ///< The largest of the targets, in regression; 3: that of a normal distribution.
  bool is_shared = false;          ///< All runs are measured on these items.
};

Sample sample_of(const data::Labels& labels, std::span<const graph::Node> items);

/// Twice the standard error of `metric` under resampling of the items; smaller differences on one sample may be due to
/// chance. ROC-AUC: Hanley and McNeil 1982 (an overestimate if one side is rare). Average precision: the binomial
/// distribution of its positives (Boyd et al. 2013). A mean of several: as if they were independent. Other shares: the
/// binomial distribution of the items. Errors (rmse, mae): the distribution of a standard deviation, which is that of
/// normal errors unless the targets have heavy tails (a kurtosis above 10): a few items then decide.
double chance(const std::string& metric, double value, const Sample& sample);

/// How much better a metric of `value` is than one of `than`, in the metric's own direction.
double lead(const std::string& metric, double value, double than);

}  // namespace edgewise::train
