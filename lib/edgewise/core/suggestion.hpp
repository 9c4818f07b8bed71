#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace edgewise {

/// The number of letters to change, insert, delete or swap with the next one to turn `a` into `b`, none twice (Damerau
/// 1964).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word that is at most two changed, missing, added or swapped letters away (one if the word has less than
/// four, besides leading dashes), otherwise nothing.
std::string nearest_word(std::string_view word, const std::vector<std::string>& known);

/// ` (did you mean "gat"?)`, or nothing if no known word is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace edgewise
