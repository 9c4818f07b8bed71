// Compares samples with parts of the same graph by PyTorch Geometric, and with draws of NumPy
// (tests/golden/make_samples.py).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "edgewise/core/json.hpp"
#include "edgewise/graph/sampling.hpp"

using namespace edgewise;
using namespace edgewise::graph;

namespace {

using Ends = std::set<std::pair<Node, Node>>;  // source and target

Ends golden_ends(const json::Value& edges) {
  Ends ends;
  for (const json::Value& edge : edges.as_array())
    ends.emplace(static_cast<Node>(edge.as_array()[0].as_integer()),
                 static_cast<Node>(edge.as_array()[1].as_integer()));
  return ends;
}

/// The edges of all steps of a sample, in the whole graph.
Ends sampled_ends(const Sample& sample) {
  Ends ends;
  for (const auto& step : sample.steps)
    for (Node row = 0; row < step->mask.destination_count(); ++row)
      for (const Node column : step->mask.incoming.row(row)) ends.emplace(sample.nodes[column], sample.nodes[row]);
  return ends;
}

std::vector<Node> golden_nodes(const json::Value& numbers) {
  std::vector<Node> nodes;
  for (const double number : numbers.as_numbers()) nodes.push_back(static_cast<Node>(number));
  return nodes;
}

SampleBatch golden_batch(const json::Value& numbers) {
  std::vector<Node> nodes = golden_nodes(numbers);
  const std::size_t count = nodes.size();
  return {.nodes = std::move(nodes), .item_count = count};
}

const json::Value& golden_samples() {
  static const json::Value value = json::parse_file(EDGEWISE_SOURCE_DIR "/tests/golden/samples.json");
  return value;
}

std::size_t golden_count(const char* name) {
  return static_cast<std::size_t>(golden_samples().at(name).as_integer());
}

FrozenGraph golden_sampled_graph() {
  EdgeList edges;
  for (const auto& [source, target] : golden_ends(golden_samples().at("edges"))) {
    edges.sources.push_back(source);
    edges.targets.push_back(target);
  }
  return freeze(
      Graph(NodeNames::numbered(golden_count("nodes")), std::move(edges), {.direction = Direction::directed}));
}

}  // namespace

TEST_CASE("without a bound, sampled neighbours are the neighbourhood of PyTorch Geometric",
          "[graph][sampling][golden]") {
  const FrozenGraph graph = golden_sampled_graph();
  const json::Value& expected = golden_samples().at("neighbourhood");
  const Sample sample = sample_neighbours(graph, {.fan_outs = {99}})
                            ->draw(golden_batch(golden_samples().at("items")), golden_count("steps"), 1, 0);
  std::vector<Node> nodes = sample.nodes;
  std::ranges::sort(nodes);
  CHECK(nodes == golden_nodes(expected.at("nodes")));
  CHECK(sampled_ends(sample) == golden_ends(expected.at("edges")));
}

TEST_CASE("clusters and walks have the edges among their nodes that PyTorch Geometric has",
          "[graph][sampling][golden]") {
  const FrozenGraph graph = golden_sampled_graph();
  const json::Value& expected = golden_samples().at("induced");
  const SampleBatch batch = golden_batch(expected.at("nodes"));
  for (const auto& sampler :
       {sample_clusters(graph, {.clusters = 4, .at_once = 2}), sample_walks(graph, {.roots = 3})}) {
    sampler->batches(batch.nodes, 1, 0);  // a walk counts here what its weights need
    CHECK(sampled_ends(sampler->draw(batch, 1, 1, 0)) == golden_ends(expected.at("edges")));
  }
}

TEST_CASE("nodes are sampled as often as by NumPy", "[graph][sampling][golden]") {
  constexpr int kDraws = 20'000;
  const FrozenGraph graph = golden_sampled_graph();
  const SampleBatch batch = golden_batch(golden_samples().at("items"));
  const auto sampler = sample_neighbours(graph, {.fan_outs = {static_cast<std::uint32_t>(golden_count("fan_out"))}});
  std::vector<double> drawn(golden_count("nodes"), 0);
  for (std::uint64_t epoch = 0; epoch < kDraws; ++epoch)
    for (const Node node : sampler->draw(batch, golden_count("steps"), 1, epoch).nodes) drawn[node] += 1.0 / kDraws;
  const std::vector<double> expected = golden_samples().at("drawn").as_numbers();
  REQUIRE(expected.size() == drawn.size());
  const double draws = 1 / (1.0 / kDraws + 1 / golden_samples().at("draws").as_number());
  for (std::size_t node = 0; node < drawn.size(); ++node) {
    CAPTURE(node);
    const double deviation = std::sqrt(expected[node] * (1 - expected[node]) / draws);
    CHECK(std::abs(drawn[node] - expected[node]) <= 4.5 * deviation + 1e-9);
  }
}
