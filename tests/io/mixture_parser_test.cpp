#include "edgewise/io/mixture_parser.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using Catch::Matchers::Contains;

TEST_CASE("several molecules are parsed one by one", "[io][mixture_parser]") {
  const io::ParsedMixture parsed = io::parse_mixture("{0.5 CCO & 0.5 [Na+].[Cl-] & 0 N}");
  CHECK(parsed.problem.empty());
  REQUIRE(parsed.parts.size() == 3);
  CHECK(parsed.parts[0].parsed.molecule != nullptr);
  CHECK(parsed.parts[1].share == 0.5F);
  CHECK(parsed.parts[2].parsed.molecule == nullptr);  // there is nothing of it
}

TEST_CASE("a molecule that cannot be parsed is named", "[io][mixture_parser]") {
  const std::vector<std::string> names = {"dye", "solvent"};
  CHECK_THAT(io::parse_mixture("{CCO & C1CC}", names).problem, Contains("solvent: unclosed ring"));
  CHECK_THAT(io::parse_mixture("{1 CCO & 0 C1CC}", names).problem, Contains("solvent: unclosed ring"));
  CHECK_THAT(io::parse_mixture("{CCO + C1CC}").problem, Contains("molecule 2: unclosed ring"));
  CHECK_THAT(io::parse_mixture("{CCO & C>>C}", names).problem, Contains("solvent: a reaction"));
  CHECK_THAT(io::parse_mixture("{CCO & {O & N}}", names).problem, Contains("expected 2 molecules, got 3"));
  CHECK_THAT(io::parse_mixture("{CCO & {O}}", names).problem, Contains("solvent: several molecules rather than one"));
  CHECK_THAT(io::parse_smiles("{CCO & O}").problem, Contains("several molecules rather than one"));
}
