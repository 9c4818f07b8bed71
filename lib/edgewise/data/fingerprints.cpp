#include "edgewise/data/fingerprints.hpp"

#include <DataStructs/ExplicitBitVect.h>
#include <DataStructs/SparseIntVect.h>
#include <GraphMol/Fingerprints/MorganFingerprints.h>
#include <GraphMol/RWMol.h>
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/io/molecule_parser.hpp"

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
    for (std::size_t i = begin; i < end; ++i) {
      io::ParsedMolecule parsed = io::parse_smiles(smiles[i]);
      result.problems[i] = std::move(parsed.problem);
      if (parsed.molecule) io::run_rdkit([&] { rows[i] = bits_of(*parsed.molecule, options); }, result.problems[i]);
    }
  });
  result.features.is_sparse = true;
  result.features.sparse = matrix_of(rows, options.bits);
  return result;
}

}  // namespace edgewise::data
