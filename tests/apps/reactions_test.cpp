#include <fmt/format.h>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::lines_of;
using test::Result;
using test::Sandbox;

namespace {

/// A halide of a chain of carbons that another one replaces; the atoms are numbered from `first` on.
std::string substitution(const std::string& leaving, const std::string& coming, int carbons, int first) {
  std::string chain;
  for (int i = 0; i < carbons; ++i) chain += fmt::format("[CH{}:{}]", i + 1 < carbons ? 2 : 3, first + 2 + i);
  return fmt::format("[{0}-:{2}].[{1}:{3}]{4}>>[{0}:{2}]{4}.[{1}-:{3}]", coming, leaving, first, first + 1, chain);
}

/// Each reaction twice, with other numbers. The value is that of the halides and of the carbons.
void write_reactions(const Sandbox& sandbox) {
  const std::vector<std::string> halides = {"F", "Cl", "Br", "I"};
  std::string text = "name,rxn,ea,part,warmth\n";
  int row = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int carbons = 1; carbons <= 4; ++carbons)
        for (const int first : {1, 30}) {
          if (i == j) continue;
          text += fmt::format("r{},{},{},{},{}\n", row, substitution(halides[i], halides[j], carbons, first),
                              10 + 2 * i - 3 * j + carbons,
                              row % 5 == 0 ? "test" : row % 5 == 1 ? "validation" : "train", 20 + row % 7);
          row += first == 1 ? 0 : 1;
        }
  sandbox.write("barriers.csv", text + "bad,CCO,3,train,1\n");
  sandbox.write("new.csv", fmt::format("reaction\n{}\nCCO\n[CH4:1]>>\n{}\n", substitution("F", "I", 2, 5),
                                       substitution("F", "I", 2, 100)));
}

constexpr const char* kReactions =
    "train --reactions barriers.csv --target ea --task regression --epochs 15 --hidden 16 --layers 2 --batch-size 8 "
    "--learning-rate 0.01 --threads 1 ";

}  // namespace

TEST_CASE("reactions are learnt and predicted row by row", "[apps][reactions]") {
  const Sandbox sandbox;
  write_reactions(sandbox);
  const Result trained = sandbox.run(std::string(kReactions) + "--model gatv2 --out m.safetensors --json");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK(trained.json().at("graphs").as_integer() == 97);
  CHECK_THAT(trained.error, Contains("the reactions are read from the column \"rxn\""));
  CHECK_THAT(trained.error, Contains("1 of 97 reactions cannot be read and are left out: barriers.csv:98 (row 97): "
                                     "expected reactants>>products"));
  CHECK_THAT(trained.error, Contains("reactions are in several rows, 96 in all"));
  const Result predicted = sandbox.run("predict m.safetensors --reactions new.csv --intervals 0.5 --out p.csv");
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);
  const std::string table = sandbox.read("p.csv");
  CHECK(lines_of(table) == 5);
  CHECK_THAT(table, Contains("row,reaction,") && Contains("no products") && Contains("expected reactants>>products"));
  const auto row = [&](int number) {
    const std::size_t start = table.find(fmt::format("\n{},", number)) + 1;
    const std::size_t begin = table.find(">>", start);
    return table.substr(table.find(',', begin), table.find('\n', start) - table.find(',', begin));
  };
  CHECK(row(1) == row(4));  // the same reaction with other numbers
  CHECK(sandbox.run("evaluate m.safetensors --reactions barriers.csv --json").code == 0);
  const Result explained = sandbox.run("explain m.safetensors --reactions barriers.csv --row 3 --out effects.csv");
  INFO(explained.error);
  CHECK(explained.code == 0);
  CHECK_THAT(sandbox.read("effects.csv"), Contains("C:"));
  for (const char* by : {"deletion", "attention"}) {
    const Result drawn =
        sandbox.run(fmt::format("explain m.safetensors --reactions barriers.csv --row 3 --by {} --out e.svg", by));
    INFO(drawn.error);
    CHECK(drawn.code == 0);
    CHECK_THAT(sandbox.read("e.svg"), Contains(">reactants</text>") && Contains(">products</text>"));
  }
}

TEST_CASE("every graph-level model and baseline learns reactions", "[apps][reactions]") {
  const Sandbox sandbox;
  write_reactions(sandbox);
  for (const char* model : {"sage", "fingerprint", "descriptors", "boosted_trees", "random_forest"}) {
    const Result trained = sandbox.run(
        fmt::format("train --reactions barriers.csv --target ea --task regression --model {} --descriptors "
                    "rdkit,warmth {} --threads 1 --out m.safetensors",
                    model, model == std::string("sage") ? "--epochs 2" : ""));
    INFO(model << trained.error);
    REQUIRE(trained.code == 0);
    sandbox.write("again.csv", "rxn,warmth\n" + substitution("F", "I", 2, 5) + ",20\n");
    CHECK(sandbox.run("predict m.safetensors --reactions again.csv --out p.csv").code == 0);
  }
}

TEST_CASE("reactions are split by centre, at random and by columns", "[apps][reactions]") {
  const Sandbox sandbox;
  write_reactions(sandbox);
  for (const char* split : {"--split reaction_centre", "--split random", "--split-column part",
                            "--split-group warmth", "--split butina"}) {
    INFO(split);
    const Result made = sandbox.run(fmt::format(
        "data split --reactions barriers.csv --target ea --task regression {} --out split.csv", split));
    INFO(made.error);
    CHECK(made.code == 0);
  }
  sandbox.write("molecules.csv", "smiles,y\nC,1\nCC,2\nCCC,3\nCCCC,4\n");
  const Result refused = sandbox.run("data split --molecules molecules.csv --target y --task regression --split "
                                     "reaction_centre --out split.csv");
  CHECK(refused.code == 2);
  CHECK_THAT(refused.error, Contains("only reactions have centres"));
}

TEST_CASE("what is wrong with reactions is said in one line", "[apps][reactions]") {
  const Sandbox sandbox;
  write_reactions(sandbox);
  sandbox.write("molecules.csv", "smiles,ea\nC,1\nCC,2\nCCC,3\nCCCC,4\n");
  const auto refused = [&](const std::string& command, int code, const std::string& text) {
    const Result result = sandbox.run(command);
    INFO(command << "\n" << result.error);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(text));
  };
  const std::string train = "train --target ea --task regression --model gatv2 --epochs 1 --out m.safetensors ";
  refused(train + "--reactions molecules.csv", 3, "expected a column of reactions (reactants>>products), found none");
  refused(train + "--reactions barriers.csv --strict", 3, "barriers.csv:98: reaction: expected reactants>>products");
  refused(train + "--reactions barriers.csv --reaction-mode both", 2, "reac_diff");
  refused(train + "--reactions barriers.csv --hydrogens", 2, "hydrogens");
  refused(train + "--reactions barriers.csv --molecules molecules.csv", 2, "not both");
  refused(train + "--molecules molecules.csv --reaction-mode reac_prod", 2, "is for reactions (--reactions)");
  REQUIRE(sandbox.run(std::string(kReactions) + "--model sage --reaction-mode prod_diff_balance --out m.safetensors")
              .code == 0);
  refused("predict m.safetensors --molecules molecules.csv --out p.csv", 4, "trained on reactions");
  refused("predict m.safetensors --reaction-mode reac_prod", 4,
          "m.safetensors: the model was trained with --reaction-mode = \"prod_diff_balance\", got \"reac_prod\"");
  CHECK(sandbox.run("predict m.safetensors --reaction-mode prod_diff_balance").code == 0);
  const std::string from = "train --from m.safetensors --target ea --print-config --json ";
  CHECK_THAT(sandbox.run(from + "--reactions barriers.csv").out,
             Contains("\"reaction_mode\":\"prod_diff_balance\""));
  REQUIRE(sandbox.run(train + "--molecules molecules.csv").code == 0);
  refused("evaluate m.safetensors --hydrogens", 4, "the model was trained with --hydrogens = false, got true");
  refused("predict m.safetensors --reactions barriers.csv --out p.csv", 4, "trained on molecules");
}

TEST_CASE("a server answers about reactions", "[apps][reactions]") {
  const Sandbox sandbox;
  write_reactions(sandbox);
  REQUIRE(sandbox.run(std::string(kReactions) + "--model sage --out m.safetensors").code == 0);
  sandbox.write("asked.jsonl", fmt::format("{{\"reactions\": [\"{}\", \"CCO\"]}}\n", substitution("F", "I", 2, 5)));
  const Result served = sandbox.run("serve m.safetensors < asked.jsonl");
  INFO(served.error);
  CHECK(served.code == 0);
  CHECK_THAT(served.out, Contains("\"ea\":") && Contains("expected reactants>>products"));
}

TEST_CASE("reactions without map numbers are aligned", "[apps][reactions]") {
  const Sandbox sandbox;
  std::string text = "reaction,ea\n";
  const std::vector<std::string> halides = {"F", "Cl", "Br", "I"};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int carbons = 1; carbons <= 5; ++carbons) {
        const std::string chain(static_cast<std::size_t>(carbons), 'C');
        if (i != j)
          text += fmt::format("[{1}-].{0}{2}>>{1}{2}.[{0}-],{3}\n", halides[i], halides[j], chain, 10 + 2 * i - 3 * j);
      }
  sandbox.write("barriers.csv", text);
  sandbox.write("new.csv", "reaction\n[I-].FCCCCCC>>ICCCCCC.[F-]\n[I-:7].[F:1][CH3:2]>>[I:7][CH3:2].[F-:1]\nC>>\n");
  const std::string job =
      "train --reactions barriers.csv --target ea --task regression --model gatv2 --epochs 150 --patience 150 --hidden "
      "16 --layers 2 "
      "--learning-rate 0.01 --threads 1 --out m.safetensors ";
  const Result without = sandbox.run(job);
  CHECK(without.code == 3);
  CHECK_THAT(without.error, Contains("expected atom map numbers") && Contains("--align finds those of like atoms"));
  const Result trained = sandbox.run(job + "--align --json");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK_THAT(trained.error, Contains("found the atom map numbers of 60 reactions"));
  CHECK(trained.json().at("test").at("rmse").at("mean").as_number() < 2);
  const Result predicted = sandbox.run("predict m.safetensors --reactions new.csv --out p.csv");
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);
  const std::string table = sandbox.read("p.csv");
  CHECK(lines_of(table) == 4);
  CHECK_THAT(table, Contains("[I-:7]") && Contains("[I-:1]") && Contains("no products"));
  const Result molecules = sandbox.run("train --molecules barriers.csv --target ea --align");
  CHECK(molecules.code == 2);
}
