#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace edgewise::train {

/// What makes the categories of a column look like lists.
struct ValueLists {
  char separator = ',';
  std::string example = {};               ///< The first of them: "rock|pop|jazz".
  std::vector<std::string> entries = {};  ///< Of all of them, in order of appearance: "rock", "pop", "jazz".
};

/// Whether categories look like lists of a few entries, separated by "|", ";" or ",": at least half of the entries that
/// such categories have occur in other categories too, which those of names ("Smith, John") rarely do. Linear.
std::optional<ValueLists> value_lists(std::span<const std::string> categories);

}  // namespace edgewise::train
