#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/data/node_data.hpp"

/// @file
/// Splits into training, validation and test nodes. Every random split is drawn from a seed over the labelled nodes in
/// node order, so it is reproducible; unlabelled nodes are in no part.
namespace edgewise::data {

/// "none", "train", "validation", "test".
std::string_view role_name(Role role);
/// Also accepts training, val, valid, dev, development, testing, eval and evaluation (which are test), and "" for none;
/// any case. Nothing for any other text.
std::optional<Role> parse_role(std::string_view text);
/// Whether the text is eval or evaluation. Beside a test part it means the validation part.
bool is_evaluation_part(std::string_view text);

/// The nodes with this role, ascending.
std::vector<graph::Node> nodes_with_role(const Split& split, Role role);
/// The nodes that have a label or at least one known target, ascending.
std::vector<graph::Node> labelled_nodes(const Labels& labels);

/// Shares of the labelled nodes. They add up to at most 1; any remaining nodes are in no part.
struct SplitShares {
  double train = 0.6;
  double validation = 0.2;
  double test = 0.2;
};

/// Throws UsageError for shares out of range, DataError if the training part would be empty.
Split random_split(const Labels& labels, const SplitShares& shares, std::uint64_t seed);
/// Applies the same shares within each class; what rounding takes from one class is returned in the next. A class with
/// at least one node per part is represented in every part. Classification only (UsageError).
Split stratified_split(const Labels& labels, const SplitShares& shares, std::uint64_t seed);

/// As in the Planetoid splits: a number of training nodes per class, then validation and test nodes of any class.
struct ClassCounts {
  std::size_t train_per_class = 20;
  std::size_t validation = 500;
  std::size_t test = 1000;
};
/// Throws DataError if a class or the rest has too few nodes, UsageError for a class without a name.
Split per_class_split(const Labels& labels, const ClassCounts& counts, std::uint64_t seed);

/// Split `fold` of `folds`: part i is the test part of split i, part i + 1 its validation part, the rest trains; each
/// labelled node is tested exactly once. In classification the parts are stratified. Throws UsageError for fewer than 3
/// folds and a fold out of range, DataError for more folds than labelled nodes.
Split k_fold_split(const Labels& labels, std::size_t folds, std::size_t fold, std::uint64_t seed);

/// The usual shares for molecules (MoleculeNet).
inline constexpr SplitShares kMoleculeShares = {.train = 0.8, .validation = 0.1, .test = 0.1};

/// Molecules with the same scaffold (`murcko_scaffolds`) stay together, so that the test part measures generalisation
/// to unseen chemistry. As in DeepChem and MoleculeNet, groups are assigned from largest to smallest; of equal ones,
/// that with the later first row comes first. Each goes to the training part if it fits, else to validation, else to
/// test. Nothing is random. `scaffolds` has one per row of the labels; unlabelled rows are in no part and are not
/// counted. If the shares add up to less than 1, a group that fits nowhere is in no part. Throws UsageError for shares
/// out of range, DataError if the number of scaffolds differs from the number of rows or the training part would be
/// empty.
Split scaffold_split(std::span<const std::string> scaffolds, const Labels& labels,
                     const SplitShares& shares = kMoleculeShares);
/// As Chemprop's "scaffold_balanced": groups larger than half of the validation or test part come first (and train, if
/// they fit), then the others, both in an order drawn from the seed. Different seeds give different splits.
Split balanced_scaffold_split(std::span<const std::string> scaffolds, const Labels& labels, const SplitShares& shares,
                              std::uint64_t seed);

/// Throws DataError if the split and the labels differ in length, or no training node has a label.
void check_split(const Split& split, const Labels& labels);

}  // namespace edgewise::data
