#pragma once

#include "edgewise/attention/options.hpp"
#include "edgewise/core/detail/simd.hpp"

namespace edgewise::attention {

/// What a normaliser needs for one destination and head, as single numbers or as vectors of them. `row` comes from the
/// forward pass: the log-sum-exp of the row's scores if weights sum to 1, otherwise 1 / the number of edges in the row.
/// If scores are too large for that, their maximum is subtracted from them first, for the sum and for the weights.
/// `delta` is output gradient . output (Dao et al. 2022, appendix B.4), for the backward pass.
template <class Floats>
struct RowStatistics {
  Floats row;
  Floats delta;
};

}  // namespace edgewise::attention
