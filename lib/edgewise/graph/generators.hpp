#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "edgewise/graph/graph.hpp"

namespace edgewise::graph {

/// A made-up social network in which people talk one another into buying something.
struct PurchaseNetworkOptions {
  std::size_t nodes = 2000;
  double mean_degree = 8;       ///< Ties that a person starts, on average; a little fewer remain in small networks.
  std::size_t communities = 0;  ///< 0: the cube root of `nodes`.
  double homophily = 0.8;       ///< Share of ties drawn inside the own community.
  double tail_exponent = 2.5;   ///< Of the density of popularity, k^-exponent; above 2.
  double influence = 0.7;       ///< How much of the decision is the friends', 0 (nothing) to 1 (all).
  double buyers = 0.35;         ///< Share of people who buy.
  double missing = 0.05;        ///< Share of profiles without income; of those without a city it is half.
  double unlabelled = 0.2;      ///< Share of people of whom nobody knows whether they buy.
  std::uint64_t seed = 7;
};

inline constexpr std::uint8_t kNoCategory = 255;
std::span<const std::string_view> purchase_cities();
std::span<const std::string_view> purchase_plans();

/// Columns over people, rows of `ties` over ties. NaN, kNoCategory and -1 stand for "not known".
struct PurchaseNetwork {
  EdgeList ties;  ///< u -> v: u tells v. The weight is the number of contacts a month, a whole number from 1.
  std::vector<std::uint32_t> community;  ///< Hidden: not among the profile's attributes.
  std::vector<float> age;                ///< Years.
  std::vector<float> income;             ///< A year.
  std::vector<std::uint8_t> city;        ///< Index into purchase_cities().
  std::vector<std::uint8_t> plan;        ///< Index into purchase_plans().
  std::vector<std::int8_t> buys;         ///< 1 yes, 0 no, -1 not known.
};

/// Makes the network, in time and memory linear in people and ties, the same for any number of threads:
/// - Communities have sizes proportional to rank^-0.7, and each a taste, an age, a wealth and a home city of its own.
/// - Popularity is Pareto distributed (`tail_exponent`), at most sqrt(nodes). A person starts ties in proportion to the
///   root of their popularity, to people drawn in proportion to theirs, by Walker's alias method: in the own community
///   with probability `homophily`, anywhere otherwise. Ties inside a community are stronger (mean 8 contacts a month
///   against 3). Nobody is tied to themselves, nor twice to the same person.
/// - A hidden interest comes from the community's taste, age, income and chance; the profile shows it through the plan.
/// - Linear threshold model (Granovetter 1978): those with high interest buy early; the others hear of it in proportion
///   to the contacts. buys = (1 - influence) * interest + influence * (share of early buyers among the incoming
///   contacts, standardised) + noise above the threshold that makes `buyers` of the people buy.
/// So a person's own profile tells a part, and who talks to them, how often, and what those are like, the rest.
/// Throws UsageError that names the option when one is out of range.
PurchaseNetwork generate_purchase_network(const PurchaseNetworkOptions& options = {});

}  // namespace edgewise::graph
