#pragma once

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::attention {

struct AttendOptions {
  int heads = 1;
};

/// For those who come for the kernel alone: scaled dot-product attention over the edges of `mask`, without gradients.
/// query [destinations, heads * width], key and value [sources, heads * width] -> [destinations, heads * width]. A node
/// with nothing to attend to gets zeros. Throws UsageError, naming both sizes, when the shapes do not fit.
Matrix attend(const graph::FrozenGraph& mask, const Matrix& query, const Matrix& key, const Matrix& value,
              const AttendOptions& options = {});

}  // namespace edgewise::attention
