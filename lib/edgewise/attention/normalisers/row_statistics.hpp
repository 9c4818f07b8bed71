#pragma once

#include "edgewise/attention/options.hpp"
#include "edgewise/core/detail/simd.hpp"

namespace edgewise::attention {

/// What a normaliser knows of a destination and head, a number each or a vector of them. `row` comes from the forward
/// pass: the log-sum-exp of the row's scores where weights sum to 1, otherwise 1 / the number of the row's edges.
/// `delta` is output gradient . output (Dao et al. 2022, appendix B.4), for the backward pass.
template <class Floats>
struct RowStatistics {
  Floats row;
  Floats delta;
};

}  // namespace edgewise::attention
