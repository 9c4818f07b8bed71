#include "edgewise/data/detail/clusters_in_passes.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <numeric>

#include "edgewise/core/random.hpp"

namespace edgewise::data::detail {
namespace {

using graph::Node;

/// Groups of ten nodes; of a node's eight sources, seven are in its group, and neighbours are far apart in the order.
struct HiddenGroups {
  static constexpr Node kGroups = 40, kSize = 10;
  std::vector<std::uint32_t> degrees;
  std::vector<Node> columns;

  EdgesOnDisk edges() const { return {.degrees = degrees, .columns = columns, .work_of_row = 4}; }
  static Node group_of(Node node) { return node % kGroups; }
  HiddenGroups() {
    Random random(5, Stream::generate);
    for (Node node = 0; node < kGroups * kSize; ++node) {
      for (int i = 0; i < 7; ++i) columns.push_back(group_of(node) + kGroups * static_cast<Node>(random.below(kSize)));
      columns.push_back(static_cast<Node>(random.below(kGroups * kSize)));
      degrees.push_back(8);
    }
  }
};

std::vector<Node> each_alone() {
  std::vector<Node> clusters(HiddenGroups::kGroups * HiddenGroups::kSize);
  std::iota(clusters.begin(), clusters.end(), 0);
  return clusters;
}

TEST_CASE("passes over the edges find groups", "[data][clusters_in_passes]") {
  const HiddenGroups network;
  const std::vector<Node> clusters = clusters_in_passes(network.edges(), each_alone(), 12 * HiddenGroups::kSize);
  std::map<Node, std::map<Node, int>> groups;  // of the nodes of each cluster
  for (Node node = 0; node < clusters.size(); ++node) ++groups[clusters[node]][HiddenGroups::group_of(node)];
  CHECK(groups.size() >= HiddenGroups::kGroups);
  CHECK(groups.size() < 2 * HiddenGroups::kGroups);
  std::size_t same = 0;
  for (const auto& [cluster, counts] : groups)
    for (const auto& [group, count] : counts) same += static_cast<std::size_t>(count) * static_cast<std::size_t>(count);
  CHECK(same > clusters.size() * HiddenGroups::kSize * 6 / 10);
}

TEST_CASE("no cluster exceeds the most that it may take, unless one node does", "[data][clusters_in_passes]") {
  const HiddenGroups network;
  const std::uint64_t most = GENERATE(1, 12, 30, 60, 100'000);
  std::map<Node, std::uint64_t> work;
  for (const Node cluster : clusters_in_passes(network.edges(), each_alone(), most)) work[cluster] += 12;
  for (const auto& [cluster, sum] : work) CHECK(sum <= std::max<std::uint64_t>(most, 12));
}

TEST_CASE("nodes move to the clusters of their neighbours, as far as there is room", "[data][clusters_in_passes]") {
  // Node 0 has sources in cluster 1, whose two nodes have none.
  const std::vector<std::uint32_t> degrees = {2, 0, 0, 0};
  const std::vector<Node> columns = {1, 2};
  const EdgesOnDisk edges{.degrees = degrees, .columns = columns, .work_of_row = 4};
  CHECK(clusters_in_passes(edges, {0, 1, 1, 0}, 14) == std::vector<Node>{1, 1, 1, 0});
  CHECK(clusters_in_passes(edges, {0, 1, 1, 0}, 13) == std::vector<Node>{0, 1, 1, 0});
  CHECK(edges_between(edges, {0, 1, 1, 0}) == 2);
  CHECK(edges_between(edges, {1, 1, 0, 0}) == 1);
  const std::vector<std::uint32_t> none;
  CHECK(clusters_in_passes({.degrees = none, .columns = {}, .work_of_row = 4}, {}, 100).empty());
}

}  // namespace
}  // namespace edgewise::data::detail
