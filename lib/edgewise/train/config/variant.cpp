#include "edgewise/train/config/variant.hpp"

#include <fmt/format.h>

#include <charconv>

namespace edgewise::train {
namespace {

struct Ending {
  std::string_view text;
  bool Variant::*is_set;
};

/// In the order of a name.
constexpr Ending kEndings[] = {{" + labels", &Variant::with_labels},
                               {" without edges", &Variant::without_edges},
                               {" without features", &Variant::without_features},
                               {" + words", &Variant::with_words},
                               {" + smooth", &Variant::is_smoothed}};

/// Moves the number of "gat (2)" out of the name.
void take_number(Variant& variant) {
  const std::size_t open = variant.model.rfind(" (");
  if (open == std::string::npos || !variant.model.ends_with(')')) return;
  const char* const begin = variant.model.data() + open + 2;
  const char* const end = variant.model.data() + variant.model.size() - 1;
  int number = 0;
  if (const auto [last, failure] = std::from_chars(begin, end, number); failure != std::errc() || last != end) return;
  variant.number = number;
  variant.model.resize(open);
}

}  // namespace

std::string Variant::name() const {
  std::string name = number > 1 ? fmt::format("{} ({})", model, number) : model;
  for (const Ending& ending : kEndings)
    if (this->*ending.is_set) name += ending.text;
  return name;
}

Variant variant_named(std::string_view name) {
  Variant variant;
  for (bool is_more = true; is_more;) {
    is_more = false;
    for (const Ending& ending : kEndings) {
      if (!name.ends_with(ending.text)) continue;
      name.remove_suffix(ending.text.size());
      variant.*ending.is_set = is_more = true;
    }
  }
  variant.model = name;
  take_number(variant);
  return variant;
}

}  // namespace edgewise::train
