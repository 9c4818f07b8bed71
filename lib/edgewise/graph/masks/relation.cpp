#include "edgewise/graph/masks/relation.hpp"

#include "edgewise/graph/detail/finish_graph.hpp"

namespace edgewise::graph {

FrozenGraph relation_mask(const FrozenGraph& edges, std::uint32_t relation) {
  const auto column = static_cast<Eigen::Index>(relation) - 1;
  const auto is_in = [&](EdgeIndex slot) {
    return column < edges.edge_features.cols() && edges.edge[slot] != kAddedSelfLoop &&
           edges.edge_features(static_cast<Eigen::Index>(slot), column) != 0;
  };
  FrozenGraph mask;
  for (std::size_t row = 0; row < edges.incoming.rows(); ++row) {
    for (EdgeIndex slot = edges.incoming.offsets[row]; slot < edges.incoming.offsets[row + 1]; ++slot) {
      if (!is_in(slot)) continue;
      mask.incoming.columns.push_back(edges.incoming.columns[slot]);
      mask.edge.push_back(edges.edge[slot]);
    }
    mask.incoming.offsets.push_back(mask.incoming.columns.size());
  }
  detail::finish(mask, edges.source_count());
  return mask;
}

}  // namespace edgewise::graph
