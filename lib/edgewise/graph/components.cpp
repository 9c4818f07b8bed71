#include "edgewise/graph/components.hpp"

#include <boost/graph/incremental_components.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <limits>

#include "edgewise/graph/boost_graph.hpp"

namespace edgewise::graph {
namespace {

constexpr Node kNoComponent = std::numeric_limits<Node>::max();

}  // namespace

Components connected_components(const Graph& graph) {
  const std::size_t nodes = graph.node_count();
  std::vector<Node> ranks(nodes), parents(nodes);
  const auto index = boost::get(boost::vertex_index, graph.boost());
  auto rank = boost::make_iterator_property_map(ranks.begin(), index);
  auto parent = boost::make_iterator_property_map(parents.begin(), index);
  boost::disjoint_sets<decltype(rank), decltype(parent)> sets(rank, parent);
  boost::initialize_incremental_components(graph.boost(), sets);
  boost::incremental_components(graph.boost(), sets);

  Components components;
  components.component.resize(nodes);
  std::vector<Node> number(nodes, kNoComponent);
  for (std::size_t node = 0; node < nodes; ++node) {
    Node& mine = number[sets.find_set(static_cast<Node>(node))];
    if (mine == kNoComponent) {
      mine = static_cast<Node>(components.sizes.size());
      components.sizes.push_back(0);
    }
    components.component[node] = mine;
    ++components.sizes[mine];
  }
  return components;
}

}  // namespace edgewise::graph
