#include "edgewise/train/use/link_suggestions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/link_candidates.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kNodesAtOnce = 4096;
constexpr std::size_t kNodesWithProducts = 256;  // of each with all nodes
constexpr std::size_t kMostNodesForProducts = 200'000;  // beyond, products of all pairs of rows take hours
constexpr std::size_t kJudgedTies = 1000;

/// Where suggestions are looked for.
struct SearchedNetwork {
  const graph::Ties& ties;
  std::vector<graph::Node> targets;  ///< All that can be suggested, those of the largest degree first.
  bool has_two_sides = false;
  const Matrix& rows;      ///< Of the nodes, to take those with the largest products; no columns: do not.
  std::size_t count = 0;   ///< How many to find in each way.

  bool has_products() const { return rows.cols() > 0 && ties.node_count() <= kMostNodesForProducts; }
  std::size_t nodes_at_once() const { return has_products() ? kNodesWithProducts : kNodesAtOnce; }
};

/// Finds the nodes that may be suggested to one. Not thread-safe: it holds a number for each node.
class CandidateSearch {
 public:
  explicit CandidateSearch(const SearchedNetwork& network)
      : network_(network), ties_(network.ties), scores_(network.ties.node_count(), 0) {}

  /// Nodes in few steps from `node`, and between two sides popular ones. `but` is not taken for a neighbour.
  std::vector<graph::Node> nearby(graph::Node node, graph::Node but) {
    if (!network_.has_two_sides) return in_two_steps(node, but);
    std::vector<graph::Node> found = in_three_steps(node, but);
    const std::size_t popular = std::min(network_.count, network_.targets.size());
    std::ranges::copy_if(std::span(network_.targets).first(popular), std::back_inserter(found),
                         [&](graph::Node other) { return other == but || !ties_.contains(node, other); });
    return found;
  }

  /// Nodes of the largest products, one for each node.
  std::vector<graph::Node> by_products(graph::Node node, graph::Node but, const float* products) {
    return largest(node, but, network_.targets, [&](graph::Node other) { return products[other]; });
  }

 private:
  /// Nodes in two steps from `node`: those of the largest sum of 1 / degree over the nodes between, the first of equal
  /// ones. `shares`, if set, receives these sums.
  std::vector<graph::Node> in_two_steps(graph::Node node, graph::Node but, std::vector<float>* shares = nullptr) {
    return reached(node, but, shares, [&](const auto& reach) {
      for (const graph::Node between : ties_.neighbours(node)) {
        if (between == but) continue;
        const float share = 1.0F / static_cast<float>(ties_.degree(between));
        for (const graph::Node other : ties_.neighbours(between))
          if (other != node) reach(other, share);
      }
    });
  }

  /// What those in two steps have ties with: the largest sums of their sums, each over the root of the degree.
  std::vector<graph::Node> in_three_steps(graph::Node node, graph::Node but) {
    std::vector<float> shares;
    const std::vector<graph::Node> alike = in_two_steps(node, but, &shares);
    return reached(node, but, nullptr, [&](const auto& reach) {
      for (std::size_t i = 0; i < alike.size(); ++i)
        for (const graph::Node other : ties_.neighbours(alike[i]))
          reach(other, shares[i] / std::sqrt(static_cast<float>(ties_.degree(alike[i]))));
    });
  }

  /// The largest of what `walk` reaches: it calls reach(node, share).
  template <class Walk>
  std::vector<graph::Node> reached(graph::Node node, graph::Node but, std::vector<float>* shares, const Walk& walk) {
    std::vector<graph::Node> found;
    walk([&](graph::Node other, float share) {
      if (scores_[other] == 0) found.push_back(other);
      scores_[other] += share;
    });
    const std::vector<graph::Node> best =
        largest(node, but, found, [&](graph::Node other) { return scores_[other]; });
    if (shares != nullptr)
      for (const graph::Node other : best) shares->push_back(scores_[other]);
    for (const graph::Node other : found) scores_[other] = 0;
    return best;
  }

  template <class Score>
  std::vector<graph::Node> largest(graph::Node node, graph::Node but, std::vector<graph::Node> nodes,
                                   const Score& score) {
    std::erase_if(nodes, [&](graph::Node other) {
      return other == node || (other != but && ties_.contains(node, other));
    });
    const auto is_before = [&](graph::Node a, graph::Node b) {
      return score(a) != score(b) ? score(a) > score(b) : a < b;
    };
    const std::size_t kept = std::min(network_.count, nodes.size());
    std::ranges::partial_sort(nodes, nodes.begin() + static_cast<std::ptrdiff_t>(kept), is_before);
    nodes.resize(kept);
    return nodes;
  }

  const SearchedNetwork& network_;
  const graph::Ties& ties_;
  std::vector<float> scores_;
};

/// Nodes at one end of ties.
std::vector<graph::Node> nodes_at(const LinkScorer& scorer, graph::LinkEnd end) {
  const LinkItems& links = scorer.links();
  const bool are_targets = links.has_two_sides && end == graph::LinkEnd::target;
  std::vector<graph::Node> nodes;
  for (graph::Node node = 0; node < scorer.ties().node_count(); ++node)
    if (links.sides.empty() || links.sides[node] == (are_targets ? graph::kTargetSide : graph::kSourceSide))
      nodes.push_back(node);
  return nodes;
}

constexpr graph::Node kNone = std::numeric_limits<graph::Node>::max();

/// For each of some nodes those to look at, ascending. `left_out` names for each a neighbour that is taken for none, or
/// is empty.
std::vector<std::vector<graph::Node>> candidates_of(const SearchedNetwork& network, std::span<const graph::Node> nodes,
                                                    std::span<const graph::Node> left_out) {
  const bool has_products = network.has_products();
  Matrix products;
  if (has_products) {
    const Matrix own = network.rows(std::vector<graph::Node>(nodes.begin(), nodes.end()), Eigen::all);
    products.noalias() = own * network.rows.transpose();
  }
  std::vector<std::vector<graph::Node>> found(nodes.size());
  const std::size_t grain = std::max<std::size_t>(32, nodes.size() / 16);
  parallel_for(nodes.size(), grain, [&](std::size_t begin, std::size_t end) {
    CandidateSearch search(network);
    for (std::size_t i = begin; i < end; ++i) {
      const graph::Node but = left_out.empty() ? kNone : left_out[i];
      found[i] = search.nearby(nodes[i], but);
      if (has_products)
        std::ranges::copy(search.by_products(nodes[i], but, products.data() + i * network.ties.node_count()),
                          std::back_inserter(found[i]));
      std::ranges::sort(found[i]);
      const auto repeated = std::ranges::unique(found[i]);
      found[i].erase(repeated.begin(), repeated.end());
    }
  });
  return found;
}

/// The share of known ties whose target would be looked at for their source if the tie were not there.
void judge_candidates(const SearchedNetwork& network, std::span<const graph::Node> from, Suggestions& result) {
  const graph::Ties& ties = network.ties;
  std::vector<graph::Node> sources, targets;
  Random random(1, Stream::generate);
  for (std::size_t tries = 0; tries < 20 * kJudgedTies && sources.size() < kJudgedTies; ++tries) {
    const graph::Node source = from[random.below(from.size())];
    const std::span<const graph::Node> others = ties.targets(source);
    if (others.empty()) continue;
    sources.push_back(source);
    targets.push_back(others[random.below(others.size())]);
  }
  std::size_t found = 0;
  for (std::size_t begin = 0; begin < sources.size(); begin += network.nodes_at_once()) {
    const std::size_t count = std::min(network.nodes_at_once(), sources.size() - begin);
    const auto candidates = candidates_of(network, std::span(sources).subspan(begin, count),
                                          std::span(targets).subspan(begin, count));
    for (std::size_t i = 0; i < count; ++i)
      found += std::ranges::binary_search(candidates[i], targets[begin + i]) ? 1 : 0;
  }
  result.judged = sources.size();
  result.recall = sources.empty() ? std::numeric_limits<double>::quiet_NaN()
                                  : static_cast<double>(found) / static_cast<double>(sources.size());
}

/// Appends the likeliest of the candidates of a node.
void add_best(const NodePairs& pairs, std::span<const float> probabilities, std::size_t begin, std::size_t end,
              std::size_t top, LinkTable& table) {
  std::vector<std::size_t> order(end - begin);
  std::iota(order.begin(), order.end(), begin);
  const std::size_t kept = std::min(top, order.size());
  const auto is_before = [&](std::size_t a, std::size_t b) {
    return probabilities[a] != probabilities[b] ? probabilities[a] > probabilities[b] : a < b;
  };
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(kept), is_before);
  for (std::size_t rank = 0; rank < kept; ++rank) {
    table.pairs.add(pairs, order[rank]);
    table.probabilities.push_back(probabilities[order[rank]]);
    table.ranks.push_back(rank + 1);
    table.are_known.push_back(false);
  }
}

}  // namespace

Suggestions suggest_links(LinkScorer& scorer, const SuggestionOptions& options) {
  const graph::Ties& ties = scorer.ties();
  const std::vector<graph::Node> sources = nodes_at(scorer, graph::LinkEnd::source);
  const std::vector<graph::Node>& nodes = options.nodes.empty() ? sources : options.nodes;
  std::vector<graph::Node> targets = nodes_at(scorer, graph::LinkEnd::target);
  std::ranges::stable_sort(targets, std::ranges::greater(), [&](graph::Node node) { return ties.degree(node); });
  for (const graph::Node node : nodes)
    if (!scorer.links().sides.empty() && scorer.links().sides[node] != graph::kSourceSide)
      throw UsageError(fmt::format("nodes_to_predict: \"{}\" is not one of the nodes that ties lead from",
                                   scorer.names()[node]));
  Suggestions result;
  result.are_all_looked_at = targets.size() <= 2 * options.candidates;
  result.recall = std::numeric_limits<double>::quiet_NaN();
  const std::size_t count = result.are_all_looked_at ? targets.size() : options.candidates;
  const Matrix all = result.are_all_looked_at ? Matrix(Matrix::Zero(static_cast<Eigen::Index>(ties.node_count()), 1))
                                              : scorer.embeddings();
  const SearchedNetwork network{.ties = ties,
                                .targets = std::move(targets),
                                .has_two_sides = scorer.links().has_two_sides,
                                .rows = all,
                                .count = count};
  for (std::size_t begin = 0; begin < nodes.size(); begin += network.nodes_at_once()) {
    report_step("suggesting", static_cast<double>(begin), static_cast<double>(nodes.size()));
    check_interruption();
    const std::size_t size = std::min(network.nodes_at_once(), nodes.size() - begin);
    const std::span<const graph::Node> some = std::span(nodes).subspan(begin, size);
    const auto candidates = candidates_of(network, some, {});
    NodePairs pairs;
    std::vector<std::size_t> ends = {0};
    for (std::size_t i = 0; i < some.size(); ++i) {
      for (const graph::Node other : candidates[i]) pairs.add(some[i], other);
      ends.push_back(pairs.size());
    }
    const std::vector<float> probabilities = scorer.probabilities(pairs);
    for (std::size_t i = 0; i < some.size(); ++i)
      add_best(pairs, probabilities, ends[i], ends[i + 1], options.top, result.table);
  }
  if (!result.are_all_looked_at) judge_candidates(network, sources, result);
  return result;
}

}  // namespace edgewise::train
