#include "edgewise/graph/anchored_pairs.hpp"

#include <numeric>

#include "edgewise/core/check.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::graph {
namespace {

constexpr std::size_t kPairsOfChunk = 1 << 14;

Node anchor_of(const Ties& ties, Node u, Node v) {
  const std::size_t of_u = ties.degree(u), of_v = ties.degree(v);
  if (of_u == of_v) return std::min(u, v);
  return of_u > of_v ? u : v;
}

AnchoredPair anchored(const Ties& ties, std::size_t row, Node source, Node target, OwnTie own_tie) {
  const Node anchor = anchor_of(ties, source, target);
  const bool has_own = ties.contains(source, target);
  const bool has_reverse = ties.direction() == Direction::directed && ties.contains(target, source);
  const bool lacks_tie = own_tie == OwnTie::omit && has_own && !has_reverse;
  return {.row = row,
          .anchor = anchor,
          .other = anchor == source ? target : source,
          .lacks_tie = lacks_tie,
          .has_tie = (has_own || has_reverse) && !lacks_tie};
}

}  // namespace

std::vector<AnchoredPair> anchored_pairs(const Ties& ties, std::span<const Node> sources, std::span<const Node> targets,
                                         OwnTie own_tie) {
  check_count("pairs of nodes", "targets", targets.size(), sources.size());
  check_indices("pairs of nodes", "sources", sources, ties.node_count());
  check_indices("pairs of nodes", "targets", targets, ties.node_count());
  std::vector<std::size_t> next(ties.node_count() + 1);
  for (std::size_t i = 0; i < sources.size(); ++i) ++next[anchor_of(ties, sources[i], targets[i]) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::size_t> rows(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) rows[next[anchor_of(ties, sources[i], targets[i])]++] = i;
  std::vector<AnchoredPair> pairs(sources.size());
  parallel_for(pairs.size(), kPairsOfChunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      pairs[i] = anchored(ties, rows[i], sources[rows[i]], targets[rows[i]], own_tie);
  });
  return pairs;
}

}  // namespace edgewise::graph
