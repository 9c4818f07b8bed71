#include "edgewise/io/molecule_table.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "edgewise/core/error.hpp"
#include "io/files.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using io::read_molecule_table;
using test::Files;

using Names = std::vector<std::string>;
using LineNumbers = std::vector<std::uint64_t>;

namespace {

/// A chain of carbon atoms, such as butane, as a mol block.
std::string chain_block(const std::string& name, int carbons) {
  char line[80];
  std::snprintf(line, sizeof line, "%3d%3d  0  0  0  0  0  0  0  0999 V2000\n", carbons, carbons - 1);
  std::string block = name + "\n  test\n\n" + line;
  for (int i = 0; i < carbons; ++i) {
    std::snprintf(line, sizeof line, "%10.4f%10.4f%10.4f C   0  0  0  0  0  0  0  0  0  0  0  0\n", 1.5 * i,
                  i % 2 * 0.8, 0.0);
    block += line;
  }
  for (int i = 1; i < carbons; ++i) {
    std::snprintf(line, sizeof line, "%3d%3d  1  0\n", i, i + 1);
    block += line;
  }
  return block + "M  END\n";
}

}  // namespace

TEST_CASE("molecule tables keep their rows and columns", "[io][molecule_table]") {
  const Files files;
  const std::string text =
      "id,y,SMILES,kind\r\na,1.5,CCO,\"x, y\"\r\n\r\nb,,\"c1ccccc1\",z\r\nc,2,,z\r\nd,3,CCO,NA\r\n";
  for (const std::string& path : {files.write("m.csv", text), files.write_gzip("m.csv.gz", text)}) {
    const io::MoleculeTable table = read_molecule_table(path);
    CHECK(table.smiles == Names{"CCO", "c1ccccc1", "", "CCO"});
    CHECK(table.problems == Names(4));
    CHECK(table.lines == LineNumbers{2, 4, 5, 6});
    CHECK(table.smiles_column == "SMILES");
    REQUIRE(table.columns.size() == 3);
    CHECK(table.at("y").is_numeric);
    CHECK(table.at("y").numbers[3] == 3);
    CHECK(table.at("y").is_missing(1));
    CHECK(table.at("kind").categories == Names{"x, y", "z"});
    CHECK(table.at("kind").is_missing(3));
    CHECK_THAT(to_string(table.where(1)), Contains(":4"));
    CHECK_THROWS_WITH(table.at("Y"), Contains("no column \"Y\"; the columns are \"id\", \"y\", \"kind\""));
  }
}

TEST_CASE("molecule tables find the SMILES", "[io][molecule_table]") {
  const Files files;
  CHECK(read_molecule_table(files.write("a", "x\tCanonical_Smiles\n1\tC\n")).smiles == Names{"C"});
  CHECK(read_molecule_table(files.write("b", "mol,smiles\nx,CC\n")).smiles == Names{"CC"});
  const std::string path = files.write("c", "structure of it,x\nCCC,1\n");
  CHECK(read_molecule_table(path).smiles_column == "structure of it");  // by its values
  CHECK_THROWS_WITH(read_molecule_table(files.write("f", "drug,x\nethanol,1\n")),
                    Contains("f: no column is called smiles, and none holds SMILES; say which one does (data.smiles)"));
  CHECK(read_molecule_table(path, {.smiles_column = "1"}).smiles == Names{"CCC"});
  CHECK(read_molecule_table(path, {.smiles_column = "structure of it"}).smiles == Names{"CCC"});
  CHECK_THROWS_WITH(read_molecule_table(path, {.smiles_column = "y"}), Contains("no column \"y\""));
  const std::string all = files.write("e", "smiles,a,b\nC,1,2\nC,x,3\n");
  CHECK(read_molecule_table(all, {.columns = {"b"}, .categorical = {"b"}}).at("b").categories == Names{"2", "3"});
  CHECK(read_molecule_table(all).at("a").categories == Names{"1", "x"});
  CHECK(read_molecule_table(all).smiles.size() == 2);  // reads twice because of the column a
  CHECK_THROWS_WITH(read_molecule_table(all, {.numeric = {"a"}}), Contains("e:3: column \"a\": expected a number"));
}

TEST_CASE("molecules whose names begin like comments are rows", "[io][molecule_table]") {
  const Files files;
  const std::string rows = "b,CCC,2\n#12 alcohol,CCO,1\n%inh,CCN,3\n";
  for (const char* header : {"# from a shop\nname,smiles,y\n", "#name,smiles,y\n"}) {
    const io::MoleculeTable table = read_molecule_table(files.write("m.csv", header + rows));
    CHECK(table.smiles == std::vector<std::string>{"CCC", "CCO", "CCN"});
    CHECK(table.at("name").text(1) == "#12 alcohol");
  }
  const std::string headed = files.write("h.csv", "#id,structure\nb,CCC\n#c,CCO\n");
  CHECK(io::find_smiles_column(headed, "") == "structure");
  CHECK(read_molecule_table(headed).rows() == 2);
}

TEST_CASE("usual names of SMILES are known in any case", "[io][molecule_table]") {
  CHECK(io::is_usual_smiles_name("Canonical_Smiles"));
  CHECK(io::is_usual_smiles_name("mol"));
  CHECK_FALSE(io::is_usual_smiles_name("structure of it"));
  CHECK_FALSE(io::is_usual_smiles_name(""));
}

TEST_CASE("the SMILES are found under another name", "[io][molecule_table]") {
  const Files files;
  const auto find = [&](std::string_view text, const std::string& known = "smiles") {
    return io::find_smiles_column(files.write("new.csv", text), known);
  };
  CHECK(find("SMILES,smiles\nC,x\n") == "smiles");
  CHECK(find("a,drug,Drug\n1,C,C\n", "Drug") == "Drug");
  CHECK(find("mol,DRUG\nx,C\n", "drug") == "DRUG");
  CHECK(find("x,Molecule\n1,C\n") == "Molecule");
  CHECK(find("x,molecule,Canonical_SMILES\n1,C,C\n") == "Canonical_SMILES");
  CHECK(find("x,compound,name\n1,CCO,ethanol\n2,,nothing\n3,c1ccccc1,benzene\n") == "compound");  // only it parses
  CHECK(find("x,compound\n1,CCO\n", "") == "compound");
  CHECK_THROWS_WITH(find("x,name\n1,ethanol\n"),
                    Contains("new.csv: no column is called smiles, and none holds SMILES"));
  CHECK(find("x,raw\n1,CCO\n2,CC\n3,c1ccccc1\n4,CN\n5,C(\n") == "raw");  // a row that cannot be read has no prediction
  CHECK_THROWS_WITH(find("x,raw\n1,CCO\n2,nothing\n"), Contains("none holds SMILES"));
  CHECK_THROWS_WITH(find("CCO\nCCC\n"),
                    Contains("new.csv:1: expected the names of the columns, found the molecule \"CCO\""));
  CHECK_THROWS_WITH(find("a,b\nCC,CO\n", "drug"),
                    Contains("no column is called drug, and several hold SMILES: \"a\", \"b\""));
  CHECK_THROWS_WITH(find(""), Contains("holds no rows"));
  CHECK_THROWS_AS(find("a,a\nC,C\n"), DataError);
  CHECK_FALSE(io::find_smiles_column(files.path("missing.sdf"), "smiles").has_value());
  CHECK_THROWS_AS(io::find_smiles_column(files.path("missing.csv"), "smiles"), DataError);
}

TEST_CASE("of several columns of SMILES the one with stereochemistry is taken", "[io][molecule_table]") {
  const Files files;
  const auto find = [&](std::string_view text) { return io::find_smiles_column(files.write("new.csv", text), ""); };
  CHECK(find("canonical_smiles,isomeric_smiles\nCC(N)C(=O)O,C[C@H](N)C(=O)O\n") == "isomeric_smiles");
  CHECK(find("smiles,Isomeric SMILES,y\nCCO,CCO,1\n") == "Isomeric SMILES");
  CHECK(find("canonical_smiles,isomeric_name\nCCO,ethanol\n") == "canonical_smiles");
  CHECK_THROWS_WITH(find("smiles,with_stereo\nCC(N)F,C[C@H](N)F\nCCO,CCO\n"),
                    Contains("several columns hold the same molecules, the first without stereochemistry: \"smiles\", "
                             "\"with_stereo\"; say which one to take (data.smiles)"));
  CHECK(find("smiles,product\nCCN,C[C@H](N)F\nCCO,C[C@H](N)Cl\n") == "smiles");  // other molecules
  CHECK(find("smiles,flat\nC[C@H](N)F,CC(N)F\n") == "smiles");
}

TEST_CASE("a column with a usual name but without SMILES is passed over", "[io][molecule_table]") {
  const Files files;
  const auto find = [&](std::string_view text) { return io::find_smiles_column(files.write("new.csv", text), ""); };
  CHECK(find("structure,Ligand SMILES,ki\nimg_0.png,CCO,1\nimg_1.png,CCN,2\n") == "Ligand SMILES");
  CHECK(find("mol,compound\n,CCO\n,CCN\n") == "compound");
  CHECK(find("structure,y\nimg_0.png,1\n") == "structure");  // nothing better
  CHECK(find("smiles,code\nCCO,CO\nC(,CN\nCCC,CS\n") == "smiles");
  CHECK_THROWS_WITH(find("structure,a,b\nimg_0.png,CCO,CCN\n"),
                    Contains("the column \"structure\" holds no SMILES, and several others do: \"a\", \"b\""));
}

TEST_CASE("a mapped mol block is the molecule without its numbers", "[io][molecule_table]") {
  const Files files;
  const auto block = [](int map) {
    return fmt::format("\n  test\n\n  2  1  0  0  0  0            999 V2000\n"
                       "    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0{:>3}  0  0\n"
                       "    1.5000    0.0000    0.0000 O   0  0  0  0  0  0  0  0  0  0  0  0\n"
                       "  1  2  1  0\nM  END\n$$$$\n",
                       map);
  };
  CHECK(read_molecule_table(files.write("m.sdf", block(7) + block(0))).smiles == Names{"CO", "CO"});
  CHECK(read_molecule_table(files.write("pipe", block(7))).smiles == Names{"CO"});  // known by its contents
}

TEST_CASE("molecule tables report the position of hostile input", "[io][molecule_table]") {
  const Files files;
  const auto read = [&](std::string_view text) { return read_molecule_table(files.write("bad.csv", text)); };
  CHECK_THROWS_WITH(read(""), Contains("bad.csv: holds no rows, expected a table of molecules"));
  CHECK_THROWS_WITH(read("smiles,x\nC\n"), Contains("bad.csv:2: expected 2 fields"));
  CHECK_THROWS_WITH(read("smiles,smiles\nC,C\n"), Contains("bad.csv:1"));
  CHECK_THROWS_WITH(read("smiles,x\n\"C,1\n"), Contains("bad.csv:2: a quote is opened"));
  CHECK_THROWS_AS(read(std::string_view("smiles,x\nC\0,1\n", 14)), DataError);
  CHECK_THROWS_WITH(read("smiles,x\nC,1\nC,1e99\n"), Contains("bad.csv:3"));
  CHECK(read("smiles,x\n").rows() == 0);
  CHECK_THROWS_AS(read_molecule_table(files.path("missing.csv")), DataError);
  CHECK_THROWS_AS(read_molecule_table(files.path("missing.sdf")), DataError);
}

TEST_CASE("SDF files are tables of molecules", "[io][molecule_table]") {
  const Files files;
  const std::string text = chain_block("ethane", 2) + "> <logP>\n1.5\n\n>  <note>  (1)\none\ntwo\n\n$$$$\n" +
                           chain_block("", 3) + "> <logP>\r\n2\r\n\r\n$$$$\r\n" +
                           "broken\n\n\nnonsense\nM  END\n$$$$\n" + chain_block("butane", 4) + "> 25 <late>\nx\n";
  for (const std::string& path : {files.write("m.sdf", text), files.write_gzip("m.SDF.gz", text)}) {
    const io::MoleculeTable table = read_molecule_table(path);
    CHECK(table.smiles == Names{"CC", "CCC", "", "CCCC"});
    CHECK(table.problems[0].empty());
    CHECK_FALSE(table.problems[2].empty());
    CHECK(table.lines == LineNumbers{1, 17, 31, 37});
    CHECK(table.at("logP").numbers[1] == 2);
    CHECK(table.at("logP").is_missing(3));
    CHECK(table.at("note").text(0) == "one\ntwo");
    CHECK(table.at("late").text(3) == "x");
    CHECK(table.at("late").missing == 3);
    CHECK(table.at("name").text(3) == "butane");
    CHECK(table.at("name").is_missing(1));
  }
  CHECK(read_molecule_table(files.write("one.mol", chain_block("x", 2))).smiles == Names{"CC"});
}

TEST_CASE("lists of SDF follow the atoms, whichever hydrogens stay atoms", "[io][molecule_table]") {
  const Files files;
  const auto record = [](const std::string& atoms, const std::string& isotopes, const std::string& list) {
    const std::size_t count = atoms.size();
    std::string block = fmt::format("x\n\n\n{:>3}{:>3}  0  0  0  0  0  0  0  0999 V2000\n", count, count - 1);
    for (const char symbol : atoms) block += fmt::format("    0.0000    0.0000    0.0000 {}   0  0\n", symbol);
    for (std::size_t other = 2; other <= count; ++other) block += fmt::format("  1{:>3}  1  0\n", other);
    return block + isotopes + "M  END\n> <v>\n" + list + "\n\n> <b>\n" + list.substr(2) + "\n\n$$$$\n";
  };
  const std::string text = record("CHHO", "M  ISO  1   2   2\n", "1 2 3 4") + record("HH", "", "5 6") +
                           record("CO", "", "7 8");
  const std::string path = files.write("m.sdf", text);
  const auto lists = [&](const std::string& name, bool merges_isotopes) {
    const io::MoleculeTable table = read_molecule_table(
        path, {.atom_lists = {"v"}, .merges_isotopes = merges_isotopes, .bond_lists = {"b"}, .with_orders = true});
    CHECK(table.problems == Names(3));
    CHECK(table.orders[0].count == 4);
    return Names{table.at(name).text(0), table.at(name).text(1), table.at(name).text(2)};
  };
  CHECK(lists("v", true) == Names{"[\"1\",\"4\"]", "[\"5\",\"6\"]", "[\"7\",\"8\"]"});
  CHECK(lists("v", false) == Names{"[\"2\",\"1\",\"4\"]", "[\"5\",\"6\"]", "[\"7\",\"8\"]"});
  CHECK(lists("b", true) == Names{"[\"4\"]", "[\"6\"]", "[\"8\"]"});
  CHECK(lists("b", false) == Names{"[\"2\",\"4\"]", "[\"6\"]", "[\"8\"]"});
}

TEST_CASE("one bad record of an SDF file costs one row", "[io][molecule_table]") {
  const Files files;
  const auto problems_of = [&](const std::string& record) {
    const std::string good = chain_block("b", 2) + "> <x>\n3\n\n$$$$\n";
    const io::MoleculeTable table =
        read_molecule_table(files.write("some.sdf", good + chain_block("a", 1) + record + "\n$$$$\n" + good));
    CHECK(table.rows() == 3);
    CHECK(table.smiles[0] == "CC");
    CHECK(table.smiles[1].empty() == !table.problems[1].empty());
    CHECK(table.smiles[2] == "CC");
    CHECK(table.at("x").text(2) == "3");
    return table.problems[1];
  };
  CHECK(problems_of("> <x>\n1\n\n> <y>\n2\n\n> <x>\n4\n") ==
        "the property \"x\" has different values in lines 19 and 25");
  CHECK(problems_of("> <x>\n1\n\n> <x>\n1\n").empty());
  CHECK(problems_of("> x\n") == "expected a property (> <name>) or $$$$ in line 19, got \"> x\"");
  CHECK(problems_of("stray\n\n> <x>\n1\n") == "expected a property (> <name>) or $$$$ in line 19, got \"stray\"");
}

TEST_CASE("texts of SDF properties have empty lines and Latin-1", "[io][molecule_table]") {
  const Files files;
  const io::MoleculeTable table = read_molecule_table(files.write(
      "texts.sdf", chain_block("a", 1) + "> <note>\nfirst\n\n>5 and\nthird\n\n\n> <unit>\n\xb5M\n\n" +
                       "> <x>\n\n7\n\n$$$$\n" + chain_block("b", 2) + "> <unit>\nµM\n$$$$\n"));
  CHECK(table.smiles == Names{"C", "CC"});
  CHECK(table.at("note").text(0) == "first\n\n>5 and\nthird");
  CHECK(table.at("unit").categories == Names{"µM"});
  CHECK(table.at("x").numbers[0] == 7);
}

TEST_CASE("SDF files that are damaged are refused or noted", "[io][molecule_table]") {
  const Files files;
  const auto read = [&](const std::string& text) { return read_molecule_table(files.write("bad.sdf", text)); };
  CHECK_THROWS_WITH(read(""), Contains("bad.sdf: holds no molecules"));
  CHECK_THROWS_WITH(read("\n\n"), Contains("bad.sdf: holds no molecules"));
  const std::string cut = chain_block("a", 3).substr(0, 60);
  const io::MoleculeTable table = read(cut + "\n$$$$\n" + chain_block("b", 3) + "$$$$\n\n");
  CHECK(table.smiles == Names{"", "CCC"});
  CHECK_FALSE(table.problems[0].empty());
  CHECK(read("$$$$\n" + chain_block("b", 2) + "$$$$\n").smiles == Names{"", "CC"});
  std::string beyond = chain_block("c", 2);
  beyond.replace(beyond.find("  1  2"), 6, "  1  9");
  CHECK(read(beyond).problems[0] == "it refers to an atom or a bond that does not exist");
  // A file that was cut off within a value.
  CHECK_THROWS_WITH(read(chain_block("a", 1) + "> <x>\n20"),
                    Contains("bad.sdf:8: the file ends within the property \"x\""));
  CHECK_THROWS_WITH(read(chain_block("a", 1) + "> <x>\n"), Contains("bad.sdf:7: the file ends within the property"));
  CHECK(read(chain_block("a", 1) + "> <x>\n20.2\n").at("x").text(0) == "20.2");
  // Values that change from numbers to text.
  const std::string two = chain_block("a", 1) + "> <x>\n1\n\n$$$$\n" + chain_block("b", 1) + "> <x>\nmany\n\n$$$$\n";
  CHECK(read(two).at("x").categories == Names{"1", "many"});
  CHECK_THROWS_WITH(read_molecule_table(files.path("bad.sdf"), {.numeric = {"x"}}), Contains("bad.sdf:17"));
}

TEST_CASE("tables of molecules of the public data sets have their counts", "[io][molecule_table][data]") {
  const std::vector<std::tuple<std::string, std::string, std::size_t>> sets = {
      {"esol", "delaney-processed.csv", 1128},
      {"freesolv", "SAMPL.csv", 642},
      {"lipophilicity", "Lipophilicity.csv", 4200},
      {"bbbp", "BBBP.csv", 2050},
      {"tox21", "tox21.csv.gz", 7831},
      {"clintox", "clintox.csv", 1484},
      {"hiv", "HIV.csv.gz", 41127},
      {"qm7", "qm7.csv.gz", 6830},
      {"zinc-20k", "20k_rndm_zinc_drugs_clean_3.csv.gz", 20000}};
  for (const auto& [name, file, rows] : sets) {
    INFO(name);
    if (const auto folder = test::dataset(name)) CHECK(read_molecule_table(*folder + "/" + file).rows() == rows);
  }
}
