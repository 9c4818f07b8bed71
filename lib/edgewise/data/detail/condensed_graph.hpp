#pragma once

#include <vector>

#include "edgewise/graph/graph.hpp"
#include "edgewise/io/reaction_parser.hpp"

namespace RDKit {
class Atom;
class Bond;
}  // namespace RDKit

namespace edgewise::data::detail {

/// The two sides of an atom or a bond; null where it is not.
template <class Part>
struct BothSides {
  const Part* before = nullptr;
  const Part* after = nullptr;
};

struct CondensedBond : BothSides<RDKit::Bond> {
  graph::Node source = 0, target = 0;
};

/// The condensed graph of a reaction (Heid and Green 2022): the atoms of the reactants, then those of the products
/// alone; the bonds likewise.
struct CondensedGraph {
  std::vector<BothSides<RDKit::Atom>> atoms;
  std::vector<CondensedBond> bonds;
};

/// If `is_balanced`, atoms that are on one side alone stay as they are, with the bonds between them. The reaction must
/// outlive the result.
CondensedGraph condense(const io::ParsedReaction& reaction, bool is_balanced);

}  // namespace edgewise::data::detail
