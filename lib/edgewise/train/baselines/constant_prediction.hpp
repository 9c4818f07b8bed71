#pragma once

#include <span>

#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"

namespace edgewise::train {

/// The prediction that looks at no item: for each of them the shares of the classes or labels, or the means of the
/// targets, among the known ones of `from`. [items, names]; NaN for what is known of none of them. Whatever does not
/// beat it has learnt nothing.
Matrix constant_prediction(const data::Labels& labels, std::span<const graph::Node> from);

}  // namespace edgewise::train
