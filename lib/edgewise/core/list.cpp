#include "edgewise/core/list.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <ranges>

#include "edgewise/core/error.hpp"

namespace edgewise {
namespace {

/// Takes a quoted entry from the front of `rest`, up to its comma or the end.
std::string take_quoted(std::string_view& rest, std::string_view whole) {
  std::string entry;
  std::size_t i = 1;
  for (; i < rest.size(); ++i) {
    if (rest[i] != '"') {
      entry += rest[i];
    } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
      entry += rest[i++];
    } else {
      break;
    }
  }
  if (i >= rest.size() || (i + 1 < rest.size() && rest[i + 1] != ','))
    throw UsageError(fmt::format("list {}: expected a closing quote, then a comma or the end", whole));
  rest.remove_prefix(i + 1);
  return entry;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> entries;
  if (text.empty()) return entries;
  for (std::string_view rest = text;;) {
    if (rest.starts_with('"')) {
      entries.push_back(take_quoted(rest, text));
    } else {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      entries.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(comma);
    }
    if (rest.empty()) return entries;
    rest.remove_prefix(1);  // the comma
  }
}

std::vector<std::string> expand_patterns(const std::vector<std::string>& names, const std::vector<std::string>& known) {
  std::vector<std::string> expanded;
  const auto add = [&](const std::string& name) {
    if (std::ranges::count(expanded, name) == 0) expanded.push_back(name);
  };
  for (const std::string& name : names) {
    const auto is_match = [&](const std::string& of) { return fnmatch(name.c_str(), of.c_str(), FNM_NOESCAPE) == 0; };
    if (std::ranges::count(known, name) > 0 || std::ranges::none_of(known, is_match))
      add(name);
    else
      std::ranges::for_each(known | std::views::filter(is_match), add);
  }
  return expanded;
}

}  // namespace edgewise
