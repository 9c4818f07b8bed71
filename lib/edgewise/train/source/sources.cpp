#include "edgewise/train/source/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/train/source/kinds.hpp"

namespace edgewise::train {
namespace {

bool has(const json::Value& data, std::string_view member) {
  const json::Value* value = data.find(member);
  if (value == nullptr || value->is_null()) return false;
  return value->is_bool() ? value->as_bool() : !(value->is_string() && value->as_string().empty());
}

void refuse_none(const json::Value& data) {
  for (const char* member : {"graphs", "order", "head"})
    if (has(data, member))
      throw UsageError(
          fmt::format("data: graphs, order and head are for collections ({})", setting("data.graph_column")));
  if (has(data, "nodes"))
    throw UsageError(fmt::format(
        "data: a table of nodes needs edges ({}), a column of graphs ({}), or one graph per row "
        "({}, {})",
        setting("data.edges"), setting("data.graph_column"), setting("data.grid"), setting("data.sequence")));
  throw UsageError(
      fmt::format("data: name a data set, or give an edge list ({}), a graph file ({}), a table of "
                  "molecules ({}) or reactions ({}), or a TU folder ({})",
                  setting("data.edges"), setting("data.graph"), setting("data.molecules"), setting("data.reactions"),
                  setting("data.tu")));
}

/// The groups that the source of a job takes.
DataGroups taken_by(const DataConfig& config, const Source& source) {
  if (config.dataset.empty()) return source.takes;
  const data::Catalogue catalogue = data::read_catalogue(data::default_catalogue_directory());
  const Source* reader = source_of(data::find_dataset(catalogue, config.dataset));
  return reader == nullptr ? DataGroups{DataGroup::features, DataGroup::component, DataGroup::target} : reader->takes;
}

[[noreturn]] void refuse(const DataConfig& config, std::string_view member) {
  const DataGroup group = group_of(member).value();
  const bool is_set = !config.dataset.empty();
  if (is_set && group == DataGroup::molecules)
    throw UsageError(fmt::format("data.{}: is for molecules, but \"{}\" has none", member, config.dataset));
  throw UsageError(fmt::format("data.{}: is for {}", member, purpose_of(group)));
}

}  // namespace

bool is_named(const Source& source, const json::Value& data) {
  return std::ranges::any_of(source.named_by, [&](std::string_view member) { return has(data, member); });
}

bool is_setting_of(const Source& other, const Source& source, const json::Value& data) {
  return std::ranges::all_of(source.named_by, [&](std::string_view member) {
    return !has(data, member) || std::ranges::count(other.settings, member) > 0;
  });
}

std::vector<const Source*> named_sources(const json::Value& data) {
  std::vector<const Source*> named;
  for (const auto& kind : kSourceKinds)
    if (is_named(kind(), data)) named.push_back(&kind());
  std::ranges::stable_sort(named, std::ranges::greater(), &Source::rank);
  return named;
}

const Source* named_source(const json::Value& data) {
  const std::vector<const Source*> named = named_sources(data);
  return named.empty() ? nullptr : named.front();
}

const Source& source_of(const DataConfig& config) {
  const json::Value data = to_json(config);
  std::vector<const Source*> named = named_sources(data);
  if (named.empty()) refuse_none(data);
  const std::vector<const Source*> all = named;
  std::erase_if(named, [&](const Source* source) {
    return std::ranges::any_of(all, [&](const Source* other) { return is_setting_of(*other, *source, data); });
  });
  for (const Source* source : named)
    if (named.size() > 1 && !source->alone.empty()) throw UsageError(std::string(source->alone));
  if (named.size() > 1)
    throw UsageError(fmt::format("data: give one of {} and {}, not both", named[0]->noun, named[1]->noun));
  named.front()->check(config);
  return *named.front();
}

const Source* source_of(const data::CatalogueSet& set) {
  for (const auto& kind : kSourceKinds)
    if (kind().suits != nullptr && kind().suits(set)) return &kind();
  return nullptr;
}

DataShape shape_of(const json::Value& data) {
  const Source* source = named_source(data);
  return source == nullptr ? DataShape::network : source->shape(data);
}

std::vector<std::string> candidates_of(const Dataset& data) {
  for (const auto& kind : kSourceKinds) {
    if (kind().candidates == nullptr) continue;
    if (std::vector<std::string> models = kind().candidates(data); !models.empty()) return models;
  }
  return {};
}

void refuse_foreign_members(const DataConfig& config, std::span<const std::string_view> members) {
  DataGroups taken = taken_by(config, source_of(config));
  taken.insert(taken.end(), {DataGroup::any, DataGroup::source});
  for (const std::string_view member : members)
    if (std::ranges::count(taken, group_of(member).value()) == 0) refuse(config, member);
}

void refuse_foreign_members_of_model(const DataConfig& config) {
  std::vector<std::string_view> given = given_members(config);
  std::erase_if(given, [](std::string_view member) { return group_of(member) != DataGroup::molecules; });
  refuse_foreign_members(config, given);
}

void refuse_groups(const DataConfig& config, const DataGroups& groups) {
  for (const std::string_view member : given_members(config))
    if (std::ranges::count(groups, group_of(member).value()) > 0) refuse(config, member);
}

std::optional<Dataset> read_molecule_rows(const DataConfig& config, const io::ReadAsText& texts) {
  if (named_source(to_json(config)) == nullptr) return std::nullopt;
  const Source& source = source_of(config);
  return source.read_rows == nullptr ? std::nullopt : source.read_rows(config, texts);
}

}  // namespace edgewise::train
