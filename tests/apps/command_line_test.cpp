#include <fmt/format.h>

#include <catch2/catch.hpp>


#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::check_one_line;
using test::Sandbox;
using test::first_columns;
using test::lines_of;
using test::Result;

TEST_CASE("usage errors are one line and exit code 2", "[apps][usage]") {
  const Sandbox sandbox;
  for (const char* arguments : {"", "fly", "train --nonsense", "train --epochs many", "train --threads 0", "predict",
                                "train", "train --edges friends.csv --nodes people.csv",
                                "train cora --edges friends.csv", "train nosuchset", "explain nothing.safetensors", "data",
                                "data info nosuchset"}) {
    INFO(arguments);
    const Result result = sandbox.run(arguments);
    CHECK(result.code == 2);
    check_one_line(result);
  }
  CHECK_THAT(sandbox.run("train coar").error, Contains("cora"));
  CHECK_THAT(sandbox.train("--set training.epoch=3").error, Contains("unknown member \"epoch\""));
  CHECK_THAT(sandbox.train("--model gta").error, Contains("sum_features, got \"gta\" (did you mean \"gat\"?)"));
  CHECK_THAT(sandbox.train("--epohcs 3").error, Contains("(did you mean \"--epochs\"?)"));
  CHECK_THAT(sandbox.run("bench attention --nods 5").error, Contains("(did you mean \"--nodes\"?)"));
  CHECK_THAT(sandbox.train("--split-name public").error, Contains("split.name"));
  CHECK_THAT(sandbox.train("--epochs 0").error, Contains("training.epochs: expected at least 1, got 0"));
  sandbox.write("c.json", R"({"training": {"patience": -1}})");
  CHECK_THAT(sandbox.run("train --config c.json").error, Contains("c.json: training.patience: expected at least 0"));
  CHECK(sandbox.run("--help").code == 0);
  CHECK_THAT(sandbox.run("train --help").out, Contains("--edges"));
}

TEST_CASE("encodings of graphs are refused where nodes have the labels", "[apps][usage]") {
  const Sandbox sandbox;
  for (const char* flag : {"--degree", "--random-walk 4", "--laplacian 4", "--distances 4", "--virtual-node"}) {
    INFO(flag);
    const Result result = sandbox.train(flag);
    CHECK(result.code == 2);
    check_one_line(result);
    CHECK_THAT(result.error, Contains("data.encodings: ") && Contains("here nodes have them"));
  }
  sandbox.write("c.json", R"({"data": {"encodings": {"degree": true}}})");
  CHECK(sandbox.train("--config c.json").code == 2);
  CHECK(sandbox.run("train karate-club --degree").code == 2);
}

TEST_CASE("the width is that of each head", "[apps][usage]") {
  const Sandbox sandbox;
  const auto hidden = [&](const std::string& arguments) {
    const Result result = sandbox.run("train " + std::string(Sandbox::kFiles) + "--label buys --print-config --json " + arguments);
    INFO(result.error);
    REQUIRE(result.code == 0);
    return result.json().at("model").at("hidden").as_integer();
  };
  CHECK(hidden("--width 8") == 64);
  CHECK(hidden("--model gps --width 8") == 64);
  CHECK(hidden("--model gps --width 8 --heads 2") == 16);
  CHECK(hidden("--model transformer_sep --width 4 --heads 4") == 16);
  sandbox.write("blocks.json", R"({"model": {"blocks": [{"type": "linear", "width": "outputs"}]}})");
  for (const char* arguments : {"--model gcn", "--model mlp", "--model label_propagation", "--config blocks.json"}) {
    INFO(arguments);
    const Result result = sandbox.run("train " + std::string(Sandbox::kFiles) + "--label buys --width 8 " + arguments);
    CHECK(result.code == 2);
    check_one_line(result);
    CHECK_THAT(result.error, Contains("--width: "));
  }
  CHECK_THAT(sandbox.train("--model gta --width 8").error, Contains("(did you mean \"gat\"?)"));
}

TEST_CASE("an edge that is refused is named with its line", "[apps][usage]") {
  const Sandbox sandbox;
  sandbox.write("twice.csv", "# ties\nsource,target\np0,p1\n\np1,p2\n# again\np1,p0\n");
  const Result result = sandbox.run("inspect --edges twice.csv --duplicates refuse");
  CHECK(result.code == 3);
  CHECK_THAT(result.error, Contains("twice.csv:7: edge 3 (p1 -> p0): stands in the data a second time"));
}

TEST_CASE("inspect says when one text makes a column of numbers categorical", "[apps][inspect]") {
  const Sandbox sandbox;
  sandbox.write("people.csv", "id,age\np0,31\np1,inf\np2,40\np3,50\n");
  sandbox.write("friends.csv", "p0,p1\np2,p3\n");
  CHECK_THAT(sandbox.run("inspect --edges friends.csv --nodes people.csv").out,
             Contains("3 of its 4 different values are numbers, but \"inf\" is not"));
}

TEST_CASE("version and the catalogue print for people and as JSON", "[apps][version][data]") {
  const Sandbox sandbox;
  CHECK(sandbox.run("version --json").json().at("schema") == json::Value("edgewise.version/1"));
  const Result list = sandbox.run("data list --json");
  CHECK(list.code == 0);
  bool has_karate = false;
  const json::Value object = list.json();
  for (const json::Value& set : object.at("datasets").as_array()) {
    if (set.at("name") != json::Value("karate-club")) continue;
    has_karate = true;
    CHECK(set.at("state") == json::Value("here"));
  }
  CHECK(has_karate);
  CHECK_THAT(sandbox.run("data info karate-club").out, Contains("Zachary"));
}

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
  CHECK(lines_of(sandbox.read("m.jsonl")) == 21);  // an epoch a line, and the end
  std::istringstream metrics(sandbox.read("m.jsonl"));
  for (std::string line; std::getline(metrics, line);)
    CHECK(json::parse(line, "m.jsonl").at("schema") == json::Value("edgewise.metrics/1"));

  const Result predicted =
      sandbox.run("predict model.safetensors " + std::string(Sandbox::kFiles) + "--out predictions.csv --json");
  CHECK(predicted.code == 0);
  CHECK(predicted.json().at("nodes") == json::Value(80));
  CHECK_THAT(sandbox.read("predictions.csv"), StartsWith("node,predicted,p_no,p_yes\np0,"));
  CHECK(lines_of(sandbox.read("predictions.csv")) == 81);
  CHECK(sandbox.read("predictions.csv") == sandbox.read("all.csv"));

  const json::Value measured = sandbox.run("evaluate model.safetensors --json").json();
  CHECK(measured.at("part") == json::Value("test"));
  CHECK(measured.at("metrics").at("accuracy") == summary.at("test").at("accuracy").at("mean"));
  CHECK(measured.at("confusion").as_array().size() == 2);
  CHECK(measured.at("per_class").as_array().size() == 2);
  CHECK_THAT(sandbox.run("evaluate model.safetensors --part all").out, Contains("confusion matrix"));

  const Result explained = sandbox.run("explain model.safetensors --node p3 --out attention.csv --json");
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

TEST_CASE("inspect shows what is in the files and what looks wrong", "[apps][inspect]") {
  const Sandbox sandbox;
  const json::Value seen = sandbox.run("inspect " + std::string(Sandbox::kFiles) + "--label buys --json").json();
  CHECK(seen.at("graph").at("nodes") == json::Value(80));
  CHECK(seen.at("columns").as_array().size() == 3);
  CHECK(seen.at("labels").at("yes") == json::Value(40));
  sandbox.write("lonely.csv", "source,target\na,b\nb,a\nc,c\n");
  const Result lonely = sandbox.run("inspect --edges lonely.csv");
  CHECK_THAT(lonely.out, Contains("stands in both directions"));
  CHECK_THAT(lonely.out, Contains("from a node to itself"));
  CHECK_THAT(lonely.out, Contains("have no edge to another node"));
}

TEST_CASE("bad data is exit code 3 and names file and line", "[apps][errors]") {
  const Sandbox sandbox;
  sandbox.write("strange.csv", "source,target\np0,p1\np1,zeus\n");
  const Result unknown = sandbox.run("train --edges strange.csv --nodes people.csv --label buys");
  CHECK(unknown.code == 3);
  CHECK_THAT(unknown.error, Contains("strange.csv:3") && Contains("zeus"));
  CHECK(lines_of(unknown.error) == 1);
  CHECK(sandbox.run("train --edges nowhere.csv --nodes people.csv --label buys").code == 3);
  const Result label = sandbox.run("train --edges friends.csv --nodes people.csv --label sells");
  CHECK(label.code == 3);
  CHECK_THAT(label.error, Contains("sells"));
  sandbox.write("broken.json", "{\"data\": }");
  const Result config = sandbox.run("train --config broken.json");
  CHECK(config.code == 3);
  CHECK_THAT(config.error, Contains("broken.json:1:"));
}

TEST_CASE("a bad model is exit code 4", "[apps][errors]") {
  const Sandbox sandbox;
  sandbox.write("junk.safetensors", "this is no model");
  const Result junk = sandbox.run("predict junk.safetensors " + std::string(Sandbox::kFiles));
  CHECK(junk.code == 4);
  check_one_line(junk);
  REQUIRE(sandbox.train("--out model.safetensors --epochs 2").code == 0);
  sandbox.write("people.csv", "id,age\np0,30\np1,31\n");
  sandbox.write("friends.csv", "source,target,weight\np0,p1,2\n");
  const Result missing = sandbox.run("predict model.safetensors " + std::string(Sandbox::kFiles));
  CHECK(missing.code == 4);
  CHECK_THAT(missing.error, Contains("city"));
  check_one_line(missing);
}

TEST_CASE("numbers that are lost are exit code 5", "[apps][errors]") {
  const Sandbox sandbox;
  std::string features = "node,feature,value\n";
  for (int v = 0; v < 80; ++v) features += fmt::format("p{},{},3e38\n", v, v % 3);
  sandbox.write("huge.csv", features);
  const Result result = sandbox.train("--features huge.csv");
  CHECK(result.code == 5);
  CHECK_THAT(result.error, Contains("epoch 1"));
}

TEST_CASE("the printed configuration gives the same job", "[apps][config]") {
  const Sandbox sandbox;
  const Result printed = sandbox.train("--seed 7 --set training.clip_norm=1.5 --print-config");
  REQUIRE(printed.code == 0);
  sandbox.write("my.json", printed.out);
  CHECK(sandbox.run("train --config my.json --print-config").out == printed.out);
  CHECK(sandbox.run("train --config my.json --epochs 3 --print-config --json").json().at("training").at("epochs") ==
        json::Value(3));
  CHECK(sandbox.run("train --config my.json --threads 1 --out a.safetensors").code == 0);
  CHECK(sandbox.train("--seed 7 --set training.clip_norm=1.5 --out b.safetensors").code == 0);
  CHECK(sandbox.read("a.safetensors") == sandbox.read("b.safetensors"));
}

TEST_CASE("one and two threads save the same bits", "[apps][threads]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--out one.safetensors").code == 0);
  std::string two = Sandbox::kTrain;
  two.replace(two.find("--threads 1"), 11, "--threads 2");
  REQUIRE(sandbox.run("train " + two + "--out two.safetensors").code == 0);
  CHECK(sandbox.read("one.safetensors") == sandbox.read("two.safetensors"));
}

TEST_CASE("several runs give mean and spread, and write their splits", "[apps][runs]") {
  const Sandbox sandbox;
  const json::Value summary = sandbox.train("--runs 3 --epochs 3 --save-splits splits --json").json();
  CHECK(summary.at("runs") == json::Value(3));
  CHECK(summary.at("test").at("accuracy").at("values").as_array().size() == 3);
  CHECK(summary.at("epochs_by_run").as_array().size() == 3);
  CHECK(sandbox.read("splits/split-0.csv") != sandbox.read("splits/split-1.csv"));
  CHECK(sandbox.train("--split-file splits/split-2.csv --epochs 2").code == 0);
  CHECK(sandbox.train("--runs 2 --checkpoint c").code == 2);
  CHECK(sandbox.train("--model label_propagation --json").code == 2);  // heads and such mean nothing to it
  CHECK(sandbox.run("train --edges friends.csv --nodes people.csv --label buys --model label_propagation").code == 0);
}

TEST_CASE("Ctrl-C saves, and a resumed run ends in the same bits", "[apps][resume]") {
  const Sandbox sandbox;
  // Interrupted once the metrics file shows that it is training.
  const Result stopped = sandbox.shell(Sandbox::kBinary + "train " + Sandbox::kTrain +
                                    "--epochs 1000000 --patience 0 --out m.safetensors --metrics m.jsonl --json & "
                                    "while ! [ -s m.jsonl ]; do sleep 0.05; done; kill -INT $!; wait $!");
  INFO(stopped.error);
  REQUIRE(stopped.code == 130);
  CHECK_THAT(stopped.error, Contains("--resume m.safetensors.checkpoint"));
  const json::Value summary = stopped.json();
  CHECK(summary.at("interrupted") == json::Value(true));
  CHECK(sandbox.run("evaluate m.safetensors").code == 0);
  const std::int64_t more = summary.at("epochs").as_integer() + 15;
  const std::string until = "--epochs " + std::to_string(more) + " --patience 0 --threads 1 ";
  const Result resumed = sandbox.run("train --resume m.safetensors.checkpoint --out resumed.safetensors " + until);
  INFO(resumed.error);
  REQUIRE(resumed.code == 0);
  REQUIRE(sandbox.train(until + "--out whole.safetensors").code == 0);
  CHECK(sandbox.read("resumed.safetensors") == sandbox.read("whole.safetensors"));
  CHECK(sandbox.run("train --resume m.safetensors.checkpoint --learning-rate 0.5").code == 4);
}

TEST_CASE("made networks and drawn splits are files to train on", "[apps][data]") {
  const Sandbox sandbox;
  CHECK(sandbox.run("data generate purchases --nodes 150 --seed 3 --out net").code == 0);
  CHECK(sandbox.run("data split --edges net/friends.csv --nodes net/people.csv --label buys --split stratified "
                 "--out s.csv").code == 0);
  CHECK_THAT(sandbox.read("s.csv"), StartsWith("node,split\np0,"));
  CHECK(sandbox.run("train --edges net/friends.csv --nodes net/people.csv --label buys --directed --split-file s.csv "
                 "--epochs 3 --threads 1").code == 0);
  CHECK(sandbox.run("data generate molecules --count 20 --seed 3 --out mol").code == 0);
  CHECK_THAT(sandbox.read("mol/molecules.csv"), StartsWith("smiles,logp,tpsa,split\n"));
  CHECK(sandbox.run("data generate traffic --out net").code == 2);
}

TEST_CASE("a failure with --json ends with an object", "[apps][errors]") {
  const Sandbox sandbox;
  for (const auto& [arguments, code] : {std::pair{"train --nonsense --json", 2}, {"train --edges none.csv --json", 3},
                                        {"predict people.csv --json", 4}}) {
    INFO(arguments);
    const Result result = sandbox.run(arguments);
    CHECK(result.code == code);
    const json::Value object = result.json();
    CHECK(object.at("schema") == json::Value("edgewise.error/1"));
    CHECK(object.at("exit_code") == json::Value(code));
    CHECK(result.error == "edgewise: " + object.at("error").as_string() + "\n");
  }
}

TEST_CASE("a result that cannot be printed is no success", "[apps][errors]") {
  const Sandbox sandbox;
  CHECK(sandbox.shell(Sandbox::kBinary + "version --json >/dev/full").code == 3);
}

TEST_CASE("numbers out of their range are refused in short", "[apps][usage]") {
  const Sandbox sandbox;
  CHECK(sandbox.run("train --threads 0").error == "edgewise: --threads: expected an integer from 1 to 1024, got \"0\"\n");
  for (const char* arguments : {"train --threads 100000", "train --threads many", "train --width 0",
                                "train --dropout nan", "data generate purchases --nodes -5 --out net",
                                "data generate purchases --seed -1 --out net", "train --checkpoint-every 0",
                                "data split karate-club --out s --run -1", "explain m --top 0"}) {
    INFO(arguments);
    const Result result = sandbox.run(arguments);
    CHECK(result.code == 2);
    CHECK_THAT(result.error, Contains("expected"));
    check_one_line(result);
  }
}

TEST_CASE("where results cannot go is said before the work", "[apps][errors]") {
  const Sandbox sandbox;
  const std::string forever = "--epochs 100000000 --patience 0 ";
  for (const char* flag : {"--out", "--predictions", "--metrics", "--checkpoint"}) {
    const Result result = sandbox.train(forever + flag + " nowhere/file.csv");
    INFO(flag);
    CHECK(result.code == 3);
    CHECK_THAT(result.error, Contains("nowhere/file.csv: cannot be written: No such file or directory"));
    CHECK(sandbox.train(forever + flag + " .").code == (std::string(flag) == "--predictions" ? 2 : 3));
  }
  const Result ending = sandbox.train(forever + "--predictions p.xlsx");
  CHECK(ending.code == 2);
  check_one_line(ending);
  const Result splits = sandbox.train(forever + "--save-splits people.csv");
  CHECK(splits.code == 3);
  CHECK_THAT(splits.error, Contains("people.csv: cannot be made"));
  CHECK(sandbox.run("predict . ").code == 3);
  CHECK(sandbox.run("train --config . ").code == 3);
}

TEST_CASE("metrics of no nodes are a dash, and no part to ask for", "[apps][evaluate]") {
  const Sandbox sandbox;
  const Result result =
      sandbox.train("--epochs 2 --split random --train-share 1 --validation-share 0 --out m.safetensors");
  CHECK(result.code == 0);
  CHECK_THAT(result.error + result.out, !Contains("nan"));
  CHECK(sandbox.run("evaluate m.safetensors --part none").code == 2);
}

TEST_CASE("a checkpoint is there when training is over", "[apps][resume]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--patience 0 --checkpoint c --out short.safetensors").code == 0);
  CHECK(sandbox.run("train --resume c --threads 1").code == 0);  // nothing left to do
  REQUIRE(sandbox.run("train --resume c --epochs 30 --threads 1 --out resumed.safetensors").code == 0);
  REQUIRE(sandbox.train("--patience 0 --epochs 30 --out whole.safetensors").code == 0);
  CHECK(sandbox.read("resumed.safetensors") == sandbox.read("whole.safetensors"));
}

TEST_CASE("a model of a shipped set reads the user's files as the set was read", "[apps][predict][purchases]") {
  const Sandbox sandbox;
  // What the set's recipe says, for the run on files too.
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
  // The same job as files gives the same model.
  REQUIRE(sandbox.run("train --directed --label buys --predictions c.csv " + small + files).code == 0);
  CHECK(sandbox.read("a.csv") == sandbox.read("c.csv"));
}

TEST_CASE("nodes in another order keep their names and places", "[apps][reorder][purchases]") {
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
  // The model knows nothing of the order it was trained in.
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

TEST_CASE("training in another order resumes to the same bits", "[apps][reorder][resume]") {
  const Sandbox sandbox;
  const std::string job = "--reorder clustering --patience 0 ";
  REQUIRE(sandbox.train(job + "--checkpoint c").code == 0);
  REQUIRE(sandbox.run("train --resume c --epochs 30 --threads 1 --out resumed.safetensors").code == 0);
  REQUIRE(sandbox.train(job + "--epochs 30 --out whole.safetensors").code == 0);
  CHECK(sandbox.read("resumed.safetensors") == sandbox.read("whole.safetensors"));
  const Result other = sandbox.run("train --resume c --epochs 30 --reorder none");
  CHECK(other.code == 4);
  CHECK_THAT(other.error, Contains("another training.reorder"));
}

TEST_CASE("an order is for the nodes of one graph", "[apps][reorder][errors]") {
  const Sandbox sandbox;
  sandbox.write("m.csv", "smiles,y,split\nCCO,1,train\nCC,2,validation\nC,3,test\nCCC,2,train\n");
  const std::string job = "train --molecules m.csv --target y --epochs 1 --threads 1 --quiet ";
  const Result refused = sandbox.run(job + "--reorder clustering");
  CHECK(refused.code == 2);
  check_one_line(refused);
  CHECK_THAT(refused.error, Contains("training.reorder: \"clustering\" is for the nodes of one graph"));
  REQUIRE(sandbox.run(job + "--out m.safetensors").code == 0);
  CHECK(sandbox.run("predict m.safetensors --reorder auto --quiet").code == 2);
  CHECK_THAT(sandbox.train("--reorder sorted").error, Contains("expected one of none, degree, cuthill_mckee, clustering, auto"));
  CHECK(sandbox.run("explain m.safetensors --row 1 --reorder degree").code == 2);  // nothing to gain: no such flag
}

TEST_CASE("a node table describes the nodes of a graph file", "[apps][graph]") {
  const Sandbox sandbox;
  sandbox.write("g.dot", "graph { p0 -- p1; p1 -- p2; p5 -- p2 }");
  const Result seen = sandbox.run("inspect --graph g.dot --nodes people.csv --label buys --json");
  INFO(seen.error);
  REQUIRE(seen.code == 0);
  CHECK(seen.json().at("graph").at("nodes") == json::Value(80));
  CHECK(sandbox.run("train --graph g.dot --nodes people.csv --label buys --epochs 2 --threads 1").code == 0);
  sandbox.write("g.dot", "graph { p0 -- zeus }");
  const Result unknown = sandbox.run("inspect --graph g.dot --nodes people.csv");
  CHECK(unknown.code == 3);
  CHECK_THAT(unknown.error, Contains("zeus") && Contains("people.csv"));
  CHECK(sandbox.run("train karate-club --nodes people.csv").code == 2);
  CHECK(sandbox.run("train karate-club --label age").code == 2);
}

TEST_CASE("Cora end to end", "[apps][cora]") {
  if (!test::dataset("cora")) return;
  const Sandbox sandbox;
  const Result result = sandbox.run("train cora --runs 2 --epochs 250 --json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  CHECK(result.json().at("test").at("accuracy").at("mean").as_number() > 0.80);
}
