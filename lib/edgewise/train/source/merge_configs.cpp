#include "edgewise/train/source/merge_configs.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/source/sources.hpp"

namespace edgewise::train {
namespace {

/// The source that `over` names in place of that of `base`; null if there is none, or if it changes what the source of
/// `base` reads.
const Source* replacing_source(const json::Value& base, const json::Value& over) {
  const Source* named = named_source(over);
  bool is_setting = named == nullptr || named->is_setting;
  const auto is_given = [&](std::string_view member) { return over.find(member) != nullptr; };
  for (const Source* old : named_sources(base)) {
    if (std::ranges::any_of(old->renewed_by, is_given) && (named == nullptr || named->rank <= old->rank)) return old;
    is_setting = is_setting || is_setting_of(*old, *named, over);
  }
  return is_setting ? nullptr : named;
}

/// Whether `source`, which replaces that of `base`, goes on with a member of it.
bool keeps(const Source& source, const json::Value& base, std::string_view member) {
  if (std::ranges::count(source.replaces, member) > 0) return false;
  for (const Source* old : named_sources(base))
    if (old != &source && std::ranges::count(old->own_meaning, member) > 0) return false;
  if (source.keeps != nullptr && source.keeps(base, member)) return true;
  const std::optional<DataGroup> group = group_of(member);
  return !group || *group == DataGroup::any || std::ranges::count(source.named_by, member) > 0 ||
         std::ranges::count(source.takes, *group) > 0;
}

/// The data of the base without what the source in `over` replaces.
json::Value without_replaced(const json::Value& base, const json::Value& over) {
  const Source* source = replacing_source(base, over);
  json::Object kept;
  for (const auto& [name, value] : base.as_object()) {
    const bool is_replaced = source != nullptr && !keeps(*source, base, name);
    if (!is_replaced && !is_given_as_alias(name, base, over)) kept.emplace_back(name, value);
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

}  // namespace

json::Value merge_configs(const json::Value& base, const json::Value& over) {
  json::Value merged = base.is_null() ? json::Value(json::Object{}) : base;
  const json::Value* data = over.find("data");
  const json::Value* old_data = merged.find("data");
  if (data != nullptr && old_data != nullptr) merged.set("data", without_replaced(*old_data, *data));
  const ModelConfig model = ModelConfig::of_job(over);
  const bool replaces_model = model.replaces(ModelConfig::of_job(merged));
  merged = merge_objects(merged, over);
  if (replaces_model) merged.set("model", model.json());
  return merged;
}

}  // namespace edgewise::train
