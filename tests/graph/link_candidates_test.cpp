#include "edgewise/graph/link_candidates.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"

using namespace edgewise;
using namespace edgewise::graph;

namespace {

using Nodes = std::vector<Node>;
constexpr std::array kWays = {CandidateWay::uniform, CandidateWay::degree, CandidateWay::two_steps};

/// Each pair of nodes is a tie with this probability.
Ties random_ties(std::size_t nodes, double share, Direction direction) {
  Random random(9, Stream::generate);
  Nodes sources, targets;
  for (Node u = 0; u < nodes; ++u)
    for (Node v = 0; v < nodes; ++v) {
      if (random.uniform() >= share) continue;
      sources.push_back(u);
      targets.push_back(v);
    }
  return Ties(nodes, sources, targets, direction);
}

/// How often each node is drawn, as a share.
std::vector<double> shares(const Nodes& drawn, std::size_t nodes) {
  std::vector<double> shares(nodes);
  for (const Node node : drawn) shares[node] += 1.0 / static_cast<double>(drawn.size());
  return shares;
}

/// A node that all others have ties with.
Ties star(std::size_t leaves) {
  Nodes sources(leaves, 0), targets;
  for (Node leaf = 1; leaf <= leaves; ++leaf) targets.push_back(leaf);
  return Ties(leaves + 1, sources, targets, Direction::undirected);
}

}  // namespace

TEST_CASE("Ways to draw candidates have names", "[graph][link_candidates]") {
  CHECK(parse_candidate_way("uniform") == CandidateWay::uniform);
  CHECK(parse_candidate_way("degree") == CandidateWay::degree);
  CHECK(parse_candidate_way("two_steps") == CandidateWay::two_steps);
  CHECK(parse_candidate_way("pairs.csv") == std::nullopt);
}

TEST_CASE("Candidates make no tie that is known", "[graph][link_candidates]") {
  for (const Direction direction : {Direction::directed, Direction::undirected})
    for (const double share : {0.1, 0.5, 0.95})
      for (const CandidateWay way : kWays) {
        const Ties ties = random_ties(20, share, direction);
        const LinkCandidates candidates(ties);
        for (Node u = 0; u < 20; ++u)
          for (const Node v : ties.targets(u)) {
            for (const Node node : candidates.draw(u, v, LinkEnd::source, {.count = 9, .way = way, .tie = u}))
              CHECK((node != u && node != v && !ties.contains(u, node)));
            for (const Node node : candidates.draw(u, v, LinkEnd::target, {.count = 9, .way = way, .tie = u}))
              CHECK((node != u && node != v && !ties.contains(node, v)));
          }
      }
}

TEST_CASE("All nodes that can stand in an end are drawn, and each way has its shares", "[graph][link_candidates]") {
  // 0 - 1, 1 - {2, 3}, 4 - {3, 5, 6}; 7 has no tie.
  const Ties ties(8, Nodes{0, 1, 1, 4, 4, 4}, Nodes{1, 2, 3, 3, 5, 6}, Direction::undirected);
  const LinkCandidates candidates(ties);
  const auto drawn = [&](CandidateWay way) {
    return shares(candidates.draw(0, 1, LinkEnd::source, {.count = 20000, .way = way}), 8);
  };
  const std::vector<double> uniform = drawn(CandidateWay::uniform), degree = drawn(CandidateWay::degree),
                            steps = drawn(CandidateWay::two_steps);
  const std::vector<double> degrees = {0, 0, 1 / 8.0, 2 / 8.0, 3 / 8.0, 1 / 8.0, 1 / 8.0, 0};
  for (Node node = 0; node < 8; ++node) {
    CHECK(uniform[node] == Approx(node < 2 ? 0 : 1 / 6.0).margin(0.02));
    CHECK(degree[node] == Approx(degrees[node]).margin(0.02));
    CHECK(steps[node] == Approx(node == 2 || node == 3 ? 0.5 : 0).margin(0.02));
  }
}

TEST_CASE("The few nodes that a hub does not know are found", "[graph][link_candidates]") {
  // Node 0 knows all of 1000 but the last two, of which one has three ties and the other one.
  constexpr std::size_t kNodes = 1000;
  Nodes sources(kNodes - 3, 0), targets;
  for (Node node = 1; node < kNodes - 2; ++node) targets.push_back(node);
  for (const Node node : {5, 6, 7}) {
    sources.push_back(node);
    targets.push_back(kNodes - 2);
  }
  sources.push_back(5);
  targets.push_back(kNodes - 1);
  const Ties ties(kNodes, sources, targets, Direction::undirected);
  const LinkCandidates candidates(ties);
  // A walk passes node 5, of three ties, with the same probability as 6 and 7, of two.
  const std::vector<double> expected = {0.5, 0.75, (1 / 3.0 + 1) / (2 / 3.0 + 1)};
  for (std::size_t way = 0; way < 3; ++way) {
    const auto found = shares(candidates.draw(0, 1, LinkEnd::source, {.count = 20000, .way = kWays[way]}), kNodes);
    CHECK(found[kNodes - 2] == Approx(expected[way]).margin(0.02));
    CHECK(found[kNodes - 1] == Approx(1 - expected[way]).margin(0.02));
  }
}

TEST_CASE("Who knows everybody has no candidates", "[graph][link_candidates]") {
  const Ties ties = star(4);
  const Ties pair(2, Nodes{0}, Nodes{1}, Direction::undirected);
  for (const CandidateWay way : kWays) {
    CHECK(LinkCandidates(ties).draw(0, 1, LinkEnd::source, {.count = 5, .way = way}).empty());
    CHECK(LinkCandidates(ties).draw(0, 1, LinkEnd::target, {.count = 5, .way = way}).size() == 5);
    CHECK(LinkCandidates(pair).draw(0, 1, LinkEnd::source, {.count = 5, .way = way}).empty());
  }
}

TEST_CASE("A way that leads nowhere gives way to uniform draws", "[graph][link_candidates]") {
  // Two pairs, and two nodes without ties; the tie from 4 to 5 is asked for.
  const Ties pairs(6, Nodes{0, 2}, Nodes{1, 3}, Direction::undirected);
  for (const Node from : {0, 4}) {
    const Node to = from + 1;
    const auto steps = LinkCandidates(pairs).draw(from, to, LinkEnd::source,
                                                  {.count = 400, .way = CandidateWay::two_steps});
    CHECK(steps == LinkCandidates(pairs).draw(from, to, LinkEnd::source, {.count = 400}));
    CHECK(std::set<Node>(steps.begin(), steps.end()).size() == 4);
  }
  const Ties none(3, {}, {}, Direction::directed);
  CHECK(LinkCandidates(none).draw(0, 1, LinkEnd::source, {.count = 2, .way = CandidateWay::degree}) == Nodes{2, 2});
}

TEST_CASE("A node is replaced by nodes of its kind", "[graph][link_candidates]") {
  // Persons 0 to 3 and things 4 to 7, in turn; 0 and 1 have a thing in common, and 1 has another.
  const std::vector<std::uint8_t> sides = {0, 0, 0, 0, 1, 1, 1, 1};
  const Ties ties(8, Nodes{0, 1, 1, 2}, Nodes{4, 4, 5, 6}, Direction::undirected);
  const LinkCandidates candidates(ties, sides);
  const auto drawn = [&](LinkEnd kept, CandidateWay way) {
    const Nodes nodes = candidates.draw(0, 4, kept, {.count = 300, .way = way});
    return std::set<Node>(nodes.begin(), nodes.end());
  };
  CHECK(drawn(LinkEnd::source, CandidateWay::uniform) == std::set<Node>{5, 6, 7});
  CHECK(drawn(LinkEnd::source, CandidateWay::degree) == std::set<Node>{5, 6});
  CHECK(drawn(LinkEnd::source, CandidateWay::two_steps) == std::set<Node>{5});
  CHECK(drawn(LinkEnd::target, CandidateWay::uniform) == std::set<Node>{2, 3});
  CHECK(candidates.all(0, 4, LinkEnd::source) == Nodes{5, 6, 7});
  CHECK(candidates.all(0, 4, LinkEnd::target) == Nodes{2, 3});
  CHECK_THROWS_AS(LinkCandidates(ties, std::vector<std::uint8_t>{0, 1}), UsageError);
  CHECK_THROWS_AS(LinkCandidates(ties, std::vector<std::uint8_t>(8, 3)), UsageError);
  // Thing 7 is of a third kind: it stands at no end.
  const std::vector<std::uint8_t> three = {0, 0, 0, 0, 1, 1, 1, kNoSide};
  const LinkCandidates among(ties, three);
  const Nodes others = among.draw(0, 4, LinkEnd::source, {.count = 300});
  CHECK(std::set<Node>(others.begin(), others.end()) == std::set<Node>{5, 6});
  // With ties to things 4 and 5 of three, 1 has one left; with all, none.
  CHECK(among.count(1, 4, LinkEnd::source) == 1);
  const Ties all(8, Nodes{1, 1, 1}, Nodes{4, 5, 6}, Direction::undirected);
  CHECK(LinkCandidates(all, three).count(1, 4, LinkEnd::source) == 0);
  CHECK(LinkCandidates(all, three).count(1, 4, LinkEnd::target) == 3);
  CHECK_THROWS_AS(candidates.draw(0, 8, LinkEnd::source, {}), UsageError);
}

TEST_CASE("Draws depend on the seed, the tie and the end, and more draws keep the first", "[graph][link_candidates]") {
  const Ties ties = random_ties(200, 0.05, Direction::directed);
  const LinkCandidates candidates(ties);
  for (const CandidateWay way : kWays) {
    const auto draw = [&](LinkEnd kept, std::size_t count, std::uint64_t seed, std::uint64_t tie) {
      return candidates.draw(3, 4, kept, {.count = count, .way = way, .seed = seed, .tie = tie});
    };
    const Nodes first = draw(LinkEnd::source, 20, 1, 0);
    CHECK(first == draw(LinkEnd::source, 20, 1, 0));
    CHECK(first != draw(LinkEnd::source, 20, 2, 0));
    CHECK(first != draw(LinkEnd::source, 20, 1, 1));
    CHECK(first != draw(LinkEnd::target, 20, 1, 0));
    const Nodes more = draw(LinkEnd::source, 50, 1, 0);
    CHECK(std::equal(first.begin(), first.end(), more.begin()));
  }
}
