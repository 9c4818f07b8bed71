#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/train/config/split_config.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// The training, validation and test items of a run.
namespace edgewise::train {

/// The column of the node table with the split: the configured one, one called "split", or "".
std::string split_column(const Dataset& data, const SplitConfig& config);

/// Whether the data has splits of its own, or `config` names a file or a column with one.
bool has_given_split(const Dataset& data, const SplitConfig& config);

/// Whether `make_split` takes a given split; otherwise it draws one.
bool takes_given_split(const Dataset& data, const SplitConfig& config);

/// Whether `make_split` draws shares of the items, as SplitConfig::train and SplitConfig::validation say.
bool is_drawn_by_shares(const Dataset& data, const SplitConfig& config);

/// Throws UsageError if the split is both given and drawn, and if each run uses one of several given splits or tests on
/// its own fold, and there are more runs than those.
void check_runs(const Dataset& data, const SplitConfig& config, std::int64_t runs);

/// The split of run `run` (0, 1, ...): a given one, one from a file, one by time, or a new one drawn from the seed,
/// which keeps groups together. "auto" means given if there is one and neither groups nor times are asked for, else
/// random shares (stratified in classification). If it has no validation part, training items are held out for one
/// (SplitConfig::holdout), with a line for `notes`. Throws UsageError if the requested split does not exist.
data::Split make_split(const Dataset& data, const SplitConfig& config, std::uint64_t seed, std::int64_t run,
                       std::vector<std::string>* notes = nullptr);

/// Notes about labelled items without a group or a time.
std::vector<std::string> split_notes(const Dataset& data, const SplitConfig& config);

/// Writes the parts of the items, as SplitConfig::file reads them: node,split, or source,target,split of ties.
void write_split(const std::string& path, const Dataset& data, const data::Split& split);

}  // namespace edgewise::train
