#include "edgewise/io/reaction_parser.hpp"

#include <GraphMol/RWMol.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/reaction_text.hpp"

namespace edgewise::io {
namespace {

/// RDKit reads a larger number as another one.
bool has_large_map(std::string_view text) {
  constexpr std::size_t kMostDigits = 9;
  std::size_t digits = 0;
  bool is_map = false;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    digits = is_map && is_digit ? digits + 1 : 0;
    is_map = c == ':' || (is_map && is_digit);
    if (digits > kMostDigits) return true;
  }
  return false;
}

/// The numbers that follow a colon: map numbers.
std::unordered_set<std::string> maps_in(std::string_view smiles) {
  std::unordered_set<std::string> maps;
  for (std::size_t colon = smiles.find(':'); colon != smiles.npos; colon = smiles.find(':', colon + 1))
    maps.emplace(smiles.substr(colon + 1, smiles.find_first_not_of("0123456789", colon + 1) - colon - 1));
  return maps;
}

/// Moves the agents with the map number of a product to the reactants.
void move_reacting_agents(ReactionText& sides) {
  const std::unordered_set<std::string> products = maps_in(sides.products);
  std::string rest;
  for (const std::string_view agent : words_of(sides.agents, ".")) {
    const bool reacts = std::ranges::any_of(maps_in(agent), [&](const auto& map) { return products.contains(map); });
    std::string& side = reacts ? sides.reactants : rest;
    if (!side.empty()) side += '.';
    side += agent;
  }
  sides.agents = rest;
}

ParsedMolecule parse_side(const std::string& smiles, const char* side) {
  ParsedMolecule parsed;
  if (has_large_map(smiles))
    parsed.problem = "expected atom map numbers of at most nine digits";
  else
    parsed = parse_mapped_smiles(smiles);
  if (!parsed.problem.empty()) parsed.problem = fmt::format("{}: {}", side, parsed.problem);
  return parsed;
}

ParsedMolecule parse_with_agents(const std::string& side, const std::string& agents, const char* name) {
  return parse_side(agents.empty() ? side : fmt::format("{}.{}", side, agents), name);
}

/// The atom of each map number. Returns the problem, if one is on two atoms.
std::string place_maps(const ParsedMolecule& side, const char* name, std::unordered_map<int, int>& places) {
  for (std::size_t atom = 0; atom < side.maps.size(); ++atom) {
    if (side.maps[atom] == 0) continue;
    if (!places.emplace(side.maps[atom], static_cast<int>(atom)).second)
      return fmt::format("{}: the atom map number {} is on two atoms", name, side.maps[atom]);
  }
  return "";
}

/// Whether an atom of each side is of one element; the last `agents` atoms of both do not count.
bool share_an_element(const RDKit::RWMol& reactants, const RDKit::RWMol& products, std::size_t agents) {
  std::set<int> elements;
  for (unsigned atom = 0; atom + agents < reactants.getNumAtoms(); ++atom)
    elements.insert(reactants.getAtomWithIdx(atom)->getAtomicNum());
  for (unsigned atom = 0; atom + agents < products.getNumAtoms(); ++atom)
    if (elements.contains(products.getAtomWithIdx(atom)->getAtomicNum())) return true;
  return false;
}

/// Fills `partners`; the last `agents` atoms of both sides are the same. Returns the problem, if there is one.
std::string join_atoms(ParsedReaction& reaction, std::size_t agents) {
  for (ParsedMolecule* side : {&reaction.reactants, &reaction.products})
    std::fill_n(side->maps.rbegin(), agents, 0);
  std::unordered_map<int, int> before, after;
  std::string problem = place_maps(reaction.reactants, "reactants", before);
  if (problem.empty()) problem = place_maps(reaction.products, "products", after);
  if (!problem.empty()) return problem;
  const RDKit::RWMol &reactants = *reaction.reactants.molecule, &products = *reaction.products.molecule;
  reaction.partners.assign(reactants.getNumAtoms(), ParsedReaction::kNone);
  bool is_any_joined = false;
  for (unsigned atom = 0; atom < reactants.getNumAtoms(); ++atom) {
    const int map = reaction.reactants.maps[atom];
    const auto partner = after.find(map);
    if (partner == after.end()) continue;
    const auto* one = reactants.getAtomWithIdx(atom);
    const auto* other = products.getAtomWithIdx(static_cast<unsigned>(partner->second));
    if (one->getAtomicNum() != other->getAtomicNum())
      return fmt::format("the atom map number {} is on {} among the reactants, and on {} among the products", map,
                         one->getSymbol(), other->getSymbol());
    reaction.partners[atom] = partner->second;
    is_any_joined = true;
  }
  for (std::size_t i = 1; i <= agents; ++i)
    reaction.partners[reaction.partners.size() - i] = static_cast<int>(products.getNumAtoms() - i);
  if (is_any_joined) return "";
  if (!share_an_element(reactants, products, agents))
    return "no two atoms of its sides are alike: none of the reactants is of an element of the products";
  return fmt::format("expected atom map numbers, such as [CH3:1][OH:2], on both sides ({} finds those of like atoms)",
                     setting("data.align"));
}

}  // namespace

ParsedReaction parse_reaction(const std::string& text) {
  ParsedReaction reaction;
  ReactionText sides = split_reaction(text);
  reaction.problem = sides.problem;
  if (!reaction.problem.empty()) return reaction;
  move_reacting_agents(sides);
  const ParsedMolecule agents = sides.agents.empty() ? ParsedMolecule() : parse_side(sides.agents, "agents");
  reaction.reactants = parse_with_agents(sides.reactants, sides.agents, "reactants");
  reaction.products = parse_with_agents(sides.products, sides.agents, "products");
  for (const ParsedMolecule* side : {&agents, &std::as_const(reaction.reactants), &std::as_const(reaction.products)})
    if (reaction.problem.empty()) reaction.problem = side->problem;
  if (reaction.problem.empty()) reaction.problem = join_atoms(reaction, agents.maps.size());
  return reaction;
}

}  // namespace edgewise::io
