#include "edgewise/data/detail/neighbours.hpp"

#include <algorithm>
#include <boost/range/iterator_range.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "edgewise/graph/boost_graph.hpp"

namespace edgewise::data::detail {

graph::Csr neighbours_of(const graph::Graph& graph) {
  std::vector<std::pair<graph::Node, graph::Node>> pairs;
  pairs.reserve(2 * graph.arc_count());
  for (const auto& arc : boost::make_iterator_range(boost::edges(graph.boost()))) {
    const graph::Node source = boost::source(arc, graph.boost()), target = boost::target(arc, graph.boost());
    pairs.emplace_back(source, target);
    pairs.emplace_back(target, source);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  graph::Csr csr;
  csr.offsets.assign(graph.node_count() + 1, 0);
  for (const auto& [row, column] : pairs) {
    ++csr.offsets[row + 1];
    csr.columns.push_back(column);
  }
  for (std::size_t row = 0; row < graph.node_count(); ++row) csr.offsets[row + 1] += csr.offsets[row];
  return csr;
}

Matrix log_degrees(const graph::Csr& neighbours) {
  Matrix result(static_cast<Eigen::Index>(neighbours.rows()), 1);
  for (graph::Node node = 0; node < neighbours.rows(); ++node)
    result(node, 0) = std::log1p(static_cast<float>(neighbours.row(node).size()));
  return result;
}

}  // namespace edgewise::data::detail
