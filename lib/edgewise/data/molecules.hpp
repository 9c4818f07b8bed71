#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/graph.hpp"

/// @file
/// Molecules as graphs: an atom is a node, a bond an undirected edge. RDKit parses the molecules and perceives rings,
/// aromaticity, hybridisation and stereochemistry. The features derived from this are fixed by a named and versioned
/// feature set, so a model can record what it was trained on.
namespace edgewise::data {

/// The features of a reaction's atoms and bonds (Heid and Green 2022): those of the reactants and their change
/// (products minus reactants), those of reactants and products, or those of the products and the change. An atom that
/// is on one side alone is its element, and nothing else, on the other; `_balance`: there it stays as it is.
enum class ReactionMode : std::uint8_t {
  reac_diff,
  reac_prod,
  prod_diff,
  reac_diff_balance,
  reac_prod_balance,
  prod_diff_balance,
};

/// Several molecules in a row (io/mixture_text.hpp).
struct MixtureOptions {
  std::vector<std::string> names;  ///< Of the molecules.
  bool is_sum = false;             ///< Their order says nothing.
  bool has_amounts = false;
};

struct MoleculeOptions {
  /// One of the feature sets:
  /// - "standard/2": all columns of `atom_feature_names` and `bond_feature_names`. Hydrogens with an isotope are merged
  ///   into their neighbours as others are.
  /// - "standard/1": the same without cis and trans of rings where these leave no centre R or S. A hydrogen with an
  ///   isotope is an atom.
  /// - "elements/1": the element of each atom, no bond features.
  std::string features = "standard/2";
  /// Whether all hydrogens become atoms, placed after the others of their molecule. Otherwise only those do that RDKit
  /// cannot merge into a neighbour, such as the two of [H][H].
  bool hydrogens = false;
  /// Whether to compute RDKit's descriptors too (descriptors.hpp), of the molecule without those hydrogens. This avoids
  /// parsing each molecule twice.
  bool descriptors = false;
  /// If set, rows are reactions, `reactants>agents>products`: see io/reaction_parser.hpp. Each is the condensed graph
  /// of its sides, joined by atom map numbers, and `hydrogens` does not count.
  std::optional<ReactionMode> reactions = {};
  /// If set, rows are several molecules, each of which is a part of the graph. Unless their order says nothing, the
  /// last columns of an atom say which of them it is in.
  std::optional<MixtureOptions> mixtures = {};
};

/// A union of molecules. Row r has atoms offsets[r] ... offsets[r + 1] - 1, in the order of its SMILES; a row that
/// could not be parsed has none.
struct Molecules {
  graph::Graph graph;  ///< Undirected; nodes "0", "1", ...; bond features in `graph.edges().features`.
  std::vector<graph::Node> offsets = {0};
  Features features;                  ///< [atoms, F], dense.
  std::vector<std::string> problems;  ///< One per row: "" if all is well, else RDKit's reason in one short line.
  Matrix descriptors;  ///< [rows, descriptors] if requested; NaN where RDKit gives none.
  /// Of several molecules in a row: part p of row r has atoms part_offsets[r * parts + p] ...
  std::vector<graph::Node> part_offsets = {};
  Matrix shares = {};  ///< [rows * parts, 1]: their amounts over that of all. 0 in problem rows.

  std::size_t rows() const { return offsets.size() - 1; }
};

/// The columns of a set. For an unknown name, throws UsageError listing the sets.
std::vector<std::string> atom_feature_names(std::string_view features);
/// Empty if the set has no bond features.
std::vector<std::string> bond_feature_names(std::string_view features);

/// Whether a set merges hydrogens with an isotope as it does others. For an unknown name, throws UsageError.
bool merges_isotopes(std::string_view features);
/// Whether a set tells cis and trans of rings apart. For an unknown name, throws UsageError.
bool has_all_stereo(std::string_view features);

/// Parses and encodes molecules or reactions. Parallel over rows; the result does not depend on the number of threads.
/// All values are from -1 to 1, or a little above (mass, in units of 100 u, including isotopes). Chirality is encoded
/// as R and S (Cahn, Ingold, Prelog), or else by the side of the ring. Unlike the winding written in a SMILES, these do
/// not depend on the order of the atoms; no feature does. Throws UsageError for an unknown feature set, DataError for
/// more atoms than a graph can hold.
Molecules featurise_molecules(std::span<const std::string> smiles, const MoleculeOptions& options = {});

}  // namespace edgewise::data
