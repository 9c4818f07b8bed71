#pragma once

#include <array>

#include "edgewise/core/matrix.hpp"
#include "edgewise/train/targets/metric_kind.hpp"

/// @file
/// What targets have in common whose predictions are probabilities.
namespace edgewise::train {

inline constexpr std::array kProbabilityMetrics = {
    MetricKind{"accuracy", MetricUnit::share, MetricVariance::items},
    MetricKind{"f1", MetricUnit::share, MetricVariance::items, MetricUse::reported},
    MetricKind{"macro_f1", MetricUnit::share, MetricVariance::items},
    MetricKind{"micro_f1", MetricUnit::share, MetricVariance::items},
    MetricKind{"roc_auc", MetricUnit::share, MetricVariance::pairs},
    MetricKind{"average_precision", MetricUnit::share, MetricVariance::positives},
};

/// Target::clamp_predictions.
void clamp_probabilities(Matrix& probabilities);

}  // namespace edgewise::train
