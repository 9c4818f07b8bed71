#pragma once

#include "edgewise/core/matrix.hpp"

namespace edgewise::train {

/// The weight of `share_evenly`.
inline constexpr float kEvenShare = 0.001F;

/// Mixes each row of class probabilities with equal ones, as Laplace's rule of succession does with counts:
///
///     p <- (1 - w) p + w / classes,   w = kEvenShare
///
/// Labels that spread along edges leave 0 for a class of which none arrive, though what arrives is limited evidence.
/// The order of classes in a row and of rows in a column stays, up to rounding. Rows still sum to 1.
void share_evenly(Matrix& probabilities);

}  // namespace edgewise::train
