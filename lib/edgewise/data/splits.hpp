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
/// Who trains, who decides when to stop, and who is asked in the end. Every random split is drawn from a seed over the
/// labelled nodes in node order, so it can be repeated; nodes without a label are in no part.
namespace edgewise::data {

/// "none", "train", "validation", "test".
std::string_view role_name(Role role);
/// Also "val" and "valid", and "" for none; any case. Nothing for another text.
std::optional<Role> parse_role(std::string_view text);

/// The nodes with this role, ascending.
std::vector<graph::Node> nodes_with_role(const Split& split, Role role);
/// The nodes that have a label or at least one known target, ascending.
std::vector<graph::Node> labelled_nodes(const Labels& labels);

/// Shares of the labelled nodes; together at most 1, what remains is in no part.
struct SplitShares {
  double train = 0.6;
  double validation = 0.2;
  double test = 0.2;
};

/// Throws UsageError for shares out of range, DataError when the train part would be empty.
Split random_split(const Labels& labels, const SplitShares& shares, std::uint64_t seed);
/// The same shares within each class; what rounding takes from one class is given back in the next. A class with a node
/// for every part is in every part. Classification only (UsageError).
Split stratified_split(const Labels& labels, const SplitShares& shares, std::uint64_t seed);

/// As in the Planetoid splits: a number of training nodes per class, then of validation and test nodes of any class.
struct ClassCounts {
  std::size_t train_per_class = 20;
  std::size_t validation = 500;
  std::size_t test = 1000;
};
/// Throws DataError when a class or the rest has too few nodes.
Split per_class_split(const Labels& labels, const ClassCounts& counts, std::uint64_t seed);

/// Split `fold` of `folds`: part i is the test of split i, part i + 1 its validation, the rest trains; each labelled
/// node is tested once. In classification the parts are stratified. Throws UsageError for less than 3 folds and a fold
/// that there is not, DataError for more folds than labelled nodes.
Split k_fold_split(const Labels& labels, std::size_t folds, std::size_t fold, std::uint64_t seed);

/// The usual shares of molecules (MoleculeNet).
inline constexpr SplitShares kMoleculeShares = {.train = 0.8, .validation = 0.1, .test = 0.1};

/// Molecules with the same scaffold (`murcko_scaffolds`) stay together, so that the test asks for chemistry that was
/// not trained on. As in DeepChem and MoleculeNet: groups from the largest to the smallest, of equal ones that with the
/// later first row in front; each goes to the train part while it fits there, else to validation, else to test. No
/// chance in it. `scaffolds`: one a row of the labels; rows without a label are in no part, and are not counted.
/// When the shares add up to less than 1, a group that does not fit anywhere is in no part.
/// Throws UsageError for shares out of range, DataError for another number of scaffolds than rows, or when the train
/// part would be empty.
Split scaffold_split(std::span<const std::string> scaffolds, const Labels& labels,
                     const SplitShares& shares = kMoleculeShares);
/// As Chemprop's "scaffold_balanced": groups larger than half of the validation or test part come first (they train, if
/// they fit), then the others, both in an order drawn from the seed. Several seeds give several splits.
Split balanced_scaffold_split(std::span<const std::string> scaffolds, const Labels& labels, const SplitShares& shares,
                              std::uint64_t seed);

/// From lists of nodes. Throws DataError when a node is in two of them or not among the `nodes`.
Split split_from_lists(std::size_t nodes, std::span<const graph::Node> train, std::span<const graph::Node> validation,
                       std::span<const graph::Node> test);

/// Throws DataError when the split has another length than the labels, or no node of the train part has a label.
void check_split(const Split& split, const Labels& labels);

}  // namespace edgewise::data
