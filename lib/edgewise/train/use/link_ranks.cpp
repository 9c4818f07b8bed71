#include "edgewise/train/use/link_ranks.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/graph/link_candidates.hpp"
#include "edgewise/train/inputs/absent_ties.hpp"
#include "edgewise/train/inputs/link_batches.hpp"
#include "edgewise/train/targets/link_metrics.hpp"
#include "edgewise/train/use/link_prediction.hpp"

namespace edgewise::train {
namespace {

using graph::LinkEnd;
using graph::Node;

constexpr std::size_t kPairsRanked = 1 << 18;

/// Scores pairs in large pieces, and turns those of each end of a tie into a rank.
class RankFinder {
 public:
  explicit RankFinder(LinkScorer scorer) : scorer_(std::move(scorer)) {}

  void add(Node source, Node target, LinkEnd kept, std::span<const Node> candidates) {
    if (candidates.empty()) return;
    pairs_.add(source, target);
    for (const Node other : candidates)
      kept == LinkEnd::source ? pairs_.add(source, other) : pairs_.add(other, target);
    sizes_.push_back(1 + candidates.size());
    if (pairs_.size() >= kPairsRanked) score();
  }

  std::vector<double> take() {
    score();
    return std::move(ranks_);
  }

 private:
  void score() {
    const std::vector<float> probabilities = scorer_.probabilities(pairs_);
    std::span<const float> left(probabilities);
    for (const std::size_t size : sizes_) {
      ranks_.push_back(*rank_among(left.front(), left.subspan(1, size - 1)));
      left = left.subspan(size);
    }
    pairs_ = {};
    sizes_.clear();
  }

  LinkScorer scorer_;
  NodePairs pairs_;
  std::vector<std::size_t> sizes_;
  std::vector<double> ranks_;
};

std::vector<bool> of_training(const data::Split& split) {
  std::vector<bool> is_seen;
  for (const data::Role role : split) is_seen.push_back(role == data::Role::train);
  return is_seen;
}

}  // namespace

std::vector<double> ranks_of_ties(ModelData& loaded, const data::Split& split, std::span<const Node> ties,
                                  const std::string& among, const NoteHook& note) {
  const LinkItems& links = *loaded.data.links;
  const graph::Ties known(loaded.data.graph.node_count(), links.sources, links.targets, links.direction);
  const graph::LinkCandidates others(known, links.sides);
  std::optional<graph::Ties> given;
  if (among != kAllNodes) given = read_absent_ties(among, loaded.data, known, note);
  const auto candidates = [&](Node source, Node target, LinkEnd kept) {
    if (!given) return others.all(source, target, kept);
    const auto there = kept == LinkEnd::source ? given->targets(source) : given->sources(target);
    return std::vector<Node>(there.begin(), there.end());
  };
  RankFinder finder(LinkScorer(loaded, of_training(split)));
  for (std::size_t i = 0; i < ties.size(); ++i) {
    report_step("ranking ties", static_cast<double>(i), static_cast<double>(ties.size()));
    check_interruption();
    const Node source = links.sources[ties[i]], target = links.targets[ties[i]];
    for (const LinkEnd kept : {LinkEnd::source, LinkEnd::target})
      finder.add(source, target, kept, candidates(source, target, kept));
  }
  std::vector<double> ranks = finder.take();
  if (ranks.empty())
    throw DataError(fmt::format("{}: no pair there shares an end with a tie that is to be ranked", among));
  if (given && ranks.size() < 2 * ties.size())
    note(fmt::format("{}: {} of {} ends have pairs there; the others are not ranked", among, ranks.size(),
                     2 * ties.size()));
  return ranks;
}

std::string describe_candidates(const std::string& among) {
  if (among.empty()) return fmt::format("{} drawn nodes", LinkOptions().candidates);
  return among == kAllNodes ? "all nodes without a tie there" : fmt::format("those in {}", among);
}

}  // namespace edgewise::train
