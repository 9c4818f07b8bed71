#include "edgewise/train/config/merge_configs.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "edgewise/train/config/config.hpp"

namespace edgewise::train {
namespace {

/// What replaces members of "data" when it is named, as bits of a set.
enum Source : unsigned {
  kNothing = 0,
  kSet = 1,             ///< A set of the catalogue.
  kSetForOneGraph = 2,  ///< A set of the catalogue, unless the base is a collection.
  kRows = 4,            ///< Other nodes or texts of a collection, read in the same way.
  kMolecules = 8,
  kTu = 16,
  kGraph = 32,
  kEdges = 64,
  kAfterMolecules = 128,  ///< A TU folder, a graph file or an edge list, if the base has molecules.
};
constexpr unsigned kFiles = kTu | kGraph | kEdges;

struct Replaceable {
  std::string_view name;
  unsigned replaced_by;  ///< Of Source.
};

/// All members of "data", in the order of `config_fields`.
constexpr std::array kMembers = {
    Replaceable{"dataset", kSet | kRows | kMolecules | kFiles},
    Replaceable{"edges", kSet | kRows | kMolecules | kTu | kGraph},
    Replaceable{"graph", kSet | kMolecules | kTu | kEdges},
    Replaceable{"nodes", kSet | kRows | kMolecules | kTu | kGraph},
    Replaceable{"molecules", kSet | kFiles},
    Replaceable{"tu", kSet | kMolecules | kFiles},
    Replaceable{"node_labels", kNothing},
    Replaceable{"edge_labels", kNothing},
    Replaceable{"smiles", kSet | kFiles},
    Replaceable{"features", kSet | kAfterMolecules},
    Replaceable{"source", kSet | kGraph},
    Replaceable{"target", kSet | kGraph},
    Replaceable{"weight", kSet},
    Replaceable{"edge_features", kSet},
    Replaceable{"edge_categories", kSet},
    Replaceable{"edge_scaler", kSet},
    Replaceable{"id", kSet | kGraph},
    Replaceable{"node_names", kSet | kMolecules | kTu | kEdges},
    Replaceable{"label", kSet | kTu},
    Replaceable{"task", kNothing},
    Replaceable{"categorical", kSet},
    Replaceable{"ignore", kSet},
    Replaceable{"missing", kSetForOneGraph},
    Replaceable{"missing_labels", kSetForOneGraph},
    Replaceable{"separator", kSet | kTu},
    Replaceable{"label_list", kSet | kTu},
    Replaceable{"relation", kSet | kTu},
    Replaceable{"normalise_rows", kNothing},
    Replaceable{"directed", kSetForOneGraph},
    Replaceable{"undirected", kSetForOneGraph},
    Replaceable{"component", kNothing},
    Replaceable{"duplicates", kSetForOneGraph},
    Replaceable{"self_loops", kSetForOneGraph},
    Replaceable{"unknown_nodes", kSetForOneGraph},
    Replaceable{"atom_features", kNothing},
    Replaceable{"descriptors", kFiles},
    Replaceable{"graph_column", kSet},
    Replaceable{"order", kSet},
    Replaceable{"head", kSet},
    Replaceable{"graphs", kSet | kRows},
    Replaceable{"texts", kSet | kRows},
    Replaceable{"text", kSet},
    Replaceable{"tokens", kSet},
    Replaceable{"token_columns", kSet},
    Replaceable{"affixes", kSet},
    Replaceable{"grid", kSet},
    Replaceable{"sequence", kSet},
    Replaceable{"value_columns", kSet},
    Replaceable{"hydrogens", kFiles},
    Replaceable{"strict", kFiles},
    Replaceable{"encodings", kNothing},
};

bool has(const json::Value& data, const char* member) { return data.find(member) != nullptr; }

/// The bits of Source that `over` names over this base.
unsigned sources_of(const json::Value& base, const json::Value& over) {
  if (has(over, "dataset")) return is_collection(base) ? kSet : kSet | kSetForOneGraph;
  if (is_collection(base) && (has(over, "nodes") || has(over, "texts"))) return kRows;
  if (has(over, "molecules")) return kMolecules;
  const unsigned also = has(base, "molecules") ? kAfterMolecules : kNothing;
  if (has(over, "tu")) return kTu | also;
  if (has(over, "graph")) return kGraph | also;
  return has(over, "edges") ? kEdges | also : kNothing;
}

/// The data of the base without what the sources in `over` replace.
json::Value without_replaced(const json::Value& base, const json::Value& over) {
  const unsigned sources = sources_of(base, over);
  const bool has_other_label = has(over, "target") && (has(base, "molecules") || has(over, "molecules"));
  json::Object kept;
  for (const auto& [name, value] : base.as_object()) {
    const auto* member = std::ranges::find(kMembers, name, &Replaceable::name);
    const bool is_replaced = member != kMembers.end() && (member->replaced_by & sources) != 0;
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

std::vector<std::string_view> mergeable_members() {
  std::vector<std::string_view> names;
  for (const Replaceable& member : kMembers) names.push_back(member.name);
  return names;
}

}  // namespace edgewise::train
