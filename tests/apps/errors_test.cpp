#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::check_one_line;
using test::lines_of;
using test::Result;
using test::Sandbox;

TEST_CASE("usage errors are reported in one line with exit code 2", "[apps][usage]") {
  const Sandbox sandbox;
  for (const char* arguments :
       {"", "fly", "train --nonsense", "train --epochs many", "train --threads 0", "predict", "train",
        "train --edges friends.csv --nodes people.csv", "train cora --edges friends.csv", "train nosuchset",
        "explain nothing.safetensors", "data", "data info nosuchset"}) {
    INFO(arguments);
    const Result result = sandbox.run(arguments);
    CHECK(result.code == 2);
    check_one_line(result);
  }
  CHECK_THAT(sandbox.run("train coar").error, Contains("cora"));
  CHECK_THAT(sandbox.train("--set training.epoch=3").error, Contains("unknown member \"epoch\""));
  CHECK_THAT(sandbox.train("--model gta").error, Contains("link_trees, got \"gta\" (did you mean \"gat\"?)"));
  CHECK_THAT(sandbox.train("--epohcs 3").error, Contains("(did you mean \"--epochs\"?)"));
  CHECK_THAT(sandbox.run("bench attention --nods 5").error, Contains("(did you mean \"--nodes\"?)"));
  CHECK_THAT(sandbox.train("--set split.name=public").error, Contains("split.name"));
  CHECK_THAT(sandbox.train("--directed=maybe").error, Contains("--directed: expected true or false, got \"maybe\""));
  CHECK(sandbox.train("--strict=x").code == 2);
  CHECK_THAT(sandbox.run("train purchases --task regression").error,
             Contains("expected the task of the data set \"purchases\", which is node classification"));
  CHECK_THAT(sandbox.train("--label group,group").error, Contains("data.label: expected each column once"));
  CHECK_THAT(sandbox.train("--epochs 0").error, Contains("training.epochs: expected an integer of at least 1, got 0"));
  sandbox.write("c.json", R"({"training": {"patience": -1}})");
  CHECK_THAT(sandbox.run("train --config c.json").error,
             Contains("c.json: training.patience: expected an integer of at least 0"));
  CHECK(sandbox.run("--help").code == 0);
  CHECK_THAT(sandbox.run("train --help").out, Contains("--edges"));
  for (const char* verb : {"train", "compare", "tune", "predict", "evaluate", "explain", "inspect", "data generate",
                           "data split", "data info", "bench attention"}) {
    INFO(verb);
    const std::string help = sandbox.run(verb + std::string(" --help")).out;
    CHECK_THAT(help, Contains("General:\n"));
    CHECK_THAT(help, Contains(std::string("Examples:\n  edgewise ") + verb + " "));
  }
  CHECK_THAT(sandbox.run("train --help").out, Contains("Training:\n") && Contains("--learning-rate FLOAT=0.005 "));
  CHECK_THAT(sandbox.run("compare --help").out, Contains("--runs INT=5 "));
}

TEST_CASE("help is short with -h, whole with --help, and about one topic", "[apps][usage]") {
  const Sandbox sandbox;
  const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  const std::string whole = sandbox.run("train --help").out, brief = sandbox.run("train -h").out;
  CHECK(lines(brief) < 30);
  CHECK_THAT(whole, Contains("edgewise train --pairs dates.tsv"));
  for (const char* verb : {"compare", "tune", "predict", "serve", "evaluate", "explain", "inspect", "data freeze",
                           "data split", "bench attention"}) {
    CAPTURE(verb);
    const std::string text = sandbox.run(std::string(verb) + " -h").out;
    CHECK(lines(text) < 40);
    CHECK_THAT(text, Contains("\nUsage: edgewise ") && Contains("\nAll flags: --help"));
    std::istringstream in(text);
    for (std::string line; std::getline(in, line) && !line.starts_with("All flags");) CHECK(line.size() <= 120);
  }
  for (const char* flag : {"--edges", "--molecules", "--texts", "--pairs", "--label", "--model", "--out", "Examples:"})
    CHECK_THAT(brief, Contains(flag));
  for (const char* flag : {"--laplacian", "--merges", "--checkpoint-every"}) {
    CHECK_THAT(brief, !Contains(flag));
    CHECK_THAT(whole, Contains(flag));
  }
  CHECK_THAT(sandbox.run("train --molecules t.csv -h").out, Contains("--smiles") && !Contains("--directed"));
  CHECK_THAT(sandbox.run("train --edges e.csv -h").out, Contains("--directed") && !Contains("--smiles"));
  CHECK_THAT(sandbox.run("train --pairs p.tsv -h").out, Contains("train --pairs dates.tsv") && !Contains("cora"));
  CHECK_THAT(sandbox.run("train --help molecules").out, Contains("--hydrogens") && !Contains("--directed"));
  CHECK_THAT(sandbox.run("train --help splits").out, Contains("--split-time") && !Contains("--smiles"));
  CHECK_THAT(sandbox.run("train --help molecule").error,
             Contains("\"molecule\" is no topic (did you mean \"molecules\"?); there are output, checkpoints, "));
  CHECK_THAT(sandbox.run("version -h").out, Contains("--json"));
  CHECK(sandbox.run("-h").out == sandbox.run("--help").out);
}

TEST_CASE("arguments that cannot be parsed are reported with a hint of the help", "[apps][usage]") {
  const Sandbox sandbox;
  for (const auto& [arguments, message] :
       {std::pair{"train --epochs ten", "--epochs: expected an integer, got \"ten\"; see edgewise train --help"},
        {"train --epochs 0x10", "--epochs: expected an integer, got \"0x10\"; see edgewise train --help"},
        {"train --learning-rate x", "--learning-rate: expected a number, got \"x\"; see edgewise train --help"},
        {"train --learning-rate 0x1", "--learning-rate: expected a number, got \"0x1\"; see edgewise train --help"},
        {"train --seed 99999999999999999999",
         "--seed: expected an integer of at most 18 digits, got \"99999999999999999999\"; see edgewise train --help"},
        {"train --quiet=maybe", "--quiet: expected true or false, got \"maybe\"; see edgewise train --help"},
        {"train --config", "--config: expected a value; see edgewise train --help"},
        {"train --out a --out b", "--out: expected one value, got 2: a, b; see edgewise train --help"},
        {"train cora --seed 1 --seed 2", "--seed: expected one value, got 2: 1, 2; see edgewise train --help"},
        {"train cora --model gat --model gcn",
         "--model: expected one value, got 2: gat, gcn; see edgewise train --help"},
        {"inspect --molecules a.csv --molecules b.csv",
         "--molecules: expected one value, got 2: a.csv, b.csv; see edgewise inspect --help"},
        {"bench attention --width 4 --width 8",
         "--width: expected one value, got 2: 4, 8; see edgewise bench attention --help"},
        {"train cora --directed --directed=false", "--directed: is given 2 times; give it once"},
        {"train --jso", "unexpected: \"--jso\" (did you mean \"--json\"?); see edgewise train --help general"},
        {"data generate purchases", "--out is needed; see edgewise data generate --help"},
        {"predict",
         "expected a model file from edgewise train: edgewise predict MODEL ...; see edgewise predict --help"},
        {"data info",
         "expected the name of the data set: edgewise data info DATASET ...; see edgewise data info --help"},
        {"data generate",
         "expected purchases, molecules, listops, dates or shop: edgewise data generate KIND ...; see edgewise data "
         "generate --help"},
        {"train cora --lr 0.1",
         "unexpected: \"--lr\" (did you mean \"--learning-rate\"?), \"0.1\"; see edgewise train --help training"},
        {"train --num_layers=3",
         "unexpected: \"--num_layers=3\" (did you mean \"--layers\"?); see edgewise train --help model"},
        {"train --xy", "unexpected: \"--xy\"; see edgewise train --help"},
        {"predict m --lr=1", "unexpected: \"--lr=1\"; see edgewise predict --help"},
        {"--threads 2", "a verb is needed; see edgewise --help"},
        {"", "a verb is needed; see edgewise --help"}}) {
    INFO(arguments);
    const Result result = sandbox.run_as_it_is(Sandbox::kBinary + arguments);
    CHECK(result.code == 2);
    CHECK(result.error == std::string("edgewise: ") + message + "\n");
  }
}

TEST_CASE("flags without meaning for the data are refused", "[apps][usage]") {
  const Sandbox sandbox;
  sandbox.write("m.csv", "smiles,y,split\nCCO,1,train\nCC,2,validation\nC,3,test\nCCC,2,train\n");
  const auto refuses = [&](const std::string& arguments, int code, const std::string& message) {
    INFO(arguments);
    const Result result = sandbox.run(arguments);
    CHECK(result.code == code);
    check_one_line(result);
    CHECK_THAT(result.error, Contains(message));
  };
  const std::string nodes = std::string("train ") + Sandbox::kTrain;
  refuses(nodes + "--smiles age", 2, "data.smiles: is for molecules (--molecules)");
  refuses(nodes + "--hydrogens", 2, "data.hydrogens: is for molecules");
  refuses(nodes + "--strict", 2, "data.strict: is for molecules");
  refuses("inspect karate-club --strict", 2, "data.strict: is for molecules, but \"karate-club\" has none");
  sandbox.write("g.gml", "graph [ node [ id 0 x 1 ] node [ id 1 x 2 ] edge [ source 0 target 1 ] ]");
  refuses("inspect --graph g.gml --id x", 2, "data.id: is for a table of nodes (--nodes)");
  refuses("inspect --graph g.gml --source x --target y", 2, "data.source: is for an edge list (--edges)");
  refuses(nodes + "--folds 5", 2, "--folds: is for --split k_fold; here the split is \"auto\"");
  refuses(nodes + "--missing-labels x --ignore nope", 3, "no column \"nope\"");
  refuses("inspect karate-club --id node", 2, "data.id: is for a table of nodes (--nodes)");
  refuses("inspect karate-club --source y", 2, "data.source: is for an edge list (--edges)");
  refuses("inspect karate-club --weight w", 2, "data.weight: is for an edge list (--edges) or a graph file (--graph)");
  refuses("train purchases --ignore nope", 3, "no column \"nope\"; the columns are");
  const std::string molecules = "train --molecules m.csv --target y --model sage --epochs 1 --threads 1 ";
  refuses(molecules + "--ignore nope", 3, "no column \"nope\"; the columns are \"y\", \"split\"");
  refuses(molecules + "--categorical z", 3, "no column \"z\"; the columns are \"y\", \"split\"");
  refuses(molecules + "--weight y", 2, "data.row_weight: \"y\" is a label");
  refuses(molecules + "--id y", 2, "data.id: is for a table of nodes (--nodes)");
  refuses(molecules + "--component largest", 2, "data.component: is for one graph; here are many");
  CHECK(sandbox.run(molecules + "--ignore y").code == 0);
  refuses("data generate purchases --count 30 --out net", 2, "--count: is not for purchases");
  refuses("data generate molecules --nodes 30 --out net", 2, "--nodes: is not for molecules");
  refuses("bench attention --edges friends.csv --nodes 30", 2, "--nodes: is for the sweep");
  refuses(std::string("tune ") + Sandbox::kTrain + "--models mlp --model gcn", 2,
          "--model: names the one model to tune");
  REQUIRE(sandbox.run(molecules + "--out m.safetensors").code == 0);
  refuses("predict m.safetensors --target zzz --quiet", 3,
          "m.csv: no column \"zzz\"; the columns are \"y\", \"split\"");
  refuses("predict m.safetensors --target y,split", 2, "data.label: the model predicts y, got y, split");
  CHECK(sandbox.run("predict m.safetensors --target y").code == 0);
}

TEST_CASE("shares of a split that is not drawn by shares are refused", "[apps][usage]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--epochs 1 --out m.safetensors --save-splits splits").code == 0);
  const std::string files = std::string(Sandbox::kFiles) + "--label buys --split-file splits/split-0.csv ";
  for (const std::string& command :
       {"train " + files, "compare " + files, "tune --brackets 1 --epochs 1 " + files,
        "data split --out s.csv " + files, std::string("evaluate m.safetensors --split-file splits/split-0.csv "),
        std::string("train purchases ")})
    for (const std::string flag : {"--train-share", "--validation-share"}) {
      INFO(command << flag);
      const Result result = sandbox.run(command + flag + " 0.1");
      CHECK(result.code == 2);
      check_one_line(result);
      CHECK_THAT(result.error, Contains(flag + ": is for splits drawn by shares, such as --split random; here the "
                                               "split is \"given\""));
    }
  CHECK_THAT(sandbox.train("--split k_fold --train-share 0.1").error, Contains("here the split is \"k_fold\""));
  CHECK(sandbox.train("--epochs 1 --train-share 0.1").code == 0);
  CHECK(sandbox.run("data split purchases --out s.csv --split random --train-share 0.1").code == 0);
}

TEST_CASE("Correct and Smooth is refused where there is nothing to spread", "[apps][usage]") {
  const Sandbox sandbox;
  sandbox.write("m.csv", "smiles,y,split\nCCO,1,train\nCC,2,validation\nC,3,test\nCCC,2,train\n");
  const std::string nodes = std::string(Sandbox::kFiles) + "--label age --task regression";
  for (const std::string& arguments : {"train " + nodes, "compare " + nodes, "tune " + nodes,
                                       std::string("train --molecules m.csv --target y --model sage")}) {
    INFO(arguments);
    const Result result = sandbox.run(arguments + " --epochs 1 --threads 1 --quiet --correct-and-smooth always");
    CHECK(result.code == 2);
    check_one_line(result);
    CHECK_THAT(result.error, Contains("training.correct_and_smooth: spreads the classes of nodes along edges, but in"));
  }
}

TEST_CASE("edge features that the model does not use are noted", "[apps][usage]") {
  const Sandbox sandbox;
  sandbox.write("kinds.csv", "source,target,since\np0,p1,3\np1,p2,4\np2,p3,5\n");
  const std::string job = "train --edges kinds.csv --nodes people.csv --label buys --edge-features since --epochs 2 "
                          "--threads 1 --model ";
  for (const std::string model : {"gcn", "boosted_trees"})
    CHECK_THAT(sandbox.run(job + model).error, Contains("edge_features: " + model + " does not use them"));
  CHECK_THAT(sandbox.run(job + "gat").error, !Contains("does not use them"));
}

TEST_CASE("a weight that is also an edge feature is noted", "[apps][inspect]") {
  const Sandbox sandbox;
  sandbox.write("g.gml",
                "graph [ node [ id 0 x 1 ] node [ id 1 x 2 ] edge [ source 0 target 1 weight 2 years 3 ] ]");
  sandbox.write("e.csv", "source,target,weight,years\n0,1,2,3\n");
  for (const std::string files : {"inspect --graph g.gml ", "inspect --edges e.csv "}) {
    INFO(files);
    CHECK_THAT(sandbox.run(files + "--edge-features years --weight years").out,
               Contains("\"years\" is used twice, as the weight of edges and as a feature of them"));
    CHECK_THAT(sandbox.run(files + "--edge-features years").out, !Contains("used twice"));
    CHECK_THAT(sandbox.run(files + "--edge-features weight").out, !Contains("used twice"));
  }
}

TEST_CASE("encodings of pairs of nodes are refused for labels of nodes", "[apps][usage]") {
  const Sandbox sandbox;
  for (const char* flag : {"--distances 4", "--virtual-node"}) {
    INFO(flag);
    const Result result = sandbox.train(flag);
    CHECK(result.code == 2);
    check_one_line(result);
    CHECK_THAT(result.error, Contains("data.encodings: ") && Contains("here nodes have the labels"));
  }
  CHECK(sandbox.train("--degree --random-walk 3 --laplacian 2 --epochs 2 --out m.safetensors").code == 0);
  CHECK(sandbox.run("evaluate m.safetensors").code == 0);
}

TEST_CASE("a refused edge is reported with its line", "[apps][usage]") {
  const Sandbox sandbox;
  sandbox.write("twice.csv", "# ties\nsource,target\np0,p1\n\np1,p2\n# again\np1,p0\n");
  const Result result = sandbox.run("inspect --edges twice.csv --duplicates refuse");
  CHECK(result.code == 3);
  CHECK_THAT(result.error, Contains("twice.csv:7: edge 3 (p1 -> p0): appears in the data a second time"));
}

TEST_CASE("bad data gives exit code 3, with file and line", "[apps][errors]") {
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

TEST_CASE("the column of names is not called missing", "[apps][errors]") {
  const Sandbox sandbox;
  const std::string files = std::string("train ") + Sandbox::kFiles;
  for (const char* flags : {"--label id", "--label buys --ignore id"}) {
    INFO(flags);
    const Result result = sandbox.run(files + flags + " --model mlp");
    CHECK(result.code == 3);
    CHECK_THAT(result.error, Contains("people.csv: the column \"id\" holds the names of the nodes (--id)"));
  }
}

TEST_CASE("a bad model gives exit code 4", "[apps][errors]") {
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

TEST_CASE("numbers that are not finite give exit code 5", "[apps][errors]") {
  const Sandbox sandbox;
  std::string features = "node,feature,value\n";
  for (int v = 0; v < 80; ++v) features += fmt::format("p{},{},3e38\n", v, v % 3);
  sandbox.write("huge.csv", features);
  const Result result = sandbox.train("--features huge.csv");
  CHECK(result.code == 5);
  CHECK_THAT(result.error, Contains("epoch 1"));
}

TEST_CASE("a failure with --json ends with an object", "[apps][errors]") {
  const Sandbox sandbox;
  for (const auto& [arguments, code] : {std::pair{"train --nonsense --json", 2},
                                        {"train --edges none.csv --json", 3},
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

TEST_CASE("a result that cannot be printed is an error", "[apps][errors]") {
  const Sandbox sandbox;
  CHECK(sandbox.shell(Sandbox::kBinary + "version --json >/dev/full").code == 3);
}

TEST_CASE("numbers out of range are refused with a short message", "[apps][usage]") {
  const Sandbox sandbox;
  CHECK(sandbox.run("train --threads 0").error ==
        "edgewise: --threads: expected an integer from 1 to 1024, got \"0\"; see edgewise train --help\n");
  for (const char* arguments :
       {"train --threads 100000", "train --threads many", "train --dropout nan",
        "data generate purchases --nodes -5 --out net", "data generate purchases --seed -1 --out net",
        "train --checkpoint-every 0", "data split karate-club --out s --run -1", "explain m --top 0"}) {
    INFO(arguments);
    const Result result = sandbox.run(arguments);
    CHECK(result.code == 2);
    CHECK_THAT(result.error, Contains("expected"));
    check_one_line(result);
  }
}

TEST_CASE("unwritable outputs are reported before any work", "[apps][errors]") {
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
  CHECK_THAT(splits.error, Contains("people.csv: cannot create the folder"));
  CHECK(sandbox.run("predict . ").code == 3);
  CHECK(sandbox.run("train --config . ").code == 3);
}

TEST_CASE("--reorder works for the nodes of one graph only", "[apps][reorder][errors]") {
  const Sandbox sandbox;
  sandbox.write("m.csv", "smiles,y,split\nCCO,1,train\nCC,2,validation\nC,3,test\nCCC,2,train\n");
  const std::string job = "train --molecules m.csv --target y --epochs 1 --threads 1 --quiet ";
  const Result refused = sandbox.run(job + "--reorder clustering");
  CHECK(refused.code == 2);
  check_one_line(refused);
  CHECK_THAT(refused.error, Contains("training.reorder: \"clustering\" is for the nodes of one graph"));
  REQUIRE(sandbox.run(job + "--out m.safetensors").code == 0);
  CHECK(sandbox.run("predict m.safetensors --reorder auto --quiet").code == 2);
  CHECK_THAT(sandbox.train("--reorder sorted").error,
             Contains("expected one of none, degree, cuthill_mckee, clustering, auto"));
  CHECK(sandbox.run("explain m.safetensors --row 1 --reorder degree").code == 2);  // no such flag
}

TEST_CASE("an interrupt before the first result is reported", "[apps][interrupt]") {
  const Sandbox sandbox;
  const std::string forever =
      std::string(Sandbox::kFiles) + "--label buys --threads 1 --epochs 100000000 --patience 0 --models mlp ";
  for (const auto& [arguments, schema] : {std::pair{"tune " + forever, "edgewise.tune/1"},
                                          {"compare " + forever + "--shares 0.5,1 ", "edgewise.compare/1"}}) {
    INFO(arguments);
    const Result result = sandbox.interrupt(arguments + "--quiet");
    CHECK(result.code == 130);
    CHECK(result.out == "interrupted before the first result\n");
    const Result as_json = sandbox.interrupt(arguments + "--quiet --json");
    CHECK(as_json.code == 130);
    CHECK(as_json.json() == json::Value(json::Object{{"schema", schema}, {"interrupted", true}}));
  }
}

TEST_CASE("an interrupt while the data is loaded is reported", "[apps][interrupt]") {
  const Sandbox sandbox;
  // The pipe can be opened once the command reads it.
  const auto interrupt = [&](const std::string& arguments) {
    return sandbox.shell("mkfifo slow.csv; " + Sandbox::kBinary + arguments +
                         " --edges slow.csv --threads 1 --quiet & exec 3>slow.csv; kill -INT $!; cat friends.csv >&3; "
                         "exec 3>&-; wait $!; code=$?; rm slow.csv; exit $code");
  };
  const std::string job = " --nodes people.csv --label buys --epochs 1";
  for (const auto& [arguments, schema] : {std::pair{"train" + job, "edgewise.train/1"},
                                          {"compare" + job, "edgewise.compare/1"},
                                          {"tune --brackets 1" + job, "edgewise.tune/1"},
                                          {std::string("bench attention"), "edgewise.bench/1"}}) {
    INFO(arguments);
    const Result result = interrupt(arguments);
    CHECK(result.code == 130);
    CHECK(result.out == "interrupted before the first result\n");
    const Result as_json = interrupt(arguments + " --json");
    CHECK(as_json.code == 130);
    CHECK(as_json.json() == json::Value(json::Object{{"schema", schema}, {"interrupted", true}}));
  }
}

TEST_CASE("an unknown verb suggests a known one", "[apps][usage]") {
  const Sandbox sandbox;
  const Result result = sandbox.run("trian cora");
  CHECK(result.code == 2);
  check_one_line(result);
  CHECK_THAT(result.error, Contains("\"trian\" is not a verb (did you mean \"train\"?); there are train, compare, "));
}

TEST_CASE("more runs than given splits are an error", "[apps][usage]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--runs 2 --epochs 1 --save-splits splits").code == 0);
  const Result folds = sandbox.train("--split k_fold --folds 3 --runs 4");
  CHECK(folds.code == 2);
  CHECK_THAT(folds.error, Contains("4 runs, but there are 3 folds"));
  CHECK(sandbox.train("--split k_fold --folds 3 --runs 3 --epochs 1").code == 0);
  CHECK(sandbox.train("--split-file splits/split-0.csv --runs 2 --epochs 1").code == 0);  // one split, two seeds
  CHECK(
      sandbox.run("compare " + std::string(Sandbox::kFiles) + "--label buys --split k_fold --folds 3 --runs 5").code ==
      2);
}
