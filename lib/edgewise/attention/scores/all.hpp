#pragma once

#include "edgewise/attention/scores/bahdanau.hpp"
#include "edgewise/attention/scores/dot_product.hpp"
#include "edgewise/attention/scores/gat.hpp"
#include "edgewise/attention/scores/gatv2.hpp"
#include "edgewise/core/policy_list.hpp"

namespace edgewise::attention {

/// The table of scores, in the order of the enumeration.
using Scores = PolicyList<Gat, Gatv2, Bahdanau, DotProduct>;

}  // namespace edgewise::attention
