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

TEST_CASE("atom map numbers are no part of a molecule", "[data][canonical_smiles]") {
  const std::vector<std::string> written = {
      "CO",          "[CH3:1][OH:2]",
      "CC(C)O",      "[CH3:1][C@H:2]([CH3:3])[OH:4]",  // the two ends differ by their numbers alone
      "CC(C)O",      "[CH3:1]C([CH3:2])O |$a;;;$|",    // with an extension
      "F[C@H](Cl)Br", "[F:1][C@H:2]([Cl:3])[Br:4]",
      "CC=C(C)C",    "[CH3:1]/[CH:2]=[C:3](/[CH3:4])[CH3:5]",
      "C",           "[CH3:1][H:2]"};
  const std::vector<std::string> smiles = data::canonical_smiles(written);
  for (std::size_t i = 0; i < smiles.size(); i += 2) {
    INFO(written[i + 1]);
    CHECK(smiles[i] == smiles[i + 1]);
  }
}

TEST_CASE("several molecules are the same with the same shares, in any order if it says nothing",
          "[data][canonical_smiles][mixtures]") {
  const std::vector<std::string> texts = {"{CCO & O}",           "{OCC & O}",         "{O & CCO}",
                                          "{CCO + O}",           "{O + OCC}",         "{2 CCO + 6 O}",
                                          "{0.75 O + 0.25 OCC}", "{0.5 CCO + 0.5 O}", "{1 CCO & 0 O}",
                                          "{3 OCC & -}",         "{CCO & C1C}"};
  const std::vector<std::string> smiles = data::canonical_smiles(texts);
  CHECK(smiles[0] == smiles[1]);
  CHECK(smiles[0] != smiles[2]);
  CHECK(smiles[3] == smiles[4]);
  CHECK(smiles[3] != smiles[0]);
  CHECK(smiles[5] == smiles[6]);
  CHECK(smiles[5] != smiles[7]);
  CHECK(smiles[8] == smiles[9]);  // nothing of a molecule is none of it
  CHECK(smiles[10].empty());
}
