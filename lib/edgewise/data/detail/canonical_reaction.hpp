#pragma once

#include <string>

#include "edgewise/io/reaction_parser.hpp"

namespace edgewise::data::detail {

/// The same text for the same reaction, whatever its map numbers and the order of its atoms and molecules: the atoms of
/// both sides are ranked in one graph, in which each is bound to itself on the other side. Agents are on both sides.
std::string canonical_reaction(const io::ParsedReaction& reaction);

}  // namespace edgewise::data::detail
