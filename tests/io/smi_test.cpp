#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "edgewise/io/molecule_table.hpp"
#include "io/files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Names = std::vector<std::string>;

namespace {

io::MoleculeTable read(const std::string& text, const std::string& name = "m.smi") {
  const test::Files files;
  return io::read_molecule_table(files.write(name, text));
}

}  // namespace

TEST_CASE("a SMILES per line, with or without a name", "[io][smi]") {
  const io::MoleculeTable table = read("CCO ethanol\nC\tmethane\r\n\nCC  two words \nc1ccccc1\nCO |$a;b$| named\n");
  CHECK(table.smiles == Names{"CCO", "C", "CC", "c1ccccc1", "CO |$a;b$|"});
  CHECK(table.lines == std::vector<std::uint64_t>{1, 2, 4, 5, 6});
  REQUIRE(table.columns.size() == 1);
  CHECK(table.at("name").text(0) == "ethanol");
  CHECK(table.at("name").text(1) == "methane");
  CHECK(table.at("name").text(2) == "two words");
  CHECK(table.at("name").is_missing(3));
  CHECK(table.at("name").text(4) == "named");
  CHECK(table.problems.size() == 5);
  CHECK(read("C\nCC\n", "m.ism").columns.empty());
}

TEST_CASE("SMI files may have a header or further fields", "[io][smi]") {
  CHECK(read("SMILES Name\nCCO ethanol\n").smiles == Names{"CCO"});
  const io::MoleculeTable table = read("CCO\tethanol\t1.5\nC\tmethane\t\nCC\tethane\t2\n");
  CHECK(table.at("column 3").is_numeric);
  CHECK(table.at("column 3").numbers[2] == 2);
  CHECK(table.at("column 3").is_missing(1));
  CHECK(!read("CCO\ta\t1.5\nC\tb\tmany\n").at("column 3").is_numeric);
  // Tables are read as such, whatever their name says.
  CHECK(read("SMILES,y\nCCO,1.5\n").at("y").is_numeric);
  CHECK(read("smiles\tname\ty\nCCO\tethanol\t1.5\n").at("y").is_numeric);
}

TEST_CASE("SMI files without molecules are refused", "[io][smi]") {
  CHECK_THROWS_WITH(read(""), Contains("m.smi: holds no molecules"));
  CHECK_THROWS_WITH(read("\n \n"), Contains("m.smi: holds no molecules"));
}

TEST_CASE("a column of InChI is named as what it is", "[io][smi]") {
  const std::string inchi = "\"InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3\"";
  CHECK_THROWS_WITH(read("name,InChI,y\na," + inchi + ",1\n", "m.csv"), Contains("\"InChI\" holds InChI"));
}

TEST_CASE("rows in which PubChem describes the columns are skipped", "[io][smi]") {
  const io::MoleculeTable table = read(
      "PUBCHEM_RESULT_TAG,PUBCHEM_SMILES,PUBCHEM_ACTIVITY_SCORE,Potency\n"
      "RESULT_TYPE,,,FLOAT\nRESULT_DESCR,,,\"Potency, measured\"\nRESULT_UNIT,,,MICROMOLAR\n"
      "1,CCO,10,1.5\n2,CC,20,2.5\n",
      "m.csv");
  CHECK(table.smiles == Names{"CCO", "CC"});
  CHECK(table.descriptions == 3);
  CHECK(table.at("Potency").is_numeric);
  CHECK(table.lines == std::vector<std::uint64_t>{5, 6});
  const io::MoleculeTable plain = read("tag,smiles\n1,CCO\nRESULT_2,CC\n", "m.csv");
  CHECK(plain.rows() == 2);
  CHECK(plain.descriptions == 0);
}

TEST_CASE("SMI is known by its first line where the name says nothing", "[io][smi]") {
  CHECK(read("CCO ethanol\nC\tmethane\n", "63").smiles == Names{"CCO", "C"});
  CHECK(read("CCO\nC\n", "63").smiles == Names{"CCO", "C"});
  CHECK(read("smiles\ty\nCCO\t1\n", "63").smiles_column == "smiles");
  CHECK(read("C,smiles\n1,CCO\n", "63").smiles_column == "smiles");
  CHECK(read("name,compound\nx,CCO\n", "63").smiles_column == "compound");
}
