#include "edgewise/io/detail/edge_types.hpp"

#include "edgewise/io/csv.hpp"

namespace edgewise::io::detail {

void EdgeTypes::add(std::string_view text) {
  const auto is = [&](std::string_view type) { return equals_ignoring_case(text, type); };
  const bool is_two_way = is("undirected") || is("mutual");
  are_types_ = are_types_ && (is_two_way || is("directed"));
  if (!are_types_) return;
  has_directed_ = has_directed_ || !is("undirected");
  if (is_two_way) two_way_.push_back(edges_);
  ++edges_;
}

void EdgeTypes::add_reverses(EdgeListResult& result) const {
  graph::EdgeList& edges = result.edges;
  std::vector<graph::EdgeIndex> rows(edges.size());
  for (graph::EdgeIndex edge = 0; edge < rows.size(); ++edge) rows[edge] = edge;
  for (const graph::EdgeIndex edge : two_way_) {
    const graph::Node source = edges.sources[edge], target = edges.targets[edge];
    if (source == target) continue;
    const EdgeLine place = result.line_at(edge);
    result.lines.push_back({edges.size(), place.line, place.file});
    edges.sources.push_back(target);
    edges.targets.push_back(source);
    if (!edges.weights.empty()) edges.weights.push_back(float{edges.weights[edge]});
    rows.push_back(edge);
  }
  if (edges.features.cols() > 0) edges.features = Matrix(edges.features(rows, Eigen::all));
}

}  // namespace edgewise::io::detail
