#include "edgewise/io/reaction_text.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using Catch::Matchers::Contains;

TEST_CASE("a reaction is told from a molecule by its arrow", "[io][reaction_text]") {
  for (const char* text : {"C>>C", "C>O>C", "[CH3-:1]>>[CH4:1]", "C>C", ">>", "C>>C name"})
    CHECK(io::is_reaction(text));
  for (const char* text : {"C", "", "N->[Cu]", "[Cu]<-N", "C name>>"}) CHECK_FALSE(io::is_reaction(text));
}

TEST_CASE("a reaction has three sides, of which the agents may be empty", "[io][reaction_text]") {
  const io::ReactionText sides = io::split_reaction("CO.N->[Cu]>O>C=O |f:0.1|");
  CHECK(sides.problem.empty());
  CHECK(sides.reactants == "CO.N->[Cu]");
  CHECK(sides.agents == "O");
  CHECK(sides.products == "C=O");
  CHECK(io::split_reaction("CO>>C=O").agents.empty());
  CHECK_THAT(io::split_reaction("CO").problem, Contains("expected reactants>>products"));
  CHECK_THAT(io::split_reaction("CO>C=O").problem, Contains("expected reactants>>products"));
  CHECK_THAT(io::split_reaction("C>>O>>N").problem, Contains("found 4 times >"));
  CHECK_THAT(io::split_reaction("CO >> C=O").problem, Contains("found a blank before the >"));
  CHECK_THAT(io::split_reaction(">>C").problem, Contains("no reactants"));
  CHECK_THAT(io::split_reaction("C>>").problem, Contains("no products"));
  CHECK_THAT(io::split_reaction("").problem, Contains("empty"));
}
