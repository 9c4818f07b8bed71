#include "edgewise/data/fingerprints.hpp"

#include <DataStructs/ExplicitBitVect.h>
#include <GraphMol/Fingerprints/MorganFingerprints.h>
#include <GraphMol/RWMol.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/io/molecule_parser.hpp"

namespace edgewise::data {
namespace {

constexpr std::size_t kMostBits = std::size_t{1} << 24;

/// Ascending.
std::vector<int> bits_of(const RDKit::RWMol& molecule, const FingerprintOptions& options) {
  const std::unique_ptr<ExplicitBitVect> bits(RDKit::MorganFingerprints::getFingerprintAsBitVect(
      molecule, options.radius, static_cast<unsigned>(options.bits)));
  std::vector<int> set;
  bits->getOnBits(set);
  return set;
}

SparseMatrix matrix_of(std::span<const std::vector<int>> rows, std::size_t columns) {
  std::size_t values = 0;
  for (const std::vector<int>& row : rows) values += row.size();
  if (values > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw DataError(fmt::format("fingerprints: {} bits set, more than a sparse matrix can hold", values));
  SparseMatrix matrix(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns));
  matrix.resizeNonZeros(static_cast<Eigen::Index>(values));
  std::fill_n(matrix.valuePtr(), values, 1.0F);
  std::int32_t end = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows[i].begin(), rows[i].end(), matrix.innerIndexPtr() + end);
    end += static_cast<std::int32_t>(rows[i].size());
    matrix.outerIndexPtr()[i + 1] = end;
  }
  return matrix;
}

}  // namespace

Fingerprints morgan_fingerprints(std::span<const std::string> smiles, const FingerprintOptions& options) {
  if (options.bits < 1 || options.bits > kMostBits)
    throw UsageError(fmt::format("fingerprints: expected from 1 to {} bits, got {}", kMostBits, options.bits));
  Fingerprints result;
  result.problems.resize(smiles.size());
  std::vector<std::vector<int>> rows(smiles.size());
  constexpr std::size_t kRows = 64;
  parallel_for(smiles.size(), kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      io::ParsedMolecule parsed = io::parse_smiles(smiles[i]);
      result.problems[i] = std::move(parsed.problem);
      if (parsed.molecule)
        io::run_rdkit([&] { rows[i] = bits_of(*parsed.molecule, options); }, result.problems[i]);
    }
  });
  result.features.is_sparse = true;
  result.features.sparse = matrix_of(rows, options.bits);
  return result;
}

}  // namespace edgewise::data
