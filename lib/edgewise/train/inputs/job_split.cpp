#include "edgewise/train/inputs/job_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/data/canonical_smiles.hpp"
#include "edgewise/data/leave_one_out.hpp"
#include "edgewise/data/split_file.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/data/time_split.hpp"
#include "edgewise/io/categorical_column.hpp"
#include "edgewise/train/source/atom_items.hpp"
#include "edgewise/train/source/collection_data.hpp"
#include "edgewise/train/source/duplicate_items.hpp"
#include "edgewise/train/source/edge_items.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/link_data.hpp"

namespace edgewise::train {
namespace {

/// Those of a file that names molecules, for their atoms and bonds.
std::vector<data::Split> splits_of_molecules(const std::string& path, const AtomItems& items) {
  std::vector<data::Split> splits = data::read_splits(path, items.molecules.names);
  for (data::Split& split : splits) split = spread_over_nodes(split, items.molecules.offsets);
  return splits;
}

/// The column of the items' table that the member `member` of "split" names.
const io::Column& named_column(const Dataset& data, const char* member, const std::string& name) {
  if (data.table.file.empty() && data.table.find(name) == nullptr)
    throw UsageError(fmt::format("split.{}: names a column of a table, but {} has none", member, data.name));
  return data.table.at(name);
}

std::vector<data::Split> given_splits(const Dataset& data, const SplitConfig& config) {
  if (!config.file.empty() && data.links) return {read_link_split(config.file, data)};
  if (!config.file.empty() && data.edges) return {read_edge_split(config.file, data)};
  if (!config.file.empty() && data.atoms) return splits_of_molecules(config.file, *data.atoms);
  if (!config.file.empty()) return data::read_splits(config.file, data.items());
  const std::string column = split_column(data, config);
  if (column.empty()) return data.splits;
  named_column(data, "column", column);
  return {data::split_from_column(data.table, column)};
}

/// The index of the split, out of `count`, that a run uses.
std::size_t place_of(std::int64_t count, const SplitConfig& config, std::int64_t run) {
  if (count == 0)
    throw UsageError(
        fmt::format("split: no split is given; name a file ({}) or a column ({}), or draw one "
                    "({} random)",
                    setting("split.file"), setting("split.column"), setting("split.kind")));
  if (config.index && *config.index >= count)
    throw UsageError(fmt::format("split.index: expected less than {}, the number of splits, got {}", count,
                                 *config.index));
  return static_cast<std::size_t>(config.index.value_or(run % count));
}

data::Split pick(const std::vector<data::Split>& splits, const SplitConfig& config, std::int64_t run) {
  return splits[place_of(static_cast<std::int64_t>(splits.size()), config, run)];
}

/// Ties of a part that judges: more would take long, as each is ranked among many, and say little more.
constexpr std::size_t kMostJudgedTies = 20'000;

data::SplitShares shares_of(const Dataset& data, const SplitConfig& config) {
  data::SplitShares shares{.train = config.train,
                           .validation = config.validation,
                           .test = std::max(0.0, 1 - config.train - config.validation)};
  if (!data.links) return shares;
  const double most = static_cast<double>(kMostJudgedTies) / static_cast<double>(data.links->size());
  for (double* share : {&shares.validation, &shares.test}) {
    if (*share <= most) continue;
    shares.train += *share - most;
    *share = most;
  }
  return shares;
}

/// A new split of these labels, drawn from the seed, item by item.
data::Split draw_items(const Dataset& data, const data::Labels& labels, const SplitConfig& config,
                       std::uint64_t split_seed, std::int64_t run) {
  const data::SplitShares shares = shares_of(data, config);
  if (config.kind == SplitKind::k_fold) {
    const std::uint64_t fold_seed = config.seed ? split_seed : 0;  // the same folds for all runs
    return data::k_fold_split(labels, static_cast<std::size_t>(config.folds), place_of(config.folds, config, run),
                              fold_seed);
  }
  if (config.keeps_like_molecules())
    return scaffold_split_of(data, labels, config.kind, shares, split_seed, config.group);
  if (config.kind == SplitKind::per_class)
    return data::per_class_split(labels,
                                 {.train_per_class = static_cast<std::size_t>(config.train_per_class),
                                  .validation = static_cast<std::size_t>(config.validation_count),
                                  .test = static_cast<std::size_t>(config.test_count)},
                                 split_seed);
  const bool is_stratified =
      config.kind == SplitKind::stratified || (config.kind == SplitKind::automatic && labels.has_classes());
  return is_stratified ? data::stratified_split(labels, shares, split_seed)
                       : data::random_split(labels, shares, split_seed);
}

/// Items that stay together in one part: the nodes of a graph, or single items.
std::vector<graph::Node> part_offsets(const Dataset& data) {
  if (data.collection && !data.graphs) return data.collection->offsets;
  std::vector<graph::Node> offsets(data.items().size() + 1);
  std::iota(offsets.begin(), offsets.end(), graph::Node{0});
  return offsets;
}

/// The column of groups; of several molecules in a row, those of one of them however they are written.
io::Column column_of_groups(const Dataset& data, const std::string& name) {
  const bool is_molecule = data.graphs && data.graphs->mixtures && !data.graphs->mixtures->is_sum &&
                           std::ranges::count(data.graphs->mixtures->names, name) > 0;
  if (!is_molecule) return named_column(data, "group", name);
  return io::categorical_column(name, data::canonical_smiles(data.graphs->smiles_of(name)));
}

/// The first member of the set that `part` is in; shortens the paths that lead there.
graph::Node root_of(std::vector<graph::Node>& first, graph::Node part) {
  while (first[part] != part) part = first[part] = first[first[part]];
  return part;
}

/// For each part (see `part_offsets`) the first one that a drawn split keeps it together with: the same molecule, or
/// the same group. Empty if all parts are apart.
std::vector<graph::Node> first_together(const Dataset& data, const SplitConfig& config) {
  std::vector<graph::Node> first = duplicate_of(data);
  if (config.group.empty() || config.keeps_scaffolds()) return first;
  const io::Column groups = column_of_groups(data, config.group);
  const std::vector<graph::Node> offsets = part_offsets(data);
  if (first.empty()) {
    first.resize(offsets.size() - 1);
    std::iota(first.begin(), first.end(), graph::Node{0});
  }
  std::unordered_map<std::string, graph::Node> part_with;
  for (graph::Node part = 0; part < first.size(); ++part)
    for (graph::Node item = offsets[part]; item < offsets[part + 1]; ++item) {
      if (groups.is_missing(item)) continue;
      const graph::Node other = root_of(first, part_with.emplace(groups.text(item), part).first->second);
      const graph::Node own = root_of(first, part);
      first[std::max(own, other)] = std::min(own, other);
    }
  for (graph::Node part = 0; part < first.size(); ++part) first[part] = root_of(first, part);
  return first;
}

/// Whether nodes have the labels of a collection: its graphs are not divided.
bool takes_graphs_whole(const Dataset& data) { return data.collection && !data.graphs; }

/// The times of the items.
std::vector<double> times_of(const Dataset& data, const SplitConfig& config) {
  named_column(data, "time", config.time);
  return data::read_times(data.table, config.time);
}

data::Split split_by_time(const Dataset& data, const SplitConfig& config) {
  if (takes_graphs_whole(data))
    throw UsageError("split.time: is for items that can be apart, but the nodes of a graph stay together");
  return data::time_split(data.labels, times_of(data, config), shares_of(data, config));
}

/// Each node holds out ties of its own: those that lead from it, or any if they have no direction.
data::Split split_of_nodes(const Dataset& data, const SplitConfig& config, std::uint64_t seed,
                           std::vector<std::string>* notes) {
  if (!data.links)
    throw UsageError(
        fmt::format("split.kind: leave_one_out is for ties ({} links); use another kind", setting("data.task")));
  const LinkItems& links = *data.links;
  const bool has_two_owners = links.direction == graph::Direction::undirected && !links.has_two_sides;
  std::vector<double> times;
  if (!config.time.empty()) times = times_of(data, config);
  const auto items = [&](const std::vector<graph::Node>& ends) { return std::span(ends).first(links.size()); };
  data::OwnedTies ties{.owners = items(links.sources), .times = times, .most = kMostJudgedTies};
  if (has_two_owners) ties.other_owners = items(links.targets);
  data::Split split = data::leave_one_out_split(ties, seed);
  if (notes != nullptr && std::ranges::count(split, data::Role::test) == kMostJudgedTies)
    notes->push_back(
        fmt::format("at most {} nodes hold a tie out, and the other ties are trained on", kMostJudgedTies));
  return split;
}

/// A new split of these labels, drawn from the seed. Parts that stay together (see `first_together`) do so: the first
/// one with a label is drawn, and takes the others along.
data::Split draw_split(const Dataset& data, const data::Labels& labels, const SplitConfig& config,
                       std::uint64_t split_seed, std::int64_t run) {
  const std::vector<graph::Node> together = first_together(data, config);
  if (together.empty()) return draw_items(data, labels, config, split_seed, run);
  const std::vector<graph::Node> first = first_labelled(together, labels);
  data::Split split = draw_items(data, config.keeps_like_molecules() ? labels : labels_of_firsts(first, labels), config,
                                 split_seed, run);
  for (std::size_t item = 0; item < split.size(); ++item) split[item] = split[first[item]];
  return split;
}

/// The given split of this run, if there is one and the configuration asks for it.
std::optional<data::Split> given_split(const Dataset& data, const SplitConfig& config, std::int64_t run) {
  if (!takes_given_split(data, config)) return std::nullopt;
  return pick(given_splits(data, config), config, run);
}

/// Gives the training parts after the share `keep`, in an order drawn from the seed, to `role`. Parts that belong
/// together go together.
void hold_out(const Dataset& data, const SplitConfig& config, double keep, data::Role role, std::uint64_t seed,
              data::Split& split) {
  const std::vector<graph::Node> offsets = part_offsets(data);
  const std::vector<graph::Node> equals = first_together(data, config);
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

std::string split_column(const Dataset& data, const SplitConfig& config) {
  if (!config.column.empty()) return config.column;
  return data.table.find("split") != nullptr ? "split" : "";
}

bool has_given_split(const Dataset& data, const SplitConfig& config) {
  return !data.splits.empty() || !config.file.empty() || !split_column(data, config).empty();
}

bool takes_given_split(const Dataset& data, const SplitConfig& config) {
  const bool is_free = config.kind == SplitKind::automatic && config.group.empty() && config.time.empty();
  return config.kind == SplitKind::given || (is_free && has_given_split(data, config));
}

bool is_drawn_by_shares(const Dataset& data, const SplitConfig& config) {
  return !takes_given_split(data, config) && config.kind != SplitKind::k_fold && config.kind != SplitKind::per_class &&
         config.kind != SplitKind::leave_one_out;
}

void check_runs(const Dataset& data, const SplitConfig& config, std::int64_t runs) {
  const bool is_drawn = config.kind != SplitKind::automatic && config.kind != SplitKind::given;
  if (is_drawn && !(config.file.empty() && config.column.empty()))
    throw UsageError(fmt::format("split.{}: gives the split, but \"{}\" ({}) draws one: leave out one of the two",
                                 config.file.empty() ? "column" : "file", name_of(config.kind), setting("split.kind")));
  std::int64_t count = 0;
  if (takes_given_split(data, config) && !config.index)
    count = static_cast<std::int64_t>(given_splits(data, config).size());
  if (config.kind == SplitKind::k_fold && !config.index) count = config.folds;
  if (count > 1 && runs > count)
    throw UsageError(fmt::format(
        "training.runs: {} runs, but there are {} {}: the same would be counted twice; ask for at "
        "most {}, or for one of them with {}",
        runs, count, config.kind == SplitKind::k_fold ? "folds" : "given splits", count, setting("split.index")));
}

data::Split make_split(const Dataset& data, const SplitConfig& config, std::uint64_t seed, std::int64_t run,
                       std::vector<std::string>* notes) {
  const std::uint64_t split_seed = config.seed ? static_cast<std::uint64_t>(*config.seed) : seed;
  std::optional<data::Split> split = given_split(data, config, run);
  if (!split && config.kind == SplitKind::leave_one_out) split = split_of_nodes(data, config, split_seed, notes);
  if (!split && !config.time.empty()) split = split_by_time(data, config);
  if (!split && takes_graphs_whole(data))
    split =
        spread_over_nodes(draw_split(data, labels_of_graphs(data), config, split_seed, run), data.collection->offsets);
  if (!split) split = draw_split(data, data.labels, config, split_seed, run);
  if (config.holdout > 0 && std::ranges::count(*split, data::Role::validation) == 0) {
    hold_out(data, config, 1 - config.holdout, data::Role::validation, split_seed, *split);
    if (notes != nullptr && std::ranges::count(*split, data::Role::validation) > 0)
      notes->push_back(fmt::format("the split has no validation part: {:.6g} % of its training items validate ({}=0 "
                                   "trains on all)",
                                   100 * config.holdout, setting("split.holdout")));
  }
  if (config.keep < 1) hold_out(data, config, config.keep, data::Role::none, split_seed, *split);
  return std::move(*split);
}

void write_split(const std::string& path, const Dataset& data, const data::Split& split) {
  if (data.links) return write_link_split(path, data, split);
  if (data.atoms) return data::write_split(path, data.atoms->molecules.names, split_of_molecules(*data.atoms, split));
  data.edges ? write_edge_split(path, data, split) : data::write_split(path, data.items(), split);
}

std::vector<std::string> split_notes(const Dataset& data, const SplitConfig& config) {
  std::vector<std::string> notes;
  const std::vector<graph::Node> known = data::labelled_nodes(data.labels);
  const auto note = [&](const std::string& name, const char* what, const char* then) {
    const io::Column* column = name.empty() ? nullptr : data.table.find(name);
    if (column == nullptr) return;
    const auto missing = std::ranges::count_if(known, [&](graph::Node item) { return column->is_missing(item); });
    if (missing > 0)
      notes.push_back(
          fmt::format("{} of {} items have no {} in \"{}\" and {}", missing, known.size(), what, name, then));
  };
  note(config.group, "group", "are each a group of their own");
  note(config.time, "time", "are in no part");
  if (data.links && is_drawn_by_shares(data, config) && shares_of(data, config).train > config.train)
    notes.push_back(fmt::format("of {} ties at most {} validate and {} test, and the others are trained on; {} names "
                                "others",
                                data.links->size(), kMostJudgedTies, kMostJudgedTies, setting("split.file")));
  return notes;
}

}  // namespace edgewise::train
