#include "edgewise/data/descriptors.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/json.hpp"
#include "edgewise/data/molecules.hpp"

using namespace edgewise;
using Names = std::vector<std::string>;

TEST_CASE("descriptors equal those of RDKit's Python package", "[data][descriptors]") {
  const json::Value golden = json::parse_file(std::string(EDGEWISE_SOURCE_DIR) + "/tests/golden/descriptors.json");
  const json::Array& molecules = golden.at("molecules").as_array();
  Names smiles;
  for (const json::Value& molecule : molecules) smiles.push_back(molecule.at("smiles").as_string());
  const Names names = data::descriptor_names();
  CHECK(names.size() == 118);
  const data::MoleculeDescriptors found = data::molecule_descriptors(smiles);
  REQUIRE(found.values.rows() == static_cast<Eigen::Index>(smiles.size()));
  for (std::size_t row = 0; row < smiles.size(); ++row)
    for (std::size_t i = 0; i < names.size(); ++i) {
      INFO(smiles[row] << " " << names[i]);
      const double expected = molecules[row].at("descriptors").at(names[i]).as_number();
      CHECK(found.values(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(i)) ==
            Approx(expected).epsilon(1e-4).margin(1e-4));
    }
}

TEST_CASE("descriptors of rows that are not molecules are unknown", "[data][descriptors]") {
  const Names smiles = {"C1CC", "CCO", "", "[Na+].[Cl-]", "[U]", std::string(2000, 'C')};
  const data::MoleculeDescriptors found = data::molecule_descriptors(smiles);
  for (const Eigen::Index row : {0, 2, 5}) {
    CHECK_FALSE(found.problems[static_cast<std::size_t>(row)].empty());
    CHECK(found.values.row(row).array().isNaN().all());
  }
  CHECK(found.problems[1].empty());
  CHECK(found.problems[5] == "more than 1500 atoms: no descriptors");
  CHECK(found.values.row(1).allFinite());
  for (Eigen::Index i = 0; i < found.values.size(); ++i) CHECK_FALSE(std::isinf(found.values.data()[i]));
  CHECK(data::molecule_descriptors({}).values.rows() == 0);
}

TEST_CASE("descriptors computed with atom features have the same bits", "[data][descriptors]") {
  const Names smiles = {"CCO", "C1CC", "N[C@@H](C)C(=O)O", "F/C=C/F", "c1ccccc1", std::string(2000, 'C'), ""};
  const Matrix alone = data::molecule_descriptors(smiles).values;
  for (const bool hydrogens : {false, true}) {
    const data::Molecules beside = data::featurise_molecules(smiles, {.hydrogens = hydrogens, .descriptors = true});
    REQUIRE(beside.descriptors.rows() == alone.rows());
    const auto is_same = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    CHECK(std::equal(alone.data(), alone.data() + alone.size(), beside.descriptors.data(), is_same));
    CHECK(data::featurise_molecules(smiles, {.hydrogens = hydrogens}).features.dense == beside.features.dense);
  }
  CHECK(data::featurise_molecules(smiles).descriptors.size() == 0);
}

TEST_CASE("descriptors of several molecules are those of each times its share", "[data][descriptors][mixtures]") {
  const std::vector<std::string> molecules = {"CCO", "c1ccccc1"};
  const Matrix single = data::molecule_descriptors(molecules).values;
  const std::vector<std::string> ordered = {"{1 CCO & 3 c1ccccc1}", "{c1ccccc1 & -}", "{CCO & C1C}", "{CCO + O}"};
  const data::MoleculeDescriptors made = data::mixture_descriptors(ordered, 2, false);
  REQUIRE(made.values.cols() == 2 * single.cols());
  CHECK(data::mixture_descriptor_names(2, false).size() == static_cast<std::size_t>(made.values.cols()));
  CHECK(made.values.row(0).head(single.cols()) == 0.25F * single.row(0));
  CHECK(made.values.row(0).tail(single.cols()) == 0.75F * single.row(1));
  CHECK(made.values.row(1).head(single.cols()) == single.row(1));
  CHECK(made.values.row(1).tail(single.cols()).isZero(0));
  CHECK(made.values.row(2).array().isNaN().all());
  CHECK_FALSE(made.problems[2].empty());
  CHECK_FALSE(made.problems[3].empty());  // a sum among others
  const std::vector<std::string> sums = {"{1 CCO + 3 c1ccccc1}", "{3 c1ccccc1 + 1 CCO}"};
  const Matrix sum = data::mixture_descriptors(sums, 2, true).values;
  CHECK(sum.row(0) == sum.row(1));
  CHECK(sum.row(0).isApprox(0.25F * single.row(0) + 0.75F * single.row(1), 1e-6F));
}
