#pragma once

#include <string>
#include <string_view>

/// @file
/// Reactions as text: `reactants>>products` or `reactants>agents>products`, each side a SMILES, with atom map numbers.
namespace edgewise::io {

/// Whether a text is a reaction rather than a molecule: it has a > that is not the end of a dative bond (->).
bool is_reaction(std::string_view text);

/// The sides of a reaction, or the problem in one short line.
struct ReactionText {
  std::string reactants, agents, products;
  std::string problem;
};

/// What follows a blank (a name, an extension) is dropped. Each side but the agents has a text if there is no problem.
ReactionText split_reaction(std::string_view text);

}  // namespace edgewise::io
