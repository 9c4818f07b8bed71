#include "edgewise/train/explain/attention_summary.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;

namespace {

/// The path 0 - 1 - 2 as the second graph of a union. Its edges are edges 1 and 2 of the input.
graph::GraphUnion path() {
  graph::EdgeList edges;
  edges.sources = {0, 2, 3};
  edges.targets = {1, 3, 4};
  const graph::Graph all(graph::NodeNames::numbered(5), edges);
  const graph::GraphIndex members[] = {1};
  return graph::select({graph::freeze(all, {.self_loops = graph::AddSelfLoops::yes}), {0, 2, 5}}, members);
}

}  // namespace

TEST_CASE("Attention along edges is summed up for edges and nodes", "[train][explain]") {
  // Slots: 0 <- 0, 0 <- 1, 1 <- 0, 1 <- 1, 1 <- 2, 2 <- 1, 2 <- 2; two equal heads.
  Matrix weights(7, 2);
  weights.col(0) << 0.5F, 0.5F, 0.25F, 0.5F, 0.25F, 1, 0;
  weights.col(1) = weights.col(0);
  const train::AttentionSummary summary = train::summarise_attention(path(), {{"blocks.0", weights}});
  CHECK(summary.first_edge == 1);
  CHECK(summary.edges == std::vector<double>{0.375, 0.625});
  CHECK(summary.nodes == std::vector<double>{0.25, 2.0 / 3, 0.25 / 3});
  CHECK(!summary.is_by_readout);
}

TEST_CASE("An attending readout gives the attention of the nodes", "[train][explain]") {
  Matrix readout(3, 1);
  readout << 0.1F, 0.2F, 0.7F;
  const auto summary =
      train::summarise_attention(path(), {{"blocks.0", Matrix::Ones(7, 1)}, {"blocks.1", readout, "readout"}});
  CHECK(summary.is_by_readout);
  CHECK(summary.nodes[2] == Approx(0.7));
  CHECK(summary.edges == std::vector<double>{1, 1});
}

TEST_CASE("Without attention the summary is empty", "[train][explain]") {
  const train::AttentionSummary summary = train::summarise_attention(path(), {});
  CHECK(summary.nodes.empty());
  CHECK(summary.edges.empty());
}
