#pragma once

#include <array>
#include <string>

namespace RDKit {
class Atom;
class RWMol;
}  // namespace RDKit

/// @file
/// What the parser leaves out of a molecule: which substituents of a ring are on the same side, and isotopes of
/// hydrogen as a property of their neighbour.
namespace edgewise::data::detail {

/// "R" or "S" (Cahn, Ingold, Prelog), as RDKit's parser assigns them; "" for other atoms.
std::string chirality_of(const RDKit::Atom& atom);

/// For an atom of a ring: how its substituent lies to those of other stereocentres of the ring that are 1, 2, and 3 or
/// more bonds away along the ring. 1: on the same side (cis), -1: on the other (trans), in between for several, 0 for
/// none. Of two substituents that with the higher rank (Cahn, Ingold, Prelog) counts. A mirror image has the same.
using RingStereo = std::array<float, 3>;

/// Computes `ring_stereo_of` for the stereocentres that have neither R nor S because both ways around their ring are
/// alike, as in 1,4-cyclohexanediol.
void find_ring_stereo(RDKit::RWMol& molecule);

/// All 0 before `find_ring_stereo` and for other atoms.
RingStereo ring_stereo_of(const RDKit::Atom& atom);

/// Whether a hydrogen of the molecule has an isotope.
bool has_isotopic_hydrogens(const RDKit::RWMol& molecule);

/// Merges these hydrogens into their neighbours, which keep their masses. What is known of stereocentres stays.
void fold_isotopic_hydrogens(RDKit::RWMol& molecule);

/// By how much isotopes make the atom heavier than the natural mixture, with the hydrogens folded into it, in u.
double isotopic_mass(const RDKit::Atom& atom);

}  // namespace edgewise::data::detail
