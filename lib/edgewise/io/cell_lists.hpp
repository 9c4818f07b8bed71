#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace edgewise::io {

/// The values of a list in one cell, such as "[0.1, null, -2]", "0.1 -2", "0.1;;-2" or "['C', 'N']": without the
/// brackets and quotes around them, separated by semicolons if there are any, else by commas, else by blanks. Between
/// two semicolons or commas is an empty text. None of an empty cell or list.
std::vector<std::string> values_of_list(std::string_view cell);

/// The texts as such a list, in JSON: texts that are not numbers, if `are_numbers`, and empty ones are null.
std::string list_of_values(const std::vector<std::string>& values, bool are_numbers);

}  // namespace edgewise::io
