#include "edgewise/io/molecule_parts.hpp"

#include <GraphMol/MolOps.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "edgewise/io/mixture_text.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/reaction_parser.hpp"
#include "edgewise/io/reaction_text.hpp"

namespace edgewise::io {
namespace {

using Atoms = std::vector<std::uint32_t>;

/// The atoms that hang on `from` once its bond to `other` is cut; ascending.
Atoms side_of(const RDKit::ROMol& molecule, std::uint32_t from, std::uint32_t other) {
  std::vector<bool> is_in(molecule.getNumAtoms(), false);
  Atoms side = {from};
  is_in[from] = true;
  for (std::size_t i = 0; i < side.size(); ++i)
    for (const RDKit::Atom* next : molecule.atomNeighbors(molecule.getAtomWithIdx(side[i]))) {
      const std::uint32_t index = next->getIdx();
      if (is_in[index] || (side[i] == from && index == other)) continue;
      is_in[index] = true;
      side.push_back(index);
    }
  std::ranges::sort(side);
  return side;
}

void remove_atoms(RDKit::RWMol& molecule, const Atoms& atoms) {
  molecule.beginBatchEdit();
  for (const std::uint32_t atom : atoms) molecule.removeAtom(atom);
  molecule.commitBatchEdit();
}

/// Turns the root of a group into the hydrogen that takes its place, which keeps the stereochemistry of the rest.
std::string rest_of(const RDKit::ROMol& whole, Atoms group, std::uint32_t root) {
  RDKit::RWMol rest(whole);
  RDKit::Atom& hydrogen = *rest.getAtomWithIdx(root);
  hydrogen.setAtomicNum(1);
  hydrogen.setFormalCharge(0);
  hydrogen.setIsotope(0);
  hydrogen.setNumExplicitHs(0);
  hydrogen.setNoImplicit(true);
  hydrogen.setNumRadicalElectrons(0);
  hydrogen.setChiralTag(RDKit::Atom::CHI_UNSPECIFIED);
  std::erase(group, root);
  remove_atoms(rest, group);
  RDKit::MolOps::sanitizeMol(rest);
  RDKit::MolOps::removeHs(rest);
  RDKit::MolOps::assignStereochemistry(rest, true, true);
  return RDKit::MolToSmiles(rest);
}

/// The group that a bond holds; nothing if it is no single bond outside of rings.
std::optional<SideGroup> group_of(const RDKit::ROMol& molecule, const RDKit::Bond& bond) {
  if (bond.getBondType() != RDKit::Bond::SINGLE || molecule.getRingInfo()->numBondRings(bond.getIdx()) > 0)
    return std::nullopt;
  std::uint32_t root = bond.getBeginAtomIdx(), other = bond.getEndAtomIdx();
  Atoms atoms = side_of(molecule, root, other);
  Atoms others = side_of(molecule, other, root);
  if (others.size() < atoms.size() || (others.size() == atoms.size() && atoms.front() == 0)) {
    std::swap(root, other);
    std::swap(atoms, others);
  }
  SideGroup group{.atoms = std::move(atoms), .smiles = {}, .rest = {}};
  std::string problem;
  const auto write = [&] {
    group.smiles = RDKit::MolFragmentToSmiles(molecule, std::vector<int>(group.atoms.begin(), group.atoms.end()));
    group.rest = rest_of(molecule, group.atoms, root);
  };
  if (!run_rdkit(write, problem)) return std::nullopt;
  return group;
}

/// Gives an atom that loses a bond the hydrogens for it.
void fill_valence(RDKit::Atom& atom, const RDKit::Bond& bond) {
  atom.setChiralTag(RDKit::Atom::CHI_UNSPECIFIED);
  for (RDKit::Bond* next : atom.getOwningMol().atomBonds(&atom)) {
    next->setStereo(RDKit::Bond::STEREONONE);
    next->setBondDir(RDKit::Bond::NONE);
  }
  if (atom.getNoImplicit())
    atom.setNumExplicitHs(atom.getNumExplicitHs() + static_cast<unsigned>(bond.getBondTypeAsDouble()));
}

std::string rest_without(RDKit::RWMol& molecule, std::span<const std::uint32_t> atoms,
                         std::span<const std::pair<std::uint32_t, std::uint32_t>> bonds) {
  RDKit::MolOps::Kekulize(molecule, true);
  const auto cut = [&](const RDKit::Bond& bond) {
    fill_valence(*bond.getBeginAtom(), bond);
    fill_valence(*bond.getEndAtom(), bond);
  };
  molecule.beginBatchEdit();
  for (const auto& [a, b] : bonds) {
    const RDKit::Bond* bond = molecule.getBondBetweenAtoms(a, b);
    if (bond == nullptr) return "";
    cut(*bond);
    molecule.removeBond(a, b);
  }
  for (const std::uint32_t atom : atoms) {
    for (const RDKit::Bond* bond : molecule.atomBonds(molecule.getAtomWithIdx(atom))) cut(*bond);
    molecule.removeAtom(atom);
  }
  molecule.commitBatchEdit();
  RDKit::MolOps::sanitizeMol(molecule);
  RDKit::MolOps::assignStereochemistry(molecule, true, true);
  return RDKit::MolToSmiles(molecule);
}

/// "C:5", with the map number.
std::string symbol_of(const ParsedMolecule& side, const RDKit::Atom& atom) {
  const int map = side.maps[atom.getIdx()];
  return map == 0 ? atom.getSymbol() : atom.getSymbol() + ":" + std::to_string(map);
}

/// Of the reactants, then of the atoms that only the products have.
std::vector<std::string> symbols_of(const ParsedReaction& reaction) {
  std::vector<std::string> symbols;
  if (!reaction.problem.empty()) return symbols;
  for (const RDKit::Atom* atom : reaction.reactants.molecule->atoms())
    symbols.push_back(symbol_of(reaction.reactants, *atom));
  for (const RDKit::Atom* atom : reaction.products.molecule->atoms())
    if (std::ranges::count(reaction.partners, static_cast<int>(atom->getIdx())) == 0)
      symbols.push_back(symbol_of(reaction.products, *atom));
  return symbols;
}

}  // namespace

std::vector<SideGroup> side_groups(const std::string& smiles) {
  const ParsedMolecule parsed = parse_smiles(smiles);
  std::vector<SideGroup> groups;
  if (!parsed.molecule) return groups;
  for (const RDKit::Bond* bond : parsed.molecule->bonds())
    if (std::optional<SideGroup> group = group_of(*parsed.molecule, *bond)) groups.push_back(std::move(*group));
  return groups;
}

std::vector<std::string> atom_symbols(const std::string& text) {
  if (is_mixture(text)) {
    std::vector<std::string> symbols;
    for (const MixturePart& part : split_mixture(text).parts)
      if (part.share > 0) std::ranges::copy(atom_symbols(part.smiles), std::back_inserter(symbols));
    return symbols;
  }
  if (is_reaction(text)) return symbols_of(parse_reaction(text));
  const ParsedMolecule parsed = parse_smiles(text);
  std::vector<std::string> symbols;
  if (parsed.molecule)
    for (const RDKit::Atom* atom : parsed.molecule->atoms()) symbols.push_back(atom->getSymbol());
  return symbols;
}

std::string without_parts(const std::string& smiles, std::span<const std::uint32_t> atoms,
                          std::span<const std::pair<std::uint32_t, std::uint32_t>> bonds) {
  const ParsedMolecule parsed = parse_smiles(smiles);
  if (!parsed.molecule || atoms.size() >= parsed.molecule->getNumAtoms()) return "";
  const auto exists = [&](std::uint32_t atom) { return atom < parsed.molecule->getNumAtoms(); };
  if (!std::ranges::all_of(atoms, exists)) return "";
  if (!std::ranges::all_of(bonds, [&](const auto& ends) { return exists(ends.first) && exists(ends.second); }))
    return "";
  std::string rest, problem;
  if (!run_rdkit([&] { rest = rest_without(*parsed.molecule, atoms, bonds); }, problem)) return "";
  return rest;
}

}  // namespace edgewise::io
