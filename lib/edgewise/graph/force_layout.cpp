#include "edgewise/graph/force_layout.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/fruchterman_reingold.hpp>
#include <boost/graph/topology.hpp>
#include <boost/random/linear_congruential.hpp>
#include <cmath>
#include <numeric>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "edgewise/core/principal_components.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::graph {
namespace {

using Ties = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
using Square = boost::square_topology<boost::minstd_rand>;  // around the origin, with sides of 1
using Point = Square::point_type;
using Points = boost::iterator_property_map<std::vector<Point>::iterator,
                                            boost::property_map<Ties, boost::vertex_index_t>::const_type>;

constexpr std::size_t kPivots = 50;
constexpr std::size_t kFewestIterations = 60, kMostIterations = 500;
constexpr std::size_t kNodeMoves = 120'000;  // over all iterations between these
constexpr double kFirstStep = 0.05;  // how far a node may move at first

Ties ties_of(const Graph& graph) {
  const EdgeList& edges = graph.edges();
  std::vector<std::pair<Node, Node>> pairs;
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (edges.sources[i] != edges.targets[i]) pairs.push_back(std::minmax({edges.sources[i], edges.targets[i]}));
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return Ties(pairs.begin(), pairs.end(), graph.node_count());
}

/// Steps from a node to each, or `unreached`.
std::vector<int> steps_from(Node start, const Ties& ties, int unreached) {
  std::vector<int> steps(boost::num_vertices(ties), unreached);
  steps[start] = 0;
  boost::breadth_first_search(ties, start,
                              boost::visitor(boost::make_bfs_visitor(
                                  boost::record_distances(steps.data(), boost::on_tree_edge()))));
  return steps;
}

/// Distances to pivots in one component, that of the node with most ties: each pivot is as far as possible from those
/// before it. Nodes that are not reached are a little further away than any that is.
Matrix distances_to_pivots(const Ties& ties) {
  const std::size_t nodes = boost::num_vertices(ties), pivots = std::min(kPivots, nodes);
  const int unreached = static_cast<int>(nodes);
  Matrix distances(static_cast<Eigen::Index>(nodes), static_cast<Eigen::Index>(pivots));
  std::vector<int> nearest(nodes, unreached + 1);
  const auto degree = [&](Node node) { return boost::degree(node, ties); };
  Node pivot = std::ranges::max(std::views::iota(Node{0}, static_cast<Node>(nodes)), {}, degree);
  float longest = 0;
  for (std::size_t i = 0; i < pivots; ++i) {
    const std::vector<int> steps = steps_from(pivot, ties, unreached);
    for (std::size_t node = 0; node < nodes; ++node) {
      distances(static_cast<Eigen::Index>(node), static_cast<Eigen::Index>(i)) = static_cast<float>(steps[node]);
      if (steps[node] < unreached) longest = std::max(longest, static_cast<float>(steps[node]));
      nearest[node] = std::min(nearest[node], steps[node]);
    }
    const auto reach = [&](int steps) { return steps < unreached ? steps : -1; };
    pivot = static_cast<Node>(std::ranges::max_element(nearest, {}, reach) - nearest.begin());
  }
  return distances.cwiseMin(longest + 2);
}

/// The distances to pivots, drawn in the plane: each axis has the nodes in their order there, evenly spaced, so that no
/// place is crowded. Nodes at the same place, such as the leaves of one node, are in random order.
std::vector<Point> first_places(const Ties& ties) {
  const Matrix plane = principal_components(distances_to_pivots(ties), 2);
  const std::size_t nodes = boost::num_vertices(ties);
  std::vector<Point> places(nodes);
  std::vector<Node> order(nodes);
  std::iota(order.begin(), order.end(), Node{0});
  Random random(1, Stream::generate);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    shuffle(std::span(order), random);
    std::ranges::stable_sort(order, {}, [&](Node node) { return plane(node, static_cast<Eigen::Index>(axis)); });
    for (std::size_t i = 0; i < nodes; ++i)
      places[order[i]][axis] = (static_cast<double>(i) + 0.5) / static_cast<double>(nodes) - 0.5;
  }
  return places;
}

/// The pairs that repel each other: those in neighbouring cells of a grid, and each node and the next one. So none is
/// without a force, which Boost would divide by.
struct NearAndNextPairs {
  boost::grid_force_pairs<Square, Points> near;

  template <class ApplyForce>
  void operator()(const Ties& ties, ApplyForce apply) {
    near(ties, apply);
    for (std::size_t node = 0; node < boost::num_vertices(ties); ++node)
      apply((node + 1) % boost::num_vertices(ties), node);
  }
};

/// Weaker between nodes with many ties, which would otherwise draw all others into one spot.
struct Attraction {
  double operator()(const boost::graph_traits<Ties>::edge_descriptor& tie, double ideal, double distance,
                    const Ties& ties) const {
    const auto degrees = static_cast<double>(boost::degree(boost::source(tie, ties), ties) *
                                             boost::degree(boost::target(tie, ties), ties));
    return distance * distance / ideal / std::sqrt(degrees);
  }
};

void move_by_forces(const Ties& ties, std::vector<Point>& places) {
  boost::minstd_rand random(1);
  const Square square(random, 1.0);
  const std::size_t iterations =
      std::clamp(kNodeMoves / boost::num_vertices(ties), kFewestIterations, kMostIterations);
  const Points at(places.begin(), boost::get(boost::vertex_index, ties));
  boost::fruchterman_reingold_force_directed_layout(
      ties, at, square,
      boost::force_pairs(NearAndNextPairs{boost::make_grid_force_pairs(square, at, ties)})
          .attractive_force(Attraction())
          .cooling(boost::linear_cooling<double>(iterations, kFirstStep)));
}

}  // namespace

void fill_unit_square(Matrix& places) {
  for (auto column : places.colwise()) {
    const float low = column.minCoeff(), high = column.maxCoeff();
    if (high > low)
      column = (column.array() - low) / (high - low);
    else
      column.setConstant(0.5F);
  }
}

Matrix force_layout(const Graph& graph) {
  const auto nodes = static_cast<Eigen::Index>(graph.node_count());
  Matrix result = Matrix::Constant(nodes, 2, 0.5F);
  if (nodes < 2) return result;
  const Ties ties = ties_of(graph);
  std::vector<Point> places = first_places(ties);
  move_by_forces(ties, places);
  for (Eigen::Index node = 0; node < nodes; ++node)
    for (Eigen::Index axis = 0; axis < 2; ++axis)
      result(node, axis) = static_cast<float>(places[static_cast<std::size_t>(node)][static_cast<std::size_t>(axis)]);
  fill_unit_square(result);
  return result;
}

}  // namespace edgewise::graph
