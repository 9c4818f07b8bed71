#include <catch2/catch.hpp>
#include <string>

#include "ranks.hpp"
#include "sandbox.hpp"

namespace edgewise::test {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kFreeze =
    "data freeze --edges friends.csv --nodes people.csv --label buys --out net.edgewise --quiet ";
constexpr const char* kTrain =
    "train net.edgewise --model gatv2 --hidden 8 --heads 2 --learning-rate 0.02 --threads 1 --epochs 20 --quiet ";

TEST_CASE("a frozen network is trained, evaluated and predicted as its tables are", "[apps][freeze]") {
  const Sandbox sandbox;
  const Result frozen = sandbox.run(std::string(kFreeze) + "--parts 5 --json");
  REQUIRE(frozen.code == 0);
  CHECK_THAT(frozen.out, Contains("\"nodes\":80") && Contains("\"parts\":5"));
  REQUIRE(sandbox.run(std::string(kTrain) + "--out model.safetensors").code == 0);
  CHECK(sandbox.run("evaluate model.safetensors net.edgewise").code == 0);
  REQUIRE(sandbox.run("predict model.safetensors net.edgewise --out frozen.csv").code == 0);
  const std::string files = std::string(Sandbox::kFiles);
  REQUIRE(sandbox.run("predict model.safetensors " + files + "--out tables.csv").code == 0);
  CHECK(lines_of(sandbox.read("frozen.csv")) == 81);
  for (const char* by : {"deletion", "attention"}) {
    const Result explained = sandbox.run(std::string("explain model.safetensors net.edgewise --node p3 --by ") + by);
    CHECK(explained.code == 2);
    CHECK_THAT(explained.error, Contains("net.edgewise is a frozen network; give the tables"));
  }
  const Result compared = sandbox.shell(
      "sort frozen.csv | cut -d, -f1,2 > a && sort tables.csv | cut -d, -f1,2 > b && cmp a b");
  CHECK(compared.code == 0);
}

TEST_CASE("a frozen network is not read otherwise than its tables were", "[apps][freeze]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run(kFreeze).code == 0);
  for (const char* flags : {"--label age", "--label NOSUCH", "--task regression", "--ignore age", "--degree"}) {
    INFO(flags);
    const Result result = sandbox.run(std::string(kTrain) + flags);
    CHECK(result.code == 2);
    CHECK_THAT(result.error, Contains("net.edgewise was frozen with"));
  }
  CHECK(sandbox.run(std::string(kTrain) + "--label buys").code == 0);
}

TEST_CASE("inspect shows the nodes and edges of a frozen network", "[apps][freeze]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run(kFreeze).code == 0);
  const Result frozen = sandbox.run("inspect net.edgewise");
  INFO(frozen.error);
  REQUIRE(frozen.code == 0);
  CHECK_THAT(frozen.out, Contains("80 nodes, 230 edges between 230 pairs") && Contains("\nlabels:"));
}

TEST_CASE("a report on a frozen network has no map", "[apps][freeze][report]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run(kFreeze).code == 0);
  REQUIRE(sandbox.run(std::string(kTrain) + "--out m.safetensors --report r.html").code == 0);
  CHECK_THAT(sandbox.read("r.html"), Contains("test nodes") && !Contains("class=\"ties\""));
  CHECK(sandbox.run("evaluate m.safetensors net.edgewise --report e.html").code == 0);
  for (const char* flags : {"--map m.svg", "--out p.graphml"}) {
    const Result result = sandbox.run(std::string("predict m.safetensors net.edgewise ") + flags);
    CHECK(result.code == 2);
    CHECK_THAT(result.error, Contains("a frozen network"));
  }
}

TEST_CASE("a network without labels is frozen for its ties", "[apps][freeze][links]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run("data freeze --edges friends.csv --nodes people.csv --ignore buys --out net.edgewise").code == 0);
  const Result trained = sandbox.run("train net.edgewise --task links --model adamic_adar --out m.safetensors");
  INFO(trained.error);
  CHECK(trained.code == 0);
}

TEST_CASE("the first losses of a frozen network are those of its tables", "[apps][freeze]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run(std::string(kFreeze) + "--parts 3").code == 0);
  const std::string options =
      "--model gatv2 --hidden 8 --dropout 0 --attention-dropout 0 --threads 1 --epochs 3 --quiet ";
  REQUIRE(sandbox.run("train net.edgewise " + options + "--metrics a.jsonl").code == 0);
  REQUIRE(
      sandbox.run("train --edges friends.csv --nodes people.csv --label buys " + options + "--metrics b.jsonl").code ==
      0);
  const auto loss_of = [&](const std::string& file) {
    const std::string text = sandbox.read(file), key = "\"loss\":";
    return std::stod(text.substr(text.find(key) + key.size()));
  };
  CHECK(loss_of("a.jsonl") == Approx(loss_of("b.jsonl")).epsilon(1e-5));
}

TEST_CASE("nodes of a frozen network are predicted as all of it is", "[apps][freeze]") {
  const Sandbox sandbox;
  sandbox.write("some.csv", "id\np71\np3\n");
  for (const char* half : {"", " --half"}) {
    REQUIRE(sandbox.run(std::string(kFreeze) + "--parts 5" + half).code == 0);
    for (const char* model : {"gatv2", "gcn", "sage", "transformer"}) {
      CAPTURE(model, half);
      const std::string train = fmt::format("train net.edgewise --model {} --hidden 8 --epochs 3 --quiet ", model);
      REQUIRE(sandbox.run(train + "--out model.safetensors").code == 0);
      REQUIRE(sandbox.run("predict model.safetensors net.edgewise --out all.csv").code == 0);
      const Result some = sandbox.run("predict model.safetensors net.edgewise --nodes-to-predict some.csv --json");
      CAPTURE(some.error);
      REQUIRE(some.code == 0);
      CHECK(sandbox.read("predictions.csv") == sandbox.shell("sed -n '1p;/^p3,/p;/^p71,/p' all.csv").out);
    }
  }
  sandbox.write("some.csv", "id\nnobody\n");
  const Result unknown = sandbox.run("predict model.safetensors net.edgewise --nodes-to-predict some.csv");
  CHECK(unknown.code == 3);
  CHECK_THAT(unknown.error, Contains("some.csv:2"));
}

TEST_CASE("who holds the parts does not change the model", "[apps][freeze]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run(std::string(kFreeze) + "--parts 5").code == 0);
  REQUIRE(sandbox.run(std::string(kTrain) + "--out memory.safetensors").code == 0);
  const std::string expected = sandbox.read("memory.safetensors");
  REQUIRE(sandbox.run(std::string(kTrain) + "--memory 1K --out disk.safetensors").code == 0);
  CHECK(sandbox.read("disk.safetensors") == expected);
  REQUIRE(sandbox.run(std::string(kTrain) + "--threads 2 --out threads.safetensors").code == 0);
  CHECK(sandbox.read("threads.safetensors") == expected);
  if (!has_mpi(sandbox)) {
    WARN("no mpirun: ranks are not tested");
    return;
  }
  for (const int ranks : {1, 2, 3, 5}) {
    CAPTURE(ranks);
    const Result result = sandbox.shell(on_ranks(ranks, std::string(kTrain) + "--out ranks.safetensors"));
    CAPTURE(result.error);
    REQUIRE(result.code == 0);
    CHECK(sandbox.read("ranks.safetensors") == expected);
    CHECK(lines_of(result.out) == lines_of(sandbox.run(std::string(kTrain)).out));
  }
  CHECK_THAT(sandbox.shell(on_ranks(6, kTrain)).error, Contains("6 processes cannot share 5 parts"));
}

TEST_CASE("a model is trained on samples of a frozen network, and goes on after a checkpoint", "[apps][freeze]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run(std::string(kFreeze) + "--parts 4").code == 0);
  for (const char* sample : {"3,2 --batch-size 8", "clusters:4/2", "walks:5x2"}) {
    CAPTURE(sample);
    const std::string job = fmt::format("{} --sample {} ", kTrain, sample);
    const Result trained = sandbox.run(job + "--out one.safetensors --predictions one.csv");
    CAPTURE(trained.error);
    REQUIRE(trained.code == 0);
    REQUIRE(sandbox.run("predict one.safetensors net.edgewise --memory 1K --out again.csv").code == 0);
    CHECK(sandbox.read("again.csv") == sandbox.read("one.csv"));
    REQUIRE(sandbox.run(job + "--memory 1K --threads 2 --out two.safetensors").code == 0);
    CHECK(sandbox.read("two.safetensors") == sandbox.read("one.safetensors"));
    REQUIRE(sandbox.run(job + "--epochs 7 --checkpoint state --out part.safetensors").code == 0);
    REQUIRE(sandbox.run("train --resume state --epochs 20 --quiet --out resumed.safetensors").code == 0);
    CHECK(sandbox.read("resumed.safetensors") == sandbox.read("one.safetensors"));
    if (!has_mpi(sandbox)) continue;
    REQUIRE(sandbox.shell(on_ranks(3, job + "--out ranks.safetensors")).code == 0);
    CHECK(sandbox.read("ranks.safetensors") == sandbox.read("one.safetensors"));
  }
}

TEST_CASE("a network with features of half precision is trained and predicted", "[apps][freeze]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run(std::string(kFreeze) + "--parts 3 --half").code == 0);
  for (const char* flags : {"", "--sample 3,2 "}) {
    REQUIRE(sandbox.run(fmt::format("{} {} --out model.safetensors --predictions a.csv", kTrain, flags)).code == 0);
    REQUIRE(sandbox.run("predict model.safetensors net.edgewise --out b.csv").code == 0);
    CHECK(sandbox.read("a.csv") == sandbox.read("b.csv"));
  }
}

TEST_CASE("edges come from a pipe, and are read once", "[apps][freeze]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run(std::string(kFreeze) + "--parts 1 --memory 1K").code == 0);
  REQUIRE(sandbox.shell("mv net.edgewise file.edgewise && mv friends.csv f.csv && mkfifo friends.csv").code == 0);
  const Result frozen = sandbox.shell("cat f.csv > friends.csv & " + Sandbox::kBinary + kFreeze + "--parts 1");
  CAPTURE(frozen.error);
  CHECK(frozen.code == 0);
  CHECK(sandbox.read("net.edgewise") == sandbox.read("file.edgewise"));
}

TEST_CASE("a graph that would not fit the memory says so, and names the line to type", "[apps][freeze]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.shell("truncate -s 1T huge.csv").code == 0);  // takes no space
  const Result refused = sandbox.run("train --edges huge.csv --nodes people.csv --label buys --quiet");
  CHECK(refused.code == 2);
  check_one_line(refused);
  CHECK_THAT(refused.error, Contains("huge.csv: its graph would take about 5120.0 GiB") &&
                                Contains("edgewise data freeze --edges huge.csv --nodes people.csv --label buys --out "
                                         "net.edgewise"));
}

TEST_CASE("an edge list is frozen in passes to the same network", "[apps][freeze]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run(std::string(kFreeze) + "--parts 3").code == 0);
  REQUIRE(sandbox.run(std::string(kTrain) + "--out memory.safetensors").code == 0);
  REQUIRE(sandbox.shell("cp net.edgewise whole.edgewise").code == 0);
  REQUIRE(sandbox.run(std::string(kFreeze) + "--parts 3 --memory 1K").code == 0);
  const Result trained = sandbox.run(std::string(kTrain) + "--out passes.safetensors");
  CHECK(trained.code == 0);
  const Result refused = sandbox.run(std::string(kFreeze) + "--memory 1K --degree");
  CHECK(refused.code == 2);
  CHECK_THAT(refused.error, Contains("read in passes"));
}

TEST_CASE("a frozen network refuses what it cannot do, in one line", "[apps][freeze]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run(kFreeze).code == 0);
  REQUIRE(sandbox.run(std::string(kTrain) + "--out model.safetensors").code == 0);
  const auto check = [&](const std::string& arguments, int code, const std::string& text) {
    CAPTURE(arguments);
    const Result result = sandbox.run(arguments + " --quiet");
    CHECK(result.code == code);
    check_one_line(result);
    CHECK_THAT(result.error, Contains(text));
  };
  check("train net.edgewise", 2, "name one, such as gatv2");
  check("train net.edgewise --model label_propagation", 2, "is a frozen network, for models of layers");
  check("train net.edgewise --model attention", 4, "is seen along its edges only");
  check("train net.edgewise --model gat --reorder degree", 2, "are in order");
  check("train net.edgewise --model gps --sample 5", 2, "does not only follow edges");
  check("explain model.safetensors --node p1", 2, "is a frozen network; give the tables");
  check("train net.edgewise --model gat --from model.safetensors", 2, "leave it out");
  check("train net.edgewise --model gat --memory 4X", 2, "expected a size such as 512M or 4G");
  check("train net.edgewise --model gat --edges friends.csv", 2, "not both");
  check("train other.edgewise --model gat", 3, "other.edgewise: cannot be opened");
  check("data freeze --edges friends.csv --out net.edgewise", 2, "the nodes have no features");
  check("data freeze --edges friends.csv --nodes people.csv --label buys --out net.bin", 2, "ending in .edgewise");
  sandbox.write("text.edgewise", "source,target\n");
  check("train text.edgewise --model gat", 3, "is no frozen network");
  REQUIRE(sandbox.shell("truncate -s 5000 net.edgewise").code == 0);
  check("train net.edgewise --model gat", 3, "is cut short");
}

TEST_CASE("a full disk ends freezing and spilling in one line, and leaves nothing", "[apps][freeze]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run(kFreeze).code == 0);
  const auto check = [&](const std::string& arguments) {
    const Result result = sandbox.shell("ulimit -f 8; " + Sandbox::kBinary + arguments);
    CHECK(result.code == 3);
    check_one_line(result);
    CHECK_THAT(result.error, Contains("cannot be written: File too large"));
  };
  check("data freeze --edges friends.csv --nodes people.csv --label buys --out other.edgewise --quiet");
  check("train net.edgewise --model gat --memory 1K --epochs 1 --quiet");
  CHECK(sandbox.shell("ls -A | grep edgewise").out == "net.edgewise\n");
}

TEST_CASE("processes with batch norms, with parts on the disk and with a budget make the same model",
          "[apps][freeze]") {
  const Sandbox sandbox;
  if (!has_mpi(sandbox)) {
    WARN("no mpirun: ranks are not tested");
    return;
  }
  REQUIRE(sandbox.run(std::string(kFreeze) + "--parts 5").code == 0);
  const std::string job = std::string(kTrain) + "--set model.norm=batch ";
  REQUIRE(sandbox.run(job + "--out memory.safetensors").code == 0);
  REQUIRE(sandbox.shell(on_ranks(3, job + "--memory 1K --out ranks.safetensors")).code == 0);
  CHECK(sandbox.read("ranks.safetensors") == sandbox.read("memory.safetensors"));
  // All stop after the same epoch.
  const Result stopped = sandbox.shell(
      on_ranks(2,
               "train net.edgewise --model gatv2 --hidden 8 --threads 1 --patience 0 --epochs 1000000 --budget 2s "
               "--quiet --out budget.safetensors"));
  CAPTURE(stopped.error);
  CHECK(stopped.code == 0);
  CHECK(sandbox.run("evaluate budget.safetensors net.edgewise").code == 0);
}

TEST_CASE("a process that dies ends the others, and the job goes on from its checkpoint", "[apps][freeze]") {
  const Sandbox sandbox;
  if (!has_mpi(sandbox)) {
    WARN("no mpirun: ranks are not tested");
    return;
  }
  REQUIRE(sandbox.run(std::string(kFreeze) + "--parts 4").code == 0);
  const std::string train = "train net.edgewise --model gatv2 --hidden 8 --threads 1 --patience 0 --quiet ";
  REQUIRE(sandbox.run(train + "--epochs 3000 --out whole.safetensors").code == 0);
  // Each process in turn is killed, some moment after there is a checkpoint.
  for (const auto& [which, moment] : {std::pair("head", "0.03"), std::pair("tail", "0.11")}) {
    CAPTURE(which);
    REQUIRE(sandbox.shell("rm -f state").code == 0);
    const Result killed = sandbox.shell(
        fmt::format("{} & job=$!; while kill -0 $job && [ ! -e state ]; do sleep 0.05; done; sleep {}; "
                    "kill -KILL $(pgrep -P $job | {} -n 1); wait $job",
                    on_ranks(2, train + "--epochs 3000 --checkpoint state --checkpoint-every 10"), moment, which));
    CHECK(killed.code != 0);
    const Result resumed =
        sandbox.shell(on_ranks(3, "train --resume state --epochs 3000 --out resumed.safetensors --quiet"));
    CAPTURE(resumed.error);
    REQUIRE(resumed.code == 0);
    CHECK(sandbox.read("resumed.safetensors") == sandbox.read("whole.safetensors"));
  }
}

}  // namespace
}  // namespace edgewise::test
