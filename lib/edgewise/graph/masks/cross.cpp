#include "edgewise/graph/masks/cross.hpp"

#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"

namespace edgewise::graph {

FrozenGraph cross_mask(std::span<const Node> offsets, std::size_t count, std::size_t max_slots) {
  if (count == 0)
    throw UsageError(std::string("mask cross: the graphs have no parts, such as several molecules in a row (")
                         .append(setting("data.smiles"))
                         .append(")"));
  check_offsets("cross", offsets);
  Csr incoming;
  for (std::size_t part = 0; part + 1 < offsets.size(); ++part) {
    const std::size_t first = part - part % count;  // of the graph
    const EdgeIndex others = offsets[first + count] - offsets[first] - (offsets[part + 1] - offsets[part]);
    for (Node row = offsets[part]; row < offsets[part + 1]; ++row) {
      if (incoming.columns.size() + others > max_slots) refuse_slots("cross", max_slots);
      for (Node column = offsets[first]; column < offsets[part]; ++column) incoming.columns.push_back(column);
      for (Node column = offsets[part + 1]; column < offsets[first + count]; ++column)
        incoming.columns.push_back(column);
      incoming.offsets.push_back(static_cast<EdgeIndex>(incoming.columns.size()));
    }
  }
  return freeze(std::move(incoming), offsets.back());
}

}  // namespace edgewise::graph
