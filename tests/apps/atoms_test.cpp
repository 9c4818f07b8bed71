#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

namespace {

/// Alcohols and amines. The value of a carbon is its distance to the head, that of a head is 10 for oxygen and 20 for
/// nitrogen; a bond's is the sum of its ends' distances.
struct Chains {
  std::string table = "name,smiles,shift,kind,sum,part\n";
  int row = 0;

  void add(const std::string& head, int carbons, const std::string& part) {
    std::vector<std::string> shifts = {head == "O" ? "10" : "20"}, kinds = {"head"}, sums;
    for (int i = 1; i <= carbons; ++i) {
      shifts.push_back(std::to_string(i));
      kinds.emplace_back("chain");
      sums.push_back(std::to_string(2 * i - 1));
    }
    table +=
        fmt::format("m{},{}{},\"[{}]\",{},{},{}\n", ++row, head, std::string(static_cast<std::size_t>(carbons), 'C'),
                    fmt::join(shifts, ", "), fmt::join(kinds, " "), fmt::join(sums, ";"), part);
  }
};

void write_molecule_chains(const Sandbox& sandbox) {
  Chains chains;
  for (int carbons = 1; carbons <= 12; ++carbons)
    for (const char* head : {"O", "N"})
      chains.add(head, carbons, carbons % 4 == 0 ? "test" : carbons % 4 == 1 ? "validation" : "train");
  sandbox.write("chains.csv", chains.table + "bad,C1CC,1 2 3,a b c,1 2,train\nnone,CCO,,,,train\n");
}

constexpr const char* kTrainAtoms =
    "train --molecules chains.csv --split-column part --epochs 40 --hidden 16 --layers 3 --batch-size 4 "
    "--learning-rate 0.01 --threads 1 --out m.safetensors --json ";

/// The line with this number, from 0.
std::string line_of(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i <= number; ++i) std::getline(lines, line);
  return line;
}

/// Records of alcohols: O, its hydrogen, and the carbons from the end of the chain on.
std::string records_of_alcohols(int most_carbons) {
  std::string records;
  for (int carbons = 1; carbons <= most_carbons; ++carbons) {
    records += fmt::format("m{}\n\n\n{:3}{:3}  0  0  0  0  0  0  0  0999 V2000\n", carbons, carbons + 2, carbons + 1);
    for (int atom = 0; atom < carbons + 2; ++atom)
      records += fmt::format("    0.0000    0.0000    0.0000 {}   0  0\n", atom == 0 ? 'O' : atom == 1 ? 'H' : 'C');
    records += fmt::format("  1  2  1  0\n  1{:3}  1  0\n", carbons + 2);
    for (int atom = 3; atom < carbons + 2; ++atom) records += fmt::format("{:3}{:3}  1  0\n", atom, atom + 1);
    records += "M  END\n$$$$\n";
  }
  return records;
}

json::Value row_of(const Sandbox& sandbox, int number) {
  return json::parse(line_of(sandbox.read("p.jsonl"), number), "row");
}

}  // namespace

TEST_CASE("values of atoms are learnt from lists in cells, and predicted as lists", "[apps][atoms]") {
  const Sandbox sandbox;
  write_molecule_chains(sandbox);
  const Result trained = sandbox.run(std::string(kTrainAtoms) +
                                     "--task regression --atom-target shift --model gatv2 --save-splits splits");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK_THAT(trained.error, Contains("1 of 26 molecules cannot be read"));
  const json::Value result = json::parse(trained.out, "result");
  CHECK(result.at("test").at("mae").at("mean").as_number() < 3);
  sandbox.write("new.csv", "id,smiles\na,OCCC\nb,C1C\nc,[CH3:2][OH:1]\n");
  const Result predicted =
      sandbox.run("predict m.safetensors --molecules new.csv --intervals 0.5 --keep id --out p.csv");
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);
  const std::string table = sandbox.read("p.csv");
  CHECK(line_of(table, 0) == "row,smiles,id,shift,lower_shift,upper_shift,similarity,unlike,problem");
  CHECK_THAT(line_of(table, 1), Catch::StartsWith("1,OCCC,a,\"["));
  CHECK_THAT(line_of(table, 2), Catch::StartsWith("2,C1C,b,,,,,,unclosed ring"));
  sandbox.write("known.csv", "smiles,shift\nOC,1 2 3\nOCC,\nOCC,1\n");
  const Result known = sandbox.run("predict m.safetensors --molecules known.csv --out known_p.csv");
  INFO(known.error);
  REQUIRE(known.code == 0);
  CHECK_THAT(known.error, Contains("2 lists are of another length") &&
                              Contains("known.csv:2: column \"shift\": expected 2 values") && Contains("and 1 more"));
  REQUIRE(sandbox.run("predict m.safetensors --molecules new.csv --out p.jsonl").code == 0);
  const json::Value first = row_of(sandbox, 0);
  CHECK(first.at("shift").as_array().size() == 4);
  CHECK(first.find("predicted") == nullptr);
  const Result evaluated = sandbox.run("evaluate m.safetensors --json");
  INFO(evaluated.error);
  REQUIRE(evaluated.code == 0);
  CHECK(json::parse(evaluated.out, "result").at("metrics").at("mae").as_number() ==
        Approx(result.at("test").at("mae").at("mean").as_number()));
  CHECK_THAT(sandbox.read("splits/split-0.csv"), Contains("1,") && Contains("26,"));
}

TEST_CASE("bonds and classes of atoms can be learnt", "[apps][atoms]") {
  const Sandbox sandbox;
  write_molecule_chains(sandbox);
  const Result bonds = sandbox.run(std::string(kTrainAtoms) + "--task regression --bond-target sum --model gatv2");
  INFO(bonds.error);
  REQUIRE(bonds.code == 0);
  CHECK(json::parse(bonds.out, "result").at("test").at("mae").at("mean").as_number() < 5);
  REQUIRE(sandbox.run("predict m.safetensors --out p.jsonl").code == 0);
  const json::Value second = row_of(sandbox, 2);
  CHECK(json::dump(second.at("bonds")) == "[[0,1],[1,2]]");
  CHECK(json::dump(second.at("known")) == "[1,3]");
  CHECK(second.at("sum").as_array().size() == 2);
  const Result classes = sandbox.run(std::string(kTrainAtoms) + "--atom-target kind --model sage");
  INFO(classes.error);
  REQUIRE(classes.code == 0);
  CHECK(json::parse(classes.out, "result").at("test").at("accuracy").at("mean").as_number() == 1);
  REQUIRE(sandbox.run("predict m.safetensors --out p.jsonl").code == 0);
  CHECK(json::dump(row_of(sandbox, 0).at("predicted")) ==
        R"(["head","chain"])");
  const Result both =
      sandbox.run(std::string(kTrainAtoms) + "--task regression --atom-target shift --bond-target sum --model gatv2");
  INFO(both.error);
  REQUIRE(both.code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --out p.jsonl").code == 0);
  const json::Value row = row_of(sandbox, 2);
  CHECK(row.at("shift").as_array().size() == 3);
  CHECK(row.at("sum").as_array().size() == 2);
}

TEST_CASE("the default for atoms tries trees and networks, and may average the two best", "[apps][atoms]") {
  const Sandbox sandbox;
  write_molecule_chains(sandbox);
  const Result trained = sandbox.run(
      "train --molecules chains.csv --split-column part --task regression --atom-target shift --threads 1 --out "
      "m.safetensors");
  INFO(trained.error + trained.out);
  REQUIRE(trained.code == 0);
  for (const char* model : {"boosted_trees", "neighbour_trees", "sage", "gatv2"})
    CHECK_THAT(trained.out, Contains(std::string("\n") + model));
  CHECK(sandbox.run("predict m.safetensors --out p.csv").code == 0);
}

TEST_CASE("models of atoms are deeper than those of molecules", "[apps][atoms]") {
  const Sandbox sandbox;
  write_molecule_chains(sandbox);
  const auto layers = [&](const std::string& flags) {
    const Result printed = sandbox.run("train --molecules chains.csv --print-config --json " + flags);
    return json::find_at(json::parse(printed.out, "config"), "model.layers")->as_number();
  };
  for (const char* target : {"--atom-target shift", "--bond-target sum"})
    for (const char* model : {"gatv2", "sage"})
      CHECK(layers(fmt::format("{} --model {}", target, model)) == 8);
  CHECK(layers("--target row --model gatv2") == 4);
  CHECK(layers("--atom-target shift --model gatv2 --layers 3") == 3);
}

TEST_CASE("an atom or a bond is explained by the others of its molecule, and drawn", "[apps][atoms]") {
  const Sandbox sandbox;
  write_molecule_chains(sandbox);
  const std::string targets[] = {"--atom-target shift --task regression ",
                                 "--atom-target shift --bond-target sum --task regression "};
  for (const std::string& target : targets) {
    INFO(target);
    REQUIRE(sandbox.run(std::string(kTrainAtoms) + target + "--model gatv2").code == 0);
    const Result told = sandbox.run("explain m.safetensors --node 5:1 --of shift --out effects.csv");
    INFO(told.error);
    REQUIRE(told.code == 0);
    CHECK_THAT(sandbox.read("effects.csv"), Contains("atom,0 O,0,") && !Contains("atom,1 C,") &&
                                                Contains("atom,2 C,2,") && Contains("bond,0-1,0 1,"));
    REQUIRE(sandbox.run("explain m.safetensors --node 5:1 --of shift --out atom.svg").code == 0);
    CHECK_THAT(sandbox.read("atom.svg"), Contains("effect of other atoms and bonds on shift"));
  }
  const Result of_bond = sandbox.run("explain m.safetensors --node 5:1-2 --of sum --out effects.csv");
  INFO(of_bond.error);
  REQUIRE(of_bond.code == 0);
  CHECK_THAT(sandbox.read("effects.csv"), Contains("bond,0-1,") && !Contains("bond,1-2,") && Contains("atom,1 C,1,"));
  CHECK(sandbox.run("explain m.safetensors --node 5:1-2 --of sum --out bond.svg").code == 0);
}

TEST_CASE("lists by atom map numbers come in another order than the SMILES", "[apps][atoms]") {
  const Sandbox sandbox;
  Chains chains;
  for (int carbons = 1; carbons <= 6; ++carbons) chains.add("O", carbons, carbons < 5 ? "train" : "validation");
  sandbox.write("chains.csv", chains.table + "mapped,[CH3:3][CH2:2][OH:1],10 1 2,,,test\n"
                                        "hydrogen,[CH3:4][CH2:3][O:1][H:2],10 7 1 2,,,test\n"
                                        "heavy,[CH3:4][CH2:3][O:1][H:2],10 1 2,,,test\n");
  const Result trained =
      sandbox.run(std::string(kTrainAtoms) + "--task regression --atom-target shift --model mlp --epochs 1");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK_THAT(trained.error,
             Contains("in 3 molecules the values are those of the atoms in the order of their map numbers"));
  REQUIRE(sandbox.run("predict m.safetensors --out p.jsonl").code == 0);
  for (const int row : {6, 7, 8}) CHECK(json::dump(row_of(sandbox, row).at("known")) == "[10,1,2]");  // as given
}

TEST_CASE("values in SDF are those of the atoms of the block", "[apps][atoms]") {
  const Sandbox sandbox;
  std::string records;
  for (int i = 0; i < 6; ++i) {
    std::string atoms, bonds, shifts = "10 1", sums = "0";
    const int carbons = 1 + i;
    for (int c = 0; c < carbons; ++c) {
      atoms += "    0.0000    0.0000    0.0000 C   0  0\n";
      bonds += fmt::format("{:3}{:3}  1  0\n", c == 0 ? 1 : 2 + c, 3 + c);
      shifts += c % 2 == 0 ? fmt::format("\n{}", 2 + c) : fmt::format(" {}", 2 + c);
      sums += fmt::format(" {}", c + 1);
    }
    std::string heavy = shifts;
    heavy.erase(2, 2);  // without the hydrogen
    records += fmt::format("m{}\n\n\n{:3}{:3}  0  0  0  0  0  0  0  0999 V2000\n", i, 2 + carbons, 1 + carbons) +
               "    0.0000    0.0000    0.0000 O   0  0\n    0.0000    0.0000    0.0000 H   0  0\n" + atoms +
               "  1  2  1  0\n" + bonds + "M  END\n>  <shift>\n" + shifts + "\n\n>  <sum>\n" + sums +
               "\n\n>  <heavy>\n" + heavy + "\n\n>  <part>\n" +
               (i == 0 ? "test" : i == 1 ? "validation" : "train") + "\n\n$$$$\n";
  }
  sandbox.write("chains.sdf", records);
  std::string job =
      std::string(kTrainAtoms) + "--atom-target shift --bond-target sum --model mlp --epochs 1 --task regression";
  job.replace(job.find("chains.csv"), 10, "chains.sdf");
  const Result trained = sandbox.run(job);
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --out p.jsonl").code == 0);
  CHECK(row_of(sandbox, 0).at("smiles") == json::Value("CO"));
  CHECK(json::dump(row_of(sandbox, 0).at("known_shift")) == "[2,10]");
  CHECK(row_of(sandbox, 2).at("smiles") == json::Value("CCCO"));
  CHECK(json::dump(row_of(sandbox, 2).at("known_shift")) == "[4,3,2,10]");
  CHECK(json::dump(row_of(sandbox, 2).at("known_sum")) == "[3,2,1]");
  job.replace(job.find("shift --bond-target sum"), 23, "heavy");
  REQUIRE(sandbox.run(job).code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --out p.jsonl").code == 0);
  CHECK(json::dump(row_of(sandbox, 2).at("known")) == "[4,3,2,10]");
}

TEST_CASE("atoms and bonds of a table of their own are predicted in one, too", "[apps][atoms]") {
  const Sandbox sandbox;
  std::string molecules = "name,smiles,part\n", atoms = "molecule,atom,end,shift,sum\n";
  for (int carbons = 1; carbons <= 8; ++carbons) {
    molecules += fmt::format("m{},O{},{}\n", carbons, std::string(static_cast<std::size_t>(carbons), 'C'),
                             carbons < 6 ? "train" : carbons == 6 ? "validation" : "test");
    for (int c = 0; c <= carbons; ++c) atoms += fmt::format("m{},{},,{},\n", carbons, c, c);
    for (int c = 0; c < carbons; ++c) atoms += fmt::format("m{},{},{},,{}\n", carbons, c + 1, c, 2 * c + 1);
  }
  sandbox.write("chains.csv", molecules);
  sandbox.write("atoms.csv", atoms);
  const std::string job = std::string(kTrainAtoms) + "--task regression --model sage --atom-target shift ";
  const Result trained = sandbox.run(job + "--atom-table atoms.csv --bond-target sum --atom-columns molecule,atom,end");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK(json::parse(trained.out, "result").at("test").at("mae").at("mean").as_number() < 3);
  sandbox.write("new.csv", "id,smiles\na,OCC\nb,C1C\n");
  const Result predicted = sandbox.run("predict m.safetensors --molecules new.csv --keep id --out p.csv");
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);
  const std::string table = sandbox.read("p.csv");
  CHECK(line_of(table, 0) == "row,smiles,id,atom,end,shift,sum,similarity,unlike,problem");
  CHECK_THAT(line_of(table, 1), Catch::StartsWith("1,OCC,a,0,,"));
  CHECK_THAT(line_of(table, 4), Catch::StartsWith("1,OCC,a,0,1,,"));
  CHECK_THAT(line_of(table, 5), Catch::StartsWith("1,OCC,a,1,2,,"));
  CHECK(line_of(table, 6) == "2,C1C,b,,,,,,,unclosed ring");
  REQUIRE(sandbox.run("predict m.safetensors --out p.jsonl").code == 0);
  CHECK(json::dump(row_of(sandbox, 0).at("known_shift")) == "0");
  CHECK(row_of(sandbox, 0).find("known_sum") == nullptr);
  CHECK(json::dump(row_of(sandbox, 2).at("known_sum")) == "1");
  // Predictions are such a table.
  const Result again = sandbox.run(
      "predict m.safetensors --molecules new.csv --atom-table p.csv --atom-columns row,atom,end --out q.jsonl");
  INFO(again.error);
  REQUIRE(again.code == 0);
  const json::Value bond = json::parse(line_of(sandbox.read("q.jsonl"), 4), "row");
  CHECK(bond.at("known_sum") == bond.at("sum"));
  CHECK(bond.find("known_shift") == nullptr);
  const Result unused = sandbox.run("train --molecules chains.csv --target part --atom-table atoms.csv");
  CHECK(unused.code == 2);
  CHECK_THAT(unused.error, Contains("atom_table: is for values of atoms (--atom-target)"));
  const Result few = sandbox.run(job + "--atom-table atoms.csv --bond-target sum --atom-columns molecule,atom");
  CHECK(few.code == 2);
  CHECK_THAT(few.error, Contains("atom_columns: expected 3 columns, of the molecule and the two atoms of a bond"));
}

TEST_CASE("wrong lists and wrong uses of atoms are refused", "[apps][atoms]") {
  const Sandbox sandbox;
  sandbox.write("short.csv", "smiles,shift\nCCO,1 2 3\nCCN,1 2\n");
  const Result shorter = sandbox.run("train --molecules short.csv --atom-target shift");
  CHECK(shorter.code == 3);
  CHECK_THAT(shorter.error, Contains("short.csv:3: column \"shift\": expected 3 values, one for each atom of CCN "
                                     "without hydrogens that are part of other atoms, got 2"));
  sandbox.write("nested.csv", "smiles,shift\nCC,\"[[1], [2]]\"\n");
  const Result nested = sandbox.run("train --molecules nested.csv --atom-target shift");
  CHECK(nested.code == 3);
  CHECK_THAT(nested.error,
             Contains("nested.csv:2: column \"shift\": expected 2 values") && Contains("a list of lists"));
  const Result missing = sandbox.run("train --molecules short.csv --atom-target nosuch");
  CHECK(missing.code == 3);
  CHECK_THAT(missing.error, Contains("no column \"nosuch\""));
  const Result label = sandbox.run("train --molecules short.csv --atom-target shift --target other");
  CHECK(label.code == 2);
  CHECK_THAT(label.error, Contains("the atoms or bonds are to be learnt"));
  const Result nodes = sandbox.run("train --edges e.csv --atom-target shift");
  CHECK(nodes.code == 2);
  const Result twice = sandbox.run("train --molecules short.csv --atom-target shift --bond-target shift");
  CHECK(twice.code == 2);
}

TEST_CASE("values of atoms are held to their total", "[apps][atoms]") {
  const Sandbox sandbox;
  std::string table = "smiles,charge,total\n";
  for (int i = 0; i < 30; ++i) {
    const int carbons = 1 + i % 6;
    std::string list = "-1";
    for (int c = 0; c < carbons; ++c) list += fmt::format(" {:.3f}", 0.1 * c);
    table += fmt::format("[O-]{},{},{:.3f}\n", std::string(static_cast<std::size_t>(carbons), 'C'), list,
                         -1 + 0.05 * carbons * (carbons - 1));
  }
  sandbox.write("chains.csv", table);
  const std::string job =
      std::string(kTrainAtoms).replace(std::string(kTrainAtoms).find("--split-column part "), 20, "") +
      "--atom-target charge --model mlp --task regression --atom-total ";
  const auto sums = [&](const std::string& total) {
    const Result trained = sandbox.run(job + total);
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    REQUIRE(sandbox.run("predict m.safetensors --out p.jsonl").code == 0);
    std::vector<double> sums;
    for (int row = 0; row < 3; ++row) {
      double sum = 0;
      const json::Value predicted = row_of(sandbox, row);
      for (const json::Value& value : predicted.at("charge").as_array()) sum += value.as_number();
      sums.push_back(sum);
    }
    return sums;
  };
  const std::vector<double> given = sums("total"), formal = sums("charge");
  CHECK(given[0] == Approx(-1));
  CHECK(given[2] == Approx(-0.7));
  CHECK(formal[0] == Approx(-1));
  CHECK(formal[2] == Approx(-1));
  sandbox.write("new.csv", "smiles\n[O-]CC\n");
  REQUIRE(sandbox.run("predict m.safetensors --molecules new.csv --out new.jsonl").code == 0);
  const Result missing = sandbox.run(job + "nosuch");
  CHECK(missing.code == 3);
  CHECK_THAT(missing.error, Contains("no column \"nosuch\""));
}

TEST_CASE("atoms of SDF have the numbers of their table in predictions and explanations", "[apps][atoms]") {
  const Sandbox sandbox;
  sandbox.write("chains.sdf", records_of_alcohols(8));
  std::string atoms = "row,atom,shift\n";
  for (int carbons = 1; carbons <= 8; ++carbons)
    for (int atom = 0; atom < carbons + 2; ++atom)
      if (atom != 1) atoms += fmt::format("{},{},{}\n", carbons, atom, 100 * carbons + atom);
  sandbox.write("atoms.csv", atoms);
  const Result trained = sandbox.run(
      "train --molecules chains.sdf --atom-table atoms.csv --atom-target shift --task regression --model sage "
      "--epochs 1 --threads 1 --out m.safetensors");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --out p.jsonl").code == 0);
  for (const int line : {0, 1, 5, 9}) {
    const json::Value row = row_of(sandbox, line);
    const double number = 100 * row.at("row").as_number() + row.at("atom").as_number();
    CHECK(row.at("known").as_number() == number);
  }
  const json::Value last = row_of(sandbox, 4);  // of the second molecule, the oxygen
  CHECK(last.at("atom").as_number() == 0);
  const Result explained = sandbox.run("explain m.safetensors --node 2:0 --out e.csv --json");
  INFO(explained.error);
  REQUIRE(explained.code == 0);
  CHECK(json::find_at(json::parse(explained.out, "result"), "prediction.shift")->as_number() ==
        Approx(last.at("shift").as_number()).epsilon(1e-4));
  CHECK_THAT(sandbox.read("e.csv"), Contains("atom,3 C,") && Contains("atom,2 C,") && Contains("bond,2-3,"));
  CHECK(sandbox.run("explain m.safetensors --node 2:1 --out e.csv").code == 2);
}

TEST_CASE("atoms have no values of bonds", "[apps][atoms]") {
  const Sandbox sandbox;
  write_molecule_chains(sandbox);
  sandbox.write("new.csv", "smiles\nOCC\n");
  const auto refused = [&](const std::string& flags, const std::string& message) {
    const Result result = sandbox.run("explain m.safetensors --molecules new.csv --out e.csv " + flags);
    CHECK(result.code == 2);
    CHECK_THAT(result.error, Contains(message));
  };
  const std::string train = std::string(kTrainAtoms) + "--task regression --model sage --epochs 1 ";
  REQUIRE(sandbox.run(train + "--bond-target sum").code == 0);
  CHECK_THAT(sandbox.run("predict m.safetensors --molecules new.csv --out p.graphml").out,
             Contains("predictions of 2 bonds"));
  const std::string graph = sandbox.read("p.graphml");
  const std::size_t first = graph.find("<node id=\"1:0\"");
  const std::string atom = graph.substr(first, graph.find("<node id=\"1:1\"") - first);
  CHECK_THAT(graph, Contains("attr.name=\"sum\""));
  CHECK_THAT(atom, !Contains("<data key=\"n0\">"));
  CHECK_THAT(graph.substr(graph.find("<node id=\"1:0-1\"")), Contains("<data key=\"n0\">"));
  refused("--node 1:0", "--node: expected a bond, as 1:0-1, of which the model predicts values, got \"1:0\"");
  REQUIRE(sandbox.run(train + "--atom-target shift --bond-target sum").code == 0);
  CHECK_THAT(sandbox.run("explain m.safetensors --molecules new.csv --node 1:0-1 --json").out,
             Contains("\"of\":\"sum\""));
  refused("--node 1:0-1 --of shift", "--of: \"shift\" is predicted of atoms, not of bonds");
  refused("--node 1:0 --of sum", "--of: \"sum\" is predicted of bonds, not of atoms");
  CHECK_THAT(sandbox.run("predict m.safetensors --molecules new.csv").out,
             Contains("predictions of 5 atoms and bonds"));
}

TEST_CASE("molecules that cannot be read have rows, even if there are no others", "[apps][atoms]") {
  const Sandbox sandbox;
  write_molecule_chains(sandbox);
  const std::string job = std::string(kTrainAtoms) + "--task regression --model sage --epochs 1 --atom-target shift";
  REQUIRE(sandbox.run(job).code == 0);
  sandbox.write("bad.csv", "smiles,shift\nC1CC,1 2 3\nC(,2\n");
  const Result predicted = sandbox.run("predict m.safetensors --molecules bad.csv --out p.csv");
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);
  const std::string table = sandbox.read("p.csv");
  CHECK_THAT(table, Contains("1,C1CC,,,") && Contains("unclosed ring") && Contains("\n2,C(,"));
  CHECK_THAT(predicted.error, Contains("2 of 2 molecules cannot be read"));
}

TEST_CASE("bounds of atoms are known as bounds", "[apps][atoms]") {
  const Sandbox sandbox;
  sandbox.write("chains.csv", "smiles,shift,part\nCCO,>3 2 1.5,train\nCCN,3 2 0.5,train\nCCCO,4 3 2.5 1,validation\n"
                              "CCCN,<4 3 2 0.5,test\n");
  const Result trained =
      sandbox.run(std::string(kTrainAtoms) + "--task regression --model sage --epochs 1 --atom-target shift");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --out p.jsonl").code == 0);
  CHECK(json::dump(row_of(sandbox, 0).at("known")) == R"([">3","2","1.5"])");
  CHECK(json::dump(row_of(sandbox, 3).at("known")) == R"(["<4","3","2","0.5"])");
}

TEST_CASE("a record of SDF with deuterium has its values", "[apps][atoms]") {
  const Sandbox sandbox;
  std::string deuterated = records_of_alcohols(1);
  deuterated.replace(deuterated.find("M  END"), 6, "M  ISO  1   2   2\nM  END");
  std::string records;
  for (int i = 0; i < 8; ++i) records += deuterated;
  for (std::size_t end = records.find("$$$$"); end != std::string::npos; end = records.find("$$$$", end + 20))
    records.insert(end, "> <v>\n1 2 3\n\n");
  sandbox.write("chains.sdf", records);
  const Result trained = sandbox.run(
      "train --molecules chains.sdf --atom-target v --task regression --model sage --epochs 1 --out m.safetensors");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --out p.jsonl").code == 0);
  CHECK(json::dump(row_of(sandbox, 0).at("known")) == "[1,3]");
}
