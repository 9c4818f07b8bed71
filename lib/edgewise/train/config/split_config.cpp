#include "edgewise/train/config/split_config.hpp"

#include <fmt/format.h>

#include <array>

#include "edgewise/core/error.hpp"

namespace edgewise::train {
namespace {

using json::Integer;
using json::make_field;
using json::Number;
using json::OneOf;
using json::refuse;
using json::Text;

/// -1 if not given.
struct IntegerOrNone {
  static constexpr json::FieldType kType = json::FieldType::integer;
  static std::optional<std::int64_t> read(const json::Value& object, std::string_view name,
                                          std::optional<std::int64_t> fallback) {
    const std::int64_t value = Integer<-1>::read(object, name, fallback.value_or(-1));
    return value < 0 ? std::nullopt : std::optional(value);
  }
  static json::Value write(std::optional<std::int64_t> value) { return value.value_or(-1); }
};

constexpr const char* kSplitKinds[] = {"auto",      "given",         "random",   "stratified",        "k_fold",
                                       "per_class", "leave_one_out", "scaffold", "balanced_scaffold", "butina",
                                       "reaction_centre"};

template <auto kMember, class Kind>
constexpr auto split(std::string_view name, std::string_view doc, std::string_view flag = {}) {
  return make_field<SplitConfig, kMember, Kind>(name, doc, flag);
}

constexpr std::array kSplitFields = {
    split<&SplitConfig::kind, OneOf<kSplitKinds>>(
        "kind",
        "given, random, stratified, k_fold, per_class, leave_one_out, scaffold, balanced_scaffold, butina or "
        "reaction_centre",
        "--split"),
    split<&SplitConfig::name, Text>("name", "Kind of the splits given with a data set, such as geom-gcn",
                                    "--split-name"),
    split<&SplitConfig::file, json::File>("file", "CSV node,split with train, validation, test or none",
                                          "--split-file"),
    split<&SplitConfig::column, Text>("column", "Column of the node table that holds the split", "--split-column"),
    split<&SplitConfig::group, Text>("group", "Column whose groups, such as patients, each stay in one part",
                                     "--split-group"),
    split<&SplitConfig::time, Text>("time", "Column of numbers or dates: trains on the earliest, tests on the latest",
                                    "--split-time"),
    split<&SplitConfig::index, IntegerOrNone>("index", "Which of several given splits; by default run r takes split r",
                                            "--split-index"),
    split<&SplitConfig::train, Number<0.0, 1.0>>("train", "Share of the nodes to train on (random, stratified)",
                                                 "--train-share"),
    split<&SplitConfig::validation, Number<0.0, 1.0>>("validation", "Share of the nodes to validate on",
                                                      "--validation-share"),
    split<&SplitConfig::folds, Integer<3>>("folds", "Number of folds (k_fold)", "--folds"),
    split<&SplitConfig::train_per_class, Integer<1>>("train_per_class", "Nodes of each class to train on (per_class)"),
    split<&SplitConfig::validation_count, Integer<0>>("validation_count", "Number of nodes to validate on (per_class)"),
    split<&SplitConfig::test_count, Integer<0>>("test_count", "Number of nodes to test on (per_class)"),
    split<&SplitConfig::holdout, Number<0.0, 0.9>>(
        "holdout", "Share of the training items to validate on if a given split has no validation part", "--holdout"),
    split<&SplitConfig::keep, Number<0.0, 1.0>>(
        "keep", "Share of the training items to keep; a smaller share is a subset of a larger one", "--keep-share"),
    split<&SplitConfig::seed, IntegerOrNone>(
        "seed", "Seed of one split for all runs; by default each run draws its own", "--split-seed"),
};

}  // namespace

std::vector<std::string> SplitConfig::columns() const {
  std::vector<std::string> named;
  for (const std::string* column : {&this->column, &group, &time})
    if (!column->empty()) named.push_back(*column);
  return named;
}

std::string_view name_of(SplitKind kind) { return kSplitKinds[static_cast<std::size_t>(kind)]; }

SplitConfig parse_split(const json::Value& value) {
  json::allow_fields(value, split_fields());
  const SplitConfig split = json::read_fields(value, split_fields());
  const bool is_given = split.kind == SplitKind::given || !split.file.empty() || !split.column.empty();
  const bool holds_out_ties = split.kind == SplitKind::leave_one_out;
  if (!split.time.empty() && split.kind != SplitKind::automatic && !holds_out_ties)
    refuse(value, "time",
           fmt::format("expected no other kind of split than by time, got \"{}\"", name_of(split.kind)));
  for (const char* member : {"group", "time"})
    if (is_given && !value.get(member, "").empty())
      refuse(value, member, "is for a split that is drawn, not a given one");
  if (!split.file.empty() && !split.column.empty())
    refuse(value, "column", "expected one of \"file\" and \"column\", not both");
  if (!split.group.empty() && !split.time.empty())
    refuse(value, "group", "expected one of \"group\" and \"time\", not both");
  if (!split.group.empty() && holds_out_ties)
    refuse(value, "group", "cannot be combined with one tie of each node");
  if (!split.group.empty() && split.keeps_like_molecules() && !split.keeps_scaffolds())
    refuse(value, "group", "cannot be combined with a split by clusters");
  if (split.train + split.validation > 1 + 1e-9) {
    throw UsageError(fmt::format("{}: expected \"train\" and \"validation\" that sum to at most 1, got {} + {}",
                                 value.path(), split.train, split.validation));
  }
  return split;
}

std::span<const json::Field<SplitConfig>> split_fields() { return kSplitFields; }

json::Value to_json(const SplitConfig& split) { return json::written(split_fields(), split); }

}  // namespace edgewise::train
