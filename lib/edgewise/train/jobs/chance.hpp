#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "edgewise/data/node_data.hpp"

/// @file
/// How far apart two metrics on the same few items may be by chance.
namespace edgewise::train {

/// What a metric is measured on.
struct Sample {
  /// Of a label, or of one class against the others.
  struct Sides {
    std::size_t positives = 0;
    std::size_t negatives = 0;
  };

  std::size_t items = 0;           ///< With any label.
  std::vector<Sides> labels = {};  ///< Those with both sides. Of two classes it is one. None in a regression.
};

Sample sample_of(const data::Labels& labels, std::span<const graph::Node> items);

/// Twice the standard error of `metric`, were the items drawn anew; smaller differences on one sample may be chance. Of
/// a ROC-AUC as Hanley and McNeil 1982 have it (rather too large where one side is rare), of an average
/// precision by the binomial distribution of its positives (Boyd et al. 2013), of the mean of several as if
/// they were independent; of other shares by the binomial distribution of the items, of errors (rmse, mae) by that of a
/// deviation.
double chance(const std::string& metric, double value, const Sample& sample);

/// By how much a metric of `value` is better than one of `than`, whichever way it goes.
double lead(const std::string& metric, double value, double than);

}  // namespace edgewise::train
