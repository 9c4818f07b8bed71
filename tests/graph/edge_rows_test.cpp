#include "edgewise/graph/edge_rows.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/graph/sampling.hpp"
#include "support/random_graph.hpp"

namespace edgewise::graph {
namespace {

constexpr Node kNodesOfRows = 60;

/// The rows of a graph, cut at some nodes, as a frozen network has them.
struct CutRows {
  std::vector<std::vector<EdgeIndex>> offsets;
  std::vector<std::vector<Node>> columns, halos;
  std::vector<std::vector<float>> weights;
  std::vector<EdgePiece> pieces;

  CutRows(const Csr& rows, const std::vector<Node>& boundaries) {
    for (std::size_t p = 0; p + 1 < boundaries.size(); ++p) add(rows, boundaries[p], boundaries[p + 1]);
    for (std::size_t p = 0; p < offsets.size(); ++p)
      pieces.push_back({.begin = boundaries[p],
                        .offsets = offsets[p],
                        .columns = columns[p],
                        .halo = halos[p],
                        .weights = weights[p]});
  }

 private:
  void add(const Csr& rows, Node begin, Node end) {
    std::vector<Node> halo, local;
    std::vector<EdgeIndex> ends = {0};
    std::vector<float> of_edges;
    const auto is_own = [&](Node node) { return node >= begin && node < end; };
    for (Node row = begin; row < end; ++row)
      for (const Node source : rows.row(row))
        if (!is_own(source)) halo.push_back(source);
    std::ranges::sort(halo);
    halo.erase(std::ranges::unique(halo).begin(), halo.end());
    for (Node row = begin; row < end; ++row) {
      for (const bool own : {true, false})
        for (const Node source : rows.row(row)) {
          if (is_own(source) != own) continue;
          const auto place = std::ranges::lower_bound(halo, source) - halo.begin();
          local.push_back(own ? source - begin : static_cast<Node>(end - begin + place));
          of_edges.push_back(static_cast<float>(row * 100 + source));
        }
      ends.push_back(local.size());
    }
    offsets.push_back(ends);
    columns.push_back(local);
    halos.push_back(halo);
    weights.push_back(of_edges);
  }
};

/// Some nodes have an edge from themselves.
Csr random_rows() { return test::random_mask(kNodesOfRows, kNodesOfRows, 6, 5).incoming; }

/// The rows with a loop for each node that has none.
Csr with_loops(const Csr& rows) {
  Csr result;
  for (Node row = 0; row < rows.rows(); ++row) {
    std::vector<Node> sources(rows.row(row).begin(), rows.row(row).end());
    if (std::ranges::count(sources, row) == 0) sources.push_back(row);
    std::ranges::sort(sources);
    result.columns.insert(result.columns.end(), sources.begin(), sources.end());
    result.offsets.push_back(result.columns.size());
  }
  return result;
}

std::vector<Node> sources_of(const EdgeRow& row) {
  std::vector<Node> sources;
  for (std::uint32_t k = 0; k < row.size(); ++k) sources.push_back(row.source(k));
  return sources;
}

TEST_CASE("the rows of pieces are those of the graph", "[graph][edge_rows]") {
  const Csr rows = random_rows();
  const auto loops = GENERATE(AddSelfLoops::no, AddSelfLoops::yes);
  const auto boundaries = GENERATE(std::vector<Node>{0, kNodesOfRows}, std::vector<Node>{0, 7, 8, 31, kNodesOfRows});
  CAPTURE(loops == AddSelfLoops::yes, boundaries);
  const CutRows cut(rows, boundaries);
  const EdgeRows pieces(cut.pieces, {.self_loops = loops, .weight_as_feature = true});
  const Csr expected = loops == AddSelfLoops::yes ? with_loops(rows) : rows;
  REQUIRE(pieces.node_count() == kNodesOfRows);
  CHECK(pieces.slot_count() == rows.slots());
  CHECK(pieces.feature_count() == 1);
  for (Node node = 0; node < kNodesOfRows; ++node) {
    CAPTURE(node);
    const EdgeRow row = pieces.row(node);
    const std::vector<Node> sources(expected.row(node).begin(), expected.row(node).end());
    CHECK(sources_of(row) == sources);
    CHECK(pieces.degree(node) == sources.size());
    const auto own = std::ranges::find(sources, node) - sources.begin();
    CHECK(row.own == own);
    CHECK(row.others() == sources.size() - static_cast<std::size_t>(std::ranges::count(sources, node)));
    double sum = 0, stored = 0;
    for (const Node source : rows.row(node)) stored += node * 100 + source;
    for (std::uint32_t k = 0; k < row.size(); ++k) {
      float feature = 0;
      pieces.write_features(node, row.slot(k), &feature);
      const bool is_added = row.slot(k) == EdgeRow::kAddedSlot;
      CHECK((pieces.edge(row.slot(k)) == kAddedSelfLoop) == is_added);
      const double mean = row.stored == 0 ? 0 : stored / row.stored;
      CHECK(feature == Approx(is_added ? mean : node * 100 + row.source(k)));
      sum += is_added ? 1 : feature;
    }
    CHECK(pieces.weight_sum(node) == Approx(sum));
  }
}

TEST_CASE("pieces keep nothing but loops if that is asked for", "[graph][edge_rows]") {
  const Csr rows = random_rows();
  const CutRows cut(rows, {0, 20, kNodesOfRows});
  const auto loops = GENERATE(AddSelfLoops::no, AddSelfLoops::yes);
  const EdgeRows pieces(cut.pieces, {.self_loops = loops, .kept = KeptEdges::self_loops});
  for (Node node = 0; node < kNodesOfRows; ++node) {
    const bool is_there = std::ranges::count(rows.row(node), node) > 0 || loops == AddSelfLoops::yes;
    CHECK(sources_of(pieces.row(node)) == std::vector<Node>(is_there ? 1 : 0, node));
  }
}

TEST_CASE("samples of a network in pieces are those of the graph", "[graph][edge_rows][sampling]") {
  const Csr rows = random_rows();
  const auto loops = GENERATE(AddSelfLoops::no, AddSelfLoops::yes);
  const CutRows cut(rows, {0, 7, 8, 31, kNodesOfRows});
  const EdgeRows pieces(cut.pieces, {.self_loops = loops});
  const FrozenGraph graph = freeze(loops == AddSelfLoops::yes ? with_loops(rows) : rows, kNodesOfRows);
  std::vector<Node> items(40);
  std::iota(items.begin(), items.end(), 10);
  const int kind = GENERATE(0, 1, 2);
  const auto make = [&](const EdgeRows& whole) {
    if (kind == 2) return sample_walks(whole, {.roots = 6, .length = 2});
    return sample_neighbours(whole, {.fan_outs = {3}, .replace = kind == 1, .batch_size = 15});
  };
  const auto found = make(pieces), expected = make(graph);
  const std::vector<SampleBatch> batches = expected->batches(items, 3, 1);
  const std::vector<SampleBatch> batches_found = found->batches(items, 3, 1);
  REQUIRE(batches_found.size() == batches.size());
  for (std::size_t b = 0; b < batches.size(); ++b) {
    CHECK(batches_found[b].nodes == batches[b].nodes);
    CHECK(batches_found[b].weights == batches[b].weights);
    const Sample some = found->draw(batches[b], 2, 3, 1), same = expected->draw(batches[b], 2, 3, 1);
    CHECK(some.nodes == same.nodes);
    for (std::size_t step = 0; step < 2; ++step) {
      CHECK(some.steps[step]->mask.incoming.columns == same.steps[step]->mask.incoming.columns);
      CHECK(some.steps[step]->importance == same.steps[step]->importance);
    }
  }
}

TEST_CASE("clusters of a network in pieces are ranges of its order", "[graph][edge_rows][sampling]") {
  const CutRows cut(random_rows(), {0, 20, kNodesOfRows});
  const auto sampler = sample_clusters(EdgeRows(cut.pieces, {}), {.clusters = 6, .at_once = 2});
  std::vector<Node> items(kNodesOfRows);
  std::iota(items.begin(), items.end(), 0);
  for (const SampleBatch& batch : sampler->batches(items, 3, 1)) {
    REQUIRE(batch.nodes.size() == 20);
    for (const std::size_t first : {0, 10})
      for (std::size_t i = 1; i < 10; ++i) CHECK(batch.nodes[first + i] == batch.nodes[first] + i);
  }
}

TEST_CASE("edges between two sets of nodes are no edge rows", "[graph][edge_rows]") {
  const FrozenGraph between = freeze(Csr{.offsets = {0, 1}, .columns = {2}}, 3);
  CHECK_THROWS_AS(EdgeRows(between), UsageError);
}

}  // namespace
}  // namespace edgewise::graph
