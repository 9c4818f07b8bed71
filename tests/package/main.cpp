#include <cstdio>
#include <edgewise/edgewise.hpp>

/// A first program: three nodes, one attention step.
int main() {
  edgewise::graph::EdgeList edges;
  edges.sources = {0, 1};
  edges.targets = {1, 2};
  const edgewise::graph::Graph graph(edgewise::graph::NodeNames::numbered(3), edges);
  const edgewise::graph::FrozenGraph mask = edgewise::graph::freeze(graph);
  const edgewise::Matrix features = edgewise::Matrix::Identity(3, 3);
  const edgewise::Matrix out = edgewise::attention::attend(mask, {features, features, features}, {.heads = 1});
  std::printf("%.3f %.3f %.3f\n", out(1, 0), out(1, 1), out(1, 2));
  return out.rowwise().sum().isOnes(1e-5F) ? 0 : 1;
}
