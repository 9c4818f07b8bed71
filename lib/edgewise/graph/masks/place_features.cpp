#include "edgewise/graph/masks/place_features.hpp"

#include <cmath>

#include "edgewise/core/parallel.hpp"

namespace edgewise::graph {
namespace {

/// log(1 + distance) for a source before this node, then the same for one after it.
void write_distance(Node row, Node column, float* features) {
  features[0] = column < row ? std::log1p(static_cast<float>(row - column)) : 0.0F;
  features[1] = column > row ? std::log1p(static_cast<float>(column - row)) : 0.0F;
}

}  // namespace

int place_feature_count(PlaceFeatures kind, const MaskRule& rule, MaskParameters parameters) {
  return kind == PlaceFeatures::distance ? 2 : static_cast<int>(rule.offsets(parameters));
}

void add_place_features(PlaceFeatures kind, const MaskRule& rule, MaskParameters parameters, const MaskInput& input,
                        FrozenGraph& mask) {
  mask.edge_features = Matrix::Zero(static_cast<Eigen::Index>(mask.slot_count()),
                                    place_feature_count(kind, rule, parameters));
  parallel_for(input.offsets.size() - 1, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      const Node first = input.offsets[g];
      for (Node row = first; row < input.offsets[g + 1]; ++row)
        for (EdgeIndex slot = mask.incoming.offsets[row]; slot < mask.incoming.offsets[row + 1]; ++slot) {
          const Node from = row - first, to = mask.incoming.columns[slot] - first;
          const auto at = static_cast<Eigen::Index>(slot);
          if (kind == PlaceFeatures::distance)
            write_distance(from, to, &mask.edge_features(at, 0));
          else
            mask.edge_features(at, rule.offset(from, to, {parameters, input.grid_columns})) = 1;
        }
    }
  });
}

}  // namespace edgewise::graph
