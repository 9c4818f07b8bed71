#include "edgewise/data/canonical_smiles.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;

TEST_CASE("a molecule has one canonical SMILES, however it is written", "[data][canonical_smiles]") {
  const std::vector<std::string> written = {"OCC",  "CCO",          "c1ccccc1",     "C1=CC=CC=C1",
                                            "C1CC", "F[C@H](Cl)Br", "F[C@@H](Cl)Br"};
  const std::vector<std::string> smiles = data::canonical_smiles(written);
  CHECK(smiles[0] == "CCO");
  CHECK(smiles[1] == "CCO");
  CHECK(smiles[2] == smiles[3]);
  CHECK(smiles[4].empty());       // not a molecule
  CHECK(smiles[5] != smiles[6]);  // mirror images differ
}
