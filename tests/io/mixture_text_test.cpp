#include "edgewise/io/mixture_text.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using Catch::Matchers::Contains;
using io::MixtureText;
using io::split_mixture;

TEST_CASE("several molecules are told from one by their braces", "[io][mixture_text]") {
  for (const char* text : {"{CCO & O}", "{CCO + O}", "{", "{}"}) CHECK(io::is_mixture(text));
  for (const char* text : {"", "CCO & O", "[Na+].[Cl-]", "CCO {x}"}) CHECK_FALSE(io::is_mixture(text));
}

TEST_CASE("several molecules have their SMILES, amounts and shares", "[io][mixture_text]") {
  const MixtureText plain = split_mixture("{c1ccccc1 & [NH4+] & -}");
  CHECK(plain.problem.empty());
  CHECK_FALSE(plain.is_sum);
  REQUIRE(plain.parts.size() == 3);
  CHECK(plain.parts[1].smiles == "[NH4+]");
  CHECK(plain.parts[2].smiles.empty());
  CHECK(plain.parts[0].share == 1);
  CHECK(plain.parts[2].share == 0);

  const MixtureText amounts = split_mixture("{30 CCO & 1e1 O & 0 N & -}");
  CHECK(amounts.problem.empty());
  CHECK(amounts.parts[0].share == 0.75F);
  CHECK(amounts.parts[1].share == 0.25F);
  CHECK(amounts.parts[2].share == 0);
  CHECK(amounts.parts[2].smiles == "N");
  CHECK(amounts.parts[1].amount == "1e1");
  CHECK(io::write_mixture(amounts.parts, false) == "{30 CCO & 1e1 O & 0 N & -}");
}

TEST_CASE("the order of a sum says nothing", "[io][mixture_text]") {
  const MixtureText one = split_mixture("{0.2 O + 0.3 CCO + 0.7 N}");
  const MixtureText other = split_mixture("{0.7 N + 0.2 O + 0.3 CCO}");
  CHECK(one.is_sum);
  REQUIRE(one.parts.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(one.parts[i].smiles == other.parts[i].smiles);
    CHECK(one.parts[i].share == other.parts[i].share);
  }
  CHECK(one.parts[0].smiles == "CCO");
  CHECK(one.parts[0].place == 1);
  CHECK(other.parts[0].place == 2);
}

TEST_CASE("what is wrong with several molecules is said with their name", "[io][mixture_text]") {
  const std::vector<std::string> names = {"dye", "solvent"};
  const auto problem = [&](const std::string& text) { return split_mixture(text, names).problem; };
  CHECK_THAT(problem("CCO"), Contains("expected several molecules"));
  CHECK_THAT(problem("{CCO & O"), Contains("expected several molecules"));
  CHECK(problem("{CCO}") == "expected 2 molecules, got 1");
  CHECK(problem("{CCO & O & N}") == "expected 2 molecules, got 3");
  CHECK(problem("{- & -}") == "no molecule in the row");
  CHECK(problem("{0 CCO & 0 O}") == "all amounts are 0");
  CHECK(problem("{1 CCO & O}") == "amount of solvent: no amount, but a molecule");
  CHECK(problem("{1 CCO & 2 -}") == "amount of solvent: an amount, but no molecule");
  CHECK(problem("{-1 CCO & 2 O}") == "amount of dye: expected a number of at least 0, got \"-1\"");
  CHECK(problem("{1e999 CCO & 2 O}") == "amount of dye: expected a number of at least 0, got \"1e999\"");
  CHECK(problem("{1.2.3 CCO & 2 O}") == "amount of dye: expected a number of at least 0, got \"1.2.3\"");
  CHECK(split_mixture("{1 CCO & O}").problem == "amount of molecule 2: no amount, but a molecule");

  std::vector<io::MixturePart> parts = {{.smiles = "CCO", .amount = "much"},
                                        {.smiles = "O", .amount = "1", .place = 1}};
  const std::vector<std::string> with_amounts = {"dye", "solvent", "x", "y"};
  CHECK(io::set_shares(parts, with_amounts) == "x: expected a number of at least 0, got \"much\"");
  parts[0].amount = parts[1].amount = "1e308";
  CHECK(io::set_shares(parts, with_amounts) == "the sum of the amounts is too large");
  parts[0].amount = parts[1].amount = "";
  CHECK(io::set_shares(parts, with_amounts) == "x: no amount, but a molecule");
  parts[0] = {.smiles = "CCO & O", .amount = "1"};
  CHECK(io::set_shares(parts, names) == "dye: expected one SMILES");
}

TEST_CASE("the order of a sum is the same for all writings of its molecules", "[io][mixture_text]") {
  const MixtureText one = split_mixture("{OCC + NC}"), other = split_mixture("{CN + C(C)O}");
  REQUIRE(one.problem.empty());
  CHECK(one.parts[0].smiles == "OCC");
  CHECK(other.parts[0].smiles == "C(C)O");
}
