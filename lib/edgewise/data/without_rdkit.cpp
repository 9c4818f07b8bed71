/// @file
/// What of this module needs RDKit, in a build without it.
#include "edgewise/core/error.hpp"
#include "edgewise/data/butina.hpp"
#include "edgewise/data/canonical_smiles.hpp"
#include "edgewise/data/descriptors.hpp"
#include "edgewise/data/fingerprints.hpp"
#include "edgewise/data/molecule_profiles.hpp"
#include "edgewise/data/molecules.hpp"
#include "edgewise/data/reaction_centres.hpp"
#include "edgewise/data/scaffolds.hpp"

namespace edgewise::data {
namespace {

[[noreturn]] void refuse() {
  throw UsageError("molecules need RDKit, without which this copy of Edgewise was built");
}

}  // namespace

std::vector<std::uint32_t> butina_clusters(std::span<const MoleculeBits>, double) { refuse(); }
std::vector<std::uint32_t> butina_clusters(std::span<const std::string>) { refuse(); }
std::vector<std::string> canonical_smiles(std::span<const std::string>) { refuse(); }
std::vector<std::string> descriptor_names() { refuse(); }
std::vector<std::string> reaction_descriptor_names() { refuse(); }
MoleculeDescriptors reaction_descriptors(std::span<const std::string>) { refuse(); }
std::vector<std::string> mixture_descriptor_names(std::size_t, bool) { refuse(); }
MoleculeDescriptors mixture_descriptors(std::span<const std::string>, std::size_t, bool) { refuse(); }
std::vector<std::string> reaction_centres(std::span<const std::string>) { refuse(); }
MoleculeDescriptors molecule_descriptors(std::span<const std::string>) { refuse(); }
Fingerprints morgan_fingerprints(std::span<const std::string>, const FingerprintOptions&) { refuse(); }
double tanimoto(const MoleculeBits&, const MoleculeBits&) { refuse(); }
std::vector<MoleculeProfile> molecule_profiles(std::span<const std::string>) { refuse(); }
std::vector<std::string> atom_feature_names(std::string_view) { refuse(); }
std::vector<std::string> bond_feature_names(std::string_view) { refuse(); }
bool merges_isotopes(std::string_view) { refuse(); }
bool has_all_stereo(std::string_view) { refuse(); }
Molecules featurise_molecules(std::span<const std::string>, const MoleculeOptions&) { refuse(); }
std::vector<std::string> murcko_scaffolds(std::span<const std::string>) { refuse(); }

}  // namespace edgewise::data
