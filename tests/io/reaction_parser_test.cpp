#include "edgewise/io/reaction_parser.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using Catch::Matchers::Contains;
using Partners = std::vector<int>;

TEST_CASE("atoms of a reaction are joined by their map numbers", "[io][reaction_parser]") {
  const io::ParsedReaction reaction = io::parse_reaction("[CH3:7][OH:2].O>>[O:2]=[CH2:7]");
  REQUIRE(reaction.problem.empty());
  CHECK(reaction.partners == Partners{1, 0, io::ParsedReaction::kNone});
  CHECK(reaction.reactants.maps == Partners{7, 2, 0});
  CHECK(io::parse_reaction("[CH3:7][OH:2]>>[O:2]=[CH2:7].O").products.maps == Partners{2, 7, 0});
}

TEST_CASE("hydrogens of a reaction are atoms where they have a map number", "[io][reaction_parser]") {
  const io::ParsedReaction reaction = io::parse_reaction("[C:1]([H])([H:2])[H]>>[CH2:1].[H:2]");
  REQUIRE(reaction.problem.empty());
  CHECK(reaction.partners == Partners{0, 1});
  CHECK(reaction.reactants.maps == Partners{1, 2});
}

TEST_CASE("agents are on both sides, unless they react", "[io][reaction_parser]") {
  const io::ParsedReaction spectator = io::parse_reaction("[CH3:1][OH:2]>[OH2:9].[Na+]>[CH2:1]=[O:2]");
  REQUIRE(spectator.problem.empty());
  CHECK(spectator.partners == Partners{0, 1, 2, 3});
  CHECK(spectator.products.maps.size() == 4);
  const io::ParsedReaction reacting = io::parse_reaction("[CH4:1]>[OH2:9].[Na+]>[CH3:1][OH:9]");
  REQUIRE(reacting.problem.empty());
  CHECK(reacting.partners == Partners{0, 1, 2});
  CHECK(reacting.products.maps.size() == 3);
}

TEST_CASE("hostile reactions have a problem", "[io][reaction_parser]") {
  const auto problem = [](const std::string& text) { return io::parse_reaction(text).problem; };
  CHECK_THAT(problem("[CH3:1][CH3:1]>>[CH4:1]"), Contains("reactants: the atom map number 1 is on two atoms"));
  CHECK_THAT(problem("[CH4:1]>>[CH3:1][CH3:1]"), Contains("products: the atom map number 1 is on two atoms"));
  CHECK_THAT(problem("[CH3:1][OH:2]>>[CH3:2][OH:1]"), Contains("is on C among the reactants, and on O among"));
  CHECK_THAT(problem("CO>>C=O"), Contains("expected atom map numbers"));
  CHECK_THAT(problem("[CH4:1]>>[CH4:2]"), Contains("expected atom map numbers"));
  CHECK_THAT(problem("[CH3:2147483648]O>>[CH3:2147483648]"), Contains("at most nine digits"));
  CHECK_THAT(problem("[CH3:4294967297]O>>[CH3:1]"), Contains("at most nine digits"));
  CHECK_THAT(problem("C1CC>>C"), Contains("reactants: "));
  CHECK_THAT(problem("[CH4:1]>C(>[CH4:1]"), Contains("agents: "));
  CHECK_THAT(problem("[CH4:1]>>[CH4:1]C(C)(C)(C)(C)C"), Contains("products: "));
  CHECK(problem("[CH4:1]>>[CH4:1]").empty());  // identical sides
  CHECK(problem("[H:1][H:2]>>[H:1].[H:2]").empty());
  std::string chain;
  for (int atom = 1; atom <= 10'000; ++atom) chain += "[CH2:" + std::to_string(atom) + "]";
  CHECK_THAT(problem(chain + ">>" + chain), Contains("longer than"));
}

TEST_CASE("sides without a common element are told from those without map numbers", "[io][reaction_parser]") {
  CHECK_THAT(io::parse_reaction("CO>>CO").problem, Contains("data.align"));
  CHECK_THAT(io::parse_reaction("C>>O").problem, Contains("no two atoms of its sides are alike"));
  CHECK_THAT(io::parse_reaction("C>N>O").problem, Contains("no two atoms of its sides are alike"));
}
