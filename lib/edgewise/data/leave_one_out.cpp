#include "edgewise/data/leave_one_out.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::data {
namespace {

/// Those that can have a role, in the order in which a node gives them away.
std::vector<graph::Node> order_of_ties(const OwnedTies& ties, Random& random) {
  std::vector<graph::Node> order(ties.owners.size());
  std::iota(order.begin(), order.end(), graph::Node{0});
  shuffle(std::span(order), random);
  if (ties.times.empty()) return order;
  std::erase_if(order, [&](graph::Node tie) { return std::isnan(ties.times[tie]); });
  std::ranges::stable_sort(order, std::ranges::greater(), [&](graph::Node tie) { return ties.times[tie]; });
  return order;
}

/// The split while ties are taken from the training part.
class HeldOutTies {
 public:
  HeldOutTies(const OwnedTies& ties, Random& random) : ties_(ties), split_(ties.owners.size(), Role::none) {
    for (const graph::Node tie : order_of_ties(ties, random)) {
      split_[tie] = Role::train;
      for_owners(tie, [&](graph::Node node) {
        if (node >= ties_of_.size()) ties_of_.resize(node + 1);
        ties_of_[node].push_back(tie);
      });
    }
    for (const std::vector<graph::Node>& own : ties_of_) left_.push_back(own.size());
    nodes_.resize(ties_of_.size());
    std::iota(nodes_.begin(), nodes_.end(), graph::Node{0});
    shuffle(std::span(nodes_), random);
  }

  /// Each node gives one tie to this part; the number of these ties.
  std::size_t give(Role role) {
    std::vector<bool> has_given(nodes_.size());
    const auto can_give = [&](graph::Node node) { return !has_given[node] && left_[node] > 1; };
    std::size_t given = 0;
    for (const graph::Node node : nodes_) {
      if (given == ties_.most) break;
      if (!can_give(node)) continue;
      const auto tie = std::ranges::find_if(ties_of_[node], [&](graph::Node own) {
        bool is_free = split_[own] == Role::train;
        for_owners(own, [&](graph::Node owner) { is_free = is_free && can_give(owner); });
        return is_free;
      });
      if (tie == ties_of_[node].end()) continue;
      split_[*tie] = role;
      for_owners(*tie, [&](graph::Node owner) {
        has_given[owner] = true;
        --left_[owner];
      });
      ++given;
    }
    return given;
  }

  Split take() { return std::move(split_); }

 private:
  template <class Visit>
  void for_owners(graph::Node tie, Visit visit) const {
    visit(ties_.owners[tie]);
    if (!ties_.other_owners.empty()) visit(ties_.other_owners[tie]);
  }

  const OwnedTies& ties_;
  Split split_;
  std::vector<std::vector<graph::Node>> ties_of_;  ///< Of each node, in their order.
  std::vector<std::size_t> left_;                  ///< In training, of each node.
  std::vector<graph::Node> nodes_;                 ///< In the order in which they give.
};

}  // namespace

Split leave_one_out_split(const OwnedTies& ties, std::uint64_t seed) {
  Random random(seed, Stream::split);
  HeldOutTies held_out(ties, random);
  if (held_out.give(Role::test) == 0)
    throw DataError("split: no tie can be held out, because each is the only tie of a node");
  held_out.give(Role::validation);
  return held_out.take();
}

}  // namespace edgewise::data
