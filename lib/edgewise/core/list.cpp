#include "edgewise/core/list.hpp"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace edgewise
