#include "edgewise/train/source/atom_table.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "edgewise/train/doctor/read_dataset.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kMolecules =
    "name,smiles\na,CCO\nb,[CH3:7][OH:3]\nc,C1CC\nd,CC(=O)O\n007,[CH3:4][CH2:3][O:1][H:2]\n";

/// Files of molecules and of their atoms.
struct Files {
  test::TemporaryDirectory directory;
  train::DataConfig config;

  explicit Files(const std::string& atoms, const std::string& molecules = kMolecules) {
    directory.write("m.csv", molecules);
    directory.write("atoms.csv", atoms);
    config.molecules = directory.path("m.csv");
    config.atom_table = directory.path("atoms.csv");
    config.atom_target = {"shift"};
    config.task = "regression";
  }
  train::Dataset load(bool needs_labels = true) const {
    return train::read_dataset(config, {.needs_labels = needs_labels});
  }
  /// The texts of a label of all nodes.
  std::vector<std::string> values(const std::string& label = "shift") const {
    const train::Dataset data = load();
    std::vector<std::string> texts;
    for (std::size_t row = 0; row < data.table.rows(); ++row) texts.push_back(data.table.at(label).text(row));
    return texts;
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("Rows of a table name atoms by molecule and number", "[train][atoms]") {
  const Texts expected = {"1", "2", "3", "73", "33", "", "4.5", "", "", "44", "43", "41"};
  const std::string rows = "a,0,1\na,1,2\na,2,3\nb,3,33\nb,7,73\nd,1,4.5\nc,9,9\n007,1,41\n007,4,44\n007,3,43\n";
  const Files named("molecule,atom,shift\n" + rows + "007,2,0\n");  // the last of a hydrogen
  CHECK(named.values() == expected);
  CHECK(named.load().reading.atom_columns == Texts{"molecule", "atom"});
  CHECK(Files("shift,Atom_Index,mol_id\n1,0,a\n2,1,a\n3,2,a\n73,7,b\n33,3,b\n4.5,1,d\n44,4,007\n43,3,007\n41,1,007\n")
            .values() == expected);
  Files others("which,place,shift\n" + rows);
  CHECK_THROWS_WITH(others.load(), Contains("atoms.csv: expected a column of molecules and one of atoms, such as "
                                            "molecule,atom, found \"which\", \"place\", \"shift\"") &&
                                       Contains("data.atom_columns"));
  others.config.atom_columns = {"which", "place"};
  CHECK(others.values() == expected);
}

TEST_CASE("Molecules are named by their rows or SMILES, too", "[train][atoms]") {
  const Texts expected = {"1", "2", "", "", "", "", "8", "", "", "", "", ""};
  CHECK(Files("row,atom,shift\n1,0,1\n1,1,2\n4,1,8\n").values() == expected);
  CHECK(Files("smiles,atom,shift\nCCO,0,1\nCCO,1,2\nCC(=O)O,1,8\n").values() == expected);
  CHECK(Files("molecule,atom,shift\nCCO,0,1\nCCO,1,2\nCC(=O)O,1,8\n").values() == expected);
}

TEST_CASE("Atoms are counted from 1 if no row is about an atom 0", "[train][atoms]") {
  const Files files("molecule,atom,shift\na,1,1\na,3,3\nb,3,33\n");
  CHECK(files.values() == Texts{"1", "", "3", "", "33", "", "", "", "", "", "", ""});
  CHECK_THAT(files.load().notes.back(), Contains("atoms are counted from 1"));
}

TEST_CASE("Rows with two atoms are about their bond", "[train][atoms]") {
  Files files("molecule,atom_1,atom_2,order\na,1,0,5\nd,1,3,6\nb,7,3,7\n");
  files.config.atom_target.clear();
  files.config.bond_target = {"order"};
  // a: 3 atoms, 2 bonds; b: 2 and 1; d: 4 and 3; 007: 3 and 2.
  CHECK(files.values("order") ==
        Texts{"", "", "", "5", "", "", "", "7", "", "", "", "", "", "", "6", "", "", "", "", ""});
  Files both("molecule,atom_1,atom_2,order,shift\na,1,0,5,\na,1,,,2.5\n");
  both.config.bond_target = {"order"};
  CHECK(both.values("order")[3] == "5");
  CHECK(both.values("shift")[1] == "2.5");
  files.directory.write("atoms.csv", "molecule,atom_1,atom_2,order\na,1,,5\n");
  CHECK_THROWS_WITH(files.load(), Contains("atoms.csv:2: column \"atom_2\": expected the number of an atom, got \"\""));
  files.directory.write("atoms.csv", "molecule,atom_1,atom_2,order\na,0,2,5\n");
  CHECK_THROWS_WITH(files.load(), Contains("atoms.csv:2: expected two atoms of CCO with a bond, got 0 and 2"));
}

TEST_CASE("Rows that name no atom are refused with their line", "[train][atoms]") {
  const auto refused = [](const std::string& rows, const std::string& message) {
    CHECK_THROWS_WITH(Files("molecule,atom,shift\na,0,1\n" + rows).load(), Contains("atoms.csv:3: " + message));
  };
  refused("a,3,1\n", "expected an atom of CCO, 0 to 2, got 3");
  refused("a,18446744073709551615,1\n", "expected an atom of CCO, 0 to 2, got 18446744073709551615");
  refused("a,99999999999999999999,1\n", "column \"atom\": expected the number of an atom");
  refused("b,1,1\n", "expected an atom of [CH3:7][OH:3], 3 to 7, got 1");
  refused("a,-1,1\n", "column \"atom\": expected the number of an atom, got \"-1\"");
  refused("a,,1\n", "column \"atom\": expected the number of an atom, got \"\"");
  refused("a,0,1\n", "expected one row for each atom or bond, got a second one of that in line 2");
  CHECK_THROWS_WITH(Files("molecule,atom,shift\na,0,tall\na,1,2\n").load(),
                    Contains("atoms.csv:2: column \"shift\": expected a number, got \"tall\""));
  CHECK_THROWS_WITH(Files("molecule,atom,other\na,0,1\n").load(), Contains("no column \"shift\""));
  CHECK_THROWS_WITH(Files("molecule,atom,shift\nCCO,0,1\n", "smiles\nCCO\nCCO\n").load(),
                    Contains("atoms.csv:2: \"CCO\" is two molecules of") && Contains("in line 2 and line 3"));
  Files hydrogens("molecule,atom,shift\nb,7,1\n");
  hydrogens.config.hydrogens = true;
  CHECK_THROWS_WITH(hydrogens.load(), Contains("m.csv:3") && Contains("data.hydrogens"));
}

TEST_CASE("Rows about other molecules are passed over, unless all are", "[train][atoms]") {
  Files files("molecule,atom,shift\ne,0,1\na,0,1\na,1,2\n,1,1\n");
  CHECK_THAT(files.load().notes.back(),
             Contains("2 rows are about molecules that are not in") && Contains("such as \"e\" in line 2: not used"));
  files.config.strict = true;
  CHECK_THROWS_WITH(files.load(), Contains("m.csv"));  // which has a molecule that cannot be read
  files.directory.write("m.csv", "name,smiles\na,CCO\n");
  CHECK_THROWS_WITH(files.load(), Contains("atoms.csv:2: expected a molecule of") && Contains("got \"e\""));
  files.config.strict = false;
  files.directory.write("atoms.csv", "molecule,atom,shift\ne,0,1\n");
  CHECK_THROWS_WITH(files.load(), Contains("atoms.csv:2: expected a molecule of") && Contains("(SMILES), got \"e\""));
  CHECK_THAT(files.load(false).notes.back(), Contains("1 row is about molecules that are not in"));
}

TEST_CASE("In SDF, atoms have their places in the block", "[train][atoms]") {
  test::TemporaryDirectory directory;
  directory.write("m.sdf",
                  "m1\n\n\n  4  3  0  0  0  0  0  0  0  0999 V2000\n"
                  "    0.0000    0.0000    0.0000 O   0  0\n    0.0000    0.0000    0.0000 H   0  0\n"
                  "    0.0000    0.0000    0.0000 C   0  0\n    0.0000    0.0000    0.0000 C   0  0\n"
                  "  1  2  1  0\n  1  3  1  0\n  3  4  1  0\nM  END\n$$$$\n");
  directory.write("atoms.csv", "mol_id,atom_index,shift\nm1,0,10\nm1,1,7\nm1,2,2\nm1,3,3\n");
  train::DataConfig config;
  config.molecules = directory.path("m.sdf");
  config.atom_table = directory.path("atoms.csv");
  config.atom_target = {"shift"};
  config.task = "regression";
  const train::Dataset data = train::read_dataset(config);
  CHECK(data.atoms->molecules.smiles[0] == "CCO");
  CHECK(data.table.at("shift").numbers == std::vector<float>{3, 2, 10});
  CHECK(train::atom_numbers(*data.atoms, 0) == std::vector<std::size_t>{3, 2, 0});
}

TEST_CASE("Nodes are called by their numbers in the table", "[train][atoms]") {
  Files files("molecule,atom_1,atom_2,order\na,1,0,5\nb,7,3,7\n");
  files.config.atom_target.clear();
  files.config.bond_target = {"order"};
  const train::Dataset data = files.load();
  CHECK(data.find_node("1:0-1") == graph::Node{3});
  CHECK(data.find_node("2:7") == graph::Node{5});
  CHECK(data.find_node("2:7-3") == graph::Node{7});
  CHECK(data.table.names[7] == "2:7-3");
  CHECK(!data.find_node("2:0"));
}
