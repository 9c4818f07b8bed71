#pragma once

#include "edgewise/attention/normalisers/none.hpp"
#include "edgewise/attention/normalisers/relu.hpp"
#include "edgewise/attention/normalisers/softmax.hpp"
#include "edgewise/core/policy_list.hpp"

namespace edgewise::attention {

/// The table of normalisers, in the order of the enumeration.
using Normalisers = PolicyList<Softmax, Relu, None>;

}  // namespace edgewise::attention
