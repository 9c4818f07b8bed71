#include "edgewise/data/fingerprints.hpp"

#include <DataStructs/ExplicitBitVect.h>
#include <DataStructs/SparseIntVect.h>
#include <GraphMol/Fingerprints/MorganFingerprints.h>
#include <GraphMol/RWMol.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/data/detail/each_molecule.hpp"
#include "edgewise/data/detail/environments.hpp"
#include "edgewise/data/detail/stereo.hpp"

namespace edgewise::data {
namespace {

constexpr std::size_t kMaxBits = std::size_t{1} << 24;

/// A bit and its count.
using BitCount = std::pair<std::int32_t, float>;

std::vector<BitCount> counts_of(const RDKit::RWMol& molecule, const FingerprintOptions& options) {
  const std::unique_ptr<RDKit::SparseIntVect<std::uint32_t>> counts(
      RDKit::MorganFingerprints::getHashedFingerprint(molecule, options.radius, static_cast<unsigned>(options.bits)));
  std::vector<BitCount> found;
  for (const auto& [bit, count] : counts->getNonzeroElements())
    found.emplace_back(static_cast<std::int32_t>(bit), static_cast<float>(count));
  return found;
}

/// The set bits, ascending.
std::vector<BitCount> bits_of(const RDKit::RWMol& molecule, const FingerprintOptions& options) {
  if (options.counts) return counts_of(molecule, options);
  const std::unique_ptr<ExplicitBitVect> bits(RDKit::MorganFingerprints::getFingerprintAsBitVect(
      molecule, options.radius, static_cast<unsigned>(options.bits)));
  std::vector<int> set;
  bits->getOnBits(set);
  std::vector<BitCount> found;
  for (const int bit : set) found.emplace_back(bit, 1.0F);
  return found;
}

/// The stereochemistry of an atom as a number; 0 if it has none.
std::uint64_t stereo_of(const RDKit::Atom& atom) {
  if (const std::string label = detail::chirality_of(atom); !label.empty()) return static_cast<std::uint64_t>(label[0]);
  constexpr double kSteps = 60;  // tells means of up to six apart
  const detail::RingStereo relations = detail::ring_stereo_of(atom);
  if (relations == detail::RingStereo{}) return 0;
  std::uint64_t all = 0;
  for (const float relation : relations)
    all = detail::mixed(all, static_cast<std::uint64_t>(std::lround(kSteps * (relation + 2))));
  return all;
}

/// A number for each stereocentre (its stereochemistry and its atom) and double bond (its stereo and both atoms).
std::vector<std::uint64_t> stereo_environments(const RDKit::RWMol& molecule) {
  std::vector<std::uint32_t> atoms(molecule.getNumAtoms());
  RDKit::MorganFingerprints::getConnectivityInvariants(molecule, atoms);
  std::vector<std::uint64_t> environments;
  for (const RDKit::Atom* atom : molecule.atoms())
    if (const std::uint64_t stereo = stereo_of(*atom); stereo != 0)
      environments.push_back(detail::mixed(stereo, atoms[atom->getIdx()]));
  for (const RDKit::Bond* bond : molecule.bonds()) {
    const RDKit::Bond::BondStereo stereo = bond->getStereo();
    if (stereo == RDKit::Bond::STEREONONE || stereo == RDKit::Bond::STEREOANY) continue;
    const auto [low, high] = std::minmax(atoms[bond->getBeginAtomIdx()], atoms[bond->getEndAtomIdx()]);
    environments.push_back(detail::mixed(detail::mixed(static_cast<std::uint64_t>(stereo), low), high));
  }
  return environments;
}

/// Adds their bits to `found`, which stays ascending.
void add_environments(const RDKit::RWMol& molecule, const FingerprintOptions& options, std::vector<BitCount>& found) {
  std::map<std::int32_t, float> counts(found.begin(), found.end());
  for (const std::uint64_t environment : stereo_environments(molecule)) {
    float& count = counts[static_cast<std::int32_t>(environment % options.bits)];
    count = options.counts ? count + 1 : 1;
  }
  found.assign(counts.begin(), counts.end());
}

std::vector<BitCount> fingerprint_of(RDKit::RWMol& molecule, const FingerprintOptions& options) {
  if (!options.stereo) return bits_of(molecule, options);
  detail::find_ring_stereo(molecule);
  detail::fold_isotopic_hydrogens(molecule);
  std::vector<BitCount> found = bits_of(molecule, options);
  add_environments(molecule, options, found);
  return found;
}

detail::Environments environments_of(RDKit::RWMol& molecule, const FingerprintOptions& options) {
  if (options.stereo) detail::find_ring_stereo(molecule);
  detail::Environments found = detail::morgan_environments(molecule, options.radius);
  if (options.stereo)
    for (const std::uint64_t environment : stereo_environments(molecule)) ++found[environment];
  return found;
}

std::vector<BitCount> hashed(const detail::Environments& environments, const FingerprintOptions& options) {
  std::map<std::int32_t, float> counts;
  for (const auto& [environment, count] : environments) {
    float& bit = counts[static_cast<std::int32_t>(environment % options.bits)];
    bit = options.counts ? bit + count : 1;
  }
  return {counts.begin(), counts.end()};
}

std::vector<BitCount> fingerprint_of(const io::ParsedReaction& reaction, const FingerprintOptions& options) {
  return hashed(detail::changes_of(environments_of(*reaction.reactants.molecule, options),
                                   environments_of(*reaction.products.molecule, options)),
                options);
}

std::vector<BitCount> fingerprint_of(const io::ParsedMixture& mixture, const FingerprintOptions& options) {
  detail::Environments all;
  for (std::size_t i = 0; i < mixture.parts.size(); ++i)
    if (const auto& [parsed, share] = mixture.parts[i]; parsed.molecule)
      detail::add_share(environments_of(*parsed.molecule, options), i, mixture.is_sum, share, all);
  return hashed(all, options);
}

/// The fingerprint of a row and its problem.
std::vector<BitCount> fingerprint_of(const std::string& text, const FingerprintOptions& options, std::string& problem) {
  std::vector<BitCount> found;
  problem = detail::with_parsed(text, [&](auto& parsed) { found = fingerprint_of(parsed, options); });
  return found;
}

SparseMatrix matrix_of(std::span<const std::vector<BitCount>> rows, std::size_t columns) {
  std::size_t values = 0;
  for (const std::vector<BitCount>& row : rows) values += row.size();
  if (values > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw DataError(fmt::format("fingerprints: {} bits set, more than a sparse matrix can hold", values));
  SparseMatrix matrix(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns));
  matrix.resizeNonZeros(static_cast<Eigen::Index>(values));
  std::int32_t end = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [bit, count] : rows[i]) {
      matrix.innerIndexPtr()[end] = bit;
      matrix.valuePtr()[end++] = count;
    }
    matrix.outerIndexPtr()[i + 1] = end;
  }
  return matrix;
}

}  // namespace

Fingerprints morgan_fingerprints(std::span<const std::string> smiles, const FingerprintOptions& options) {
  if (options.bits < 1 || options.bits > kMaxBits)
    throw UsageError(fmt::format("fingerprints: expected from 1 to {} bits, got {}", kMaxBits, options.bits));
  Fingerprints result;
  result.problems.resize(smiles.size());
  std::vector<std::vector<BitCount>> rows(smiles.size());
  constexpr std::size_t kRows = 64;
  parallel_for(smiles.size(), kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) rows[i] = fingerprint_of(smiles[i], options, result.problems[i]);
  });
  result.features.is_sparse = true;
  result.features.sparse = matrix_of(rows, options.bits);
  return result;
}

}  // namespace edgewise::data
