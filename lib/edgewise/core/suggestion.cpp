#include "edgewise/core/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace edgewise {
namespace {

/// How many letters may differ. A short word would otherwise be near to nearly all others.
std::size_t farthest(std::string_view word) {
  const std::size_t letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
  return letters < 4 ? 1 : 2;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  const auto nearest = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  return nearest == known.end() || edit_distance(word, *nearest) > farthest(word) ? "" : *nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(word, known);
  return nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest);
}

}  // namespace edgewise
