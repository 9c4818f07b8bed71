#include "edgewise/data/splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::data {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::vector<graph::Node> shuffled_labelled(const Labels& labels, std::uint64_t seed) {
  std::vector<graph::Node> nodes = labelled_nodes(labels);
  Random random(seed, Stream::split);
  shuffle(std::span(nodes), random);
  return nodes;
}

/// Groups the nodes by class, keeping their order within each.
void group_by_class(std::vector<graph::Node>& nodes, const Labels& labels) {
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](graph::Node a, graph::Node b) { return labels.classes[a] < labels.classes[b]; });
}

void require_classes(const Labels& labels, std::string_view what) {
  if (!labels.has_classes())
    throw UsageError(fmt::format("a {} split needs one class per node; use a random split", what));
}

void check(const SplitShares& shares) {
  for (const double share : {shares.train, shares.validation, shares.test})
    if (!(share >= 0 && share <= 1))
      throw UsageError(fmt::format("split: expected shares from 0 to 1, got {}", share));
  const double sum = shares.train + shares.validation + shares.test;
  if (sum > 1 + 1e-9) throw UsageError(fmt::format("split: the shares add up to {}, more than 1", sum));
}

void require_train(const Split& split) {
  if (std::find(split.begin(), split.end(), Role::train) == split.end())
    throw DataError("split: nothing is left to train on");
}

/// Assigns roles along `nodes` so that each part ends at its cumulative share. If there are enough nodes, a part that
/// rounding leaves without one takes it from those in no part, or else from the largest.
void give_shares(std::span<const graph::Node> nodes, const SplitShares& shares, Split& split) {
  struct Part {
    Role role;
    double share;
    std::size_t taken = 0;
  };
  std::array<Part, 3> parts = {
      {{Role::train, shares.train}, {Role::validation, shares.validation}, {Role::test, shares.test}}};
  double up_to = 0;
  std::size_t taken = 0;
  for (Part& part : parts) {
    up_to += part.share;
    part.taken = static_cast<std::size_t>(std::llround(up_to * static_cast<double>(nodes.size()))) - taken;
    taken += part.taken;
  }
  const auto is_asked_for = [](const Part& part) { return part.share > 0; };
  if (nodes.size() >= static_cast<std::size_t>(std::ranges::count_if(parts, is_asked_for)))
    for (Part& part : parts) {
      if (part.taken > 0 || !is_asked_for(part)) continue;
      if (taken < nodes.size())
        ++taken;
      else
        --std::ranges::max_element(parts, {}, &Part::taken)->taken;
      ++part.taken;
    }
  auto node = nodes.begin();
  for (const Part& part : parts)
    for (std::size_t i = 0; i < part.taken; ++i) split[*node++] = part.role;
}

/// Rows that stay together, ascending; groups are in the order of their first rows.
using Groups = std::vector<std::vector<graph::Node>>;

Groups scaffold_groups(std::span<const std::string> scaffolds, const Labels& labels) {
  if (scaffolds.size() != labels.item_count())
    throw DataError(fmt::format("scaffold split: {} scaffolds for {} rows", scaffolds.size(), labels.item_count()));
  Groups groups;
  std::unordered_map<std::string_view, std::size_t> index;
  for (const graph::Node row : labelled_nodes(labels)) {
    const auto [place, is_new] = index.emplace(scaffolds[row], groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(row);
  }
  return groups;
}

std::size_t row_count(const Groups& groups) {
  std::size_t count = 0;
  for (const std::vector<graph::Node>& group : groups) count += group.size();
  return count;
}

bool is_whole(const SplitShares& shares) { return shares.train + shares.validation + shares.test > 1 - 1e-9; }

/// A part of a stratified split: how many nodes of a class it takes, and how much rounding owes it so far.
struct ClassPart {
  Role role;
  double share;
  std::size_t taken = 0;
  double owed = 0;
};

/// Determines how many of the `count` nodes of a class each part takes. Rounding errors are carried over to the next
/// class so that the totals come out right, but a class with at least one node per part is in every part.
void divide_class(std::size_t count, bool is_whole, std::span<ClassPart> parts) {
  std::size_t left = count;
  const auto take = [&](ClassPart& part, std::size_t taken) {
    part.taken += taken;
    part.owed -= static_cast<double>(taken);
    left -= taken;
  };
  for (ClassPart& part : parts) {
    part.taken = 0;
    part.owed += part.share * static_cast<double>(count);
    take(part, std::min(left, static_cast<std::size_t>(std::max(0.0, std::floor(part.owed + 0.5)))));
  }
  while (is_whole && left > 0) take(*std::ranges::max_element(parts, {}, &ClassPart::owed), 1);
  const auto is_asked_for = [](const ClassPart& part) { return part.share > 0; };
  if (count < static_cast<std::size_t>(std::ranges::count_if(parts, is_asked_for))) return;
  for (ClassPart& part : parts) {
    if (part.taken > 0 || !is_asked_for(part)) continue;
    if (left == 0) {
      ClassPart& largest = *std::ranges::max_element(parts, {}, &ClassPart::taken);
      --largest.taken;
      ++largest.owed;
      ++left;
    }
    take(part, 1);
  }
}

/// Capacity of a part, and rows assigned so far.
struct SplitPart {
  Role role;
  double capacity;
  std::size_t taken = 0;
};

/// The last part takes everything that remains, unless the shares add up to less than 1.
double test_capacity(const SplitShares& shares, double count) {
  return is_whole(shares) ? std::numeric_limits<double>::infinity() : shares.test * count;
}

void give(std::span<const graph::Node> nodes, Role role, Split& split) {
  for (const graph::Node node : nodes) {
    if (node >= split.size())
      throw DataError(fmt::format("split: node {}, but there are {} nodes", node, split.size()));
    if (split[node] != Role::none && split[node] != role)
      throw DataError(fmt::format("split: node {} is in the {} and in the {} part", node, role_name(split[node]),
                                  role_name(role)));
    split[node] = role;
  }
}

}  // namespace

std::string_view role_name(Role role) {
  switch (role) {
    case Role::train: return "train";
    case Role::validation: return "validation";
    case Role::test: return "test";
    case Role::none: break;
  }
  return "none";
}

std::optional<Role> parse_role(std::string_view text) {
  constexpr std::pair<std::string_view, Role> kWords[] = {
      {"", Role::none},          {"training", Role::train}, {"val", Role::validation},  {"valid", Role::validation},
      {"dev", Role::validation}, {"testing", Role::test},   {"development", Role::validation},
      {"holdout", Role::test},   {"hold-out", Role::test},  {"hold_out", Role::test}};
  std::string lower = lower_case(text);
  for (const std::string_view ending : {" set", "_set", "-set", "set"})  // "Training set"
    if (lower.size() > ending.size() && lower.ends_with(ending)) lower.erase(lower.size() - ending.size());
  for (const auto& [word, role] : kWords)
    if (lower == word) return role;
  for (const Role role : {Role::none, Role::train, Role::validation, Role::test})
    if (lower == role_name(role)) return role;
  return is_evaluation_part(text) ? std::optional(Role::test) : std::nullopt;
}

bool is_evaluation_part(std::string_view text) {
  const std::string lower = lower_case(text);
  return lower == "eval" || lower == "evaluation";
}

std::vector<graph::Node> nodes_with_role(const Split& split, Role role) {
  std::vector<graph::Node> nodes;
  for (std::size_t node = 0; node < split.size(); ++node)
    if (split[node] == role) nodes.push_back(static_cast<graph::Node>(node));
  return nodes;
}

std::vector<graph::Node> labelled_nodes(const Labels& labels) {
  std::vector<graph::Node> nodes;
  for (std::size_t node = 0; node < labels.item_count(); ++node)
    if (labels.is_known(static_cast<graph::Node>(node))) nodes.push_back(static_cast<graph::Node>(node));
  return nodes;
}

Split random_split(const Labels& labels, const SplitShares& shares, std::uint64_t seed) {
  check(shares);
  Split split(labels.item_count(), Role::none);
  give_shares(shuffled_labelled(labels, seed), shares, split);
  require_train(split);
  return split;
}

Split stratified_split(const Labels& labels, const SplitShares& shares, std::uint64_t seed) {
  check(shares);
  require_classes(labels, "stratified");
  std::vector<graph::Node> nodes = shuffled_labelled(labels, seed);
  group_by_class(nodes, labels);
  Split split(labels.item_count(), Role::none);
  std::array<ClassPart, 3> parts = {
      {{Role::train, shares.train}, {Role::validation, shares.validation}, {Role::test, shares.test}}};
  for (std::size_t begin = 0; begin < nodes.size();) {
    std::size_t end = begin;
    while (end < nodes.size() && labels.classes[nodes[end]] == labels.classes[nodes[begin]]) ++end;
    divide_class(end - begin, is_whole(shares), parts);
    for (const ClassPart& part : parts)
      for (std::size_t i = 0; i < part.taken; ++i) split[nodes[begin++]] = part.role;
    begin = end;
  }
  require_train(split);
  return split;
}

Split per_class_split(const Labels& labels, const ClassCounts& counts, std::uint64_t seed) {
  require_classes(labels, "per-class");
  const std::vector<graph::Node> nodes = shuffled_labelled(labels, seed);
  Split split(labels.item_count(), Role::none);
  std::vector<std::size_t> taken(labels.names.size(), 0);
  std::vector<graph::Node> rest;
  for (const graph::Node node : nodes) {
    const auto label = static_cast<std::size_t>(labels.classes[node]);
    check_index("split", "classes", label, taken.size());
    std::size_t& of_class = taken[label];
    if (of_class < counts.train_per_class) {
      split[node] = Role::train;
      ++of_class;
    } else {
      rest.push_back(node);
    }
  }
  for (std::size_t c = 0; c < taken.size(); ++c)
    if (taken[c] < counts.train_per_class)
      throw DataError(fmt::format("split: class \"{}\" has {} nodes, but {} are to be trained on", labels.names[c],
                                  taken[c], counts.train_per_class));
  if (rest.size() < counts.validation + counts.test)
    throw DataError(fmt::format("split: {} nodes remain for {} of validation and {} of test", rest.size(),
                                counts.validation, counts.test));
  for (std::size_t i = 0; i < counts.validation + counts.test; ++i)
    split[rest[i]] = i < counts.validation ? Role::validation : Role::test;
  require_train(split);
  return split;
}

Split k_fold_split(const Labels& labels, std::size_t folds, std::size_t fold, std::uint64_t seed) {
  if (folds < 3) throw UsageError(fmt::format("k-fold split: expected at least 3 folds, got {}", folds));
  if (fold >= folds) throw UsageError(fmt::format("k-fold split: fold {}, but there are {}", fold, folds));
  std::vector<graph::Node> nodes = shuffled_labelled(labels, seed);
  if (folds > nodes.size())
    throw DataError(fmt::format("k-fold split: {} folds, but only {} labelled nodes", folds, nodes.size()));
  if (labels.has_classes()) group_by_class(nodes, labels);
  Split split(labels.item_count(), Role::none);
  // Dealing the nodes out class by class spreads each class evenly over the parts.
  for (std::size_t i = 0; i < nodes.size(); ++i)
    split[nodes[i]] = i % folds == fold                 ? Role::test
                      : i % folds == (fold + 1) % folds ? Role::validation
                                                        : Role::train;
  return split;
}

Split scaffold_split(std::span<const std::string> scaffolds, const Labels& labels, const SplitShares& shares) {
  check(shares);
  Groups groups = scaffold_groups(scaffolds, labels);
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a.front() > b.front();
  });
  const auto count = static_cast<double>(row_count(groups));
  // As in DeepChem, validation may also use capacity that training left free.
  Split split(labels.item_count(), Role::none);
  std::size_t train = 0, validation = 0, test = 0;
  for (const std::vector<graph::Node>& group : groups) {
    Role role = Role::none;
    if (static_cast<double>(train + group.size()) <= shares.train * count) {
      role = Role::train;
      train += group.size();
    } else if (static_cast<double>(train + validation + group.size()) <= (shares.train + shares.validation) * count) {
      role = Role::validation;
      validation += group.size();
    } else if (static_cast<double>(test + group.size()) <= test_capacity(shares, count)) {
      role = Role::test;
      test += group.size();
    }
    give(group, role, split);
  }
  require_train(split);
  return split;
}

Split balanced_scaffold_split(std::span<const std::string> scaffolds, const Labels& labels, const SplitShares& shares,
                              std::uint64_t seed) {
  check(shares);
  Groups groups = scaffold_groups(scaffolds, labels);
  const auto count = static_cast<double>(row_count(groups));
  const double smaller_half = std::min(shares.validation, shares.test) * count / 2;
  const auto middle = std::stable_partition(groups.begin(), groups.end(), [&](const auto& group) {
    return static_cast<double>(group.size()) > smaller_half;
  });
  Random random(seed, Stream::split);
  shuffle(std::span(groups.begin(), middle), random);
  shuffle(std::span(middle, groups.end()), random);
  Split split(labels.item_count(), Role::none);
  std::array<SplitPart, 3> parts = {{{Role::train, shares.train * count},
                                {Role::validation, shares.validation * count},
                                {Role::test, test_capacity(shares, count)}}};
  for (const std::vector<graph::Node>& group : groups) {
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const SplitPart& p) {
      return static_cast<double>(p.taken + group.size()) <= p.capacity;
    });
    if (part == parts.end()) continue;
    part->taken += group.size();
    give(group, part->role, split);
  }
  require_train(split);
  return split;
}

void check_split(const Split& split, const Labels& labels) {
  if (split.size() != labels.item_count())
    throw DataError(fmt::format("split: {} roles for {} nodes", split.size(), labels.item_count()));
  const std::vector<graph::Node> known = labelled_nodes(labels);
  if (std::none_of(known.begin(), known.end(), [&](graph::Node node) { return split[node] == Role::train; }))
    throw DataError("split: no node of the train part has a label");
}

}  // namespace edgewise::data
