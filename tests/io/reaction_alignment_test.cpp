#include "edgewise/io/reaction_alignment.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "edgewise/data/canonical_smiles.hpp"
#include "edgewise/io/reaction_parser.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

io::ParsedReaction aligned(const std::string& text) {
  const std::string mapped = io::align_reaction(text);
  INFO(mapped);
  CHECK(io::align_reaction(mapped) == mapped);
  io::ParsedReaction reaction = io::parse_reaction(mapped);
  CHECK(reaction.problem.empty());
  return reaction;
}

std::ptrdiff_t joined_atoms(const io::ParsedReaction& reaction) {
  return std::ranges::count_if(reaction.partners, [](int partner) { return partner != io::ParsedReaction::kNone; });
}

}  // namespace

TEST_CASE("atoms of both sides are joined", "[io][reaction_alignment]") {
  CHECK(joined_atoms(aligned("CBr.[F-]>>CF.[Br-]")) == 3);
  CHECK(joined_atoms(aligned("CC(=O)O.OCC>>CC(=O)OCC.O")) == 7);
  CHECK(joined_atoms(aligned("BrCCC.[OH-]>>C=CC.O.[Br-]")) == 5);
  CHECK(joined_atoms(aligned("c1ccccc1Br.OB(O)c1ccccc1>>c1ccc(cc1)-c1ccccc1")) == 12);
  CHECK(joined_atoms(aligned("[H][H].C=C>>CC")) == 2);
}

TEST_CASE("of several ways to join atoms that with the fewest changes is taken", "[io][reaction_alignment]") {
  // Of two like groups the one that is beside the same atoms; the ring is laid on the ring so that its groups stay.
  CHECK_THAT(io::align_reaction("OCCCBr>>OCCCCl"), Contains("[OH:1]") && !Contains("Br:") && !Contains("Cl:"));
  CHECK(io::align_reaction("Oc1ccc(Br)cc1>>Oc1ccc(Br)cc1C") ==
        "[OH:1][c:2]1[cH:3][cH:4][c:5]([Br:6])[cH:7][cH:8]1>>C[c:8]1[c:2]([OH:1])[cH:3][cH:4][c:5]([Br:6])[cH:7]1");
}

TEST_CASE("how a reaction is written changes nothing", "[io][reaction_alignment]") {
  const auto canonical = [](const std::string& text) {
    return data::canonical_smiles(std::vector{io::align_reaction(text)}).front();
  };
  CHECK(canonical("CC(=O)O.OCC>>CC(=O)OCC.O") == canonical("C(C)O.OC(C)=O>>O.O(CC)C(=O)C"));
  CHECK(canonical("C=CC=C.C=C>>C1=CCCCC1") == canonical("C=C.C(=C)C=C>>C1CC=CCC1"));
  CHECK(canonical("O=C(Cl)c1ccccc1.NCC>>O=C(NCC)c1ccccc1.Cl") == canonical("CCN.c1ccccc1C(Cl)=O>>Cl.c1ccccc1C(=O)NCC"));
}

TEST_CASE("sides that are alike everywhere take no time", "[io][reaction_alignment]") {
  std::string before, after;
  for (int i = 0; i < 66; ++i) {
    before += "C(C)(C)";
    after += "C(C)(O)";
  }
  CHECK(joined_atoms(aligned(before + ">>" + after)) == 132);
}

TEST_CASE("reactions that cannot be aligned, or need not, stay as they are", "[io][reaction_alignment]") {
  const std::string text = GENERATE(
      "[CH3:1][Br:2].[F-:3]>>[CH3:1][F:3].[Br-:2]", "[CH3:1]Br>>[CH3:1]F", "CBr", "CBr>>", ">>CBr", "C(>>C", "CBr>>C(",
      "CC>>C>C>C", "", ">", "nonsense", "[CH3:99999999999]Br>>C");
  CHECK(io::align_reaction(text) == text);
  const std::string long_side(301, 'C');
  CHECK(io::align_reaction(long_side + ">>C") == long_side + ">>C");
  CHECK_THAT(io::parse_reaction("CBr>>CF").problem, Contains("expected atom map numbers") && Contains("align"));
}

TEST_CASE("agents, stereochemistry, radicals and isotopes are kept", "[io][reaction_alignment]") {
  CHECK_THAT(io::align_reaction("CBr.[F-]>[Na+].O>CF.[Br-]"), Contains(">[Na+].O>"));
  CHECK_THAT(io::align_reaction("C[C@H](F)Br.[OH-]>>C[C@@H](F)O.[Br-]"), Contains("@"));
  CHECK_THAT(io::align_reaction("[13CH3]Br>>[13CH3]Cl"), Contains("[13CH3:1]"));
  CHECK_THAT(io::align_reaction("C[CH2].[H]>>CC"), Contains("[CH2:"));
}
