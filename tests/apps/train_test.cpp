#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <utility>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/train/loop/checkpoint.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::check_one_line;
using test::Result;
using test::Sandbox;

TEST_CASE("a flag of earlier releases says what took its place", "[apps][usage]") {
  const Sandbox sandbox;
  const auto refused = [&](const std::string& arguments, const std::string& problem) {
    const Result result = sandbox.run(arguments);
    INFO(arguments);
    CHECK(result.code == 2);
    check_one_line(result);
    CHECK_THAT(result.error, Contains(problem));
  };
  const std::string job = "train " + std::string(Sandbox::kFiles) + "--label buys ";
  refused(job + "--clip 5", "unexpected: \"--clip\" (use --set training.clip_norm=VALUE)");
  refused(job + "--warmup=3", "(use --set training.schedule.warmup=VALUE)");
  refused(job + "--split_index 3", "(use --set split.index=VALUE)");
  refused(job + "--width 8", "(did you mean \"--hidden\"?)");
  refused("compare karate-club --optimiser adamw", "(use --set training.optimiser=VALUE)");
  refused(job + "--set training.optimiser=sgd", "training.optimiser: expected one of adam, adamw");
  CHECK(sandbox.run(job + "--epochs 2 --set training.optimiser=adamw --set training.schedule.warmup=1").code == 0);
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
  CHECK(sandbox.train("--model label_propagation --json").code == 2);  // it has no heads
  CHECK(sandbox.run("train --edges friends.csv --nodes people.csv --label buys --model label_propagation").code == 0);
}

TEST_CASE("Ctrl-C saves, and a resumed run ends in the same bits", "[apps][resume]") {
  const Sandbox sandbox;
  // Interrupted once the metrics file shows that it is training.
  const Result stopped =
      sandbox.shell(Sandbox::kBinary + "train " + Sandbox::kTrain +
                    "--epochs 100000000 --patience 0 --out m.safetensors --metrics m.jsonl --json & "
                    "while ! [ -s m.jsonl ] && kill -0 $!; do sleep 0.05; done; kill -INT $!; wait $!");
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

TEST_CASE("a checkpoint exists when training is over", "[apps][resume]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--patience 0 --checkpoint c --out short.safetensors").code == 0);
  const Result over = sandbox.run("train --resume c --epochs 10 --threads 1");
  CHECK(over.code == 0);
  CHECK_THAT(over.error, Contains("c: the checkpoint is at epoch 20 already: of 10 epochs, none is left to train"));
  REQUIRE(sandbox.run("train --resume c --epochs 30 --threads 1 --out resumed.safetensors").code == 0);
  REQUIRE(sandbox.train("--patience 0 --epochs 30 --out whole.safetensors").code == 0);
  CHECK(sandbox.read("resumed.safetensors") == sandbox.read("whole.safetensors"));
}

namespace {

/// A summary without times, memory and output files.
std::string settled(const json::Value& summary) {
  json::Object same;
  for (const auto& [name, value] : summary.as_object())
    if (name != "epoch_ms" && name != "seconds" && name != "peak_rss_mib" && name != "out" && name != "predictions" &&
        name != "threads" && name != "choice")
      same.emplace_back(name, value);
  return json::dump(same);
}

/// Trains until the metrics file shows an epoch of run `run`, then sends `signal`, which comes in this run or later.
Result kill_in_run(const Sandbox& sandbox, const std::string& job, int run, const std::string& signal) {
  const std::string wait = fmt::format("while kill -0 $! && ! grep -q '\"run\":{},' m.jsonl; do sleep 0.02; done", run);
  return sandbox.shell(Sandbox::kBinary + job + "--metrics m.jsonl --json & touch m.jsonl; " + wait + "; kill -" +
                       signal + " $!; wait $!");
}

}  // namespace

TEST_CASE("a set of runs resumed from its checkpoint ends in the same bits", "[apps][resume]") {
  const Sandbox sandbox;
  const std::string job = "train " + std::string(Sandbox::kTrain) + "--epochs 1000 --patience 0 ";
  const std::string signal = GENERATE("INT", "KILL");
  INFO(signal);
  const Result stopped = kill_in_run(sandbox, job + "--runs 100000 --checkpoint c --checkpoint-every 50 ", 2, signal);
  INFO(stopped.error);
  REQUIRE(stopped.code == (signal == "INT" ? 130 : 137));
  // How many runs were finished then depends on the clock; how the others end must not.
  const train::CheckpointContent saved = train::read_checkpoint(sandbox.path("c").string());
  const std::size_t finished = saved.note.value.at("runs").as_array().size();
  CHECK(finished >= 2);
  if (signal == "INT") {
    CHECK_THAT(stopped.error, Contains("continue with: edgewise train --resume c"));
    if (saved.epoch)
      CHECK_THAT(stopped.error, Contains(fmt::format("run {} was interrupted and is not counted", finished + 1)));
    CHECK(stopped.json().at("runs") == json::Value(static_cast<std::int64_t>(finished)));
    CHECK(stopped.json().at("interrupted") == json::Value(true));
  }
  const std::string all = fmt::format("--runs {} ", finished + 2);
  const Result whole =
      sandbox.run(job + all + "--out whole.m --predictions whole.csv --save-splits whole.splits --json");
  REQUIRE(whole.code == 0);
  const Result resumed = sandbox.run("train --resume c --threads 2 " + all +
                                     "--out resumed.m --predictions resumed.csv --save-splits resumed.splits --json "
                                     "--metrics resumed.jsonl");
  INFO(resumed.error);
  REQUIRE(resumed.code == 0);
  CHECK_THAT(resumed.error, Contains(fmt::format("c: continues after {} runs", finished)));
  const std::string metrics = sandbox.read("resumed.jsonl");
  CHECK(json::parse(metrics.substr(0, metrics.find('\n')), "metrics").at("epoch") ==
        json::Value(saved.epoch.value_or(0) % 1000 + 1));
  CHECK(settled(resumed.json()) == settled(whole.json()));
  const std::string last = fmt::format(".splits/split-{}.csv", finished + 1);
  for (const std::string& name : {std::string(".m"), std::string(".csv"), std::string(".splits/split-0.csv"), last}) {
    INFO(name);
    CHECK(sandbox.read("resumed" + name) == sandbox.read("whole" + name));
  }
}

TEST_CASE("finished runs are not trained again, and more may be added", "[apps][resume]") {
  const Sandbox sandbox;
  for (const std::string model : {"--ensemble 2", "--model auto", "--model mlp", "--model label_propagation"}) {
    INFO(model);
    const std::string job =
        "train --edges friends.csv --nodes people.csv --label buys --epochs 12 --threads 1 " + model + " --json ";
    const bool is_saved = model != "--model label_propagation";
    const Result whole = sandbox.run(job + "--runs 3 --predictions whole.csv " + (is_saved ? "--out whole.m" : ""));
    REQUIRE(whole.code == 0);
    REQUIRE(sandbox.run(job + "--runs 2 --checkpoint c").code == 0);
    const Result again = sandbox.run("train --resume c --metrics none.jsonl --json");
    REQUIRE(again.code == 0);
    CHECK(again.json().at("runs") == json::Value(2));
    CHECK(sandbox.read("none.jsonl").empty());
    const Result more =
        sandbox.run(std::string("train --resume c --runs 3 --predictions more.csv --threads 1 --json ") +
                    (is_saved ? "--out more.m" : ""));
    INFO(more.error);
    REQUIRE(more.code == 0);
    CHECK(settled(more.json()) == settled(whole.json()));
    CHECK(sandbox.read("more.csv") == sandbox.read("whole.csv"));
    if (is_saved) CHECK(sandbox.read("more.m") == sandbox.read("whole.m"));
  }
}

TEST_CASE("a set of runs resumes with the same job and data only", "[apps][resume]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--runs 2 --checkpoint c").code == 0);
  const auto check = [&](const std::string& arguments, int code, const std::string& message) {
    const Result result = sandbox.run("train --resume c " + arguments);
    INFO(arguments << ": " << result.error);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(message));
  };
  check("--runs 3 --epochs 25", 4, "another configuration.training.epochs: 20 there, 25 here");
  check("--runs 1", 4, "c: 2 runs have ended, but only 1 are requested");
  std::string people = sandbox.read("people.csv");
  sandbox.write("people.csv", people.replace(people.find("\np5,"), 4, "\npX,"));
  std::string friends = sandbox.read("friends.csv");
  for (std::size_t at = 0; (at = friends.find("p5,", at)) != std::string::npos;) friends.replace(at, 3, "pX,");
  for (std::size_t at = 0; (at = friends.find("p5\n", at)) != std::string::npos;) friends.replace(at, 3, "pX\n");
  sandbox.write("friends.csv", friends);
  check("--runs 3", 4, "c: the checkpoint was made with other data");
}

TEST_CASE("a run resumes with the same split file only", "[apps][resume]") {
  const Sandbox sandbox;
  const auto split = [&](int seed) {
    const std::string command =
        "data split --nodes people.csv --edges friends.csv --label buys --split random --out s.csv";
    REQUIRE(sandbox.run(command + " --split-seed " + std::to_string(seed)).code == 0);
  };
  split(1);
  REQUIRE(sandbox.train("--split-file s.csv --checkpoint c").code == 0);
  CHECK(sandbox.run("train --resume c --epochs 25").code == 0);
  split(2);
  const Result result = sandbox.run("train --resume c --epochs 30");
  CHECK(result.code == 4);
  CHECK_THAT(result.error, Contains("c: the checkpoint was made with another split"));
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

TEST_CASE("a rare class is judged by its ranking, with a note if never predicted", "[apps][runs]") {
  const Sandbox sandbox;
  std::string people = "id,x,ill\n", friends = "source,target\n";
  for (int i = 0; i < 200; ++i) {
    people += fmt::format("p{},{},{}\n", i, i * 37 % 11, i % 25 == 0 ? "yes" : "no");
    friends += fmt::format("p{},p{}\n", i, (i + 7) % 200);
  }
  sandbox.write("people.csv", people);
  sandbox.write("friends.csv", friends);
  const Result result =
      sandbox.run("train " + std::string(Sandbox::kFiles) + "--label ill --model mlp --epochs 30 --json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  CHECK(result.json().at("metric") == json::Value("roc_auc"));
  CHECK_THAT(result.error, Contains("in the data, but never predicted: yes"));
}

namespace {

/// Writes rings.csv and teams.csv: four teams, each with its own ring of friends and nothing else to tell it by.
void write_teams(const Sandbox& sandbox) {
  constexpr int kTeams = 4, kMembers = 60;
  std::string people = "id,team\n", friends = "source,target\n";
  for (int i = 0; i < kTeams * kMembers; ++i) {
    people += fmt::format("p{},t{}\n", i, i % kTeams);
    for (const int step : {1, 2, 5}) friends += fmt::format("p{},p{}\n", i, (i + step * kTeams) % (kTeams * kMembers));
  }
  sandbox.write("teams.csv", people);
  sandbox.write("rings.csv", friends);
}

/// The smallest and the largest of the probabilities p_t0 ... p_t3 in a file of predictions.
std::pair<double, double> range_of_probabilities(const Sandbox& sandbox, const std::string& file) {
  std::istringstream lines(sandbox.read(file));
  std::string line, field;
  std::getline(lines, line);
  std::istringstream header(line);
  std::size_t first = 0;
  while (std::getline(header, field, ',') && field != "p_t0") ++first;
  double least = 2, most = -1;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    for (std::size_t column = 0; std::getline(fields, field, ','); ++column) {
      if (column < first || column >= first + 4) continue;
      least = std::min(least, std::stod(field));
      most = std::max(most, std::stod(field));
    }
  }
  return {least, most};
}

}  // namespace

TEST_CASE("classes that only Correct and Smooth predicts are not called never predicted", "[apps][runs]") {
  const Sandbox sandbox;
  write_teams(sandbox);
  const std::string job =
      "train --edges rings.csv --nodes teams.csv --label team --model mlp --epochs 3 --hidden 8 --json ";
  CHECK_THAT(sandbox.run(job).error, Contains("in the data, but never predicted: "));
  const Result smoothed = sandbox.run(job + "--correct-and-smooth always");
  CHECK(smoothed.json().at("test").at("accuracy").at("mean").as_number() > 0.95);
  CHECK_THAT(smoothed.error, !Contains("never predicted"));
}

TEST_CASE("labels that spread leave no class a probability of 0 or 1", "[apps][runs]") {
  const Sandbox sandbox;
  write_teams(sandbox);
  for (const char* model : {"label_propagation", "mlp --epochs 3 --hidden 8 --correct-and-smooth always"}) {
    INFO(model);
    const Result trained = sandbox.run(fmt::format(
        "train --edges rings.csv --nodes teams.csv --label team --predictions p.csv --json --model {}", model));
    REQUIRE(trained.code == 0);
    CHECK(trained.json().at("test").at("accuracy").at("mean").as_number() > 0.95);
    const auto [least, most] = range_of_probabilities(sandbox, "p.csv");
    CHECK(least > 0);
    CHECK(most < 1);
  }
}

TEST_CASE("an interrupted run is not counted", "[apps][runs]") {
  const Sandbox sandbox;
  // Interrupted as soon as the second run has begun; the first takes a moment.
  const Result stopped = sandbox.shell(
      Sandbox::kBinary + "train " + Sandbox::kTrain +
      "--epochs 300 --patience 0 --runs 100000 --metrics m.jsonl --json & "
      "while kill -0 $! && ! grep -q '\"event\":\"end\"' m.jsonl 2>/dev/null; do sleep 0.02; done; "
      "kill -INT $!; wait $!");
  INFO(stopped.error);
  REQUIRE(stopped.code == 130);
  const json::Value object = stopped.json();
  CHECK(object.at("interrupted") == json::Value(true));
  for (const json::Value& epochs : object.at("epochs_by_run").as_array()) CHECK(epochs == json::Value(300));
}

TEST_CASE("an interrupted ensemble says how many models it has", "[apps][runs]") {
  const Sandbox sandbox;
  const Result stopped =
      kill_in_run(sandbox, "train " + std::string(Sandbox::kTrain) +
                               "--ensemble 3 --epochs 100000000 --patience 0 --out m.safetensors ",
                  0, "INT");
  INFO(stopped.error);
  REQUIRE(stopped.code == 130);
  CHECK_THAT(stopped.error, Contains("stopped with 1 of 3 models of the ensemble\n"));
  CHECK(stopped.json().at("ensemble") == json::Value(1));
  CHECK(sandbox.train("--ensemble 2 --epochs 1 --json").json().at("ensemble") == json::Value(2));
}

TEST_CASE("a directed file can be read as undirected and cut to its largest component", "[apps][graph]") {
  const Sandbox sandbox;
  sandbox.write("g.dot", "digraph { a -> b; b -> c; x -> y }");
  const auto inspect = [&](const std::string& flags) {
    return sandbox.run("inspect --graph g.dot --json " + flags).json();
  };
  CHECK(inspect("").at("graph").at("direction") == json::Value("directed"));
  CHECK(inspect("--directed").at("graph").at("arcs") == json::Value(3));
  const json::Value both = inspect("--directed=false");
  CHECK(both.at("graph").at("direction") == json::Value("undirected"));
  CHECK(both.at("graph").at("arcs") == json::Value(6));
  const json::Value largest = inspect("--component largest");
  CHECK(largest.at("graph").at("nodes") == json::Value(3));
  CHECK_THAT(json::dump(largest.at("warnings")), Contains("2 of 5 nodes are outside the largest connected part"));
  const std::string job = "train " + std::string(Sandbox::kFiles) + "--label buys --model gcn --epochs 2 ";
  CHECK(sandbox.run(job + "--component largest --directed=false --out m.safetensors").code == 0);
  CHECK(sandbox.run("predict m.safetensors").code == 0);
}

TEST_CASE("Cora end to end", "[apps][cora]") {
  if (!test::dataset("cora")) return;
  const Sandbox sandbox;
  const Result result = sandbox.run("train cora --runs 2 --epochs 250 --json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  CHECK(result.json().at("test").at("accuracy").at("mean").as_number() > 0.80);
}

TEST_CASE("a column whose logarithm is the label is not a feature", "[apps][train]") {
  const Sandbox sandbox;
  std::string people = "id,income,age\n", friends = "source,target\n";
  for (int i = 0; i < 60; ++i) {
    people += fmt::format("p{},{},{}\n", i, 1 + (i * i * 7919) % 1000, 20 + i);
    friends += fmt::format("p{},p{}\n", i, (i + 1) % 60);
  }
  sandbox.write("people.csv", people);
  sandbox.write("friends.csv", friends);
  const std::string job =
      "train --edges friends.csv --nodes people.csv --task regression --model mlp --epochs 3 --json ";
  const Result trained = sandbox.run(job + "--label 'log10(income)' --out m.safetensors --predictions t.csv");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const Result other = sandbox.run(job + "--label age");  // a single feature also works
  CHECK(trained.json().at("parameters") == other.json().at("parameters"));
  REQUIRE(sandbox.run("predict m.safetensors --out p.csv").code == 0);
  CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
}

TEST_CASE("edges and nodes of several files", "[apps][train]") {
  const Sandbox sandbox;
  REQUIRE(
      sandbox
          .shell("(head -n 1 friends.csv; tail -n +100 friends.csv) > f2.csv; head -n 99 friends.csv > f1.csv; "
                 "(head -n 1 people.csv; tail -n +50 people.csv) | gzip > p2.csv.gz; head -n 49 people.csv > p1.csv")
          .code == 0);
  const std::string several = "--edges f1.csv --edges f2.csv --nodes p1.csv --nodes p2.csv.gz ";
  const std::string job = "--label buys --model gcn --epochs 5 --seed 1 --threads 1 ";
  const Result trained = sandbox.run("train " + several + job + "--out m.safetensors --predictions a.csv");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  REQUIRE(sandbox.run("train " + std::string(Sandbox::kFiles) + job + "--predictions b.csv").code == 0);
  CHECK(sandbox.read("a.csv") == sandbox.read("b.csv"));
  REQUIRE(sandbox.run("predict m.safetensors --out c.csv --threads 1").code == 0);
  CHECK(sandbox.read("c.csv") == sandbox.read("a.csv"));
  sandbox.write("c.json", R"({"data": {"edges": ["f1.csv", "f2.csv"], "nodes": ["p1.csv", "p2.csv.gz"]}})");
  REQUIRE(sandbox.run("train --config c.json " + job + "--predictions d.csv").code == 0);
  CHECK(sandbox.read("d.csv") == sandbox.read("a.csv"));
  for (const char* file : {"f1.csv", "f2.csv", "p2.csv.gz"}) {
    const Result result = sandbox.run("train " + several + job + "--out " + file);
    CHECK(result.code == 2);
    CHECK_THAT(result.error, Contains(std::string(file) + " is also read (data."));
  }
  const Result twice = sandbox.run("inspect --edges f1.csv --edges f1.csv");
  CHECK(twice.code == 2);
  CHECK_THAT(twice.error, Contains("expected each file once, got \"f1.csv\" twice"));
}

TEST_CASE("masks of the user are the split of a training", "[apps][train]") {
  const Sandbox sandbox;
  std::string people = "id,age,buys,train_mask,val_mask,test_mask\n";
  for (int i = 0; i < 80; ++i)
    people += fmt::format("p{},{},{},{},{},{}\n", i, 20 + i % 7, i % 2 == 0 ? "yes" : "no", i < 40 ? 1 : 0,
                          i >= 40 && i < 60 ? 1 : 0, i >= 60 ? 1 : 0);
  sandbox.write("people.csv", people);
  const Result result = sandbox.train("--model gat --predictions p.csv");
  REQUIRE(result.code == 0);
  CHECK_THAT(result.error, Contains("the split is read from \"train_mask\", \"val_mask\", \"test_mask\" (40 train, 20 "
                                    "validation, 20 test); --split random draws another"));
  std::istringstream rows(sandbox.read("p.csv"));
  std::string row;
  std::getline(rows, row);  // the header
  for (int i = 0; i < 80; ++i) {
    REQUIRE(std::getline(rows, row));
    CHECK_THAT(row, Catch::Matchers::StartsWith(fmt::format("p{},", i)));
    CHECK_THAT(row, Catch::Matchers::EndsWith(i < 40 ? ",train" : i < 60 ? ",validation" : ",test"));
  }
}
