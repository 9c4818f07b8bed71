#include "edgewise/data/leave_one_out.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using data::Role;
using Nodes = std::vector<graph::Node>;

namespace {

constexpr std::size_t kAll = 1'000;

using RoleCounts = std::map<Role, std::size_t>;

/// How many ties of each part a node has.
std::map<graph::Node, RoleCounts> counts_of(const data::OwnedTies& ties, const data::Split& split) {
  std::map<graph::Node, RoleCounts> counts;
  for (std::size_t tie = 0; tie < split.size(); ++tie) {
    ++counts[ties.owners[tie]][split[tie]];
    if (!ties.other_owners.empty()) ++counts[ties.other_owners[tie]][split[tie]];
  }
  return counts;
}

}  // namespace

TEST_CASE("each node holds out one tie to test and one to validate", "[data][leave_one_out]") {
  // Node 0 has one tie, 1 has two, 2 has three, 4 has four.
  const Nodes owners = {4, 2, 1, 0, 4, 2, 4, 1, 2, 4};
  const data::OwnedTies ties{.owners = owners, .most = kAll};
  const std::map<graph::Node, RoleCounts> expected = {{0, {{Role::train, 1}}},
                                                      {1, {{Role::train, 1}, {Role::test, 1}}},
                                                      {2, {{Role::train, 1}, {Role::validation, 1}, {Role::test, 1}}},
                                                      {4, {{Role::train, 2}, {Role::validation, 1}, {Role::test, 1}}}};
  std::vector<data::Split> drawn;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    drawn.push_back(data::leave_one_out_split(ties, seed));
    CHECK(counts_of(ties, drawn.back()) == expected);
  }
  CHECK(data::leave_one_out_split(ties, 3) == drawn[3]);
  std::ranges::sort(drawn);
  CHECK(std::ranges::unique(drawn).size() < 12);  // seeds differ
}

TEST_CASE("with times each node holds out its latest ties", "[data][leave_one_out]") {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const Nodes owners = {0, 0, 0, 0, 1, 1, 1, 2, 2};
  const std::vector<double> times = {3, 9, 1, 5, -1, -3, -2, unknown, 7};
  using enum data::Role;
  const data::Split expected = {data::Role::train, test, data::Role::train, validation,       test,
                                data::Role::train, validation, none,        data::Role::train};
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    CHECK(data::leave_one_out_split({.owners = owners, .times = times, .most = kAll}, seed) == expected);
}

TEST_CASE("a tie of two nodes is the one that both hold out", "[data][leave_one_out]") {
  Random random(5, Stream::generate);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Nodes sources, targets;
    std::vector<double> times;
    for (graph::Node u = 0; u < 12; ++u)
      for (graph::Node v = 0; v < u; ++v) {
        if (random.uniform() > 0.3) continue;
        sources.push_back(u);
        targets.push_back(v);
        times.push_back(static_cast<double>(random.below(5)));
      }
    const data::OwnedTies ties{.owners = sources,
                               .other_owners = targets,
                               .times = seed % 2 == 0 ? std::span<const double>() : times,
                               .most = kAll};
    const data::Split split = data::leave_one_out_split(ties, seed);
    std::map<graph::Node, RoleCounts> counts = counts_of(ties, split);
    for (auto& [node, of_role] : counts) {
      CHECK(of_role[Role::train] >= 1);
      CHECK(of_role[Role::test] <= 1);
      CHECK(of_role[Role::validation] <= 1);
    }
    // No further tie could have been held out to test.
    for (std::size_t tie = 0; tie < split.size(); ++tie) {
      const auto is_open = [&](graph::Node node) {
        return counts[node][Role::test] == 0 && counts[node][Role::train] > 1;
      };
      CHECK_FALSE((split[tie] == Role::train && is_open(sources[tie]) && is_open(targets[tie])));
    }
  }
}

TEST_CASE("only so many nodes hold out a tie", "[data][leave_one_out]") {
  Nodes owners;
  for (graph::Node node = 0; node < 50; ++node) owners.insert(owners.end(), 4, node);
  const data::Split split = data::leave_one_out_split({.owners = owners, .most = 7}, 1);
  CHECK(std::ranges::count(split, Role::test) == 7);
  CHECK(std::ranges::count(split, Role::validation) == 7);
  CHECK(std::ranges::count(split, Role::train) == 186);
}

TEST_CASE("nothing is held out where each node would lose its only tie", "[data][leave_one_out]") {
  const Nodes star = {0, 0, 0, 0}, leaves = {1, 2, 3, 4};
  CHECK_THROWS_WITH(data::leave_one_out_split({.owners = star, .other_owners = leaves, .most = kAll}, 0),
                    Contains("no tie can be held out"));
  CHECK_THROWS_AS(data::leave_one_out_split({.owners = leaves, .most = kAll}, 0), DataError);
  CHECK_THROWS_AS(data::leave_one_out_split({.owners = {}, .most = kAll}, 0), DataError);
  CHECK(std::ranges::count(data::leave_one_out_split({.owners = star, .most = kAll}, 0), Role::test) == 1);
}
