#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace edgewise::io {

/// What stands between these characters, if they enclose the text; else all.
std::string_view between(std::string_view text, char open, char close);

std::string_view without_quotes(std::string_view text);

/// The values of a list in one cell, such as "[0.1, null, -2]", "0.1 -2", "0.1;;-2", "['C', 'N']" or
/// "[np.float64(0.1)]": without the brackets, quotes and types around them, separated by semicolons if there are any,
/// else by commas, else by blanks. Between two semicolons or commas is an empty text. None of an empty cell or list.
std::vector<std::string> values_of_list(std::string_view cell);

/// Whether a cell holds a list of lists, or an object of JSON.
bool is_nested_list(std::string_view cell);

/// The texts as such a list, in JSON: texts that are not numbers, if `are_numbers`, and empty ones are null.
std::string list_of_values(const std::vector<std::string>& values, bool are_numbers);

}  // namespace edgewise::io
