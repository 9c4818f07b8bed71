#include <fmt/format.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <string>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::check_one_line;
using test::first_columns;
using test::lines_of;
using test::Result;
using test::Sandbox;

namespace {

/// Alcohols and alkanes of one to fifteen carbons, with the number of carbons and whether they mix with water. Two rows
/// are not molecules, and some values are missing.
void write_molecules(const Sandbox& sandbox) {
  std::string text = "name,smiles,carbons,mixes\n";
  for (int carbons = 1; carbons <= 15; ++carbons)
    for (const bool is_alcohol : {true, false}) {
      const std::string chain(static_cast<std::size_t>(carbons), 'C');
      const std::string mixes = carbons % 7 == 0 ? "" : is_alcohol ? "1" : "0";
      text += fmt::format("m{},{}{},{},{}\n", carbons, chain, is_alcohol ? "O" : "", carbons, mixes);
    }
  sandbox.write("tested.csv", text + "bad,C1CC,3,0\nempty,,,\n");
  sandbox.write("new.csv", "smiles\nCCO\nnot a molecule\nCC(C)C\n");
}

constexpr const char* kMolecules =
    "train --molecules tested.csv --epochs 15 --hidden 16 --layers 2 --batch-size 8 --learning-rate 0.01 --threads 1 ";

}  // namespace

TEST_CASE("atoms attend to their bonds, which attend to each other", "[apps][molecules][masks]") {
  const Sandbox sandbox;
  write_molecules(sandbox);
  sandbox.write("bonds.json", R"({"model": {"blocks": [
      {"type": "linear", "width": 16},
      {"type": "node_set", "set": "edges", "blocks": [
        {"type": "linear", "width": 16},
        {"type": "residual", "blocks": [{"type": "gatv2", "mask": "ends", "heads": 2, "width": 8}]},
        {"type": "residual", "blocks": [{"type": "dot_product", "mask": "line", "heads": 2, "width": 8}]}]},
      {"type": "residual", "blocks": [{"type": "gatv2", "mask": "incident", "heads": 2, "width": 8}]},
      {"type": "residual", "blocks": [{"type": "gatv2", "heads": 2, "width": 8}]},
      {"type": "readout", "kind": "sum"}, {"type": "linear", "width": "outputs"}]}})");
  const Result trained = sandbox.run(
      "train --config bonds.json --molecules tested.csv --epochs 3 --batch-size 8 --target carbons --task regression "
      "--out m.safetensors");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  sandbox.write("lone.csv", "smiles\nC\nCCO\n");  // a molecule without bonds, and one with
  CHECK(sandbox.run("predict m.safetensors --molecules lone.csv --out p.csv").code == 0);
  CHECK(lines_of(sandbox.read("p.csv")) == 3);
  const Result explained = sandbox.run("explain m.safetensors --molecules lone.csv --row 2 --out m.csv");
  INFO(explained.error);
  CHECK(explained.code == 0);
}

TEST_CASE("molecules are learnt, predicted row by row, and explained", "[apps][molecules]") {
  const Sandbox sandbox;
  write_molecules(sandbox);
  const Result trained = sandbox.run(
      std::string(kMolecules) + "--target carbons --task regression --readout attention --out m.safetensors --json");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK(trained.json().at("graphs").as_integer() == 32);
  CHECK(trained.json().at("test").find("rmse") != nullptr);
  CHECK_THAT(trained.error, Contains("2 of 32 molecules cannot be read") && Contains("tested.csv:32 (row 31)"));

  const Result predicted = sandbox.run("predict m.safetensors --molecules new.csv --out p.csv --embeddings e.csv");
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);
  const std::string rows = sandbox.read("p.csv");
  CHECK(lines_of(rows) == 4);
  CHECK_THAT(rows,
             StartsWith("row,smiles,carbons,similarity,unlike,problem\n1,CCO,") && Contains("\n2,not a molecule,,"));
  CHECK_THAT(rows, Contains("\n3,CC(C)C,"));
  const std::string embeddings = sandbox.read("e.csv");
  CHECK_THAT(embeddings, Contains(",e15,e16,problem\n1,") && Contains("\n2,,,") && Contains(",,syntax error\n"));

  const Result explained =
      sandbox.run("explain m.safetensors --molecules new.csv --row 1 --by attention --out m.svg --json");
  INFO(explained.error);
  REQUIRE(explained.code == 0);
  CHECK(explained.json().at("is_by_readout").as_bool());
  CHECK(explained.json().at("attention").at("nodes").as_array().size() == 3);
  CHECK(explained.json().at("attention").at("edges").as_array().size() == 2);
  CHECK_THAT(sandbox.read("m.svg"), Contains("<svg"));
  CHECK(sandbox.run("explain m.safetensors --molecules new.csv --row 1 --by attention --out m.csv").code == 0);
  CHECK(lines_of(sandbox.read("m.csv")) > 3);
  CHECK(sandbox.run("explain m.safetensors --molecules new.csv --row 2").code == 3);
  CHECK(sandbox.run("explain m.safetensors --molecules new.csv --row 9").code == 2);
  CHECK(sandbox.run("evaluate m.safetensors --molecules tested.csv --target carbons").code == 0);
}

TEST_CASE("the SMILES column may have another name than in training", "[apps][molecules]") {
  const Sandbox sandbox;
  write_molecules(sandbox);
  const Result trained =
      sandbox.run(std::string(kMolecules) + "--target carbons --task regression --out m.safetensors");
  REQUIRE(trained.code == 0);
  const auto predict = [&](const std::string& header, const std::string& flags = "") {
    sandbox.write("other.csv", header + "\nx,CCO,c1ccccc1\ny,CC(C)C,C\n");
    return sandbox.run("predict m.safetensors --molecules other.csv --out o.csv " + flags);
  };
  const Result same = predict("name,smiles,other");
  CHECK(same.code == 0);
  CHECK(same.error.empty());
  const std::string expected = sandbox.read("o.csv");
  for (const std::string header : {"name,SMILES,other", "name,canonical_smiles,other", "name,molecule,other"}) {
    INFO(header);
    const Result result = predict(header);
    CHECK(result.code == 0);
    CHECK_THAT(result.error, Contains("other.csv: the molecules are read from the column \"") &&
                                 Contains("in training it was \"smiles\""));
    CHECK(lines_of(result.error) == 1);
    CHECK(sandbox.read("o.csv") == expected);
  }
  CHECK(predict("name,compound,SMILES", "--smiles compound").error.empty());
  CHECK(sandbox.read("o.csv") == expected);
  const Result several = predict("name,compound,other");
  CHECK(several.code == 3);
  CHECK_THAT(several.error, Contains("several hold SMILES: \"compound\", \"other\""));
  CHECK(predict("name,compound,other", "--smiles nothing").code == 3);
}

TEST_CASE("train and inspect find the SMILES column by its values", "[apps][molecules]") {
  const Sandbox sandbox;
  sandbox.write("c.csv", "name,compound,y\nethanol,CCO,1\nethane,CC,2\nmethane,C,3\nmethanol,CO,4\npropane,CCC,5\n");
  const std::string found = "c.csv: the molecules are read from the column \"compound\"";
  CHECK_THAT(sandbox.run("inspect --molecules c.csv --target y").out, Contains(found));
  const Result trained = sandbox.run("train --molecules c.csv --target y --model sage --epochs 1 --out m.safetensors");
  CHECK(trained.code == 0);
  CHECK_THAT(trained.error, Contains(found));
  CHECK(sandbox.run("predict m.safetensors --out p.csv").error.empty());
  CHECK_FALSE(Contains(found).match(sandbox.run("inspect --molecules c.csv --smiles 2").out));
  sandbox.write("none.csv", "name,y\nethanol,1\n");
  const Result none = sandbox.run("train --molecules none.csv --target y");
  CHECK(none.code == 3);
  CHECK_THAT(none.error, Contains("none.csv: no column is called smiles") && Contains("(--smiles)"));
}

TEST_CASE("every verb reads descriptors and columns beside the graph", "[apps][molecules][descriptors]") {
  const Sandbox sandbox;
  write_molecules(sandbox);
  sandbox.write("hot.csv",
                "smiles,carbons,heat\nCCO,2,1\nCCC,3,5\nC,1,2\nCO,1,2\nCCCC,4,1\nCCCCO,4,\nCCCCC,5,7\nCC,2,1\n");
  const std::string job =
      "train --molecules hot.csv --target carbons --task regression --model gatv2 --hidden 16 --layers 2 --heads 2 "
      "--batch-size 4 --threads 1 --descriptors rdkit,heat --split random --train-share 0.5 --validation-share 0.25 ";
  const Result trained = sandbox.run(job + "--epochs 6 --out m.safetensors --predictions t.csv --checkpoint c");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK_THAT(trained.error, Contains("\"heat\": missing for 1 of 8 molecules"));
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv").code == 0);
  CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
  CHECK(sandbox.run("evaluate m.safetensors --part all").code == 0);
  const Result explained = sandbox.run("explain m.safetensors --row 1 --json");
  INFO(explained.error);
  REQUIRE(explained.code == 0);
  const std::string rows = sandbox.read("p.csv");
  const double said = std::stod(rows.substr(rows.find("\n1,CCO,") + 7));
  CHECK(explained.json().at("prediction").at("carbons").as_number() == Approx(said).epsilon(1e-3));

  // Another heat gives another prediction; a missing column is an error that names it.
  sandbox.write("cold.csv", "smiles,heat\nCCO,90\n");
  REQUIRE(sandbox.run("predict m.safetensors --molecules cold.csv --out q.csv").code == 0);
  CHECK(sandbox.read("q.csv").find(rows.substr(rows.find("\n1,CCO,"), 12)) == std::string::npos);
  const Result missing = sandbox.run("predict m.safetensors --molecules new.csv --out q.csv");
  CHECK(missing.code == 4);
  CHECK_THAT(missing.error, Contains("needs the column \"heat\""));

  // A resumed training ends in the same bits.
  REQUIRE(sandbox.run(job + "--epochs 3 --set training.schedule.steps=6 --checkpoint half").code == 0);
  REQUIRE(sandbox.run(job + "--epochs 6 --set training.schedule.steps=6 --predictions whole.csv").code == 0);
  const Result resumed = sandbox.run("train --resume half --epochs 6 --predictions resumed.csv");
  INFO(resumed.error);
  REQUIRE(resumed.code == 0);
  CHECK(sandbox.read("resumed.csv") == sandbox.read("whole.csv"));
}

TEST_CASE("descriptors work with every preset for molecules, and with nothing else", "[apps][molecules][descriptors]") {
  const Sandbox sandbox;
  write_molecules(sandbox);
  for (const char* model : {"sage", "gps --heads 2", "gat --readout set2set", "mlp --ensemble 2"}) {
    const Result result =
        sandbox.run(std::string(kMolecules) + "--epochs 1 --target carbons --descriptors rdkit --model " + model);
    INFO(model << "\n" << result.error);
    CHECK(result.code == 0);
  }
  const auto fails = [&](const std::string& arguments, int code, const std::string& with) {
    const Result result = sandbox.run(arguments);
    INFO(result.error);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(with));
  };
  fails(std::string(kMolecules) + "--target carbons --descriptors carbons", 2, "is a label");
  fails(std::string(kMolecules) + "--target carbons --descriptors heat", 3, "heat");
  fails(std::string(kMolecules) + "--target carbons --descriptors name", 3, "expected a number");
  fails("train purchases --descriptors rdkit", 2, "for molecules");
}

TEST_CASE("an ensemble for molecules writes its spread", "[apps][molecules]") {
  const Sandbox sandbox;
  write_molecules(sandbox);
  const Result trained = sandbox.run(std::string(kMolecules) +
                                  "--target carbons,mixes --task regression --ensemble 2 --out m.safetensors "
                                  "--predictions p.csv --save-splits splits");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK_THAT(sandbox.read("p.csv"), StartsWith("row,smiles,carbons,mixes,std_carbons,std_mixes,similarity,unlike,known_"
                                               "carbons,known_mixes,split,problem\n"));
  CHECK(lines_of(sandbox.read("splits/split-0.csv")) == 33);
  const std::string before = sandbox.read("p.csv");
  REQUIRE(sandbox.run("predict m.safetensors --molecules tested.csv --out q.csv").code == 0);
  CHECK(sandbox.read("q.csv") == before);
  const Result explained = sandbox.run("explain m.safetensors --by attention --row 1");
  CHECK(explained.code == 0);
  CHECK_THAT(explained.error, Contains("is an ensemble of 2 models; only the first is explained"));
  CHECK(sandbox.run(std::string(kMolecules) + "--target carbons --ensemble 2 --checkpoint c").code == 2);
}

TEST_CASE("--only-unknown keeps rows with any unknown target", "[apps][molecules][predict]") {
  const Sandbox sandbox;
  sandbox.write("some.csv", "smiles,a,b\nC,1,2\nCC,,3\nCCC,4,\nCCCC,,\nCCCCC,5,6\nCO,7,8\n");
  sandbox.write("all.csv", "smiles,a,b\nC,1,2\nCC,2,3\n");
  const Result trained = sandbox.run(
      "train --molecules some.csv --target a,b --task regression --model sage --hidden 4 --layers 1 --epochs 1 "
      "--threads 1 --ensemble 2 --split random --out m.safetensors");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --only-unknown --out some-p.csv").code == 0);
  CHECK(first_columns(sandbox.read("some-p.csv")) == std::vector<std::string>{"row", "2", "3", "4"});
  CHECK(sandbox.run("predict m.safetensors --molecules all.csv --only-unknown --out -").out ==
        "row,smiles,a,b,std_a,std_b,similarity,unlike,known_a,known_b,problem\n");
}

TEST_CASE("a model of molecules and a model of nodes refuse each other's data", "[apps][molecules][errors]") {
  const Sandbox sandbox;
  write_molecules(sandbox);
  REQUIRE(sandbox.train("--model gat --epochs 1 --out n.safetensors").code == 0);
  REQUIRE(sandbox.run(std::string(kMolecules) + "--target carbons --model sage --out m.safetensors").code == 0);
  const std::string of_nodes =
      "n.safetensors: the model was trained on the nodes of a network, not on molecules: give nodes and edges";
  const std::string of_molecules =
      "m.safetensors: the model was trained on molecules, not on the nodes of a network: give a table of molecules";
  const std::pair<std::string, std::string> all[] = {
      {"predict n.safetensors --molecules new.csv", of_nodes},
      {"evaluate n.safetensors --molecules tested.csv --target carbons", of_nodes},
      {"predict n.safetensors esol", of_nodes},
      {"predict m.safetensors --edges friends.csv --nodes people.csv", of_molecules},
      {"explain m.safetensors --nodes people.csv --row 1", of_molecules},
      {"predict m.safetensors purchases", of_molecules}};
  for (const auto& [command, message] : all) {
    INFO(command);
    const Result result = sandbox.run(command);
    CHECK(result.code == 4);
    check_one_line(result);
    CHECK_THAT(result.error, Contains(message));
  }
}

TEST_CASE("errors in molecules are reported in one line", "[apps][molecules][errors]") {
  const Sandbox sandbox;
  write_molecules(sandbox);
  const auto fails = [&](const std::string& arguments, int code, const std::string& with) {
    const Result result = sandbox.run(arguments);
    INFO(result.error);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(with));
  };
  fails(std::string(kMolecules) + "--target carbons --strict", 3, "tested.csv:32");
  fails(std::string(kMolecules) + "--target weight", 3, "weight");
  fails(std::string(kMolecules), 2, "--target");
  sandbox.write("empty.csv", "smiles,y\nCCO,\nCC,\n");
  fails("train --molecules empty.csv --target y", 3, "empty.csv: column \"y\": no molecule has a ");
  REQUIRE(sandbox.run(std::string(kMolecules) + "--target carbons --model sage --out m.safetensors").code == 0);
  fails("predict m.safetensors --out z.parquet", 2, "predictions for graphs are written as .csv or .jsonl");
  fails("explain m.safetensors --row 1 --out h.pdf", 2,
        "--out: h.pdf: effects are written as .csv or .jsonl, of molecules and nodes also as .svg");
  fails(std::string(kMolecules) + "--target carbons --smiles nowhere", 3, "nowhere");
  fails(std::string(kMolecules) + "--target carbons --features nothing/9", 2, "standard/1");
  fails(std::string(kMolecules) + "--target carbons --nodes tested.csv", 2, "node table");
  fails(std::string(kMolecules) + "--target carbons --virtual-node --distances 4", 2, "cannot be combined");
  fails("train --edges friends.csv --nodes people.csv --label buys --split scaffold", 2, "scaffolds");
  fails("train --edges friends.csv --nodes people.csv --label buys --model fingerprint", 2, "is for graphs");
}

TEST_CASE("every positional encoding and every readout trains", "[apps][molecules]") {
  const Sandbox sandbox;
  write_molecules(sandbox);
  for (const char* flags : {"--degree --random-walk 4 --laplacian 3", "--virtual-node --readout sum",
                            "--distances 4 --model gps --heads 2", "--model sage --readout set2set",
                            "--model gcn --readout query", "--features elements/1 --hydrogens --readout max"}) {
    const Result result = sandbox.run(std::string(kMolecules) + "--epochs 2 --target carbons " + flags);
    INFO(flags << "\n" << result.error);
    CHECK(result.code == 0);
  }
}

TEST_CASE("a baseline and splits by scaffold work on a shipped set of molecules", "[apps][molecules]") {
  const Sandbox sandbox;
  for (const char* flags : {"--model fingerprint", "--split scaffold --epochs 1 --layers 1",
                            "--split balanced_scaffold --model sum_features"}) {
    const Result result = sandbox.run(std::string("train hydrophilicity ") + flags);
    INFO(flags << "\n" << result.error);
    CHECK(result.code == 0);
  }
}

TEST_CASE("baselines for molecules are saved and used like any model", "[apps][molecules][baselines]") {
  const Sandbox sandbox;
  write_molecules(sandbox);
  for (const char* model : {"fingerprint", "descriptors", "boosted_trees", "random_forest", "sum_features"})
    for (const char* target :
         {"carbons,mixes --task regression", "mixes --task multilabel", "mixes --task classification"}) {
      INFO(model << " " << target);
      const std::string plain = "train --molecules tested.csv --split random --threads 1 --target ";
      const Result trained =
          sandbox.run(plain + target + " --model " + model + " --out m.safetensors --predictions t.csv --json");
      INFO(trained.error);
      REQUIRE(trained.code == 0);
      CHECK(trained.error.find("epochs") == std::string::npos);
      CHECK(trained.json().at("parameters").as_integer() > 0);
      REQUIRE(sandbox.run("predict m.safetensors --out p.csv --threads 2").code == 0);
      CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
      const Result measured = sandbox.run("evaluate m.safetensors --json");
      INFO(measured.error);
      REQUIRE(measured.code == 0);
      const json::Value metrics = measured.json().at("metrics"), of_training = trained.json().at("test");
      for (const auto& [name, of_test] : of_training.as_object())
        CHECK(metrics.at(name) == of_test.at("mean"));
      CHECK(sandbox.run("predict m.safetensors --molecules new.csv --out q.csv --embeddings e.csv").code == 0);
      CHECK(sandbox.run("explain m.safetensors --row 1").code == 0);
      const Result explained = sandbox.run("explain m.safetensors --by attention --row 1");
      CHECK(explained.code == 4);
      CHECK_THAT(explained.error, Contains("no attention"));
    }
  const Result none =
      sandbox.run("train --edges friends.csv --nodes people.csv --label buys --model label_propagation --out m");
  CHECK(none.code == 2);
  CHECK_THAT(none.error, Contains("no model to save"));
}

TEST_CASE("baselines for molecules see the columns of --descriptors", "[apps][molecules][baselines][descriptors]") {
  const Sandbox sandbox;
  std::string rows = "smiles,y,heat\n";
  for (int i = 0; i < 120; ++i)  // the heat alone decides
    rows += std::string(static_cast<std::size_t>(2 + i % 9), 'C') + "O," + std::to_string(3 * (i % 7)) + "," +
            std::to_string(i % 7) + "\n";
  sandbox.write("tested.csv", rows);
  sandbox.write("new.csv", "smiles,heat\nCCCO,1\nCCCO,5\nCCO,60\n");
  sandbox.write("lacking.csv", "smiles\nCCCO\n");
  for (const std::string model : {"fingerprint", "descriptors", "boosted_trees"}) {
    INFO(model);
    const Result trained =
        sandbox.run("train --molecules tested.csv --target y --task regression --split-seed 1 --split random --model " +
                    model + " --descriptors heat --out m.safetensors --json");
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    CHECK(trained.json().at("validation").at("rmse").at("mean").as_number() < 1.5);
    const Result predicted = sandbox.run("predict m.safetensors --molecules new.csv --out -");
    INFO(predicted.out);
    REQUIRE(predicted.code == 0);
    CHECK_THAT(predicted.out, Contains("heat 60, in training 0 to 6"));
    CHECK(sandbox.run("predict m.safetensors --molecules lacking.csv --out -").code == 4);
  }
}

TEST_CASE("rows and targets of molecules have weights, and losses can be robust", "[apps][molecules]") {
  const Sandbox sandbox;
  std::string rows = "smiles,a,b,w\n";
  for (std::size_t i = 2; i < 32; ++i)
    rows += std::string(i, 'C') + "," + std::to_string(i) + "," + std::to_string(i % 3) + "," + (i % 2 ? "1" : "0.5") +
            "\n";
  sandbox.write("m.csv", rows);
  const std::string train = "train --molecules m.csv --target a,b --task regression --model sage --hidden 4 --layers 1 "
                            "--epochs 2 --threads 1 ";
  for (const char* flags :
       {"--loss huber", "--weight w", "--set training.target_weights=a=2,b=0.5", "--split butina"}) {
    INFO(flags);
    const Result trained = sandbox.run(train + flags);
    INFO(trained.error);
    CHECK(trained.code == 0);
  }
  const Result gaussian = sandbox.run(train + "--loss gaussian --ensemble 2 --out m.safetensors --predictions p.csv");
  INFO(gaussian.error);
  CHECK(gaussian.code == 0);
  CHECK_THAT(sandbox.read("p.csv"), Contains("std_b"));
  CHECK(sandbox.run("predict m.safetensors --molecules m.csv --out q.csv").code == 0);
  CHECK_THAT(sandbox.read("q.csv"), Contains("std_a"));
  CHECK(sandbox.run("explain m.safetensors --row 5").code == 0);
  CHECK_THAT(sandbox.run("explain m.safetensors --row 31").error, Contains("--row: expected 1 to 30, got 31"));
  sandbox.write("two.csv", "smiles,w\nC1CC,1\nCCCCCC,1\n");
  const Result row = sandbox.run("explain m.safetensors --molecules two.csv --row 2");
  CHECK(row.error.empty());  // no other row is looked at
  CHECK_THAT(row.out, Contains("row 2"));
  CHECK_THAT(sandbox.run("explain m.safetensors --molecules two.csv --row 1").error, Contains("row 1"));
  CHECK_THAT(sandbox.run(train + "--weight smiles").error, Contains("no column \"smiles\""));
  CHECK_THAT(sandbox.run(train + "--set training.target_weights=c=2").error, Contains("no target \"c\""));
  CHECK(sandbox.run(train + "--set training.target_weights=c").code == 2);
  CHECK_THAT(sandbox.run(train + "--loss absolute").error, Contains("huber"));
}

TEST_CASE("ESOL and Tox21 end to end", "[apps][molecules][esol]") {
  if (!test::dataset("esol")) return;
  const Sandbox sandbox;
  const Result esol = sandbox.run("train esol --epochs 12 --json --predictions p.csv");
  INFO(esol.error);
  REQUIRE(esol.code == 0);
  CHECK(esol.json().at("test").at("rmse").at("mean").as_number() < 1.3);  // the mean gives 2.1
  CHECK(lines_of(sandbox.read("p.csv")) == 1129);
  const Result tox21 = sandbox.run("train tox21 --epochs 3 --json --hidden 32 --layers 2");
  INFO(tox21.error);
  REQUIRE(tox21.code == 0);
  CHECK(tox21.json().at("test").at("roc_auc").at("mean").as_number() > 0.6);
}

TEST_CASE("the logarithm of a target is learnt on request, and suggested", "[apps][molecules]") {
  const Sandbox sandbox;
  std::string table = "smiles,dose,zero\n";  // ten times as much with each additional carbon
  for (std::size_t n = 1; n <= 30; ++n)
    table += fmt::format("{}O,{:e},{}\n", std::string(n, 'C'), std::pow(10, 0.2 * static_cast<double>(n)), n - 1);
  sandbox.write("d.csv", table);
  const std::string job =
      "train --molecules d.csv --task regression --split random --model descriptors --threads 1 --json ";
  const Result plain = sandbox.run(job + "--target dose");
  INFO(plain.error);
  REQUIRE(plain.code == 0);
  CHECK_THAT(plain.error, Contains("\"dose\" is above 0 everywhere") && Contains("\"log10(dose)\""));
  CHECK_THAT(sandbox.run("inspect --molecules d.csv --target dose --task regression").out, Contains("\"log10(dose)\""));
  const Result logarithm = sandbox.run(job + "--target 'log10(dose)' --out m.safetensors --predictions t.csv");
  INFO(logarithm.error);
  REQUIRE(logarithm.code == 0);
  CHECK(logarithm.json().at("test").at("r2").at("mean").as_number() > 0.9);
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv").code == 0);
  CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
  CHECK_THAT(sandbox.read("p.csv"), StartsWith("row,smiles,log10(dose),similarity,unlike,known,split,problem\n"));
  sandbox.write("new.csv", "smiles\nCCCCO\n");
  CHECK(sandbox.run("predict m.safetensors --molecules new.csv --out q.csv").code == 0);
  CHECK(sandbox.run("evaluate m.safetensors").code == 0);
  const Result zero = sandbox.run(job + "--target 'log10(zero)'");
  CHECK(zero.code == 3);
  CHECK_THAT(zero.error, Contains("d.csv:2") && Contains("expected a number above 0"));
}

TEST_CASE("each target has its own metrics, and units do not affect stopping", "[apps][molecules]") {
  const Sandbox sandbox;
  std::string table = "smiles,small,large_as_is_its_name_in_the_table\n", smiles = "C";
  for (int i = 1; i <= 30; ++i, smiles += i % 3 == 0 ? "O" : "C")
    table += fmt::format("{},{},{}\n", smiles, 0.01 * i, 100 * (i % 3));
  sandbox.write("m.csv", table);
  const std::string job =
      "train --molecules m.csv --target small,large* --task regression --model sage --epochs 3 --split random ";
  const Result result = sandbox.run(job + "--out m.safetensors --runs 2 --json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  const json::Value object = result.json();
  CHECK(object.at("metric") == json::Value("relative_rmse"));
  const json::Array& targets = object.at("targets").as_array();
  REQUIRE(targets.size() == 2);
  CHECK(targets[1].at("target") == json::Value("large_as_is_its_name_in_the_table"));
  for (const char* part : {"validation", "test"}) {
    const auto rmse = [&](std::size_t target) { return targets[target].at(part).at("rmse").at("mean").as_number(); };
    CHECK(rmse(0) < 1);
    CHECK(rmse(1) > 1);
    CHECK(object.at(part).at("rmse").at("mean").as_number() == Approx((rmse(0) + rmse(1)) / 2));
    CHECK(targets[0].at(part).at("r2").at("values").as_array().size() == 2);
  }
  const std::string text = sandbox.run(job).out;
  CHECK_THAT(text, Contains("relative_rmse"));
  const std::size_t small = text.find("small  "), large = text.find("large_as");
  CHECK(text.find('\n', large) + 1 - large == large - small);
  const Result evaluated = sandbox.run("evaluate m.safetensors --json");
  INFO(evaluated.error);
  REQUIRE(evaluated.code == 0);
  const json::Value measured = evaluated.json();
  CHECK(measured.at("targets").as_array()[0].at("rmse").is_number());
  CHECK(measured.at("metrics").at("relative_rmse").is_number());
}
