#include "edgewise/data/detail/canonical_reaction.hpp"

#include <GraphMol/MolOps.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <GraphMol/new_canon.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

namespace edgewise::data::detail {
namespace {

/// Both sides in one molecule, atoms of the products last.
RDKit::RWMol join_sides(const io::ParsedReaction& reaction) {
  RDKit::RWMol both(*reaction.reactants.molecule);
  const unsigned first = both.getNumAtoms();
  both.insertMol(*reaction.products.molecule);
  for (RDKit::Atom* atom : both.atoms())
    atom->setIsotope(2 * atom->getIsotope() + (atom->getIdx() < first ? 0 : 1));  // tells the sides apart
  for (unsigned atom = 0; atom < first; ++atom)
    if (const int partner = reaction.partners[atom]; partner != io::ParsedReaction::kNone)
      both.addBond(atom, first + static_cast<unsigned>(partner), RDKit::Bond::ZERO);
  return both;
}

std::string text_of_side(const RDKit::RWMol& side, std::span<const unsigned> ranks, std::span<const int> maps) {
  std::vector<unsigned> order(ranks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](unsigned atom) { return ranks[atom]; });
  const std::unique_ptr<RDKit::ROMol> ordered(RDKit::MolOps::renumberAtoms(side, order));
  for (RDKit::Atom* atom : ordered->atoms()) atom->setAtomMapNum(maps[order[atom->getIdx()]]);
  RDKit::SmilesWriteParams options;
  options.canonical = false;
  return RDKit::MolToSmiles(*ordered, options);
}

}  // namespace

std::string canonical_reaction(const io::ParsedReaction& reaction) {
  const RDKit::RWMol both = join_sides(reaction);
  std::vector<unsigned> ranks;
  RDKit::Canon::rankMolAtoms(both, ranks);
  const std::size_t reactants = reaction.partners.size();
  std::vector<unsigned> order(reactants);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](unsigned atom) { return ranks[atom]; });
  std::vector<int> maps(ranks.size(), 0);
  int next = 0;
  for (const unsigned atom : order)
    if (const int partner = reaction.partners[atom]; partner != io::ParsedReaction::kNone)
      maps[atom] = maps[reactants + static_cast<std::size_t>(partner)] = ++next;
  const std::span<const unsigned> all(ranks);
  const std::span<const int> numbers(maps);
  return fmt::format("{}>>{}",
                     text_of_side(*reaction.reactants.molecule, all.first(reactants), numbers.first(reactants)),
                     text_of_side(*reaction.products.molecule, all.subspan(reactants), numbers.subspan(reactants)));
}

}  // namespace edgewise::data::detail
