#include "edgewise/train/inputs/job_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/data/split_file.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/source/collection_data.hpp"
#include "edgewise/train/source/graph_job_data.hpp"
#include "edgewise/train/source/repeats.hpp"

namespace edgewise::train {
namespace {

std::vector<data::Split> given_splits(const JobData& data, const SplitConfig& config) {
  if (!config.file.empty()) return data::read_splits(config.file, data.items());
  const std::string column = split_column(data, config);
  if (!column.empty()) return {data::split_from_column(data.table, column)};
  return data.splits;
}

/// The index of the split, out of `count`, that a run uses.
std::size_t place_of(std::int64_t count, const SplitConfig& config, std::int64_t run) {
  if (count == 0)
    throw UsageError("split: no split is given; name a file (--split-file) or a column (--split-column), or draw one "
                     "(--split random)");
  if (config.index >= count)
    throw UsageError(fmt::format("split.index: expected less than {}, the number of splits, got {}", count,
                                 config.index));
  return static_cast<std::size_t>(config.index >= 0 ? config.index : run % count);
}

data::Split pick(const std::vector<data::Split>& splits, const SplitConfig& config, std::int64_t run) {
  return splits[place_of(static_cast<std::int64_t>(splits.size()), config, run)];
}

/// A new split of these labels, drawn from the seed, item by item.
data::Split draw_items(const JobData& data, const data::Labels& labels, const SplitConfig& config,
                       std::uint64_t split_seed, std::int64_t run) {
  const data::SplitShares shares{.train = config.train,
                                 .validation = config.validation,
                                 .test = std::max(0.0, 1 - config.train - config.validation)};
  if (config.kind == "k_fold") {
    const std::uint64_t fold_seed = config.seed >= 0 ? split_seed : 0;  // the same folds for all runs
    return data::k_fold_split(labels, static_cast<std::size_t>(config.folds), place_of(config.folds, config, run),
                              fold_seed);
  }
  if (config.kind == "scaffold" || config.kind == "balanced_scaffold")
    return scaffold_split_of(data, config.kind, shares, split_seed);
  if (config.kind == "per_class")
    return data::per_class_split(labels,
                                 {.train_per_class = static_cast<std::size_t>(config.train_per_class),
                                  .validation = static_cast<std::size_t>(config.validation_count),
                                  .test = static_cast<std::size_t>(config.test_count)},
                                 split_seed);
  const bool is_stratified =
      config.kind == "stratified" || (config.kind == "auto" && labels.task == data::Task::classification);
  return is_stratified ? data::stratified_split(labels, shares, split_seed)
                       : data::random_split(labels, shares, split_seed);
}

/// A new split of these labels, drawn from the seed. The rows of a molecule stay together: its first row with a label
/// is drawn, and takes the others along.
data::Split draw_split(const JobData& data, const data::Labels& labels, const SplitConfig& config,
                       std::uint64_t split_seed, std::int64_t run) {
  const std::vector<graph::Node>& equals = first_equals(data);
  if (equals.empty()) return draw_items(data, labels, config, split_seed, run);
  const std::vector<graph::Node> first = first_labelled(equals, labels);
  const bool keeps_scaffolds = config.kind == "scaffold" || config.kind == "balanced_scaffold";
  data::Split split =
      draw_items(data, keeps_scaffolds ? labels : labels_of_firsts(first, labels), config, split_seed, run);
  for (std::size_t item = 0; item < split.size(); ++item) split[item] = split[first[item]];
  return split;
}

/// The given split of this run, if there is one and the configuration asks for it.
std::optional<data::Split> given_split(const JobData& data, const SplitConfig& config, std::int64_t run) {
  if (!takes_given_split(data, config)) return std::nullopt;
  return pick(given_splits(data, config), config, run);
}

/// Items that stay together in one part: the nodes of a graph, or single items.
std::vector<graph::Node> part_offsets(const JobData& data) {
  if (data.collection && !data.graphs) return data.collection->offsets;
  std::vector<graph::Node> offsets(data.items().size() + 1);
  std::iota(offsets.begin(), offsets.end(), graph::Node{0});
  return offsets;
}

/// Gives the training parts after the share `keep`, in an order drawn from the seed, to `role`. Parts that are the same
/// molecule go together.
void give_away(const JobData& data, double keep, data::Role role, std::uint64_t seed, data::Split& split) {
  const std::vector<graph::Node> offsets = part_offsets(data);
  const std::vector<graph::Node>& equals = first_equals(data);
  const auto equal_to = [&](graph::Node part) { return equals.empty() ? part : equals[part]; };
  std::vector<graph::Node> all, parts;
  std::vector<bool> is_seen(offsets.size());
  for (graph::Node p = 0; p + 1 < offsets.size(); ++p) {
    if (offsets[p] == offsets[p + 1] || split[offsets[p]] != data::Role::train) continue;
    all.push_back(p);
    if (!is_seen[equal_to(p)]) parts.push_back(equal_to(p));
    is_seen[equal_to(p)] = true;
  }
  Random random(seed, Stream::split, 1, static_cast<std::uint64_t>(role));
  shuffle(std::span(parts), random);
  const auto kept = static_cast<std::size_t>(std::ceil(keep * static_cast<double>(parts.size())));
  std::vector<bool> is_given(offsets.size());
  for (std::size_t i = std::max<std::size_t>(kept, 1); i < parts.size(); ++i) is_given[parts[i]] = true;
  for (const graph::Node p : all)
    if (is_given[equal_to(p)]) std::fill(split.begin() + offsets[p], split.begin() + offsets[p + 1], role);
}

}  // namespace

std::string split_column(const JobData& data, const SplitConfig& config) {
  if (!config.column.empty()) return config.column;
  return data.table.find("split") != nullptr ? "split" : "";
}

bool has_given_split(const JobData& data, const SplitConfig& config) {
  return !data.splits.empty() || !config.file.empty() || !split_column(data, config).empty();
}

bool takes_given_split(const JobData& data, const SplitConfig& config) {
  return config.kind == "given" || (config.kind == "auto" && has_given_split(data, config));
}

bool is_drawn_by_shares(const JobData& data, const SplitConfig& config) {
  return !takes_given_split(data, config) && config.kind != "k_fold" && config.kind != "per_class";
}

void check_runs(const JobData& data, const SplitConfig& config, std::int64_t runs) {
  std::int64_t count = 0;
  if (takes_given_split(data, config) && config.index < 0)
    count = static_cast<std::int64_t>(given_splits(data, config).size());
  if (config.kind == "k_fold" && config.index < 0) count = config.folds;
  if (count > 1 && runs > count)
    throw UsageError(
        fmt::format("training.runs: {} runs, but there are {} {}: the same would be counted twice; ask for at "
                    "most {}, or for one of them with --split-index",
                    runs, count, config.kind == "k_fold" ? "folds" : "given splits", count));
}

data::Split make_split(const JobData& data, const SplitConfig& config, std::uint64_t seed, std::int64_t run) {
  const std::uint64_t split_seed = config.seed >= 0 ? static_cast<std::uint64_t>(config.seed) : seed;
  const bool takes_graphs_whole = data.collection && !data.graphs;
  std::optional<data::Split> split = given_split(data, config, run);
  if (!split && takes_graphs_whole)
    split =
        spread_over_nodes(draw_split(data, labels_of_graphs(data), config, split_seed, run), data.collection->offsets);
  if (!split) split = draw_split(data, data.labels, config, split_seed, run);
  const bool has_validation = std::ranges::count(*split, data::Role::validation) > 0;
  if (config.holdout > 0 && !has_validation)
    give_away(data, 1 - config.holdout, data::Role::validation, split_seed, *split);
  if (config.keep < 1) give_away(data, config.keep, data::Role::none, split_seed, *split);
  return std::move(*split);
}

}  // namespace edgewise::train
