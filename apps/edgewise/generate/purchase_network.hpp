#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "edgewise/graph/graph.hpp"

namespace edgewise::app {

/// A synthetic social network in which people persuade one another to buy something.
struct PurchaseNetworkOptions {
  std::size_t nodes = 2000;
  double mean_degree = 8;       ///< Ties started per person, on average; small networks end up with slightly fewer.
  std::size_t communities = 0;  ///< 0: the cube root of `nodes`.
  double homophily = 0.8;       ///< Share of ties within a person's own community.
  double tail_exponent = 2.5;   ///< Exponent of the popularity density, k^-exponent; above 2.
  double influence = 0.7;       ///< Weight of the friends in the decision, from 0 (none) to 1 (all).
  double buyers = 0.35;         ///< Share of people who buy.
  double missing = 0.05;        ///< Share of profiles without income; half as many lack a city.
  double unlabelled = 0.2;      ///< Share of people whose purchase is unknown.
  std::uint64_t seed = 7;
};

inline constexpr std::uint8_t kNoCategory = 255;
std::span<const std::string_view> purchase_cities();
std::span<const std::string_view> purchase_plans();

/// One entry per person, or per tie in `ties`. NaN, kNoCategory and -1 mean "not known".
struct PurchaseNetwork {
  graph::EdgeList ties;  ///< u -> v: u tells v. The weight is the number of contacts per month, an integer >= 1.
  std::vector<std::uint32_t> community;  ///< Hidden: not part of the profile.
  std::vector<float> age;                ///< Years.
  std::vector<float> income;             ///< Per year.
  std::vector<std::uint8_t> city;        ///< Index into purchase_cities().
  std::vector<std::uint8_t> plan;        ///< Index into purchase_plans().
  std::vector<std::int8_t> buys;         ///< 1 yes, 0 no, -1 not known.
};

/// Generates the network, in time and memory linear in people and ties. The result does not depend on the number of
/// threads.
/// - Community sizes are proportional to rank^-0.7. Each community has its own taste, age, wealth and home city.
/// - Popularity is Pareto distributed (`tail_exponent`), at most sqrt(nodes). The number of ties a person starts is
///   proportional to the square root of their popularity. Targets are drawn in proportion to popularity with Walker's
///   alias method: from the same community with probability `homophily`, from anywhere otherwise. Ties within a
///   community are stronger (8 contacts per month on average, against 3). There are no self loops and no repeated ties.
/// - A hidden interest combines the community's taste, age, income and chance; the plan in the profile reveals part of
///   it.
/// - Linear threshold model (Granovetter 1978): people with high interest buy early; the others hear about it in
///   proportion to their contacts. buys = (1 - influence) * interest + influence * (share of early buyers among the
///   incoming contacts, standardised) + noise, thresholded so that a share `buyers` of the people buys.
///
/// A person's own profile therefore explains part of the outcome. The rest depends on who talks to them, how often, and
/// what those people are like. Throws UsageError naming the option that is out of range.
PurchaseNetwork generate_purchase_network(const PurchaseNetworkOptions& options = {});

}  // namespace edgewise::app
