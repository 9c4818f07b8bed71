#include <fmt/format.h>

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::lines_of;
using test::Result;
using test::Sandbox;

namespace {

const std::vector<std::string> kSolvents = {"O", "CCO", "CO", "C1CCOC1", "CC#N", "ClCCl"};

/// Chains of carbons with a head, in a solvent. The value is that of the chain, and of the solvent times the head.
std::string dyes() {
  std::string text = "name,dye,solvent,share_a,share_b,heat,peak,part\n";
  int row = 0;
  for (const char* head : {"N", "O", "F", "Cl"})
    for (int carbons = 1; carbons <= 5; ++carbons)
      for (std::size_t solvent = 0; solvent < kSolvents.size(); ++solvent, ++row)
        text += fmt::format("r{},{}{},{},{},{},{},{},{}\n", row, head,
                            std::string(static_cast<std::size_t>(carbons), 'C'), kSolvents[solvent], 1 + row % 3,
                            1 + row % 2, 20 + row % 7,
                            3 * carbons + static_cast<int>(solvent) * (head[0] == 'N' ? -1 : 1),
                            row % 5 == 0 ? "test" : row % 5 == 1 ? "validation" : "train");
  return text;
}

void write_dyes(const Sandbox& sandbox) {
  sandbox.write("dyes.csv", dyes() + "bad,CCO,C1CC,1,1,20,3,train\nless,CCO,,1,,20,3,train\n");
}

constexpr const char* kTwo = "--smiles dye --smiles solvent ";
constexpr const char* kTrainOnDyes =
    "train --molecules dyes.csv --target peak --task regression --epochs 8 --hidden 16 --layers 2 --batch-size 8 "
    "--learning-rate 0.01 --threads 1 ";

constexpr const char* kBaselineOnDyes = "train --molecules dyes.csv --target peak --task regression --threads 1 ";

/// The predictions without the columns before them.
std::string numbers_of(const std::string& table, int row) {
  const std::size_t start = table.find(fmt::format("\n{},", row)) + 1;
  std::size_t at = start;
  for (int commas = 0; commas < 3; ++commas) at = table.find(',', at) + 1;
  return table.substr(at, table.find('\n', start) - at);
}

}  // namespace

TEST_CASE("several molecules in a row are learnt and predicted row by row", "[apps][mixtures]") {
  const Sandbox sandbox;
  write_dyes(sandbox);
  const Result trained =
      sandbox.run(std::string(kTrainOnDyes) + kTwo + "--model gatv2 --descriptors heat --out m.safetensors --json");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK_THAT(trained.error, Contains("1 of 122 mixtures cannot be read and are left out: dyes.csv:122 (row 121): "
                                     "solvent: unclosed ring"));
  sandbox.write("new.csv", "solvent,heat,dye\nO,20,NCC\nO,20,C1C\n,20,CCCN\n,20,\nO,20,CCN\n");
  const Result predicted = sandbox.run("predict m.safetensors --molecules new.csv --intervals 0.5 --out p.csv");
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);
  const std::string table = sandbox.read("p.csv");
  CHECK(lines_of(table) == 6);
  CHECK_THAT(table, Contains("row,dye,solvent,") && Contains("1,NCC,O,") && Contains("dye: unclosed ring") &&
                        Contains("3,CCCN,,") && Contains("no molecule in the row"));
  CHECK_THAT(sandbox.run("evaluate m.safetensors --molecules dyes.csv --json").out, Contains("rmse"));
  const Result explained = sandbox.run("explain m.safetensors --molecules new.csv --row 1 --out effects.csv");
  INFO(explained.error);
  CHECK(explained.code == 0);
  CHECK_THAT(sandbox.read("effects.csv"), Contains("molecule,solvent O,3,") && Contains("molecule,dye NCC,0 1 2,") &&
                                              Contains("atom,3 O") && Contains("{NCC & -}"));
  CHECK(sandbox.run("explain m.safetensors --molecules new.csv --row 1 --by attention").code == 0);
  for (const char* by : {"deletion", "attention"}) {
    const Result drawn =
        sandbox.run(fmt::format("explain m.safetensors --molecules new.csv --row 1 --by {} --out e.svg", by));
    INFO(drawn.error);
    CHECK(drawn.code == 0);
    CHECK_THAT(sandbox.read("e.svg"), Contains(">dye") && Contains(">solvent") && Contains("row 1, {NCC &amp; O}"));
  }
  sandbox.write("asked.jsonl", "{\"molecules\": [[\"NCC\", \"O\"], \"{NCC & O}\", [\"NCC\"]]}\n");
  CHECK_THAT(sandbox.run("serve m.safetensors < asked.jsonl").out, Contains("error") && Contains("heat"));
}

TEST_CASE("a + b is b + a, bit for bit", "[apps][mixtures]") {
  const Sandbox sandbox;
  write_dyes(sandbox);
  for (const char* more : {"", "--amount share_a --amount share_b "}) {
    const std::string flags = std::string(kTwo) + more + "--symmetric ";
    for (const char* model : {"gatv2", "gatv2 --cross", "fingerprint", "descriptors", "boosted_trees"}) {
      const bool is_network = std::string_view(model).starts_with("gatv2");
      const Result trained = sandbox.run(
          fmt::format("{}{}--model {} --out m.safetensors",
                      is_network ? kTrainOnDyes : kBaselineOnDyes, flags, model));
      INFO(model << trained.error);
      REQUIRE(trained.code == 0);
      sandbox.write("new.csv",
                    "dye,solvent,share_a,share_b\nNCC,OCCC,1,3\nOCCC,NCC,3,1\nNCC,,1,\n,NCC,,1\nC(C)N,C(O)CC,1,3\n");
      for (const char* threads : {"1", "3"}) {
        REQUIRE(sandbox.run(fmt::format("predict m.safetensors --molecules new.csv --threads {} --out p{}.csv", threads,
                                        threads))
                    .code == 0);
        const std::string table = sandbox.read(fmt::format("p{}.csv", threads));
        CHECK(numbers_of(table, 1) == numbers_of(table, 2));
        CHECK(numbers_of(table, 3) == numbers_of(table, 4));
        CHECK(numbers_of(table, 1) != numbers_of(table, 3));
        if (!is_network) CHECK(numbers_of(table, 1) == numbers_of(table, 5));  // in another writing
      }
      CHECK(sandbox.read("p1.csv") == sandbox.read("p3.csv"));
    }
  }
}

TEST_CASE("molecules of a row may have encoders of their own, and attend to one another", "[apps][mixtures]") {
  const Sandbox sandbox;
  write_dyes(sandbox);
  const Result trained = sandbox.run(std::string(kTrainOnDyes) + kTwo +
                                     "--split-column part --model gatv2 --own-encoders --cross --out m.safetensors");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  sandbox.write("new.csv", "dye,solvent\nNCC,O\nNCC,CCO\nO,NCC\nNCC,\n");
  for (const char* threads : {"1", "3"})
    REQUIRE(sandbox.run(fmt::format("predict m.safetensors --molecules new.csv --threads {} --out p{}.csv", threads,
                                    threads))
                .code == 0);
  const std::string table = sandbox.read("p1.csv");
  CHECK(table == sandbox.read("p3.csv"));
  CHECK(numbers_of(table, 1) != numbers_of(table, 2));
  CHECK(numbers_of(table, 1) != numbers_of(table, 3));
  CHECK_THAT(table, !Contains("nan"));
  CHECK(sandbox.run("explain m.safetensors --molecules new.csv --row 1 --out e.svg").code == 0);
}

TEST_CASE("amounts weigh the molecules of a row, by their share", "[apps][mixtures]") {
  const Sandbox sandbox;
  write_dyes(sandbox);
  const std::string flags = std::string(kTwo) + "--amount share_a --amount share_b ";
  for (const char* model : {"sage", "fingerprint", "descriptors", "random_forest"}) {
    const Result trained = sandbox.run(fmt::format(
        "{}{}--model {} --descriptors rdkit --out m.safetensors",
        model == std::string("sage") ? kTrainOnDyes : kBaselineOnDyes, flags, model));
    INFO(model << trained.error);
    REQUIRE(trained.code == 0);
    sandbox.write("new.csv",
                  "dye,solvent,share_a,share_b\nNCC,O,1,3\nNCC,O,0.25,0.75\nNCC,O,1,0\nNCC,,1,\nNCC,O,-1,3\nNCC,O,x,3\n"
                  "NCC,O,,3\nNCC,O,nan,3\nNCC,O,0,0\nNCC,,1,2\n");
    const Result predicted = sandbox.run("predict m.safetensors --molecules new.csv --out p.csv");
    INFO(predicted.error);
    REQUIRE(predicted.code == 0);
    const std::string table = sandbox.read("p.csv");
    CHECK(numbers_of(table, 1) == numbers_of(table, 2));
    CHECK(numbers_of(table, 3) == numbers_of(table, 4));
    CHECK(numbers_of(table, 1) != numbers_of(table, 3));
    CHECK_THAT(table, Contains("NCC,O,,,,\"share_a: expected a number of at least 0, got \"\"-1\"\"") &&
                          Contains("NCC,O,,,,\"share_a: expected a number of at least 0, got \"\"x\"\"") &&
                          Contains("share_a: no amount, but a molecule") && Contains("all amounts are 0") &&
                          Contains("share_b: an amount, but no molecule"));
  }
}

TEST_CASE("splits keep one of the molecules away, or its scaffold", "[apps][mixtures]") {
  const Sandbox sandbox;
  sandbox.write("dyes.csv", dyes() + "again,NCC,OCC,1,1,20,3,train\n");  // another notation of CCO
  for (const char* split : {"--split-group solvent", "--split scaffold --split-group solvent", "--split butina",
                            "--split-column part", "--split random"}) {
    const Result made = sandbox.run(fmt::format(
        "data split --molecules dyes.csv {} --target peak --task regression {} --out split.csv", kTwo, split));
    INFO(split << made.error);
    CHECK(made.code == 0);
  }
  REQUIRE(sandbox.run(fmt::format("data split --molecules dyes.csv {} --target peak --task regression --split-group "
                                  "solvent --out split.csv",
                                  kTwo))
              .code == 0);
  const std::string split = sandbox.read("split.csv");
  const auto part_of = [&](int row) {
    const std::size_t start = split.find(fmt::format("\n{},", row)) + 1;
    return split.substr(split.find(',', start), split.find('\n', start) - split.find(',', start));
  };
  for (int row = 1; row <= 114; ++row) CHECK(part_of(row) == part_of(row + 6));
  CHECK(part_of(121) == part_of(2));
}

TEST_CASE("what is wrong with several molecules in a row is said in one line", "[apps][mixtures]") {
  const Sandbox sandbox;
  write_dyes(sandbox);
  const auto refused = [&](const std::string& command, int code, const std::string& text) {
    const Result result = sandbox.run(command);
    INFO(command << "\n" << result.error);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(text));
  };
  const std::string train = std::string(kTrainOnDyes) + "--model sage --epochs 1 --out m.safetensors ";
  refused(train + "--smiles dye --smiles dye", 2, "expected each column once");
  refused(train + kTwo + "--amount share_a", 2, "expected one for each of 2 columns of SMILES, got 1");
  refused(train + kTwo + "--amount share_a --amount dye", 2, "expected each column once");
  refused(train + "--smiles dye --symmetric", 2, "is for several molecules in a row");
  refused(train + "--smiles dye --amount share_a", 2, "is for several molecules in a row");
  refused(train + kTwo + "--virtual-node", 2, "is for one molecule in a row");
  refused(train + kTwo + "--symmetric --own-encoders", 2, "expected no \"symmetric\" beside it");
  refused(train + kTwo + "--symmetric --amount a --amount b --descriptors a", 2,
          "\"a\" is an amount, of which the order");
  refused(train + "--smiles dye --own-encoders", 2, "expected several \"components\" as well");
  refused(train + "--smiles dye --smiles water", 3, "water");
  refused(train + kTwo + "--strict", 3, "dyes.csv:122: mixture: solvent: unclosed ring");
  sandbox.write("a.smi", "CCO a\nO b\n");
  refused("train --molecules a.smi --target name --out m.safetensors " + std::string(kTwo), 3, "found SDF or SMI");
  sandbox.write("rows.csv", "rxn,b,y\nC>>C,C,1\n");
  refused("train --reactions rows.csv --smiles rxn --smiles b --target y --out m.safetensors", 2,
          "expected one column of reactions, got 2");
  REQUIRE(sandbox.run(train + kTwo).code == 0);
  refused("train hydrophilicity --symmetric --model sage --epochs 1 --out m.safetensors", 2,
          "is for several molecules in a row");
  refused("predict m.safetensors --molecules dyes.csv --smiles dye --out p.csv", 4, "trained on 2 molecules in a row");
  refused("predict m.safetensors --molecules dyes.csv --symmetric --out p.csv", 4, "an order of the molecules");
  refused("predict m.safetensors --molecules dyes.csv --amount share_a,share_b --out p.csv", 4, "without amounts");
  sandbox.write("one.csv", "smiles\nCCO\n");
  refused("predict m.safetensors --molecules one.csv --out p.csv", 3, "dye");
  REQUIRE(sandbox.run(train + "--smiles dye").code == 0);
  refused("predict m.safetensors --molecules dyes.csv " + std::string(kTwo) + "--out p.csv", 4,
          "trained on 1 molecule in a row");
}

TEST_CASE("a server answers about several molecules in a row", "[apps][mixtures]") {
  const Sandbox sandbox;
  write_dyes(sandbox);
  REQUIRE(sandbox.run(std::string(kTrainOnDyes) + kTwo + "--model sage --out m.safetensors").code == 0);
  sandbox.write("asked.jsonl", "{\"molecules\": [[\"NCC\", \"O\"], \"{NCC & O}\", [\"NCC\"], \"NCC\"]}\n"
                               "{\"explain\": [\"NCC\", \"O\"]}\n");
  const Result served = sandbox.run("serve m.safetensors < asked.jsonl");
  INFO(served.error << served.out);
  CHECK(served.code == 0);
  CHECK_THAT(served.out, Contains("\"dye\":\"NCC\"") && Contains("expected 2 molecules, got 1") &&
                             Contains("expected several molecules") && Contains("\"kind\":\"molecule\""));
}

TEST_CASE("compare, inspect and the choice of a model take several molecules in a row", "[apps][mixtures][slow]") {
  const Sandbox sandbox;
  write_dyes(sandbox);
  const Result chosen = sandbox.run(
      "train --molecules dyes.csv --target peak --task regression --epochs 2 --threads 2 --out m.safetensors " +
      std::string(kTwo));
  INFO(chosen.error);
  CHECK(chosen.code == 0);
  CHECK(sandbox.run("predict m.safetensors --molecules dyes.csv --out p.csv").code == 0);
  const Result inspected = sandbox.run("inspect --molecules dyes.csv --target peak " + std::string(kTwo));
  INFO(inspected.error);
  CHECK(inspected.code == 0);
}
