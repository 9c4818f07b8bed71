#include "edgewise/train/use/link_suggestions.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kNodesAtOnce = 256;
constexpr std::size_t kMostNodesForProducts = 200'000;  // beyond, products of all pairs of rows take hours
constexpr std::size_t kJudgedTies = 1000;

/// Finds the nodes that may be suggested to one. Not thread-safe: it holds a number for each node.
class CandidateSearch {
 public:
  CandidateSearch(const graph::Ties& ties, std::size_t count)
      : ties_(ties), count_(count), scores_(ties.node_count(), 0) {}

  /// Nodes in two steps from `node`, at most `count` of them: those of the largest sum of 1 / degree over the nodes
  /// between, the first of equal ones. `but` is not taken for a neighbour.
  std::vector<graph::Node> in_two_steps(graph::Node node, graph::Node but) {
    std::vector<graph::Node> reached;
    for (const graph::Node between : ties_.neighbours(node)) {
      if (between == but) continue;
      const float share = 1.0F / static_cast<float>(ties_.degree(between));
      for (const graph::Node other : ties_.neighbours(between)) {
        if (other == node) continue;
        if (scores_[other] == 0) reached.push_back(other);
        scores_[other] += share;
      }
    }
    const auto score = [&](graph::Node other) { return scores_[other]; };
    const std::vector<graph::Node> best = largest(node, but, reached, score);
    for (const graph::Node other : reached) scores_[other] = 0;
    return best;
  }

  /// Nodes of the largest products, one for each node.
  std::vector<graph::Node> by_products(graph::Node node, graph::Node but, const float* products) {
    std::vector<graph::Node> all(ties_.node_count());
    std::iota(all.begin(), all.end(), graph::Node{0});
    return largest(node, but, std::move(all), [&](graph::Node other) { return products[other]; });
  }

 private:
  template <class Score>
  std::vector<graph::Node> largest(graph::Node node, graph::Node but, std::vector<graph::Node> nodes,
                                   const Score& score) {
    std::erase_if(nodes, [&](graph::Node other) {
      return other == node || (other != but && ties_.contains(node, other));
    });
    const auto is_before = [&](graph::Node a, graph::Node b) {
      return score(a) != score(b) ? score(a) > score(b) : a < b;
    };
    const std::size_t kept = std::min(count_, nodes.size());
    std::ranges::partial_sort(nodes, nodes.begin() + static_cast<std::ptrdiff_t>(kept), is_before);
    nodes.resize(kept);
    return nodes;
  }

  const graph::Ties& ties_;
  std::size_t count_;
  std::vector<float> scores_;
};

constexpr graph::Node kNone = std::numeric_limits<graph::Node>::max();

/// For each of some nodes those to look at, ascending. `left_out` names for each a neighbour that is taken for none, or
/// is empty.
std::vector<std::vector<graph::Node>> candidates_of(const graph::Ties& ties, const Matrix& rows,
                                                    std::span<const graph::Node> nodes,
                                                    std::span<const graph::Node> left_out, std::size_t count) {
  const bool has_products = rows.cols() > 0 && ties.node_count() <= kMostNodesForProducts;
  Matrix products;
  if (has_products) {
    const Matrix own = rows(std::vector<graph::Node>(nodes.begin(), nodes.end()), Eigen::all);
    products.noalias() = own * rows.transpose();
  }
  std::vector<std::vector<graph::Node>> found(nodes.size());
  constexpr std::size_t kChunk = 32;
  parallel_for(nodes.size(), kChunk, [&](std::size_t begin, std::size_t end) {
    CandidateSearch search(ties, count);
    for (std::size_t i = begin; i < end; ++i) {
      const graph::Node but = left_out.empty() ? kNone : left_out[i];
      found[i] = search.in_two_steps(nodes[i], but);
      if (has_products)
        std::ranges::copy(search.by_products(nodes[i], but, products.data() + i * ties.node_count()),
                          std::back_inserter(found[i]));
      std::ranges::sort(found[i]);
      const auto repeated = std::ranges::unique(found[i]);
      found[i].erase(repeated.begin(), repeated.end());
    }
  });
  return found;
}

/// The share of known ties whose target would be looked at for their source if the tie were not there.
void judge_candidates(LinkScorer& scorer, const SuggestionOptions& options, Suggestions& result) {
  const graph::Ties& ties = scorer.ties();
  std::vector<graph::Node> sources, targets;
  Random random(1, Stream::generate);
  for (std::size_t tries = 0; tries < 20 * kJudgedTies && sources.size() < kJudgedTies; ++tries) {
    const auto source = static_cast<graph::Node>(random.below(ties.node_count()));
    const std::span<const graph::Node> others = ties.targets(source);
    if (others.empty()) continue;
    sources.push_back(source);
    targets.push_back(others[random.below(others.size())]);
  }
  std::size_t found = 0;
  for (std::size_t begin = 0; begin < sources.size(); begin += kNodesAtOnce) {
    const std::size_t count = std::min(kNodesAtOnce, sources.size() - begin);
    const auto candidates = candidates_of(ties, scorer.embeddings(), std::span(sources).subspan(begin, count),
                                          std::span(targets).subspan(begin, count), options.candidates);
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
  std::vector<graph::Node> nodes = options.nodes;
  if (nodes.empty()) {
    nodes.resize(ties.node_count());
    std::iota(nodes.begin(), nodes.end(), graph::Node{0});
  }
  Suggestions result;
  result.are_all_looked_at = ties.node_count() <= 2 * options.candidates;
  result.recall = std::numeric_limits<double>::quiet_NaN();
  const std::size_t count = result.are_all_looked_at ? ties.node_count() : options.candidates;
  const Matrix all = result.are_all_looked_at ? Matrix(Matrix::Zero(static_cast<Eigen::Index>(ties.node_count()), 1))
                                              : scorer.embeddings();
  for (std::size_t begin = 0; begin < nodes.size(); begin += kNodesAtOnce) {
    check_interruption();
    const std::size_t size = std::min(kNodesAtOnce, nodes.size() - begin);
    const std::span<const graph::Node> some = std::span(nodes).subspan(begin, size);
    const auto candidates = candidates_of(ties, all, some, {}, count);
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
  if (!result.are_all_looked_at) judge_candidates(scorer, options, result);
  return result;
}

}  // namespace edgewise::train
