#include "edgewise/data/fingerprints.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Names = std::vector<std::string>;

TEST_CASE("fingerprints equal those of RDKit's Python package", "[data][fingerprints]") {
  const json::Value golden = json::parse_file(std::string(EDGEWISE_SOURCE_DIR) + "/tests/golden/molecules.json");
  const json::Array& molecules = golden.at("molecules").as_array();
  Names smiles;
  for (const json::Value& molecule : molecules) smiles.push_back(molecule.at("smiles").as_string());
  const data::Fingerprints fingerprints = data::morgan_fingerprints(smiles);
  CHECK(fingerprints.features.rows() == smiles.size());
  CHECK(fingerprints.features.columns() == 2048);
  CHECK(fingerprints.features.sparse.isCompressed());
  for (std::size_t row = 0; row < smiles.size(); ++row) {
    INFO(smiles[row]);
    std::vector<double> bits;
    for (SparseMatrix::InnerIterator bit(fingerprints.features.sparse, static_cast<Eigen::Index>(row)); bit; ++bit) {
      CHECK(bit.value() == 1);
      bits.push_back(static_cast<double>(bit.col()));
    }
    CHECK(bits == molecules[row].at("morgan").as_numbers());
  }
}

TEST_CASE("fingerprints of rows that are not molecules are empty", "[data][fingerprints]") {
  const Names smiles = {"C1CC", "CCO", ""};
  const data::Fingerprints fingerprints = data::morgan_fingerprints(smiles, {.radius = 0, .bits = 64});
  CHECK(fingerprints.features.columns() == 64);
  CHECK(fingerprints.features.sparse.row(0).nonZeros() == 0);
  CHECK(fingerprints.features.sparse.nonZeros() == 3);  // CH3, CH2, OH
  CHECK_FALSE(fingerprints.problems[0].empty());
  CHECK(fingerprints.problems[1].empty());
  CHECK_FALSE(fingerprints.problems[2].empty());
  CHECK(data::morgan_fingerprints({}).features.rows() == 0);
  CHECK_THROWS_AS(data::morgan_fingerprints(smiles, {.bits = 0}), UsageError);
}

TEST_CASE("counted fingerprints count how often a substructure occurs", "[data][fingerprints]") {
  const Names smiles = {"CCCC", "CCO", "C1CC"};
  const data::FingerprintOptions options{.bits = std::size_t{1} << 20};
  const SparseMatrix plain = data::morgan_fingerprints(smiles, options).features.sparse;
  data::FingerprintOptions counted = options;
  counted.counts = true;
  const SparseMatrix counts = data::morgan_fingerprints(smiles, counted).features.sparse;
  CHECK(counts.isCompressed());
  CHECK(counts.nonZeros() == plain.nonZeros());
  CHECK(counts.row(0).sum() > plain.row(0).sum());
  CHECK(counts.row(2).nonZeros() == 0);
  counted.radius = 0;
  const SparseMatrix atoms = data::morgan_fingerprints(smiles, counted).features.sparse;
  CHECK(atoms.row(0).sum() == 4);
  CHECK(atoms.row(0).nonZeros() == 2);
  CHECK(atoms.row(1).sum() == 3);
}

TEST_CASE("fingerprints with stereochemistry differ for stereoisomers, and by little", "[data][fingerprints]") {
  const Names smiles = {"F[C@H]1CC[C@@H](Cl)CC1", "F[C@H]1CC[C@H](Cl)CC1", "Cl[C@H]1CC[C@@H](F)CC1",
                        "C/C=C/C",                "C/C=C\\C",              "C[C@H](F)Cl",
                        "C[C@@H](F)Cl",           "[2H]C([2H])([2H])O",     "CO"};
  const data::FingerprintOptions options{.bits = std::size_t{1} << 16, .counts = true, .stereo = true};
  const Matrix rows = data::morgan_fingerprints(smiles, options).features.sparse.toDense();
  CHECK(rows.row(0) == rows.row(2));
  CHECK(rows.row(7) == rows.row(8));
  for (const auto& [one, other] : {std::pair{0, 1}, {3, 4}, {5, 6}}) {
    CAPTURE(one);
    CHECK(rows.row(one) != rows.row(other));
    CHECK((rows.row(one) - rows.row(other)).cwiseAbs().sum() <= 4);
  }
  data::FingerprintOptions plain = options;
  plain.stereo = false;
  const Matrix without = data::morgan_fingerprints(smiles, plain).features.sparse.toDense();
  CHECK(without.row(0) == without.row(1));
  CHECK(without.row(8) == rows.row(8));  // nothing to add
}

TEST_CASE("fingerprints of several molecules are sums by their shares, each with bits of its own unless they are a sum",
          "[data][fingerprints][mixtures]") {
  const std::vector<std::string> texts = {"{1 CCO + 1 O}", "{O + CCO}", "{1 CCO & 1 O}", "{1 O & 1 CCO}",
                                          "{1 CCO & -}"},
                                 one = {"CCO"};
  const SparseMatrix counts = data::morgan_fingerprints(texts, {.bits = 1 << 16, .counts = true}).features.sparse;
  const auto row = [&](Eigen::Index i) { return Matrix(counts.row(i)); };
  CHECK(2 * row(0) == row(1));  // halves of both
  CHECK(row(2) != row(3));
  CHECK(row(2).sum() == row(3).sum());
  CHECK(row(4).sum() == Matrix(data::morgan_fingerprints(one, {.counts = true}).features.sparse).sum());
}
