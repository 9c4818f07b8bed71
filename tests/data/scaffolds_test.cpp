#include "edgewise/data/scaffolds.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/json.hpp"
#include "edgewise/core/parallel.hpp"

using namespace edgewise;
using Names = std::vector<std::string>;

TEST_CASE("scaffolds follow Bemis and Murcko", "[data][scaffolds]") {
  const Names smiles = {"CCO", "Cc1ccccc1", "c1ccccc1CCN", "C1CC1C(=O)Nc1ccccc1", "C[C@H]1CCCO1", "oops", ""};
  const Names scaffolds = data::murcko_scaffolds(smiles);
  CHECK(scaffolds == Names{"", "c1ccccc1", "c1ccccc1", "O=C(Nc1ccccc1)C1CC1", "C1CCOC1", "", ""});
  CHECK(data::murcko_scaffolds({}).empty());
}

TEST_CASE("scaffolds equal those of RDKit's Python package", "[data][scaffolds]") {
  const json::Value golden = json::parse_file(std::string(EDGEWISE_SOURCE_DIR) + "/tests/golden/molecules.json");
  Names smiles, expected;
  for (const json::Value& molecule : golden.at("molecules").as_array()) {
    smiles.push_back(molecule.at("smiles").as_string());
    expected.push_back(molecule.at("scaffold").as_string());
  }
  const int before = threads();
  for (const int count : {1, 3}) {
    set_threads(count);
    CHECK(data::murcko_scaffolds(smiles) == expected);
  }
  set_threads(before);
}

TEST_CASE("the scaffold of several molecules is that of the first, or of all if there is no first one",
          "[data][scaffolds][mixtures]") {
  const std::vector<std::string> texts = {"{Cc1ccccc1 & C1CC1}", "{C1CC1 & Cc1ccccc1}", "{Cc1ccccc1 + CC1CC1}",
                                          "{C1CC1 + c1ccccc1}", "{- & c1ccccc1}"};
  const std::vector<std::string> found = data::murcko_scaffolds(texts);
  CHECK(found[0] == "c1ccccc1");
  CHECK(found[1] == "C1CC1");
  CHECK(found[2] == "C1CC1.c1ccccc1");
  CHECK(found[3] == found[2]);
  CHECK(found[4].empty());
}
