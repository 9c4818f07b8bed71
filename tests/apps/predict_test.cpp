#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::first_columns;
using test::lines_of;
using test::Result;
using test::Sandbox;

TEST_CASE("train, predict, evaluate and explain work on files", "[apps][train][predict][evaluate][explain]") {
  const Sandbox sandbox;
  const Result trained = sandbox.train("--out model.safetensors --metrics m.jsonl --predictions all.csv --json");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const json::Value summary = trained.json();
  for (const char* member : {"dataset", "runs", "seed", "threads", "test", "validation", "epochs", "epoch_ms",
                             "seconds", "peak_rss_mib", "parameters"})
    CHECK(summary.find(member) != nullptr);
  CHECK(summary.at("schema") == json::Value("edgewise.train/1"));
  CHECK(summary.at("test").at("accuracy").at("values").as_array().size() == 1);
  CHECK(summary.at("threads") == json::Value(1));
  CHECK(lines_of(sandbox.read("m.jsonl")) == 21);  // one line per epoch, and the end
  std::istringstream metrics(sandbox.read("m.jsonl"));
  for (std::string line; std::getline(metrics, line);)
    CHECK(json::parse(line, "m.jsonl").at("schema") == json::Value("edgewise.metrics/1"));

  const Result predicted =
      sandbox.run("predict model.safetensors " + std::string(Sandbox::kFiles) + "--out predictions.csv --json");
  CHECK(predicted.code == 0);
  CHECK(predicted.json().at("nodes") == json::Value(80));
  CHECK_THAT(sandbox.read("predictions.csv"), StartsWith("node,predicted,p_no,p_yes,unlike,known,split\np0,"));
  CHECK(lines_of(sandbox.read("predictions.csv")) == 81);
  CHECK(sandbox.read("predictions.csv") == sandbox.read("all.csv"));

  const json::Value measured = sandbox.run("evaluate model.safetensors --json").json();
  CHECK(measured.at("part") == json::Value("test"));
  CHECK(measured.at("metrics").at("accuracy") == summary.at("test").at("accuracy").at("mean"));
  CHECK(measured.at("confusion").as_array().size() == 2);
  CHECK(measured.at("per_class").as_array().size() == 2);
  CHECK_THAT(sandbox.run("evaluate model.safetensors --part all").out, Contains("confusion matrix"));

  const Result explained = sandbox.run("explain model.safetensors --node p3 --by attention --out attention.csv --json");
  CHECK(explained.code == 0);
  const json::Value attention = explained.json();
  double sum = 0;
  for (const json::Value& row : attention.at("layers").as_array()[0].at("attends_to").as_array())
    sum += row.at("heads").as_array()[0].as_number();
  CHECK(sum == Approx(1).margin(1e-5));
  CHECK_THAT(sandbox.read("attention.csv"), StartsWith("source,target,edge,layer,head,weight"));
  for (const char* file : {"a.graphml", "a.dot", "a.jsonl"})
    CHECK(sandbox.run("explain model.safetensors --out " + std::string(file)).code == 0);
  CHECK(sandbox.run("explain model.safetensors --node nobody").code == 2);
}

TEST_CASE("reordered nodes keep their names and positions", "[apps][reorder][purchases]") {
  const Sandbox sandbox;
  const std::string job = "train purchases --hidden 8 --heads 2 --epochs 30 --threads 2 --json ";
  const Result plain = sandbox.run(job + "--out plain.safetensors --predictions plain.csv");
  const Result moved = sandbox.run(job + "--reorder clustering --out moved.safetensors --predictions moved.csv");
  INFO(moved.error);
  REQUIRE(moved.code == 0);
  CHECK(plain.json().at("reorder").as_string() == "none");
  CHECK(moved.json().at("reorder").as_string() == "clustering");
  const auto accuracy = [](const json::Value& metrics) { return metrics.at("accuracy").as_number(); };
  const auto mean = [](const Result& result) { return result.json().at("test").at("accuracy").at("mean").as_number(); };
  CHECK(mean(moved) == Approx(mean(plain)).margin(0.05));
  CHECK(first_columns(sandbox.read("moved.csv")) == first_columns(sandbox.read("plain.csv")));
  // The model does not depend on the order it was trained in.
  const Result as_given = sandbox.run("evaluate moved.safetensors --json");
  CHECK(accuracy(as_given.json().at("metrics")) == Approx(mean(moved)).margin(0.005));
  for (const char* order : {"degree", "cuthill_mckee", "auto"}) {
    INFO(order);
    const Result result = sandbox.run("evaluate moved.safetensors --json --reorder " + std::string(order));
    CHECK(accuracy(result.json().at("metrics")) == Approx(mean(moved)).margin(0.005));
  }
  CHECK(sandbox.run("predict moved.safetensors --reorder clustering --out again.csv --threads 1").code == 0);
  CHECK(sandbox.read("again.csv") == sandbox.read("moved.csv"));
}

TEST_CASE("predictions include known labels and the split", "[apps][predict]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--out m.safetensors --predictions trained.csv").code == 0);
  REQUIRE(sandbox.run("predict m.safetensors " + std::string(Sandbox::kFiles) + "--out p.csv").code == 0);
  const std::string table = sandbox.read("p.csv");
  CHECK(table == sandbox.read("trained.csv"));
  CHECK_THAT(table, StartsWith("node,predicted,p_no,p_yes,unlike,known,split\np0,"));
  for (const char* end : {",yes,train\n", ",no,validation\n", ",yes,test\n", ",,\n"}) CHECK_THAT(table, Contains(end));
  REQUIRE(sandbox.run("predict m.safetensors --only-unknown --out u.csv").code == 0);
  CHECK(first_columns(sandbox.read("u.csv")) ==
        std::vector<std::string>{"node", "p9", "p19", "p29", "p39", "p49", "p59", "p69", "p79"});
  // Other data: known labels, but no split.
  sandbox.write_others();
  const Result other = sandbox.run("predict m.safetensors --edges ties.csv --nodes other.csv --out o.csv");
  INFO(other.error);
  REQUIRE(other.code == 0);
  CHECK_THAT(sandbox.read("o.csv"), StartsWith("node,predicted,p_no,p_yes,unlike,known\n"));
}

TEST_CASE("graphs are written with what is predicted and known", "[apps][predict][explain]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--model gat --epochs 5 --out m.safetensors").code == 0);
  for (const char* name : {"p.graphml", "p.dot", "p.gml"}) {
    CAPTURE(name);
    REQUIRE(sandbox.run(std::string("predict m.safetensors --out ") + name).code == 0);
    CHECK_THAT(sandbox.run(std::string("inspect --label known --graph ") + name).out, Contains("80 nodes"));
    REQUIRE(sandbox.run(std::string("explain m.safetensors --out a-") + name).code == 0);
    CHECK_THAT(sandbox.read(std::string("a-") + name), Contains("predicted") && Contains("known"));
  }
}

TEST_CASE("predictions for whole graphs are not written into a graph", "[apps][predict]") {
  const Sandbox sandbox;
  sandbox.write("m.csv", "smiles,y,split\nCCO,1,train\nCC,2,validation\nC,3,test\nCCC,2,train\n");
  REQUIRE(sandbox.run("train --molecules m.csv --target y --model sage --epochs 1 --out m.safetensors").code == 0);
  sandbox.write("broken.csv", "smiles,y\nCCO,1,2,3\n");
  const Result result = sandbox.run("predict m.safetensors --molecules broken.csv --out p.gml");  // before it is read
  CHECK(result.code == 2);
  CHECK_THAT(result.error, Contains("--out: p.gml: predictions for graphs are written as .csv or .jsonl"));
  sandbox.write("other.csv", "structure,y\nCCO,1\n");
  const Result renamed = sandbox.run("predict m.safetensors --molecules other.csv --out p.gml");
  CHECK(renamed.code == 2);
  CHECK(lines_of(renamed.error) == 1);  // before any note
}

TEST_CASE("columns of the table are copied unchanged", "[apps][predict]") {
  const Sandbox sandbox;
  sandbox.write("friends.csv", "source,target\r\n\"a,1\",b\r\nb,c\r\nc,\"a,1\"\r\nd,b\r\n");
  sandbox.write("people.csv",
                "id,x,\"phone, home\",note,buys\r\n\"a,1\",1,0301234567890,\"says \"\"hi\"\"\",yes\r\nb,2,5,,no\r\n"
                "c,3,6,plain,unknown\r\nd,4,7,\"two, three\",yes\r\n");
  const std::string files = "--edges friends.csv --nodes people.csv ";
  const Result trained =
      sandbox.run("train " + files +
                  "--label buys --missing-labels 'unknown,-' --ignore 'note,\"phone, home\"' --model mlp "
                  "--epochs 2 --train-share 1 --validation-share 0 --split random --out m.safetensors");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const Result kept = sandbox.run("predict m.safetensors " + files + "--keep '\"phone, home\"' --keep note --out -");
  INFO(kept.error);
  REQUIRE(kept.code == 0);
  CHECK_THAT(kept.out,
             StartsWith("node,\"phone, home\",note,predicted,p_no,p_yes,unlike,known,split\n\"a,1\",0301234567890,"
                        "\"says \"\"hi\"\"\","));
  CHECK_THAT(kept.out, Contains("\nd,7,\"two, three\","));
  CHECK(lines_of(kept.out) == 5);
  const Result all = sandbox.run("predict m.safetensors --keep-all --only-unknown --out -");
  CHECK_THAT(all.out, StartsWith("node,x,\"phone, home\",note,buys,predicted,") && Contains("\nc,3,6,plain,unknown,"));
  CHECK(lines_of(all.out) == 2);
  CHECK_THAT(sandbox.run("predict m.safetensors --keep nothing").error,
             Contains("there is no column \"nothing\"; there are id, x"));
  CHECK(sandbox.run("predict m.safetensors --out - --json").code == 2);
  CHECK(sandbox.run("predict m.safetensors --keep x --keep-all").code == 2);
}

TEST_CASE("kept columns do not clash with predictions of the same name", "[apps][predict]") {
  const Sandbox sandbox;
  REQUIRE(
      sandbox.run("train --edges friends.csv --nodes people.csv --label age --model mlp --epochs 2 --out m.safetensors")
          .code == 0);
  const Result kept = sandbox.run("predict m.safetensors --keep age --out -");
  INFO(kept.error);
  CHECK_THAT(kept.out, StartsWith("node,kept_age,age,unlike,known,split\n"));
  REQUIRE(sandbox.run("predict m.safetensors --keep age --out p.graphml").code == 0);
  CHECK_THAT(sandbox.read("p.graphml"), Contains("attr.name=\"kept_age\" attr.type=\"double\""));
}

TEST_CASE("kept columns clash with no name of the output in any format", "[apps][predict]") {
  const Sandbox sandbox;
  std::string nodes = "id,buys,predicted,kept_predicted,probabilities,std,p_no,label\n";
  for (int i = 0; i < 20; ++i) nodes += fmt::format("n{},{},1,2,3,4,5,6\n", i, i % 2 == 0 ? "no" : "yes");
  sandbox.write("n.csv", nodes);
  sandbox.write("e.csv", "source,target\nn0,n1\n");
  const Result trained =
      sandbox.run("train --edges e.csv --nodes n.csv --label buys --model mlp --epochs 1 --out m.safetensors");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const std::string kept = "predict m.safetensors --keep predicted,kept_predicted,probabilities,std,p_no,label --out ";
  CHECK_THAT(sandbox.run(kept + "-").out, StartsWith("node,kept_kept_predicted,kept_predicted,kept_probabilities,"
                                                     "kept_std,kept_p_no,label,predicted,"));
  for (const char* file : {"p.jsonl", "p.graphml", "p.gml", "p.dot"}) {
    REQUIRE(sandbox.run(kept + file).code == 0);
    CHECK_THAT(sandbox.read(file), Contains("kept_probabilities") && Contains("kept_kept_predicted"));
  }
  const std::string xml = sandbox.read("p.graphml");
  CHECK(xml.find("attr.name=\"label\"") == xml.rfind("attr.name=\"label\""));
  CHECK_THAT(sandbox.run("predict m.safetensors --keep std --keep std").error, Contains("got \"std\" twice"));
}

TEST_CASE("targets with the names of other columns are renamed", "[apps][predict]") {
  const Sandbox sandbox;
  std::string nodes = "id,x,known\n", edges = "source,target\n";
  for (int i = 0; i < 40; ++i) {
    nodes += fmt::format("n{},{},{}.5\n", i, i % 5, i % 5);
    if (i > 0) edges += fmt::format("n{},n{}\n", i - 1, i);
  }
  sandbox.write("n.csv", nodes);
  sandbox.write("e.csv", edges);
  const Result fitted = sandbox.run(
      "train --nodes n.csv --edges e.csv --label known --model mlp --epochs 2 --out m.safetensors --predictions p.csv");
  INFO(fitted.error);
  REQUIRE(fitted.code == 0);
  CHECK_THAT(sandbox.read("p.csv"), StartsWith("node,predicted_known,unlike,known,split\n"));
}

TEST_CASE("what is kept from graph files is spelt as there", "[apps][predict]") {
  const Sandbox sandbox;
  std::string nodes, edges;
  for (int i = 0; i < 40; ++i) {
    nodes += fmt::format("n{} [size={}, class={}, code=\"007\", at=1700000001];\n", i, i % 7, i % 2);
    if (i > 0) edges += fmt::format("n{} -- n{};\n", i - 1, i);
  }
  sandbox.write("g.dot", "graph {\n" + nodes + edges + "}\n");
  const Result fitted = sandbox.run("train --graph g.dot --label class --model mlp --epochs 2 --out m.safetensors");
  INFO(fitted.error);
  REQUIRE(fitted.code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --out a.csv --keep code --keep at").code == 0);
  CHECK_THAT(sandbox.read("a.csv"), Contains("\nn0,007,1700000001,"));
  REQUIRE(sandbox.run("predict m.safetensors --out b.csv --keep-all").code == 0);
  CHECK_THAT(sandbox.read("b.csv"), Contains("\nn0,1700000001,0,007,"));
}

TEST_CASE("predicting some nodes gives the same as predicting all, with embeddings", "[apps][predict]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--out m.safetensors").code == 0);
  sandbox.write("some.csv", "id\np7\np30\n");
  const Result some =
      sandbox.run("predict m.safetensors --nodes-to-predict some.csv --embeddings e.csv --out s.csv --json");
  INFO(some.error);
  REQUIRE(some.code == 0);
  CHECK(some.json().at("rows") == json::Value(2));
  REQUIRE(sandbox.run("predict m.safetensors --embeddings all-e.csv --out all.csv").code == 0);
  for (const auto& [part, whole] : {std::pair{"s.csv", "all.csv"}, {"e.csv", "all-e.csv"}}) {
    const std::string text = sandbox.read(part);
    CHECK(lines_of(text) == 3);
    const std::string all = sandbox.read(whole);
    for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
      CHECK_THAT(all, Contains(text.substr(begin, text.find('\n', begin) - begin + 1)));
  }
  CHECK_THAT(sandbox.read("e.csv"), StartsWith("node,e1,e2,e3,e4,e5,e6,e7,e8\np7,"));
  sandbox.write("some.csv", "p7\np700\n");
  CHECK_THAT(sandbox.run("predict m.safetensors --nodes-to-predict some.csv").error, Contains("some.csv:2"));
}
