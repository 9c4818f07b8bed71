#include "edgewise/data/reaction_centres.hpp"

#include <GraphMol/Atom.h>
#include <GraphMol/Bond.h>
#include <GraphMol/RWMol.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "edgewise/data/detail/condensed_graph.hpp"
#include "edgewise/data/detail/each_molecule.hpp"

namespace edgewise::data {
namespace {

using detail::BothSides;

double order_of(const RDKit::Bond* bond) { return bond == nullptr ? 0 : bond->getBondTypeAsDouble(); }

/// "C-Br 1>0", or "" if the bond stays.
std::string change_of(const detail::CondensedBond& bond) {
  const double before = order_of(bond.before), after = order_of(bond.after);
  if (before == after) return "";
  const RDKit::Bond& known = bond.before != nullptr ? *bond.before : *bond.after;
  const auto [first, last] = std::minmax({known.getBeginAtom()->getSymbol(), known.getEndAtom()->getSymbol()});
  return fmt::format("{}-{} {}>{}", first, last, before, after);
}

/// "O charge -1>0", or "" if the atom stays.
std::string change_of(const BothSides<RDKit::Atom>& atom) {
  const std::string symbol = (atom.before != nullptr ? atom.before : atom.after)->getSymbol();
  if (atom.before == nullptr || atom.after == nullptr)
    return fmt::format("{} {}", symbol, atom.before == nullptr ? "comes" : "goes");
  std::string changes;
  const auto add = [&](const char* what, auto before, auto after) {
    if (before != after) changes += fmt::format("{} {} {}>{}", changes.empty() ? symbol : "", what, before, after);
  };
  add("charge", atom.before->getFormalCharge(), atom.after->getFormalCharge());
  add("radical", atom.before->getNumRadicalElectrons(), atom.after->getNumRadicalElectrons());
  add("hydrogens", atom.before->getTotalNumHs(), atom.after->getTotalNumHs());
  return changes;
}

std::string centre_of(const io::ParsedReaction& reaction) {
  constexpr bool kIsBalanced = false;
  const detail::CondensedGraph graph = detail::condense(reaction, kIsBalanced);
  std::vector<std::string> changes;
  for (const auto& bond : graph.bonds) changes.push_back(change_of(bond));
  for (const auto& atom : graph.atoms) changes.push_back(change_of(atom));
  std::erase(changes, "");
  std::ranges::sort(changes);
  return fmt::format("{}", fmt::join(changes, "; "));
}

template <class Other>
std::string centre_of(const Other&) {
  return "";
}

}  // namespace

std::vector<std::string> reaction_centres(std::span<const std::string> reactions) {
  return detail::each_molecule(reactions, [](const auto& parsed) { return centre_of(parsed); }).texts;
}

}  // namespace edgewise::data
