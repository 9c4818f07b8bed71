// Tests of how the data for an existing model is read.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::Result;
using test::Sandbox;

TEST_CASE("a model of a shipped data set reads user files in the same way", "[apps][predict][purchases]") {
  const Sandbox sandbox;
  // The recipe of the data set, for the run on files as well.
  const std::string small =
      "--epochs 2 --hidden 8 --heads 2 --dropout 0.2 --attention-dropout 0.2 --stopping validation_loss ";
  REQUIRE(sandbox.run("train purchases --out m.safetensors --predictions a.csv " + small).code == 0);
  const std::string folder = EDGEWISE_SOURCE_DIR "/datasets/purchases/";
  const std::string files = "--edges '" + folder + "friends.csv' --nodes '" + folder + "people.csv' ";
  const Result predicted = sandbox.run("predict m.safetensors --out b.csv " + files);
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);
  CHECK(sandbox.read("a.csv") == sandbox.read("b.csv"));
  CHECK(sandbox.run("evaluate m.safetensors --json " + files).json().at("metrics") ==
        sandbox.run("evaluate m.safetensors --json").json().at("metrics"));
  CHECK(sandbox.run("explain m.safetensors --node p3 " + files).code == 0);
  // The same job on files gives the same model.
  REQUIRE(sandbox.run("train --directed --label buys --predictions c.csv " + small + files).code == 0);
  CHECK(sandbox.read("a.csv") == sandbox.read("c.csv"));
}

TEST_CASE("known labels may be in a column with another name", "[apps][predict][evaluate]") {
  const Sandbox sandbox;
  sandbox.write_others();
  std::string others = sandbox.read("other.csv");
  others.replace(others.find("buys"), 4, "paid");
  sandbox.write("renamed.csv", others);
  REQUIRE(sandbox.train("--out m.safetensors").code == 0);
  const std::string files = "--edges ties.csv --nodes renamed.csv ";
  CHECK(sandbox.run("predict m.safetensors --edges ties.csv --nodes other.csv --only-unknown --out a.csv").code == 0);
  CHECK(sandbox.run("predict m.safetensors " + files + "--label paid --only-unknown --out b.csv").code == 0);
  CHECK_THAT(sandbox.read("b.csv"), StartsWith("node,predicted,p_no,p_yes,unlike,known\n"));
  CHECK(sandbox.read("b.csv") == sandbox.read("a.csv"));
  CHECK(sandbox.run("evaluate m.safetensors " + files + "--label paid").code == 0);
  const Result wrong = sandbox.run("predict m.safetensors " + files + "--label payed");
  CHECK(wrong.code == 3);
  CHECK_THAT(wrong.error, Contains("renamed.csv: no column \"payed\""));
}

TEST_CASE("new nodes need no labels although those of training were declared to be categories", "[apps][predict]") {
  const Sandbox sandbox;
  sandbox.write("e.csv", "source,target\na,b\nb,c\nc,a\nd,a\n");
  sandbox.write("n.csv", "id,age,kind\na,1,01\nb,2,02\nc,3,01\nd,4,02\n");
  sandbox.write("new.csv", "id,age\na,1\nb,2\nc,3\nd,4\n");
  REQUIRE(sandbox
              .run("train --edges e.csv --nodes n.csv --label kind --categorical kind --split random --model mlp "
                   "--epochs 2 --out m.safetensors")
              .code == 0);
  const Result predicted = sandbox.run("predict m.safetensors --edges e.csv --nodes new.csv --out p.csv");
  INFO(predicted.error);
  CHECK(predicted.code == 0);
  CHECK_THAT(sandbox.read("p.csv"), Contains("01,"));
}

TEST_CASE("a number that is known may be in a column with another name", "[apps][predict][evaluate]") {
  const Sandbox sandbox;
  sandbox.write("m.csv", "smiles,y,split\nCCO,1.5,train\nCC,2.5,validation\nC,3.5,test\nCCC,2.7,train\n");
  sandbox.write("other.csv", "smiles,measured\nCCO,5\nCC,\n");
  REQUIRE(sandbox.run("train --molecules m.csv --target y --model sage --epochs 1 --out m.safetensors").code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --molecules other.csv --label measured --out p.csv").code == 0);
  CHECK_THAT(sandbox.read("p.csv"),
             StartsWith("row,smiles,y,similarity,unlike,known,problem\n1,CCO,") && Contains(",5,\n2,CC,"));
  const Result measured = sandbox.run("evaluate m.safetensors --molecules other.csv --label measured --json");
  REQUIRE(measured.code == 0);
  CHECK(measured.json().at("graphs").as_integer() == 1);
}

TEST_CASE("columns of training are found in files with another column order", "[apps][predict]") {
  const Sandbox sandbox;
  std::string edges = "u,v,weight\n", turned = "weight,v,u\n", bare = "u,v\n", renamed = "a,b,weight\n";
  for (int i = 0; i < 80; ++i) {
    const int to = (i * 7 + 3) % 80, weight = 1 + i % 3;
    edges += fmt::format("p{},p{},{}\n", i, to, weight);
    turned += fmt::format("{},p{},p{}\n", weight, to, i);
    bare += fmt::format("p{},p{}\n", i, to);
    renamed += fmt::format("p{},p{},{}\n", i, to, weight);
  }
  for (const auto& [name, text] :
       {std::pair{"e.csv", edges}, {"turned.csv", turned}, {"bare.csv", bare}, {"renamed.csv", renamed}})
    sandbox.write(name, text);
  std::string people, numbered;
  std::istringstream lines(sandbox.read("people.csv"));
  int row = -1;
  for (std::string line; std::getline(lines, line); ++row) {
    people += (row < 0 ? "customer" + line.substr(line.find(',')) : line) + "\n";
    numbered += (row < 0 ? ",customer" + line.substr(line.find(',')) : fmt::format("{},{}", row, line)) + "\n";
  }
  sandbox.write("n.csv", people);
  sandbox.write("numbered.csv", numbered);
  const Result trained = sandbox.run(
      "train --edges e.csv --nodes n.csv --label buys --model gatv2 --hidden 8 --epochs 3 "
      "--threads 1 --out m.safetensors --predictions p.csv");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const auto predict = [&](const std::string& files) {
    return sandbox.run("predict m.safetensors --out q.csv " + files);
  };
  for (const char* files : {"--edges turned.csv --nodes n.csv", "--edges e.csv --nodes numbered.csv"}) {
    const Result same = predict(files);
    INFO(same.error);
    REQUIRE(same.code == 0);
    CHECK(same.error.empty());
    CHECK(sandbox.read("q.csv") == sandbox.read("p.csv"));
  }
  CHECK_THAT(predict("--edges renamed.csv --nodes n.csv").error,
             Contains("edges run from the column \"a\" to \"b\"; in training from \"u\" to \"v\""));
  CHECK(sandbox.read("q.csv") == sandbox.read("p.csv"));
  const Result unweighted = predict("--edges bare.csv --nodes n.csv");
  CHECK(unweighted.code == 3);
  CHECK_THAT(unweighted.error, Contains("bare.csv: no column \"weight\""));
  CHECK_THAT(predict("--nodes numbered.csv").error, Contains("e.csv: uses the edges of training"));

  // Weights are ignored if training had none.
  REQUIRE(sandbox
              .run("train --edges bare.csv --source u --target v --nodes n.csv --label buys --model gcn --epochs 3 "
                   "--threads 1 "
                   "--out m.safetensors --predictions p.csv")
              .code == 0);
  CHECK(predict("--edges turned.csv --nodes n.csv").code == 0);
  CHECK(sandbox.read("q.csv") == sandbox.read("p.csv"));
}

TEST_CASE("a model that looks at no edges needs no weights but writes them", "[apps][predict]") {
  const Sandbox sandbox;
  sandbox.write("e.csv", "source,target,cost\np0,p1,2\np2,p3,2\n");
  sandbox.write("bare.csv", "source,target\np0,p1\np2,p3\n");
  sandbox.write("e.dot", "graph { p0 -- p1 [cost=2] }");
  REQUIRE(sandbox
              .run("train --edges e.csv --nodes people.csv --weight cost --label buys --model mlp --epochs 1 "
                   "--out m.safetensors")
              .code == 0);
  const auto predicted = [&](const std::string& files) {
    const Result result = sandbox.run("predict m.safetensors --out p.gml " + files);
    INFO(result.error);
    REQUIRE(result.code == 0);
    return sandbox.read("p.gml");
  };
  CHECK_THAT(predicted(""), Contains("target 3 weight 2 ]"));
  CHECK_THAT(predicted("--edges bare.csv --nodes people.csv"), Contains("target 3 ]"));
  CHECK_THAT(predicted("--graph e.dot --nodes people.csv"), Contains("target 1 weight 2 ]"));
}

TEST_CASE("a model trained with the weights of a graph file needs weights", "[apps][predict]") {
  const Sandbox sandbox;
  const auto write_graph = [&](const std::string& name, const std::string& attribute) {
    std::string text = "graph {\n";
    for (int i = 0; i < 60; ++i) text += fmt::format("p{} [buys={}];\n", i, i % 3 == 0 ? "yes" : "no");
    for (int i = 0; i < 60; ++i)
      text += fmt::format("p{} -- p{} [{}={}];\n", i, (i * 7 + 3) % 60, attribute, 1 + i % 3);
    sandbox.write(name, text + "}\n");
  };
  write_graph("ties.dot", "weight");
  write_graph("bare.dot", "colour");
  write_graph("calls.dot", "calls");
  const Result trained =
      sandbox.run("train --graph ties.dot --label buys --model gat --epochs 2 --threads 1 --out m.safetensors");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK(sandbox.run("predict m.safetensors --graph ties.dot --out ties.csv").code == 0);
  const Result unweighted = sandbox.run("predict m.safetensors --graph bare.dot --out p.csv");
  CHECK(unweighted.code == 3);
  test::check_one_line(unweighted);
  CHECK_THAT(unweighted.error, Contains("bare.dot: no edge has the attribute \"weight\"; edges have \"colour\""));
  sandbox.write("bare.csv", "source,target\np0,p1\n");
  const Result listed = sandbox.run("predict m.safetensors --edges bare.csv --nodes people.csv --out p.csv");
  CHECK(listed.code == 3);
  CHECK_THAT(listed.error, Contains("bare.csv: no column \"weight\""));
  CHECK(sandbox.run("predict m.safetensors --graph calls.dot --weight calls --out calls.csv").code == 0);
  CHECK(sandbox.read("calls.csv") == sandbox.read("ties.csv"));
}

TEST_CASE("a column of texts is one for the model even if a file has only numbers", "[apps][predict][evaluate]") {
  const Sandbox sandbox;
  const std::vector<std::string> codes = {"02134", "2134", "00501", "501", "16777217", "16777216"};
  std::string trained = "id,code,region\n", later = trained, edges = "source,target\n", later_edges = edges;
  for (int i = 0; i < 120; ++i) {
    const std::string code = i % 10 == 0 ? "K1A" : codes[static_cast<std::size_t>(i) % codes.size()];
    trained += fmt::format("n{},{},{}\n", i, code, code);
    if (i > 0) edges += fmt::format("n{},n{}\n", i - 1, i);
  }
  for (std::size_t i = 0; i < codes.size(); ++i) later += fmt::format("m{},{},{}\n", i, codes[i], codes[i]);
  later_edges += "m0,m1\n";
  sandbox.write("nodes.csv", trained);
  sandbox.write("edges.csv", edges);
  sandbox.write("later.csv", later);
  sandbox.write("later_edges.csv", later_edges);
  const Result fitted = sandbox.run(
      "train --nodes nodes.csv --edges edges.csv --label region --model mlp --epochs 60 --out m.safetensors");
  INFO(fitted.error);
  REQUIRE(fitted.code == 0);
  const std::string files = " --nodes later.csv --edges later_edges.csv ";
  const Result measured = sandbox.run("evaluate m.safetensors --part all --json" + files);
  INFO(measured.error);
  REQUIRE(measured.code == 0);
  CHECK(measured.json().at("metrics").at("accuracy") == json::Value(1.0));
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv" + files).code == 0);
  for (std::size_t i = 0; i < codes.size(); ++i)
    CHECK_THAT(sandbox.read("p.csv"), Contains(fmt::format("\nm{},{},", i, codes[i])));
  CHECK_THAT(sandbox.read("p.csv"), Contains(",16777217\n"));  // as known
  CHECK_THAT(sandbox.run("predict m.safetensors --out p.csv --categorical cod" + files).error,
             Contains("later.csv: no column \"cod\""));
}

TEST_CASE("columns that were said to be categories need not be in other files", "[apps][predict]") {
  const Sandbox sandbox;
  std::string molecules = "smiles,code\n";
  for (std::size_t i = 1; i <= 6; ++i) {
    const std::string carbons(i, 'C');
    molecules += fmt::format("{0}O,007\n{0},7\n", carbons);
  }
  sandbox.write("molecules.csv", molecules);
  sandbox.write("later.csv", "smiles\nCCO\nCCC\n");
  const Result fitted = sandbox.run(
      "train --molecules molecules.csv --target code --categorical code --model gat --epochs 2 --out m.safetensors");
  INFO(fitted.error);
  REQUIRE(fitted.code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv --molecules later.csv").code == 0);
  CHECK_THAT(sandbox.read("p.csv"), StartsWith("row,smiles,predicted,p_007,p_7,"));
}

TEST_CASE("a model keeps the edge categories of training", "[apps][predict]") {
  const Sandbox sandbox;
  const auto edges = [](const std::string& first) {  // categories in another order
    std::string text = "source,target,kind,since,code\n";
    const std::string kinds[] = {first, "friend", "rival", "boss"};
    for (int i = 0; i < 60; ++i)
      text += fmt::format("p{},p{},{},{},{}\n", i, (i * 7 + 3) % 60, kinds[i % 4], 2000 + i % 9, i % 2);
    return text;
  };
  sandbox.write("kinds.csv", edges("rival"));
  const Result trained = sandbox.run(
      "train --edges kinds.csv --nodes people.csv --label buys --edge-features kind,code --categorical code "
      "--model gatv2 --hidden 8 --heads 2 --epochs 5 --threads 1 --out m.safetensors --predictions all.csv");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK_THAT(trained.error, Contains("kinds.csv: not used: since; --edge-features makes them features of the edges"));
  const Result same = sandbox.run("predict m.safetensors --out p.csv");
  INFO(same.error);
  REQUIRE(same.code == 0);
  CHECK_FALSE(Contains("not used").match(same.error));
  CHECK(sandbox.read("p.csv") == sandbox.read("all.csv"));

  sandbox.write("kinds.csv", edges("enemy"));
  const Result other = sandbox.run("predict m.safetensors --out p.csv");
  REQUIRE(other.code == 0);
  CHECK_THAT(other.error,
             Contains("kinds.csv: 15 values of kind, code are not among the categories that the model knows"));
}

TEST_CASE("edge categories may come from a graph file", "[apps][predict]") {
  const Sandbox sandbox;
  std::string text = "graph {\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("p{} [buys={}];\n", i, i % 3 == 0 ? "yes" : "no");
  for (int i = 0; i < 60; ++i)
    text += fmt::format("p{} -- p{} [kind={}, since={}];\n", i, (i * 7 + 3) % 60, i % 4 == 0 ? "rival" : "friend",
                        2000 + i);
  sandbox.write("people.dot", text + "}\n");
  const std::string command = "train --graph people.dot --label buys --model gatv2 --hidden 8 --heads 2 --epochs 5 "
                              "--threads 1 --out m.safetensors --predictions all.csv";
  CHECK_THAT(sandbox.run(command).error, Contains("people.dot: not used: kind; --edge-features makes"));
  const Result trained = sandbox.run(command + " --edge-features kind");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK_THAT(trained.error, Contains("people.dot: not used: since; --edge-features makes"));
  const Result same = sandbox.run("predict m.safetensors --out p.csv");
  INFO(same.error);
  REQUIRE(same.code == 0);
  CHECK(sandbox.read("p.csv") == sandbox.read("all.csv"));
  const Result none = sandbox.run(command + " --edge-features kinds");
  CHECK(none.code == 3);
  CHECK_THAT(none.error, Contains("people.dot: no edge has the attribute \"kinds\"; edges have \"kind\", \"since\""));
}
