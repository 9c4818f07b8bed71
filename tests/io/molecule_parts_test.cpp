#include "edgewise/io/molecule_parts.hpp"

#include <catch2/catch.hpp>
#include <map>

using namespace edgewise;

namespace {

/// Groups by what they are, with what is left without each.
std::map<std::string, std::string> groups_of(const std::string& smiles) {
  std::map<std::string, std::string> rests;
  for (const io::SideGroup& group : io::side_groups(smiles)) rests[group.smiles] = group.rest;
  return rests;
}

}  // namespace

TEST_CASE("side groups are the smaller parts beyond single bonds outside of rings", "[io][molecule_parts]") {
  CHECK(groups_of("Oc1ccccc1") == std::map<std::string, std::string>{{"O", "c1ccccc1"}});
  CHECK(groups_of("CCCO") == std::map<std::string, std::string>{{"C", "CCO"}, {"CO", "CC"}, {"O", "CCC"}});
  const std::vector<io::SideGroup> acid = io::side_groups("OC(=O)c1ccccc1");
  REQUIRE(acid.size() == 2);  // none beyond the double bond
  CHECK(acid[0].atoms == std::vector<std::uint32_t>{0});
  CHECK(acid[0].rest == "O=Cc1ccccc1");
  CHECK(acid[1].atoms == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(acid[1].rest == "c1ccccc1");
  CHECK(groups_of("Cn1cccc1") == std::map<std::string, std::string>{{"C", "c1cc[nH]c1"}});
  CHECK(groups_of("C[N+](C)(C)C").at("C") == "C[NH+](C)C");
  CHECK(io::side_groups("CC").front().atoms == std::vector<std::uint32_t>{1});  // the first atom stays
  CHECK(io::side_groups("c1ccccc1").empty());
  CHECK(io::side_groups("C1C").empty());
  CHECK(io::side_groups("").empty());
}

TEST_CASE("what is left keeps its stereochemistry", "[io][molecule_parts]") {
  CHECK(groups_of("C[C@H](N)C(=O)OCC").at("CC") == "C[C@H](N)C(=O)O");
  CHECK(groups_of("C[C@H](O)Cl").at("O") == "CCCl");  // no centre any more
}

TEST_CASE("hydrogens take the place of what is deleted", "[io][molecule_parts]") {
  const std::vector<std::uint32_t> second = {1}, first = {0}, all = {0, 1, 2}, missing = {7};
  CHECK(io::without_parts("CCO", second) == "C.O");
  CHECK(io::without_parts("c1ccccc1", first) == "C=CC=CC");
  CHECK(io::without_parts("c1cc[nH]c1", first) == "C=CNC");
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> bond = {{0, 1}}, none = {{0, 2}};
  CHECK(io::without_parts("C=CO", {}, bond) == "C.CO");
  CHECK(io::without_parts("C1CC1", {}, bond) == "CCC");
  CHECK(io::without_parts("C[N+](C)(C)C", first) == "C[NH+](C)C");
  CHECK(io::without_parts("CCO", all).empty());
  CHECK(io::without_parts("CCO", missing).empty());
  CHECK(io::without_parts("CCO", {}, none).empty());
  CHECK(io::without_parts("C1C", first).empty());
}

TEST_CASE("atoms have their elements", "[io][molecule_parts]") {
  CHECK(io::atom_symbols("OCc1ccccc1Cl").back() == "Cl");
  CHECK(io::atom_symbols("C1C").empty());
}
