#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/graph.hpp"

/// @file
/// Molecules as graphs: an atom is a node, a bond an undirected edge. RDKit parses and perceives (rings, aromaticity,
/// hybridisation, stereochemistry); what is made of it is fixed by a named and versioned feature set, so that a model
/// can say what it was trained on.
namespace edgewise::data {

struct MoleculeOptions {
  /// One of `molecule_feature_sets()`:
  /// - "standard/1": all that the columns of `atom_feature_names` and `bond_feature_names` say.
  /// - "elements/1": the element of an atom, nothing of the bonds.
  std::string features = "standard/1";
  /// Whether all hydrogens become atoms, after the others of their molecule. Otherwise only those are that RDKit
  /// cannot merge into a neighbour, such as the two of [H][H].
  bool hydrogens = false;
  /// Whether RDKit's descriptors are computed too (descriptors.hpp), of the molecule without those hydrogens: so each
  /// is parsed once.
  bool descriptors = false;
};

/// Molecules side by side. Row r has the atoms offsets[r] ... offsets[r + 1] - 1 in the order of its SMILES; a row that
/// could not be parsed has none.
struct Molecules {
  graph::Graph graph;  ///< Undirected; nodes "0", "1", ...; bond features in `graph.edges().features`.
  std::vector<graph::Node> offsets = {0};
  Features features;                  ///< [atoms, F], dense.
  std::vector<std::string> problems;  ///< One a row: "" when all is well, else RDKit's reason in one short line.
  Matrix descriptors;  ///< [rows, descriptors] where they are asked for; NaN where RDKit gives none.

  std::size_t rows() const { return offsets.size() - 1; }
};

/// The names of all feature sets.
std::vector<std::string> molecule_feature_sets();
/// The columns of a set. Throws UsageError that lists the sets for another name.
std::vector<std::string> atom_feature_names(std::string_view features);
/// Empty when the set has no features of bonds.
std::vector<std::string> bond_feature_names(std::string_view features);

/// Parses and encodes molecules, in parallel over rows; the same for any number of threads. All values are from -1 to
/// 1, or a little above (mass: in 100 u, with isotopes). Chirality is R and S (Cahn, Ingold, Prelog), which unlike the
/// turn that a SMILES writes do not depend on the order of its atoms: nothing here does.
/// Throws UsageError for an unknown feature set, DataError for more atoms than a graph can hold.
Molecules featurise_molecules(std::span<const std::string> smiles, const MoleculeOptions& options = {});

}  // namespace edgewise::data
