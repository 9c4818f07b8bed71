#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Molecules without some of their parts, with hydrogens in their place.
namespace edgewise::io {

/// What a single bond outside of rings holds to the rest of a molecule: the smaller side, or if both are equal the one
/// without the first atom.
struct SideGroup {
  std::vector<std::uint32_t> atoms;  ///< Ascending, counted from 0 in the order of the SMILES.
  std::string smiles;                ///< Of the group.
  std::string rest;                  ///< SMILES of the molecule with a hydrogen in its place.
};

/// The side groups of a molecule, in the order of their bonds; groups hold smaller groups. Empty if the SMILES cannot
/// be read. A group without which RDKit makes no valid molecule is left out. Thread-safe.
std::vector<SideGroup> side_groups(const std::string& smiles);

/// The elements of the atoms, in the order of the SMILES, also of reactions and several molecules; empty if it cannot
/// be read. Thread-safe.
std::vector<std::string> atom_symbols(const std::string& smiles);

/// The SMILES of a molecule without some atoms, and without some bonds, given by their ends. The valences that become
/// free are filled with hydrogens; aromatic rings that are opened are taken in one of their Kekulé structures. Centres
/// and double bonds next to what is deleted lose their stereochemistry. "" if the SMILES cannot be read, an atom or a
/// bond does not exist, nothing would be left, or RDKit makes no valid molecule of the rest. Thread-safe.
std::string without_parts(const std::string& smiles, std::span<const std::uint32_t> atoms,
                          std::span<const std::pair<std::uint32_t, std::uint32_t>> bonds = {});

}  // namespace edgewise::io
