#pragma once

#include <catch2/catch.hpp>

#include <string>

#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/io/safetensors.hpp"

/// Reference values in tests/golden, made by the scripts there.
namespace edgewise::test {

/// For float32 on both sides and sums of up to a few dozen terms of size 1.
inline constexpr float kGoldenTolerance = 1e-5F;

inline io::Safetensors golden(const std::string& name) {
  return io::read_safetensors(std::string(EDGEWISE_SOURCE_DIR) + "/tests/golden/" + name + ".safetensors");
}

inline Matrix matrix(const io::Safetensors& file, const std::string& name) {
  const io::Tensor* tensor = file.find(name);
  REQUIRE(tensor != nullptr);
  const auto size = static_cast<Eigen::Index>(tensor->values.size());
  const Eigen::Index rows = tensor->shape.size() == 2 ? tensor->shape[0] : 1;
  return Eigen::Map<const Matrix>(tensor->values.data(), rows, size / rows);
}

inline void check_near(const std::string& what, const Matrix& found, const Matrix& expected) {
  CAPTURE(what, found, expected);
  REQUIRE(found.rows() == expected.rows());
  REQUIRE(found.cols() == expected.cols());
  CHECK((found - expected).cwiseAbs().maxCoeff() <= kGoldenTolerance * (1 + expected.cwiseAbs().maxCoeff()));
}

/// The graph with the nodes of "x" and, if there are any, the "edges" with their "edge_attr".
inline graph::FrozenGraph golden_graph(const io::Safetensors& file, const graph::FreezeOptions& options = {}) {
  graph::EdgeList edges;
  const Matrix pairs = file.find("edges") == nullptr ? Matrix(2, 0) : matrix(file, "edges");
  for (Eigen::Index e = 0; e < pairs.cols(); ++e) {
    edges.sources.push_back(static_cast<graph::Node>(pairs(0, e)));
    edges.targets.push_back(static_cast<graph::Node>(pairs(1, e)));
  }
  if (file.find("edge_attr") != nullptr) edges.features = matrix(file, "edge_attr");
  const auto nodes = static_cast<std::size_t>(matrix(file, "x").rows());
  const graph::Graph graph(graph::NodeNames::numbered(nodes), std::move(edges),
                           {.direction = graph::Direction::directed});
  return graph::freeze(graph, options);
}

}  // namespace edgewise::test
