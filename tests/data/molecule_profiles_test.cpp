#include "edgewise/data/molecule_profiles.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <string>
#include <vector>

using namespace edgewise;
using namespace edgewise::data;

TEST_CASE("a profile has the elements with their charges, heavy atoms and parts", "[data][molecule_profiles]") {
  const std::vector<std::string> smiles = {"CC[NH3+].[Cl-]", "not a molecule", "[Fe+3]", "CCO", "OCC"};
  const std::vector<MoleculeProfile> profiles = molecule_profiles(smiles);
  REQUIRE(profiles.size() == 5);
  CHECK(profiles[0].atoms == std::vector<std::string>{"C", "Cl-", "N+"});
  CHECK(profiles[0].size == 4);
  CHECK(profiles[0].parts == 2);
  CHECK(profiles[0].is_readable());
  CHECK_FALSE(profiles[1].is_readable());
  CHECK(profiles[1].bits.none());
  CHECK(profiles[0].charge == 0);
  CHECK(profiles[2].charge == 3);
  CHECK(profiles[2].atoms == std::vector<std::string>{"Fe3+"});
  CHECK(profiles[2].bits.count() == 1);
  CHECK(profiles[3].bits == profiles[4].bits);
  CHECK(profiles[3].bits != profiles[0].bits);
}

TEST_CASE("the Tanimoto similarity is the share of bits that both have", "[data][molecule_profiles]") {
  MoleculeBits a, b;
  CHECK(tanimoto(a, b) == 1);
  for (const std::size_t bit : {1U, 2U, 900U}) a.set(bit);
  CHECK(tanimoto(a, b) == 0);
  for (const std::size_t bit : {2U, 900U, 901U}) b.set(bit);
  CHECK(tanimoto(a, b) == 0.5);
  CHECK(tanimoto(a, a) == 1);
}

TEST_CASE("the profile of several molecules is of all, whose order counts unless they are a sum",
          "[data][molecule_profiles][mixtures]") {
  const std::vector<std::string> texts = {"{CC[NH3+] & O}", "{O & CC[NH3+]}", "{CC[NH3+] + O}", "{O + CC[NH3+]}",
                                          "{C1C & O}"};
  const std::vector<MoleculeProfile> profiles = molecule_profiles(texts);
  CHECK(profiles[0].atoms == std::vector<std::string>{"C", "N+", "O"});
  CHECK(profiles[0].size == 4);
  CHECK(profiles[0].parts == 2);
  CHECK(profiles[0].charge == 1);
  CHECK(tanimoto(profiles[0].bits, profiles[1].bits) < 0.5);
  CHECK(profiles[2].bits == profiles[3].bits);
  CHECK_FALSE(profiles[4].is_readable());
}
