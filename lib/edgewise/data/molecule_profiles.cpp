#include "edgewise/data/molecule_profiles.hpp"

#include <DataStructs/ExplicitBitVect.h>
#include <GraphMol/Fingerprints/MorganFingerprints.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/RWMol.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <set>

#include "edgewise/core/parallel.hpp"
#include "edgewise/data/detail/each_molecule.hpp"
#include "edgewise/data/detail/environments.hpp"

namespace edgewise::data {
namespace {

constexpr unsigned kRadius = 2;

std::string atom_name(const RDKit::Atom& atom) {
  const int charge = atom.getFormalCharge();
  if (charge == 0) return atom.getSymbol();
  const std::string size = std::abs(charge) == 1 ? "" : std::to_string(std::abs(charge));
  return fmt::format("{}{}{}", atom.getSymbol(), size, charge > 0 ? '+' : '-');
}

MoleculeBits profile_bits(const RDKit::RWMol& molecule) {
  MoleculeBits bits;
  const std::unique_ptr<ExplicitBitVect> fingerprint(
      RDKit::MorganFingerprints::getFingerprintAsBitVect(molecule, kRadius, bits.size()));
  std::vector<int> set;
  fingerprint->getOnBits(set);
  for (const int bit : set) bits.set(static_cast<std::size_t>(bit));
  return bits;
}

MoleculeBits profile_bits(const io::ParsedReaction& reaction) {
  MoleculeBits bits;
  for (const auto& [environment, count] :
       detail::changes_of(detail::morgan_environments(*reaction.reactants.molecule, kRadius),
                          detail::morgan_environments(*reaction.products.molecule, kRadius)))
    bits.set(environment % bits.size());
  return bits;
}

MoleculeProfile profile_of(const RDKit::RWMol& molecule) {
  std::set<std::string> atoms;
  int charge = 0;
  for (const RDKit::Atom* atom : molecule.atoms()) {
    atoms.insert(atom_name(*atom));
    charge += atom->getFormalCharge();
  }
  std::vector<int> part_of_atom;
  return {.bits = profile_bits(molecule),
          .atoms = {atoms.begin(), atoms.end()},
          .size = static_cast<int>(molecule.getNumHeavyAtoms()),
          .parts = static_cast<int>(RDKit::MolOps::getMolFrags(molecule, part_of_atom)),
          .charge = charge};
}

/// The atoms of both sides; the size, parts and charge of the reactants.
MoleculeProfile profile_of(const io::ParsedReaction& reaction) {
  MoleculeProfile profile = profile_of(*reaction.reactants.molecule);
  std::set<std::string> atoms(profile.atoms.begin(), profile.atoms.end());
  for (const RDKit::Atom* atom : reaction.products.molecule->atoms()) atoms.insert(atom_name(*atom));
  profile.atoms.assign(atoms.begin(), atoms.end());
  profile.bits = profile_bits(reaction);
  return profile;
}

/// Of all molecules together; the bits of each are its own, unless their order says nothing.
MoleculeProfile profile_of(const io::ParsedMixture& mixture) {
  MoleculeProfile all;
  std::set<std::string> atoms;
  detail::Environments environments;
  for (std::size_t i = 0; i < mixture.parts.size(); ++i) {
    if (!mixture.parts[i].parsed.molecule) continue;
    const RDKit::RWMol& molecule = *mixture.parts[i].parsed.molecule;
    const MoleculeProfile one = profile_of(molecule);
    atoms.insert(one.atoms.begin(), one.atoms.end());
    all.size += one.size;
    all.parts += one.parts;
    all.charge += one.charge;
    detail::add_share(detail::morgan_environments(molecule, kRadius), i, mixture.is_sum, 1, environments);
  }
  all.atoms.assign(atoms.begin(), atoms.end());
  for (const auto& [environment, count] : environments) all.bits.set(environment % all.bits.size());
  return all;
}

/// That of a row.
MoleculeProfile profile_of(const std::string& text) {
  MoleculeProfile profile;
  detail::with_parsed(text, [&](const auto& parsed) { profile = profile_of(parsed); });
  return profile;
}

}  // namespace

double tanimoto(const MoleculeBits& a, const MoleculeBits& b) {
  const std::size_t shared = (a & b).count(), all = (a | b).count();
  return all == 0 ? 1 : static_cast<double>(shared) / static_cast<double>(all);
}

std::vector<MoleculeProfile> molecule_profiles(std::span<const std::string> smiles) {
  std::vector<MoleculeProfile> profiles(smiles.size());
  constexpr std::size_t kRows = 64;
  parallel_for(smiles.size(), kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) profiles[i] = profile_of(smiles[i]);
  });
  return profiles;
}

}  // namespace edgewise::data
