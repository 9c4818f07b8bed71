#include "edgewise/graph/frozen_graph.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"

using namespace edgewise;
using namespace edgewise::graph;

namespace {

/// 0 -> 1 (weight 2), 2 -> 1 (weight 4), 1 -> 1 (weight 6), 0 -> 2 (weight 8)
Graph small_graph() {
  EdgeList edges;
  edges.sources = {0, 2, 1, 0};
  edges.targets = {1, 1, 1, 2};
  edges.weights = {2, 4, 6, 8};
  return Graph(NodeNames::numbered(3), edges, {.direction = Direction::directed});
}

}  // namespace

TEST_CASE("rows are destinations and columns their sources", "[graph][frozen_graph]") {
  const FrozenGraph frozen = freeze(small_graph());
  CHECK(frozen.incoming.offsets == std::vector<EdgeIndex>{0, 0, 3, 4});
  CHECK(frozen.incoming.columns == std::vector<Node>{0, 1, 2, 0});
  CHECK(frozen.edge == std::vector<StoredEdge>{0, 2, 1, 3});
  CHECK(frozen.outgoing.offsets == std::vector<EdgeIndex>{0, 2, 3, 4});
  CHECK(frozen.outgoing.columns == std::vector<Node>{1, 2, 1, 1});
  CHECK(frozen.outgoing_slot == std::vector<StoredEdge>{0, 3, 1, 2});
}

TEST_CASE("attention can follow the edges backwards", "[graph][frozen_graph]") {
  const FrozenGraph frozen = freeze(small_graph(), {.flow = Flow::target_to_source});
  CHECK(frozen.incoming.offsets == std::vector<EdgeIndex>{0, 2, 3, 4});
  CHECK(frozen.incoming.columns == std::vector<Node>{1, 2, 1, 1});
}

TEST_CASE("missing self loops are added in their place, with the mean of the incoming features",
          "[graph][frozen_graph]") {
  const FrozenGraph frozen = freeze(small_graph(), {.self_loops = AddSelfLoops::yes, .weight_as_feature = true});
  CHECK(frozen.incoming.offsets == std::vector<EdgeIndex>{0, 1, 4, 6});
  CHECK(frozen.incoming.columns == std::vector<Node>{0, 0, 1, 2, 0, 2});
  CHECK(frozen.edge == std::vector<StoredEdge>{kAddedSelfLoop, 0, 2, 1, 3, kAddedSelfLoop});
  Matrix expected(6, 1);
  expected << 0, 2, 6, 4, 8, 8;
  CHECK(frozen.edge_features == expected);
}

TEST_CASE("edges may be left out, except self loops", "[graph][frozen_graph]") {
  const FrozenGraph given = freeze(small_graph(), {.kept = KeptEdges::self_loops});
  CHECK(given.incoming.columns == std::vector<Node>{1});
  CHECK(given.outgoing.offsets == std::vector<EdgeIndex>{0, 0, 1, 1});
  const FrozenGraph all = freeze(small_graph(), {.self_loops = AddSelfLoops::yes, .kept = KeptEdges::self_loops});
  CHECK(all.incoming.columns == std::vector<Node>{0, 1, 2});
}

TEST_CASE("weights may be scaled if they are features", "[graph][frozen_graph]") {
  const StandardScale scale{.mean = 1.5, .scale = 2};
  const FrozenGraph plain = freeze(small_graph(), {.weight_as_feature = true});
  const FrozenGraph scaled = freeze(small_graph(), {.weight_as_feature = true, .weight_scale = scale});
  CHECK(scaled.edge_features == plain.edge_features.unaryExpr(scale));
  CHECK(freeze(small_graph(), {.weight_scale = scale}).edge_features.size() == 0);
}

TEST_CASE("a mask made from arrays is checked", "[graph][frozen_graph]") {
  CHECK(freeze(Csr{{0, 1, 3}, {4, 0, 1}}, 5).source_count() == 5);
  CHECK_THROWS_AS(freeze(Csr{{0, 1, 3}, {5, 0, 1}}, 5), DataError);
  CHECK_THROWS_AS(freeze(Csr{{0, 1}, {0}}, 5'000'000'000), DataError);
  const auto says = [](const std::string& text) { return Catch::Matchers::Contains(text); };
  CHECK_THROWS_WITH(freeze(Csr{{0, 2, 1}, {0}}, 5), says("from 0 to the number of columns, 1, but 1 follows 2"));
  CHECK_THROWS_WITH(freeze(Csr{{0, 2}, {0}}, 5), says("but the last is 2"));
  CHECK_THROWS_WITH(freeze(Csr{{1, 1}, {0}}, 5), says("but the first is 1"));
  CHECK_THROWS_WITH(freeze(Csr{{}, {}}, 5), says("but there are none"));
}

TEST_CASE("chunks cover all rows and are about equally heavy", "[graph][frozen_graph]") {
  Random random(4, Stream::generate);
  std::vector<EdgeIndex> offsets = {0};
  for (int row = 0; row < 50000; ++row) offsets.push_back(offsets.back() + random.below(row % 1000 == 0 ? 5000 : 8));
  const std::vector<Node> chunks = balanced_chunks(offsets);
  REQUIRE(chunks.size() > 10);
  CHECK(chunks.front() == 0);
  CHECK(chunks.back() == 50000);
  const auto work = [&](Node row) { return offsets[row] + 4 * EdgeIndex{row}; };
  for (std::size_t c = 0; c + 1 < chunks.size(); ++c) {
    CHECK(chunks[c] < chunks[c + 1]);
    CHECK(work(chunks[c + 1]) - work(chunks[c]) < 2 * work(50000) / (chunks.size() - 1) + 5004);
  }
  CHECK(balanced_chunks(std::vector<EdgeIndex>{0}) == std::vector<Node>{0, 0});
}
