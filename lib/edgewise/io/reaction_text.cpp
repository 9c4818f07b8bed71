#include "edgewise/io/reaction_text.hpp"

#include <cstddef>
#include <vector>

namespace edgewise::io {
namespace {

/// The places of each > that separates sides.
std::vector<std::size_t> arrows_of(std::string_view text) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '>' && (i == 0 || text[i - 1] != '-')) places.push_back(i);
  return places;
}

std::string_view without_rest(std::string_view text) { return text.substr(0, text.find_first_of(" \t")); }

}  // namespace

bool is_reaction(std::string_view text) { return !arrows_of(without_rest(text)).empty(); }

ReactionText split_reaction(std::string_view text) {
  ReactionText sides;
  const bool is_cut = text.find('>', without_rest(text).size()) != text.npos;
  text = without_rest(text);
  const std::vector<std::size_t> arrows = arrows_of(text);
  if (text.empty()) {
    sides.problem = "the reaction is empty";
  } else if (arrows.size() != 2) {
    sides.problem = "expected reactants>>products, found " +
                    (arrows.size() == 1 ? "one > alone"
                     : !arrows.empty()  ? std::to_string(arrows.size()) + " times >"
                     : is_cut           ? "a blank before the >"
                                        : "no >");
  } else {
    sides.reactants = text.substr(0, arrows[0]);
    sides.agents = text.substr(arrows[0] + 1, arrows[1] - arrows[0] - 1);
    sides.products = text.substr(arrows[1] + 1);
    if (sides.reactants.empty()) sides.problem = "the reaction has no reactants";
    if (sides.products.empty()) sides.problem = "the reaction has no products";
  }
  return sides;
}

}  // namespace edgewise::io
