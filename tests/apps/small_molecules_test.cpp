#include "generate/small_molecules.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/data/molecules.hpp"
#include "edgewise/data/splits.hpp"
#include "io/files.hpp"

using namespace edgewise;
using namespace edgewise::app;

TEST_CASE("small molecules are valid and distinct", "[apps][generate]") {
  const SmallMolecules molecules = generate_small_molecules({.count = 300, .seed = 3});
  CHECK(std::set<std::string>(molecules.smiles.begin(), molecules.smiles.end()).size() == 300);
  const data::Molecules parsed = data::featurise_molecules(molecules.smiles);
  for (std::size_t row = 0; row < 300; ++row) {
    INFO(molecules.smiles[row]);
    CHECK(parsed.problems[row].empty());
    CHECK(parsed.offsets[row + 1] - parsed.offsets[row] <= 50);
    CHECK(std::abs(molecules.logp[row]) < 15);
    CHECK(molecules.tpsa[row] >= 0);
  }
  CHECK(data::nodes_with_role(molecules.split, data::Role::train).size() == 240);
  CHECK(data::nodes_with_role(molecules.split, data::Role::test).size() == 30);
  CHECK(generate_small_molecules({.count = 300, .seed = 3}).smiles == molecules.smiles);
  CHECK(generate_small_molecules({.count = 300, .seed = 4}).smiles != molecules.smiles);
  CHECK_THROWS_AS(generate_small_molecules({.count = 0}), UsageError);
}

TEST_CASE("generated small molecules equal the shipped ones", "[apps][generate]") {
  const test::Files files;
  write_small_molecules(files.path("new"), generate_small_molecules({.count = 3000, .seed = 7}));
  const std::string text = test::slurp(files.path("new/molecules.csv"));
  CHECK(text.size() > 10000);
  CHECK((text == test::slurp(std::string(EDGEWISE_SOURCE_DIR) + "/datasets/hydrophilicity/molecules.csv")));
  CHECK_THROWS_AS(write_small_molecules("/proc/nowhere", {}), DataError);
}
