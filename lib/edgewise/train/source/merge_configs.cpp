#include "edgewise/train/source/merge_configs.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/source/kinds.hpp"
#include "edgewise/train/source/sources.hpp"

namespace edgewise::train {
namespace {

bool has(const json::Value& data, const char* member) { return data.find(member) != nullptr; }

/// The source that `over` names in place of that of `base`; null if there is none, or if it changes what the source of
/// `base` reads.
const Source* replacing_source(const json::Value& base, const json::Value& over) {
  const bool has_rows = has(over, "nodes") || has(over, "texts");
  const bool is_of_collection = is_named(collection_source(), base);
  const Source* named = named_source(over);
  if (is_of_collection && has_rows && named != &catalogue_set_source()) return &collection_source();
  const bool is_setting = named == &collection_source() || (named == &edge_list_source() && is_of_collection);
  return is_setting ? nullptr : named;
}

/// A set of the catalogue is read as its entry says, a collection except for these settings.
constexpr std::array<std::string_view, 7> kKeptOfCollections = {
    "missing", "missing_labels", "directed", "undirected", "duplicates", "self_loops", "unknown_nodes"};

/// Whether `source`, which replaces that of `base`, goes on with a member of it.
bool keeps(const Source& source, const json::Value& base, std::string_view member) {
  if (std::ranges::count(source.replaces, member) > 0) return false;
  if (member == "features" && &source != &molecules_source() && is_named(molecules_source(), base))
    return false;  // those of atoms
  if (&source == &catalogue_set_source() && is_named(collection_source(), base) &&
      std::ranges::count(kKeptOfCollections, member) > 0)
    return true;
  const std::optional<DataGroup> group = group_of(member);
  return !group || *group == DataGroup::any || std::ranges::count(source.named_by, member) > 0 ||
         std::ranges::count(source.takes, *group) > 0;
}

/// The data of the base without what the source in `over` replaces.
json::Value without_replaced(const json::Value& base, const json::Value& over) {
  const Source* source = replacing_source(base, over);
  const bool has_other_label = has(over, "target") && (has(base, "molecules") || has(over, "molecules"));
  json::Object kept;
  for (const auto& [name, value] : base.as_object()) {
    const bool is_replaced = source != nullptr && !keeps(*source, base, name);
    if (!is_replaced && !(has_other_label && name == "label")) kept.emplace_back(name, value);
  }
  return kept;
}

json::Value merge_objects(const json::Value& base, const json::Value& over) {
  json::Object merged = base.as_object();
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < merged.size(); ++i) index.emplace(merged[i].first, i);
  for (const auto& [name, value] : over.as_object()) {
    const auto [place, is_new] = index.emplace(name, merged.size());
    if (is_new) {
      merged.emplace_back(name, value);
      continue;
    }
    json::Value& old = merged[place->second].second;
    old = old.is_object() && value.is_object() ? merge_objects(old, value) : value;
  }
  return merged;
}

/// Whether the model of `over` is a different one rather than a change to that of `base`.
bool is_other_model(const json::Value& base, const json::Value& over) {
  if (over.find("blocks") != nullptr) return true;
  const json::Value* preset = over.find("preset");
  const json::Value* old = base.find("preset");
  return preset != nullptr && (old == nullptr || !(*preset == *old));
}

}  // namespace

json::Value merge_configs(const json::Value& base, const json::Value& over) {
  json::Value merged = base.is_null() ? json::Value(json::Object{}) : base;
  const json::Value* model = over.find("model");
  const json::Value* data = over.find("data");
  const json::Value* old_data = merged.find("data");
  if (data != nullptr && old_data != nullptr) merged.set("data", without_replaced(*old_data, *data));
  const json::Value* old_model = merged.find("model");
  const bool replaces_model = model != nullptr && old_model != nullptr && is_other_model(*old_model, *model);
  merged = merge_objects(merged, over);
  if (replaces_model) merged.set("model", *model);
  return merged;
}

}  // namespace edgewise::train
