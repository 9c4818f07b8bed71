#include "edgewise/graph/link_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "edgewise/core/parallel.hpp"

namespace edgewise::graph {
namespace {

constexpr double kKatzDecay = 0.05;
constexpr double kRestart = 0.15;

/// What may stay unpushed at a node, per neighbour: all nodes together push at most 1.4e8 times.
double unpushed(const Ties& ties) { return std::max(1e-5, 5e-8 * static_cast<double>(ties.node_count())); }

double katz(const PairFacts& pair) {
  return kKatzDecay * ((pair.has_tie ? 1 : 0) + kKatzDecay * (pair.common + kKatzDecay * pair.walks));
}
double jaccard(const PairFacts& pair) {
  const double either = pair.smaller_degree + pair.larger_degree - pair.common;
  return either > 0 ? pair.common / either : 0;
}
/// Divides by the roots of the degrees of both ends.
double normalised(const PairFacts& pair, double walks) {
  return walks > 0 ? walks / std::sqrt(pair.smaller_degree * pair.larger_degree) : 0;
}

/// Divides by the root of the degree of one end.
double shared_out(double walks, double degree) { return walks > 0 ? walks / std::sqrt(degree) : 0; }

using Pair = const PairFacts&;
constexpr LinkNumber kLinkNumbers[] = {
    {"common_neighbours", "The number of neighbours that both have", [](Pair p) { return p.common; },
     LinkUse::one_side},
    {"adamic_adar", "The sum of 1 / log(degree) over the neighbours that both have",
     [](Pair p) { return p.adamic_adar; }, LinkUse::one_side},
    {"resource_allocation", "The sum of 1 / degree over the neighbours that both have",
     [](Pair p) { return p.resource; }, LinkUse::one_side},
    {"jaccard", "The share of the neighbours of either that both have", jaccard, LinkUse::one_side},
    {"preferential_attachment", "log(1 + product of the degrees)",
     [](Pair p) { return std::log1p(p.smaller_degree * p.larger_degree); }},
    {.name = "katz",
     .doc = "0.05 A + 0.05^2 A^2 + 0.05^3 A^3: walks of up to three steps",
     .of = katz,
     .needs_walks = true},
    {"two_steps", "The square of D^-1/2 A D^-1/2", [](Pair p) { return normalised(p, p.resource); }, LinkUse::one_side},
    {.name = "three_steps",
     .doc = "The third power of D^-1/2 A D^-1/2",
     .of = [](Pair p) { return normalised(p, p.carried); },
     .needs_walks = true},
    {"smaller_degree", "log(1 + degree) of the end with fewer neighbours",
     [](Pair p) { return std::log1p(p.smaller_degree); }},
    {"larger_degree", "log(1 + degree) of the end with more neighbours",
     [](Pair p) { return std::log1p(p.larger_degree); }},
    {.name = "smaller_neighbour_degree",
     .doc = "log(1 + mean degree of the neighbours) of the end where it is smaller",
     .of = [](Pair p) { return std::log1p(p.smaller_neighbour_degree); },
     .use = LinkUse::one_side,
     .needs_surroundings = true},
    {.name = "larger_neighbour_degree",
     .doc = "log(1 + mean degree of the neighbours) of the other end",
     .of = [](Pair p) { return std::log1p(p.larger_neighbour_degree); },
     .use = LinkUse::one_side,
     .needs_surroundings = true},
    {.name = "smaller_visits",
     .doc = "The sum of 1 / degree over the neighbours, of the end where it is smaller: where a random step leads",
     .of = [](Pair p) { return p.smaller_visits; },
     .use = LinkUse::one_side,
     .needs_surroundings = true},
    {.name = "larger_visits",
     .doc = "The sum of 1 / degree over the neighbours, of the other end",
     .of = [](Pair p) { return p.larger_visits; },
     .use = LinkUse::one_side,
     .needs_surroundings = true},
    {"reverse_tie", "1 if there is a tie from the target to the source",
     [](Pair p) { return p.has_reverse ? 1.0 : 0.0; }, LinkUse::directed},
    {"source_degree", "log(1 + degree) of the source", [](Pair p) { return std::log1p(p.source_degree); },
     LinkUse::two_sides},
    {"target_degree", "log(1 + degree) of the target", [](Pair p) { return std::log1p(p.target_degree); },
     LinkUse::two_sides},
    {.name = "nearest_targets",
     .doc = "The cosines of the target's neighbours with those of the source's targets, summed",
     .of = [](Pair p) { return shared_out(p.beside_source, p.target_degree); },
     .use = LinkUse::two_sides,
     .needs_walks = true},
    {.name = "nearest_sources",
     .doc = "The cosines of the source's neighbours with those of the target's sources, summed",
     .of = [](Pair p) { return shared_out(p.beside_target, p.source_degree); },
     .use = LinkUse::two_sides,
     .needs_walks = true},
    {.name = "personalised_pagerank",
     .doc = "Where random walks that return to one end with probability 0.15 find the other end, summed over both",
     .of = [](Pair p) { return p.pagerank; },
     .needs_pagerank = true},
};

/// By node.
struct InverseDegrees {
  std::vector<double> whole, roots;
  double of_neighbours = 0;  ///< The mean degree of a neighbour.

  explicit InverseDegrees(const Ties& ties) {
    double sum = 0, squares = 0;
    for (Node node = 0; node < ties.node_count(); ++node) {
      const auto degree = static_cast<double>(ties.degree(node));
      whole.push_back(1 / degree);
      roots.push_back(std::sqrt(whole.back()));
      sum += degree;
      squares += degree * degree;
    }
    if (sum > 0) of_neighbours = squares / sum;
  }
};

/// The neighbours of an end, without the tie that the pair lacks: the others keep their degrees.
struct Surroundings {
  double mean_degree = 0, visits = 0;

  Surroundings(const Ties& ties, const InverseDegrees& inverse, Node end, Node other, bool lacks_tie) {
    double degrees = 0, count = 0;
    for (const Node neighbour : ties.neighbours(end)) {
      if (lacks_tie && neighbour == other) continue;
      degrees += static_cast<double>(ties.degree(neighbour));
      visits += inverse.whole[neighbour];
      ++count;
    }
    if (count > 0) mean_degree = degrees / count;
  }
};

void add_surroundings(const Ties& ties, const InverseDegrees& inverse, const AnchoredPair& pair, PairFacts& facts) {
  const Surroundings one(ties, inverse, pair.anchor, pair.other, pair.lacks_tie);
  const Surroundings other(ties, inverse, pair.other, pair.anchor, pair.lacks_tie);
  std::tie(facts.smaller_neighbour_degree, facts.larger_neighbour_degree) =
      std::minmax(one.mean_degree, other.mean_degree);
  std::tie(facts.smaller_visits, facts.larger_visits) = std::minmax(one.visits, other.visits);
}

/// What a node between two others adds.
struct Step {
  double whole, adamic_adar, root;

  Step(const Ties& ties, const InverseDegrees& inverse, Node middle)
      : whole(inverse.whole[middle]),
        // Only a walk back to where it started passes a node of degree 1.
        adamic_adar(1 / std::log(std::max(2.0, static_cast<double>(ties.degree(middle))))),
        root(inverse.roots[middle]) {}
};

/// What leads from one node to another over one node between.
struct Between {
  double resource = 0;
  double adamic_adar = 0;
  double roots = 0;  ///< The sum of 1 / (root of the degree) over the nodes between.
  std::uint32_t common = 0;

  void add(const Step& step) {
    ++common;
    resource += step.whole;
    adamic_adar += step.adamic_adar;
    roots += step.root;
  }
};

/// `Between` from one node to another: the neighbours of both.
Between between(const Ties& ties, const InverseDegrees& inverse, Node one, Node other) {
  Between sum;
  const std::span<const Node> a = ties.neighbours(one), b = ties.neighbours(other);
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) sum.add(Step(ties, inverse, a[i]));
    const bool is_behind = a[i] <= b[j], is_ahead = b[j] <= a[i];
    i += is_behind ? 1 : 0;
    j += is_ahead ? 1 : 0;
  }
  return sum;
}

/// `Between` from one node to all others, with the same bits. Starting again costs only the nodes that were reached.
class TwoStepRow {
 public:
  TwoStepRow(const Ties& ties, const InverseDegrees& inverse)
      : ties_(ties), inverse_(inverse), to_(ties.node_count()) {}

  void start(Node from) {
    for (const Node node : reached_) to_[node] = {};
    reached_.clear();
    for (const Node middle : ties_.neighbours(from)) {
      const Step step(ties_, inverse_, middle);
      for (const Node node : ties_.neighbours(middle)) {
        if (to_[node].common == 0) reached_.push_back(node);
        to_[node].add(step);
      }
    }
  }
  const Between& to(Node node) const { return to_[node]; }

 private:
  const Ties& ties_;
  const InverseDegrees& inverse_;
  std::vector<Between> to_;
  std::vector<Node> reached_;
};

/// Personalised PageRank of one node by local pushes, in a network that may lack one tie.
class PushedRank {
 public:
  explicit PushedRank(const Ties& ties)
      : ties_(ties), unpushed_(unpushed(ties)), ranks_(ties.node_count()), rests_(ties.node_count()) {}

  /// Without the tie to `missing`, unless that is `from` itself.
  void start(Node from, Node missing) {
    if (!reached_.empty() && from == from_ && missing == missing_) return;
    for (const Node node : reached_) ranks_[node] = rests_[node] = 0;
    reached_.clear();
    from_ = from;
    missing_ = missing;
    add(from, 1);
    while (!due_.empty()) {
      const Node node = due_.front();
      due_.pop_front();
      push(node);
    }
  }
  double of(Node node) const { return ranks_[node]; }

 private:
  bool is_missing(Node a, Node b) const {
    return from_ != missing_ && ((a == from_ && b == missing_) || (a == missing_ && b == from_));
  }
  double degree(Node node) const {
    const bool lacks_one = from_ != missing_ && (node == from_ || node == missing_);
    return static_cast<double>(ties_.degree(node) - (lacks_one ? 1 : 0));
  }
  /// A node is due once its rest reaches the limit, until it is pushed.
  void add(Node node, double rest) {
    if (rests_[node] == 0 && ranks_[node] == 0) reached_.push_back(node);
    const double limit = unpushed_ * degree(node);
    if (rests_[node] < limit && rests_[node] + rest >= limit) due_.push_back(node);
    rests_[node] += rest;
  }
  void push(Node node) {
    const double rest = rests_[node];
    ranks_[node] += kRestart * rest;
    rests_[node] = 0;
    const double share = (1 - kRestart) * rest / degree(node);
    for (const Node neighbour : ties_.neighbours(node))
      if (!is_missing(node, neighbour)) add(neighbour, share);
  }

  const Ties& ties_;
  double unpushed_;
  std::vector<double> ranks_, rests_;
  std::vector<Node> reached_;
  std::deque<Node> due_;
  Node from_ = 0, missing_ = 0;
};

/// The facts of pairs, quickly if many with the same anchor follow each other. They do not depend on what follows.
class PairReader {
 public:
  PairReader(const Ties& ties, const InverseDegrees& inverse, bool needs_pagerank, bool needs_walks)
      : ties_(ties), inverse_(inverse) {
    if (needs_walks) row_.emplace(ties, inverse);
    if (needs_pagerank) rank_.emplace(ties);
  }

  /// The next pairs, all with one anchor.
  void start(std::span<const AnchoredPair> pairs) {
    anchor_ = pairs.front().anchor;
    is_row_started_ = row_ && is_row_cheaper(pairs);
    if (is_row_started_) row_->start(anchor_);
  }

  PairFacts facts(const AnchoredPair& pair) {
    const Between between = to(pair.other);
    PairFacts facts{.has_tie = pair.has_tie,
                    .smaller_degree = degree(pair.other, pair),
                    .larger_degree = degree(pair.anchor, pair),
                    .common = static_cast<double>(between.common),
                    .resource = between.resource,
                    .adamic_adar = between.adamic_adar};
    if (row_) add_walks(pair, facts);
    if (rank_) facts.pagerank = pagerank(pair, facts);
    return facts;
  }

 private:
  /// Than to intersect the neighbours of the anchor with those of each neighbour of the others. A row is written in no
  /// order, which takes several times as long for each entry.
  bool is_row_cheaper(std::span<const AnchoredPair> pairs) const {
    constexpr double kScattered = 4;
    const auto of_anchor = static_cast<double>(ties_.degree(anchor_));
    double lists = 0;
    for (const AnchoredPair& pair : pairs) lists += 1 + static_cast<double>(ties_.degree(pair.other));
    return lists * (of_anchor + inverse_.of_neighbours) > kScattered * of_anchor * inverse_.of_neighbours;
  }

  /// From the anchor.
  Between to(Node node) const {
    return is_row_started_ ? row_->to(node) : graph::between(ties_, inverse_, anchor_, node);
  }

  double degree(Node node, const AnchoredPair& pair) const {
    return static_cast<double>(ties_.degree(node) - (pair.lacks_tie ? 1 : 0));
  }

  void add_walks(const AnchoredPair& pair, PairFacts& facts) const {
    if (pair.lacks_tie) return add_walks_without_tie(pair, facts);
    for (const Node last : ties_.neighbours(pair.other)) {
      const Between before = to(last);
      facts.walks += before.common;
      facts.carried += before.resource * inverse_.whole[last];
      facts.beside_source += before.roots;
      facts.beside_target += before.common * inverse_.roots[last];
    }
  }
  /// Each neighbour of the other end is reached over the other end itself, in a way that is not there without the tie.
  void add_walks_without_tie(const AnchoredPair& pair, PairFacts& facts) const {
    for (const Node last : ties_.neighbours(pair.other)) {
      const Between before = to(last);
      if (last == pair.anchor || before.common < 2) continue;
      facts.walks += before.common - 1;
      facts.carried += (before.resource - inverse_.whole[pair.other]) * inverse_.whole[last];
      facts.beside_source += before.roots - inverse_.roots[pair.other];
      facts.beside_target += (before.common - 1) * inverse_.roots[last];
    }
  }

  /// In an undirected network the ranks of two nodes for each other are as their degrees, so one tells the other.
  double pagerank(const AnchoredPair& pair, const PairFacts& facts) {
    if (facts.smaller_degree == 0) return 0;
    rank_->start(pair.anchor, pair.lacks_tie ? pair.other : pair.anchor);
    return rank_->of(pair.other) * (1 + facts.larger_degree / facts.smaller_degree);
  }

  const Ties& ties_;
  const InverseDegrees& inverse_;
  std::optional<TwoStepRow> row_;
  std::optional<PushedRank> rank_;
  Node anchor_ = 0;
  bool is_row_started_ = false;
};

/// Readers for pieces of work that follow each other, since each reader holds numbers of all nodes.
class ReaderPool {
 public:
  ReaderPool(const Ties& ties, const InverseDegrees& inverse, bool needs_pagerank, bool needs_walks)
      : ties_(ties), inverse_(inverse), needs_pagerank_(needs_pagerank), needs_walks_(needs_walks) {}

  std::unique_ptr<PairReader> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<PairReader>(ties_, inverse_, needs_pagerank_, needs_walks_);
    std::unique_ptr<PairReader> reader = std::move(free_.back());
    free_.pop_back();
    return reader;
  }
  void give_back(std::unique_ptr<PairReader> reader) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(reader));
  }

 private:
  const Ties& ties_;
  const InverseDegrees& inverse_;
  bool needs_pagerank_, needs_walks_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PairReader>> free_;
};

/// Tells source from target in what was found beginning at the anchor.
void face_source(const AnchoredPair& pair, Node source, PairFacts& facts) {
  const bool is_anchor = pair.anchor == source;
  facts.source_degree = is_anchor ? facts.larger_degree : facts.smaller_degree;
  facts.target_degree = is_anchor ? facts.smaller_degree : facts.larger_degree;
  if (!is_anchor) std::swap(facts.beside_source, facts.beside_target);
}

}  // namespace

std::span<const LinkNumber> all_link_numbers() { return kLinkNumbers; }

std::vector<LinkNumber> link_numbers_of(Direction direction, bool has_two_sides) {
  const LinkUse refused = has_two_sides ? LinkUse::one_side : LinkUse::two_sides;
  std::vector<LinkNumber> numbers;
  std::ranges::copy_if(kLinkNumbers, std::back_inserter(numbers), [&](const LinkNumber& number) {
    return number.use != refused && (number.use != LinkUse::directed || direction == Direction::directed);
  });
  return numbers;
}

Matrix link_numbers(const Ties& ties, std::span<const Node> sources, std::span<const Node> targets,
                    std::span<const LinkNumber> numbers, OwnTie own_tie) {
  const std::vector<AnchoredPair> pairs = anchored_pairs(ties, sources, targets, own_tie);
  const InverseDegrees inverse(ties);
  const bool needs_pagerank = std::ranges::any_of(numbers, &LinkNumber::needs_pagerank);
  const bool is_directed = ties.direction() == Direction::directed;
  const bool needs_walks = std::ranges::any_of(numbers, &LinkNumber::needs_walks);
  const bool needs_surroundings = std::ranges::any_of(numbers, &LinkNumber::needs_surroundings);
  ReaderPool readers(ties, inverse, needs_pagerank, needs_walks);
  Matrix result(static_cast<Eigen::Index>(pairs.size()), static_cast<Eigen::Index>(numbers.size()));
  parallel_for(pairs.size(), anchored_grain(pairs.size()), [&](std::size_t begin, std::size_t end) {
    std::unique_ptr<PairReader> reader = readers.take();
    for (std::size_t i = begin, last = begin; i < end; ++i) {
      const AnchoredPair& pair = pairs[i];
      if (i == last) {
        while (last < end && pairs[last].anchor == pair.anchor) ++last;
        reader->start(std::span(pairs).subspan(i, last - i));
      }
      PairFacts facts = reader->facts(pair);
      facts.has_reverse = is_directed && ties.contains(targets[pair.row], sources[pair.row]);
      face_source(pair, sources[pair.row], facts);
      if (needs_surroundings) add_surroundings(ties, inverse, pair, facts);
      float* const row = result.row(static_cast<Eigen::Index>(pair.row)).data();
      for (std::size_t k = 0; k < numbers.size(); ++k) row[k] = static_cast<float>(numbers[k].of(facts));
    }
    readers.give_back(std::move(reader));
  });
  return result;
}

}  // namespace edgewise::graph
