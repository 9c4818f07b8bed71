#include "generate/purchase_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::app {
namespace {

using graph::EdgeList;
using graph::Node;

constexpr std::array<std::string_view, 12> kCities = {"Arles", "Bergen", "Cork",  "Delft",  "Evora", "Faro",
                                                      "Genoa", "Hanko",  "Izmir", "Jaca",   "Kotor", "Lugo"};
constexpr std::array<std::string_view, 3> kPlans = {"basic", "family", "plus"};
enum Plan : std::uint8_t { basic, family, plus };

constexpr std::size_t kPeoplePerPiece = 4096;  // of parallel work

/// Purposes of random numbers; each purpose has its own sequence for each person.
enum Purpose : std::uint64_t { kMembership, kCommunity, kTies, kProfile, kDecision };

struct Community {
  double taste;
  double age;
  double wealth;
  std::uint8_t home;
};

struct Membership {
  std::vector<std::uint32_t> community;  // per person
  std::vector<Node> members;             // people by community
  std::vector<std::size_t> offsets;      // of each community, into `members`
};

void check(const PurchaseNetworkOptions& o) {
  const auto share = [](const char* name, double value) {
    if (!(value >= 0 && value <= 1))
      throw UsageError(fmt::format("purchases: {}: expected a share from 0 to 1, got {}", name, value));
  };
  share("homophily", o.homophily);
  share("influence", o.influence);
  share("buyers", o.buyers);
  share("missing", o.missing);
  share("unlabelled", o.unlabelled);
  if (o.nodes < 2 || o.nodes >= std::numeric_limits<Node>::max())
    throw UsageError(fmt::format("purchases: nodes: expected from 2 to 2^32 - 2, got {}", o.nodes));
  if (!(o.mean_degree >= 0 && o.mean_degree < static_cast<double>(o.nodes)))
    throw UsageError(
        fmt::format("purchases: mean_degree: expected from 0 to below {}, got {}", o.nodes, o.mean_degree));
  if (!(o.tail_exponent > 2 && o.tail_exponent <= 100))
    throw UsageError(fmt::format("purchases: tail_exponent: expected above 2, up to 100, got {}", o.tail_exponent));
  if (o.communities > o.nodes)
    throw UsageError(fmt::format("purchases: communities: expected at most {}, got {}", o.nodes, o.communities));
}

std::size_t pick(const std::vector<double>& cumulative, double uniform) {
  const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), uniform * cumulative.back());
  return std::min(static_cast<std::size_t>(found - cumulative.begin()), cumulative.size() - 1);
}

Membership assign(const PurchaseNetworkOptions& options, std::size_t communities) {
  std::vector<double> cumulative(communities);
  double sum = 0;
  for (std::size_t c = 0; c < communities; ++c)
    cumulative[c] = sum += std::pow(static_cast<double>(c + 1), -0.7);
  Membership result;
  result.community.resize(options.nodes);
  parallel_for(options.nodes, kPeoplePerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      result.community[i] = static_cast<std::uint32_t>(
          pick(cumulative, Random(options.seed, Stream::generate, kMembership, i).uniform()));
  });
  result.offsets.assign(communities + 1, 0);
  for (const std::uint32_t c : result.community) ++result.offsets[c + 1];
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  result.members.resize(options.nodes);
  std::vector<std::size_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t i = 0; i < options.nodes; ++i) result.members[next[result.community[i]]++] = static_cast<Node>(i);
  return result;
}

std::vector<Community> make_communities(std::size_t count, std::uint64_t seed) {
  std::vector<Community> communities;
  for (std::size_t c = 0; c < count; ++c) {
    Random random(seed, Stream::generate, kCommunity, c);
    const double taste = random.normal();
    const double age = random.uniform(24, 58);
    const double wealth = 0.3 * random.normal();
    communities.push_back({taste, age, wealth, static_cast<std::uint8_t>(random.below(kCities.size()))});
  }
  return communities;
}

/// Walker's alias method: draws a member of a community in proportion to popularity in constant time (Walker 1977,
/// built as in Vose 1991).
class PopularityDraw {
 public:
  PopularityDraw(const Membership& membership, const std::vector<float>& popularity)
      : membership_(membership), keep_(popularity.size()), other_(popularity.size()) {
    double sum = 0;
    for (std::size_t c = 0; c + 1 < membership.offsets.size(); ++c) {
      sum += build(membership.offsets[c], membership.offsets[c + 1], popularity);
      cumulative_.push_back(sum);
    }
  }

  Node from(std::size_t community, Random& random) const {
    const std::size_t begin = membership_.offsets[community];
    const std::size_t place = begin + random.below(membership_.offsets[community + 1] - begin);
    return membership_.members[random.uniform() < keep_[place] ? place : other_[place]];
  }
  Node from_all(Random& random) const { return from(pick(cumulative_, random.uniform()), random); }

 private:
  double build(std::size_t begin, std::size_t end, const std::vector<float>& popularity) {
    const auto weight = [&](std::size_t place) { return double{popularity[membership_.members[place]]}; };
    double sum = 0;
    for (std::size_t place = begin; place < end; ++place) sum += weight(place);
    std::vector<std::size_t> small, large;
    for (std::size_t place = begin; place < end; ++place) {
      keep_[place] = static_cast<float>(weight(place) * static_cast<double>(end - begin) / sum);
      other_[place] = static_cast<Node>(place);
      (keep_[place] < 1 ? small : large).push_back(place);
    }
    while (!small.empty() && !large.empty()) {
      const std::size_t poor = small.back(), rich = large.back();
      small.pop_back();
      other_[poor] = static_cast<Node>(rich);
      keep_[rich] -= 1 - keep_[poor];
      if (keep_[rich] >= 1) continue;
      large.pop_back();
      small.push_back(rich);
    }
    for (const std::size_t place : small) keep_[place] = 1;  // left over by rounding
    return sum;
  }

  const Membership& membership_;
  std::vector<float> keep_;
  std::vector<Node> other_;
  std::vector<double> cumulative_;
};

std::vector<float> draw_popularity(const PurchaseNetworkOptions& options) {
  std::vector<float> popularity(options.nodes);
  const double most = std::sqrt(static_cast<double>(options.nodes));
  parallel_for(options.nodes, kPeoplePerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double u = Random(options.seed, Stream::generate, kTies, i).uniform();
      popularity[i] = static_cast<float>(std::min(most, std::pow(1 - u, -1 / (options.tail_exponent - 1))));
    }
  });
  return popularity;
}

struct Piece {
  std::vector<Node> sources, targets;
  std::vector<float> weights;
};

void start_ties(Node person, const PurchaseNetworkOptions& options, double expected, const Membership& membership,
                const PopularityDraw& draw, std::vector<Node>& targets, Piece& piece) {
  Random random(options.seed, Stream::generate, kTies, person);
  random.uniform();  // this draw was used for the popularity
  const auto wanted = static_cast<std::size_t>(expected + random.uniform());
  targets.clear();
  for (std::size_t i = 0; i < wanted; ++i)
    for (int attempt = 0; attempt < 4; ++attempt) {
      const Node target = random.uniform() < options.homophily ? draw.from(membership.community[person], random)
                                                               : draw.from_all(random);
      if (target == person) continue;
      targets.push_back(target);
      break;
    }
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  for (const Node target : targets) {
    const double mean = membership.community[person] == membership.community[target] ? 8 : 3;
    piece.sources.push_back(person);
    piece.targets.push_back(target);
    piece.weights.push_back(static_cast<float>(1 + std::floor(-(mean - 0.5) * std::log(1 - random.uniform()))));
  }
}

EdgeList draw_ties(const PurchaseNetworkOptions& options, const Membership& membership) {
  const std::vector<float> popularity = draw_popularity(options);
  const PopularityDraw draw(membership, popularity);
  double activity = 0;
  for (const float value : popularity) activity += std::sqrt(double{value});
  const double scale = options.mean_degree * static_cast<double>(options.nodes) / activity;

  std::vector<Piece> pieces((options.nodes + kPeoplePerPiece - 1) / kPeoplePerPiece);
  parallel_for(options.nodes, kPeoplePerPiece, [&](std::size_t begin, std::size_t end) {
    std::vector<Node> targets;
    for (std::size_t i = begin; i < end; ++i)
      start_ties(static_cast<Node>(i), options, scale * std::sqrt(double{popularity[i]}), membership, draw, targets,
                 pieces[begin / kPeoplePerPiece]);
  });
  EdgeList ties;
  std::size_t count = 0;
  for (const Piece& piece : pieces) count += piece.sources.size();
  ties.sources.reserve(count);
  ties.targets.reserve(count);
  ties.weights.reserve(count);
  for (Piece& piece : pieces) {
    ties.sources.insert(ties.sources.end(), piece.sources.begin(), piece.sources.end());
    ties.targets.insert(ties.targets.end(), piece.targets.begin(), piece.targets.end());
    ties.weights.insert(ties.weights.end(), piece.weights.begin(), piece.weights.end());
    piece = {};
  }
  return ties;
}

/// Fills in a person's profile and returns the hidden interest.
double draw_profile(std::size_t i, const PurchaseNetworkOptions& options, const Community& community,
                    PurchaseNetwork& network) {
  Random random(options.seed, Stream::generate, kProfile, i);
  const double age = std::clamp(std::round(community.age + 9 * random.normal()), 16.0, 90.0);
  const double log_income = 10.3 + community.wealth + 0.01 * (age - 40) + 0.4 * random.normal();
  const double interest = 0.8 * community.taste - 0.35 * (age - 40) / 15 + 0.35 * (log_income - 10.3) / 0.5 +
                          0.5 * random.normal();
  network.age[i] = static_cast<float>(age);
  network.income[i] = static_cast<float>(100 * std::round(std::exp(log_income) / 100));
  network.city[i] = random.uniform() < 0.6 ? community.home : static_cast<std::uint8_t>(random.below(kCities.size()));
  const bool is_keen = random.uniform() < 1 / (1 + std::exp(-1.2 * interest));
  network.plan[i] = is_keen ? plus : random.uniform() < 0.02 * (age - 16) ? family : basic;
  if (random.uniform() < options.missing) network.income[i] = std::numeric_limits<float>::quiet_NaN();
  if (random.uniform() < options.missing / 2) network.city[i] = kNoCategory;
  return interest;
}

void standardise(std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / count);
  for (double& value : values) value = deviation > 0 ? (value - mean) / deviation : 0;
}

/// Per person: the share of early buyers among the incoming contacts, 0 if there are none.
std::vector<double> shares_of_early_buyers(const EdgeList& ties, const std::vector<bool>& is_early) {
  std::vector<double> shares(is_early.size(), 0), contacts(is_early.size(), 0);
  for (std::size_t e = 0; e < ties.size(); ++e) {
    contacts[ties.targets[e]] += ties.weights[e];
    if (is_early[ties.sources[e]]) shares[ties.targets[e]] += ties.weights[e];
  }
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = contacts[i] > 0 ? shares[i] / contacts[i] : 0;
  return shares;
}

void decide(const PurchaseNetworkOptions& options, std::vector<double> interest, PurchaseNetwork& network) {
  standardise(interest);
  std::vector<bool> is_early(options.nodes);
  std::vector<double> chance(options.nodes);
  std::vector<bool> is_known(options.nodes);
  for (std::size_t i = 0; i < options.nodes; ++i) {
    Random random(options.seed, Stream::generate, kDecision, i);
    is_early[i] = interest[i] + 0.3 * random.normal() > 0.4;
    chance[i] = 0.25 * random.normal();
    is_known[i] = random.uniform() >= options.unlabelled;
  }
  std::vector<double> shares = shares_of_early_buyers(network.ties, is_early);
  standardise(shares);
  std::vector<double> score(options.nodes);
  for (std::size_t i = 0; i < options.nodes; ++i)
    score[i] = (1 - options.influence) * interest[i] + options.influence * shares[i] + chance[i];
  std::vector<double> sorted = score;
  const double refusers = (1 - options.buyers) * static_cast<double>(options.nodes);
  const auto first_buyer = static_cast<std::size_t>(std::llround(refusers));
  double threshold = std::numeric_limits<double>::infinity();
  if (first_buyer < options.nodes) {
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(first_buyer), sorted.end());
    threshold = sorted[first_buyer];
  }
  network.buys.resize(options.nodes);
  for (std::size_t i = 0; i < options.nodes; ++i)
    network.buys[i] = !is_known[i] ? std::int8_t{-1} : static_cast<std::int8_t>(score[i] >= threshold);
}

}  // namespace

std::span<const std::string_view> purchase_cities() { return kCities; }
std::span<const std::string_view> purchase_plans() { return kPlans; }

PurchaseNetwork generate_purchase_network(const PurchaseNetworkOptions& options) {
  check(options);
  const std::size_t count = options.communities > 0
                                ? options.communities
                                : static_cast<std::size_t>(std::cbrt(static_cast<double>(options.nodes)) + 0.5);
  Membership membership = assign(options, count);
  const std::vector<Community> communities = make_communities(count, options.seed);
  PurchaseNetwork network;
  network.ties = draw_ties(options, membership);
  network.age.resize(options.nodes);
  network.income.resize(options.nodes);
  network.city.resize(options.nodes);
  network.plan.resize(options.nodes);
  std::vector<double> interest(options.nodes);
  parallel_for(options.nodes, kPeoplePerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      interest[i] = draw_profile(i, options, communities[membership.community[i]], network);
  });
  decide(options, std::move(interest), network);
  network.community = std::move(membership.community);
  return network;
}

}  // namespace edgewise::app
