#include "edgewise/train/source/value_lists.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "edgewise/data/label_lists.hpp"

namespace edgewise::train {
namespace {

/// The entries of a category; none if one is empty.
std::vector<std::string_view> entries_of(std::string_view category, char separator) {
  std::vector<std::string_view> entries = data::list_entries(category, {&separator, 1});
  if (std::ranges::count(entries, std::string_view()) > 0) entries.clear();
  return entries;
}

std::optional<ValueLists> lists_with(std::span<const std::string> categories, char separator) {
  std::unordered_map<std::string_view, std::size_t> categories_with;
  for (const std::string& category : categories)
    for (const std::string_view entry : entries_of(category, separator)) ++categories_with[entry];
  ValueLists lists{.separator = separator};
  std::size_t shared = 0;
  for (const std::string& category : categories) {
    const std::vector<std::string_view> entries = entries_of(category, separator);
    if (entries.size() < 2) continue;
    if (lists.example.empty()) lists.example = category;
    for (const std::string_view entry : entries) {
      const auto found = categories_with.find(entry);
      if (found == categories_with.end()) continue;  // taken by an earlier list
      shared += found->second > 1 ? 1 : 0;
      lists.entries.emplace_back(entry);
      categories_with.erase(found);
    }
  }
  if (lists.entries.size() < 2 || 2 * shared < lists.entries.size()) return std::nullopt;
  return lists;
}

}  // namespace

std::optional<ValueLists> value_lists(std::span<const std::string> categories) {
  for (const char separator : {'|', ';', ','})
    if (auto lists = lists_with(categories, separator)) return lists;
  return std::nullopt;
}

}  // namespace edgewise::train
