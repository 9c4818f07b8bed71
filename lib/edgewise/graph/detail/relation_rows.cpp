#include "edgewise/graph/detail/relation_rows.hpp"

#include <algorithm>
#include <utility>

namespace edgewise::graph::detail {

RelationRows::RelationRows(const EdgeRows& whole, std::uint32_t relations) {
  std::vector<float> features(static_cast<std::size_t>(whole.feature_count()));
  const auto relation_of = [&](Node node, EdgeIndex slot) {
    whole.write_features(node, slot, features.data());
    const auto end = features.begin() + std::min<std::ptrdiff_t>(relations, std::ssize(features));
    return static_cast<std::uint32_t>(std::find_if(features.begin(), end, [](float f) { return f != 0; }) -
                                      features.begin());
  };
  order_.reserve(whole.slot_count());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // relation and position in the row
  for (Node node = 0; node < whole.node_count(); ++node) {
    const EdgeRow row = whole.row(node);
    edges.clear();
    for (std::uint32_t k = 0; k < row.size(); ++k)
      if (k != row.own) edges.emplace_back(relation_of(node, row.slot(k)), k);
    std::ranges::sort(edges);
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      if (i == 0 || edges[i].first != edges[i - 1].first) groups_.push_back({.begin = i});
      ++groups_.back().count;
      order_.push_back(edges[i].second);
    }
    ends_of_groups_.push_back(groups_.size());
    begins_.push_back(order_.size());
  }
}

}  // namespace edgewise::graph::detail
