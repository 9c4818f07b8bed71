#include "generate/purchase_network.hpp"

#include <catch2/catch.hpp>
#include <algorithm>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"

using namespace edgewise;
using namespace edgewise::app;
using graph::EdgeList;

TEST_CASE("purchase network has the documented properties", "[apps][generate]") {
  const PurchaseNetworkOptions options{.nodes = 3000};
  const PurchaseNetwork network = generate_purchase_network(options);
  const EdgeList& ties = network.ties;
  REQUIRE(ties.size() > 3000 * 6);
  REQUIRE(ties.size() <= 3000 * 9);
  REQUIRE(ties.targets.size() == ties.size());
  REQUIRE(ties.weights.size() == ties.size());

  std::size_t inside = 0;
  std::vector<std::size_t> popularity(3000, 0);
  double near = 0, far = 0;
  for (std::size_t e = 0; e < ties.size(); ++e) {
    CHECK(ties.sources[e] != ties.targets[e]);
    CHECK(ties.weights[e] >= 1);
    CHECK(ties.weights[e] == std::floor(ties.weights[e]));
    ++popularity[ties.targets[e]];
    const bool is_inside = network.community[ties.sources[e]] == network.community[ties.targets[e]];
    inside += is_inside;
    (is_inside ? near : far) += ties.weights[e];
  }
  const auto share = static_cast<double>(inside) / static_cast<double>(ties.size());
  CHECK(share > 0.75);
  CHECK(share < 0.92);
  CHECK(near / static_cast<double>(inside) > 2 * far / static_cast<double>(ties.size() - inside));
  CHECK(*std::max_element(popularity.begin(), popularity.end()) > 8 * 8);  // a heavy tail

  const auto buyers = std::count(network.buys.begin(), network.buys.end(), 1);
  const auto known = 3000 - std::count(network.buys.begin(), network.buys.end(), -1);
  CHECK(static_cast<double>(buyers) / static_cast<double>(known) == Approx(0.35).margin(0.03));
  CHECK(static_cast<double>(known) / 3000 == Approx(0.8).margin(0.03));
  const auto unknown_income =
      std::count_if(network.income.begin(), network.income.end(), [](float income) { return std::isnan(income); });
  CHECK(static_cast<double>(unknown_income) / 3000 == Approx(0.05).margin(0.02));
  for (const std::uint8_t city : network.city) CHECK((city == kNoCategory || city < purchase_cities().size()));
  for (const std::uint8_t plan : network.plan) CHECK(plan < purchase_plans().size());

  // No tie is repeated.
  CHECK_NOTHROW(
      graph::Graph(graph::NodeNames::numbered(3000), ties,
                   {.direction = graph::Direction::directed, .duplicates = graph::DuplicateEdges::refuse}));
}

TEST_CASE("neighbours tell whether people buy", "[apps][generate]") {
  const PurchaseNetwork network = generate_purchase_network({.nodes = 4000, .unlabelled = 0});
  std::vector<double> vote(4000, 0);
  for (std::size_t e = 0; e < network.ties.size(); ++e)
    vote[network.ties.targets[e]] +=
        static_cast<double>(network.ties.weights[e]) * (network.buys[network.ties.sources[e]] == 1 ? 1 : -1);
  std::size_t right = 0;
  for (std::size_t i = 0; i < 4000; ++i) right += (vote[i] > 0) == (network.buys[i] == 1);
  CHECK(static_cast<double>(right) / 4000 > 0.75);  // always answering "no" gives 0.65
}

TEST_CASE("purchase network depends on the seed only", "[apps][generate]") {
  const auto same = [](const PurchaseNetwork& a, const PurchaseNetwork& b) {
    return a.ties.sources == b.ties.sources && a.ties.targets == b.ties.targets && a.ties.weights == b.ties.weights &&
           a.age == b.age && a.city == b.city && a.plan == b.plan && a.buys == b.buys;
  };
  const PurchaseNetworkOptions options{.nodes = 10000, .mean_degree = 3};
  const int before = threads();
  set_threads(1);
  const PurchaseNetwork one = generate_purchase_network(options);
  set_threads(3);
  CHECK(same(one, generate_purchase_network(options)));
  set_threads(before);
  CHECK_FALSE(same(one, generate_purchase_network({.nodes = 10000, .mean_degree = 3, .seed = 8})));
}

TEST_CASE("purchase network takes the limits of its options", "[apps][generate]") {
  CHECK(generate_purchase_network({.nodes = 2, .mean_degree = 0}).ties.size() == 0);
  CHECK(generate_purchase_network({.nodes = 2, .mean_degree = 1.9}).ties.size() <= 2);
  CHECK(generate_purchase_network({.nodes = 50, .communities = 50}).community.size() == 50);
  CHECK(generate_purchase_network({.nodes = 50, .communities = 1, .homophily = 0}).community.back() == 0);
  const PurchaseNetwork nobody = generate_purchase_network({.nodes = 50, .influence = 1, .buyers = 0});
  CHECK(std::count(nobody.buys.begin(), nobody.buys.end(), 1) == 0);
  const PurchaseNetwork everybody =
      generate_purchase_network({.nodes = 50, .influence = 0, .buyers = 1, .unlabelled = 0});
  CHECK(std::count(everybody.buys.begin(), everybody.buys.end(), 1) == 50);

  CHECK_THROWS_WITH(generate_purchase_network({.nodes = 1}), Catch::Matchers::Contains("nodes: expected from 2"));
  CHECK_THROWS_AS(generate_purchase_network({.nodes = 10, .mean_degree = 10}), UsageError);
  CHECK_THROWS_AS(generate_purchase_network({.mean_degree = std::nan("")}), UsageError);
  CHECK_THROWS_AS(generate_purchase_network({.nodes = 10, .communities = 11}), UsageError);
  CHECK_THROWS_AS(generate_purchase_network({.homophily = 1.1}), UsageError);
  CHECK_THROWS_AS(generate_purchase_network({.tail_exponent = 2}), UsageError);
  CHECK_THROWS_AS(generate_purchase_network({.missing = -0.1}), UsageError);
}
