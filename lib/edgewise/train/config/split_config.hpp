#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/json_fields.hpp"

namespace edgewise::train {

enum class SplitKind : std::uint8_t {
  automatic,
  given,
  random,
  stratified,
  k_fold,
  per_class,
  leave_one_out,
  scaffold,
  balanced_scaffold,
  butina,
  reaction_centre,
};

/// "auto", "given", ...
std::string_view name_of(SplitKind kind);

/// "split": the training, validation and test parts.
struct SplitConfig {
  SplitKind kind = SplitKind::automatic;
  std::string name;           ///< given: name of a data set's split ("public", "geom-gcn"); empty: its first.
  std::string file;           ///< node,split CSV; implies "given".
  std::string column;         ///< Column of the node table; implies "given".
  /// Column of the node table: a drawn split keeps items with the same value together. Of several molecules in a row,
  /// it may be one of them: then the same molecule, or its scaffold.
  std::string group;
  /// Column of the node table with numbers or dates: the earliest items are trained on, the latest tested.
  std::string time;
  std::optional<std::int64_t> index;  ///< given: which split; by default run r takes split r (modulo their number).
  double train = 0.6;         ///< random, stratified, scaffold: shares; the rest is the test part.
  double validation = 0.2;
  std::int64_t folds = 10;  ///< k_fold: run r tests on fold r and validates on the next.
  std::int64_t train_per_class = 20;  ///< per_class.
  std::int64_t validation_count = 500;
  std::int64_t test_count = 1000;
  std::optional<std::int64_t> seed;  ///< By default that of the run, so each run has its own split.
  double holdout = 0;      ///< Share of the training items used for validation if a split has no validation items.
  double keep = 1;         ///< Share of the training items to keep; smaller shares are subsets of larger ones.

  /// The columns that are named here: they are not features.
  std::vector<std::string> columns() const;
  /// Whether molecules with the same scaffold, or in the same cluster, stay together.
  bool keeps_like_molecules() const { return kind >= SplitKind::scaffold; }
  /// Whether these are scaffolds: `group` then names the column of SMILES that they are of.
  bool keeps_scaffolds() const { return kind == SplitKind::scaffold || kind == SplitKind::balanced_scaffold; }
};

/// The members of "split".
std::span<const json::Field<SplitConfig>> split_fields();
/// Reads "split" of a configuration. Throws UsageError naming the member by its path.
SplitConfig parse_split(const json::Value& value);
/// "split" of a configuration.
json::Value to_json(const SplitConfig& split);

}  // namespace edgewise::train
