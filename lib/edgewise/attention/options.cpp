#include "edgewise/attention/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "edgewise/attention/normalisers/all.hpp"
#include "edgewise/attention/scores/all.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::attention {
namespace {

template <class... Policies>
std::vector<std::string> names_of(PolicyList<Policies...>) {
  return {std::string(Policies::kName)...};
}

template <class... Policies>
std::string_view name_at(std::size_t index, PolicyList<Policies...>) {
  constexpr std::string_view kNames[] = {Policies::kName...};
  return kNames[index];
}

template <class Enum, Enum... kValues>
constexpr bool are_in_order() {
  std::size_t index = 0;
  return ((static_cast<std::size_t>(kValues) == index++) && ...);
}
template <class... Policies>
constexpr bool scores_are_in_order(PolicyList<Policies...>) {
  return are_in_order<Score, Policies::kScore...>();
}
template <class... Policies>
constexpr bool normalisers_are_in_order(PolicyList<Policies...>) {
  return are_in_order<Normaliser, Policies::kNormaliser...>();
}
static_assert(scores_are_in_order(Scores()) && normalisers_are_in_order(Normalisers()));

/// The enumerators are numbered from 0, in the order of `names`.
template <class Enum>
Enum find(const char* what, std::string_view name, const std::vector<std::string>& names) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end())
    throw UsageError(fmt::format("attention: unknown {} \"{}\", expected {}", what, name, fmt::join(names, ", ")));
  return static_cast<Enum>(at - names.begin());
}

}  // namespace

std::string_view name(Score score) { return name_at(static_cast<std::size_t>(score), Scores()); }
std::string_view name(Normaliser normaliser) { return name_at(static_cast<std::size_t>(normaliser), Normalisers()); }

bool sums_to_one(Normaliser normaliser) {
  const auto at = [index = static_cast<std::size_t>(normaliser)]<class... Policies>(PolicyList<Policies...>) {
    constexpr bool kSumsToOne[] = {Policies::kSumsToOne...};
    return kSumsToOne[index];
  };
  return at(Normalisers());
}

std::vector<std::string> score_names() { return names_of(Scores()); }
std::vector<std::string> normaliser_names() { return names_of(Normalisers()); }

Score score_named(std::string_view name) { return find<Score>("score", name, score_names()); }
Normaliser normaliser_named(std::string_view name) {
  return find<Normaliser>("normaliser", name, normaliser_names());
}

}  // namespace edgewise::attention
