#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <limits>

#include "apps/sandbox.hpp"
#include "edgewise/io/safetensors.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::check_one_line;
using test::lines_of;
using test::Result;
using test::Sandbox;

namespace {

void write_gzip(const std::string& path, const std::string& text) {
  gzFile file = ::gzopen(path.c_str(), "wb9");
  REQUIRE(::gzwrite(file, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size()));
  ::gzclose(file);
}

/// Runs with limited address space, or without a limit under the address sanitizer, which reserves terabytes.
Result run_within(const Sandbox& sandbox, [[maybe_unused]] int mebibytes, const std::string& arguments) {
#ifdef __SANITIZE_ADDRESS__
  return sandbox.run(arguments);
#else
  return sandbox.shell(fmt::format("ulimit -v {}; {}{}", mebibytes << 10, Sandbox::kBinary, arguments));
#endif
}

std::string repeat(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

/// Features so large that one training step overflows.
void write_huge(const Sandbox& sandbox) {
  std::string nodes = "id,y,split\n", edges = "source,target\n", features = "node,feature,value\n";
  for (int i = 0; i < 60; ++i) {
    nodes += fmt::format("n{},{},train\n", i, i % 2 == 0 ? "a" : "b");
    edges += fmt::format("n{},n{}\n", i, (i + 1) % 60);
    features += fmt::format("n{},{},{}\n", i, i % 5, i == 7 ? "3e38" : "1");
  }
  sandbox.write("huge.csv", nodes);
  sandbox.write("ring.csv", edges);
  sandbox.write("features.csv", features);
}

/// Sets one number in a tensor of a model or checkpoint.
void damage(const Sandbox& sandbox, const std::string& from, const std::string& to, const std::string& tensor,
            float value) {
  io::Safetensors content = io::read_safetensors(sandbox.path(from).string());
  bool is_found = false;
  for (io::Tensor& each : content.tensors) {
    if (each.name.find(tensor) == std::string::npos || each.values.empty()) continue;
    each.values.back() = value;
    is_found = true;
  }
  REQUIRE(is_found);
  io::write_safetensors(sandbox.path(to).string(), content);
}

}  // namespace

TEST_CASE("a closed standard error changes neither exit code nor files", "[apps][reliability]") {
  const Sandbox sandbox;
  for (const char* where : {"2>/dev/full", "2>&-", "2> >(true)"}) {
    INFO(where);
    const auto shell = [&](const std::string& arguments) {
      return sandbox.shell("bash -c \"" + Sandbox::kBinary + arguments + " " + where + "\"");
    };
    CHECK(shell("inspect --edges /nonexist").code == 3);
    CHECK(shell(fmt::format("train {} --out m.safetensors", Sandbox::kTrain)).code == 0);
    CHECK(std::filesystem::exists(sandbox.path("m.safetensors")));
    std::filesystem::remove(sandbox.path("m.safetensors"));
  }
}

TEST_CASE("a standard output that cannot be written is an error, after the model is saved", "[apps][reliability]") {
  const Sandbox sandbox;
  for (const char* where : {">/dev/full", ">&-"}) {
    INFO(where);
    CHECK(sandbox
              .shell("bash -c \"" + Sandbox::kBinary + "train " + Sandbox::kTrain + " --out m.safetensors " + where +
                     "\"")
              .code == 3);
    CHECK(std::filesystem::exists(sandbox.path("m.safetensors")));
    std::filesystem::remove(sandbox.path("m.safetensors"));
  }
  for (const char* arguments : {"--help", "train --help", "--version"}) {
    INFO(arguments);
    const Result result = sandbox.run(std::string(arguments) + " >/dev/full");
    CHECK(result.code == 3);
    CHECK_THAT(result.error, Contains("standard output: writing failed"));
  }
  CHECK(
      sandbox.shell("(" + Sandbox::kBinary + "train " + Sandbox::kTrain + " --out m.safetensors; echo $? >code) | true")
          .code == 0);
  CHECK((sandbox.read("code") == "0\n" || sandbox.read("code") == "3\n"));
  CHECK(std::filesystem::exists(sandbox.path("m.safetensors")));
}

TEST_CASE("numbers that are not finite are neither saved nor printed", "[apps][reliability]") {
  const Sandbox sandbox;
  write_huge(sandbox);
  const Result diverged = sandbox.run(
      "train --edges ring.csv --nodes huge.csv --features features.csv --label y --epochs 1 --stopping none "
      "--set split.holdout=0 --out m.safetensors --predictions p.csv");
  INFO(diverged.error);
  CHECK(diverged.code == 5);
  CHECK_FALSE(std::filesystem::exists(sandbox.path("m.safetensors")));
  CHECK_FALSE(std::filesystem::exists(sandbox.path("p.csv")));

  REQUIRE(sandbox.train("--out good.safetensors --checkpoint good.ck").code == 0);
  damage(sandbox, "good.safetensors", "huge.safetensors", "weight", 3e38F);
  damage(sandbox, "good.safetensors", "bad.safetensors", "weight", std::numeric_limits<float>::quiet_NaN());
  const std::string data = std::string(Sandbox::kFiles);
  for (const char* verb :
       {"predict huge.safetensors --out p.csv ", "evaluate huge.safetensors ", "explain huge.safetensors --node p0 "}) {
    INFO(verb);
    const Result result = sandbox.run(verb + data);
    CHECK(result.code == 5);
    CHECK_FALSE(std::filesystem::exists(sandbox.path("p.csv")));
  }
  CHECK(sandbox.run("predict bad.safetensors --out p.csv " + data).code == 4);
  for (const auto& [tensor, value] :
       {std::pair("model.", std::numeric_limits<float>::quiet_NaN()),
        std::pair("kept.", std::numeric_limits<float>::infinity()), std::pair("adam.second.", -1.0F)}) {
    INFO(tensor);
    damage(sandbox, "good.ck", "bad.ck", tensor, value);
    const Result result = sandbox.run("train --resume bad.ck --epochs 30 --out resumed.safetensors");
    CHECK(result.code == 4);
    CHECK_THAT(result.error, Contains("bad.ck"));
    CHECK_FALSE(std::filesystem::exists(sandbox.path("resumed.safetensors")));
  }
}

TEST_CASE("a checkpoint that is given as a model is called one", "[apps][reliability]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--checkpoint run.ck").code == 0);
  const std::string training = std::string("train --from run.ck ") + Sandbox::kTrain;
  for (const std::string& command : {std::string("predict run.ck"), training}) {
    const Result result = sandbox.run(command);
    INFO(command << '\n' << result.error);
    CHECK(result.code == 4);
    CHECK_THAT(result.error, Contains("run.ck: is a checkpoint, not a model; continue it with edgewise train --resume "
                                      "run.ck"));
  }
}

TEST_CASE("a deleted current folder is named in one line", "[apps][reliability]") {
  const Sandbox sandbox;
  for (const std::string command : {"train --edges a.csv --label x --out m", "train karate-club --epochs 1 --out m",
                                    "compare karate-club --epochs 1 --log m", "data split karate-club --out m"}) {
    const Result result = sandbox.shell("mkdir gone && cd gone && rmdir ../gone && " + Sandbox::kBinary + command);
    INFO(command << '\n' << result.error);
    CHECK(result.code == 3);
    CHECK_THAT(result.error, Contains("edgewise: m: cannot be written: the current folder no longer exists\n"));
  }
}

TEST_CASE("a damaged configuration in a checkpoint is a model error with its path", "[apps][reliability]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--checkpoint good.ck").code == 0);
  const io::Safetensors good = io::read_safetensors(sandbox.path("good.ck").string());
  for (const auto& [from, to] :
       {std::pair("\"task\":\"auto\"", "\"task\":\"none\""), std::pair("\"heads\":2", "\"heads\":-2"),
        std::pair("\"hidden\":8", "\"hidden\":\"\""), std::pair("\"config\"", "\"confog\""),
        std::pair("\"epochs\":20", "\"epochs\":true")}) {
    INFO(from);
    io::Safetensors bad = good;
    std::string& text = bad.metadata.at(0).second;
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + std::strlen(to)))
      text.replace(at, std::strlen(from), to);
    io::write_safetensors(sandbox.path("bad.ck").string(), bad);
    const Result result = sandbox.run("train --resume bad.ck");
    CHECK(result.code == 4);
    CHECK_THAT(result.error, Contains("bad.ck"));
  }
}

TEST_CASE("no output replaces a device, an input or another output", "[apps][reliability]") {
  const Sandbox sandbox;
  std::filesystem::create_symlink("friends.csv", sandbox.path("link.csv"));
  std::filesystem::create_hard_link(sandbox.path("people.csv"), sandbox.path("hard.csv"));
  const std::string friends = sandbox.read("friends.csv");
  REQUIRE(sandbox.train("--out m.safetensors --checkpoint c.ck").code == 0);
  CHECK(sandbox.train("--out /dev/null").code == 3);
  CHECK(std::filesystem::is_character_file("/dev/null"));
  for (const char* arguments : {"--out friends.csv", "--out link.csv", "--metrics hard.csv",
                                "--predictions ./people.csv", "--checkpoint friends.csv", "--out a --checkpoint a",
                                "--out a --metrics ./a", "--out a --predictions a.csv --metrics a.csv",
                                "--out a --metrics a.checkpoint", "--save-splits s --predictions s/split-0.csv",
                                "--config m.safetensors --out m.safetensors", "--resume c.ck --out c.ck"}) {
    INFO(arguments);
    const Result result = sandbox.train(arguments);
    CHECK((result.code == 2 || result.code == 3));
    check_one_line(result);
  }
  CHECK(sandbox.read("friends.csv") == friends);
  const std::string data = std::string(Sandbox::kFiles);
  CHECK(sandbox.run("predict m.safetensors --out friends.csv").code == 2);
  CHECK(sandbox.run("predict m.safetensors --out people.csv " + data).code == 2);
  CHECK(sandbox.run("explain m.safetensors --out link.csv").code == 2);
  CHECK(sandbox.run("data split " + data + "--label buys --out hard.csv").code == 2);
  CHECK(sandbox.train("--resume c.ck --checkpoint c.ck --epochs 22").code == 0);
}

TEST_CASE("symbolic links are followed and file modes are kept", "[apps][reliability]") {
  const Sandbox sandbox;
  sandbox.write("store.safetensors", "old");
  REQUIRE(::chmod(sandbox.path("store.safetensors").c_str(), 0600) == 0);
  std::filesystem::create_symlink("store.safetensors", sandbox.path("m.safetensors"));
  REQUIRE(sandbox.train("--out m.safetensors").code == 0);
  CHECK(std::filesystem::is_symlink(sandbox.path("m.safetensors")));
  CHECK(sandbox.run("evaluate store.safetensors").code == 0);
  struct stat status{};
  REQUIRE(::stat(sandbox.path("store.safetensors").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("a resumed training appends to its metrics", "[apps][reliability]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--checkpoint c.ck --metrics m.jsonl").code == 0);
  const std::string before = sandbox.read("m.jsonl");
  sandbox.write("m.jsonl", before + "{\"half\": ");
  REQUIRE(sandbox.run("train --resume c.ck --epochs 25 --metrics m.jsonl").code == 0);
  CHECK(sandbox.read("m.jsonl").substr(0, before.size()) == before);
  CHECK(lines_of(sandbox.read("m.jsonl")) == lines_of(before) + 6);
  CHECK(sandbox.read("m.jsonl").find("half") == std::string::npos);
  const Result full = sandbox.train("--out m.safetensors --metrics /dev/full");
  CHECK(full.code == 3);
}

TEST_CASE("small files cannot cost gigabytes", "[apps][reliability]") {
  const Sandbox sandbox;
  constexpr int kMebibytes = 512;
  const auto check_refused = [&](const std::string& arguments, const std::string& message) {
    INFO(arguments);
    const Result result = run_within(sandbox, kMebibytes, arguments);
    CHECK(result.code == 3);
    check_one_line(result);
    CHECK_THAT(result.error, Contains(message));
  };
  write_gzip(sandbox.path("comments.csv.gz"), repeat("#\n", 30'000'000));
  check_refused("inspect --edges comments.csv.gz", "holds no rows");
  write_gzip(sandbox.path("columns.csv.gz"), "id" + repeat(",", 10'000'000) + "\n");
  check_refused("inspect --edges friends.csv --nodes columns.csv.gz", "columns.csv.gz:1: more than 1000000 columns");
  write_gzip(sandbox.path("quote.csv.gz"), "source,target\n\"" + repeat("a,b\n", 10'000'000));
  check_refused("inspect --edges quote.csv.gz", "quote.csv.gz:2: a quote is opened in this record and not closed");
  write_gzip(sandbox.path("line.csv.gz"), "source,target\n" + std::string(30'000'000, 'a'));
  check_refused("inspect --edges line.csv.gz", "line.csv.gz:2: the line is longer than 16 MiB");
  std::string nodes;
  for (int i = 0; i < 10'000; ++i) nodes += fmt::format("{}{{\"id\":{},\"k{}\":1}}", i == 0 ? "" : ",", i, i);
  sandbox.write("attributes.json", "{\"nodes\":[" + nodes + "],\"links\":[]}");
  check_refused("inspect --graph attributes.json", "most of them missing");
  std::string names;
  for (int i = 0; i < 3000; ++i) names += fmt::format("n{} ", i);
  sandbox.write("product.dot", "digraph {\n {" + names + "} -> {" + names + "} }");
  check_refused("inspect --graph product.dot", "product.dot:2: more than 1");
  sandbox.write("nodes.csv", "# nodes=2147483647 features=3\nnode,feature,value\n0,1,1\n");
  check_refused("inspect --edges friends.csv --features nodes.csv", "nodes.csv");
  const std::string empty = repeat("<a/>", 2'000'000);
  sandbox.write("empty.graphml", "<graphml>" + empty + "<graph edgedefault='directed'/></graphml>");
  CHECK(run_within(sandbox, kMebibytes, "inspect --graph empty.graphml").code == 0);
}

TEST_CASE("a byte of text costs at most 64 bytes of memory, in every format", "[apps][reliability]") {
  const Sandbox sandbox;
  constexpr int kCount = 300'000;
  constexpr int kMebibytesOfTheProgram = 256;
  const auto repeat_rows = [](const char* format) {
    std::string rows;
    for (int i = 0; i < kCount; ++i) rows += fmt::format(fmt::runtime(format), i, i + 1);
    return rows;
  };
  const auto check = [&](const char* name, const std::string& content, const std::string& flags) {
    INFO(name);
    sandbox.write(name, content);
    const int mebibytes = kMebibytesOfTheProgram + static_cast<int>(64 * content.size() >> 20);
    const Result result = run_within(sandbox, mebibytes, "inspect --threads 1 " + flags + " " + name);
    CHECK_THAT(result.error, Catch::Equals(""));
    CHECK(result.code == 0);
  };
  sandbox.write("one.csv", "source,target\n0,1\n");
  check("edges.csv", "source,target\n" + repeat_rows("{},{}\n"), "--edges");
  check("numbers.csv", "id,x\n" + repeat_rows("{},{}\n"), "--edges one.csv --nodes");
  check("words.csv", "id,x\n" + repeat_rows("{},w{}\n"), "--edges one.csv --nodes");
  check("sparse.csv", "# nodes=2 features=400000\nnode,feature,value\n" + repeat_rows("0,{},1\n"),
        "--edges one.csv --features");
  check("g.graphml",
        "<graphml><graph edgedefault='directed'>" + repeat_rows("<node id='{}'/>") + "<edge source='0' target='1'/>" +
            "</graph></graphml>",
        "--graph");
  check("g.gml", "graph [" + repeat_rows("node [id {}]") + "]", "--graph");
  check("g.dot", "digraph {" + repeat_rows("{}->{};") + "}", "--graph");
  check("g.json", R"({"nodes": [)" + repeat_rows(R"({{"id": {}}},)") + R"({"id": "last"}], "links": []})", "--graph");
}

TEST_CASE("many columns and members are read or refused", "[apps][reliability]") {
  constexpr int kCount = 200'000;  // it would take long to search all of them for each
  const Sandbox sandbox;
  std::string header = "id", row = "a", keys;
  for (int i = 0; i < kCount; ++i) {
    header += fmt::format(",c{}", i);
    row += ",1";
    keys += fmt::format("{}\"k{}\":1", i == 0 ? "" : ",", i);
  }
  sandbox.write("columns.csv", header + "\n" + row + "\n");
  sandbox.write("keys.json", "{" + keys + "}");
  sandbox.write("nested.json", "{\"model\": {" + keys + "}}");
  sandbox.write("one.csv", "a,a\n");
  CHECK(sandbox.run("inspect --edges one.csv --nodes columns.csv").code == 0);
  CHECK(sandbox.run("inspect --graph keys.json").code == 3);
  CHECK(sandbox.run("train --edges friends.csv --config keys.json").code == 2);
  CHECK(sandbox.run("train --edges friends.csv --nodes people.csv --label buys --config nested.json").code == 2);
}

TEST_CASE("absurd sizes are refused in one line", "[apps][reliability]") {
  const Sandbox sandbox;
  for (const char* arguments :
       {"--layers 2000000000", "--heads 100000", "--hidden 2000000000 --heads 1", "--ensemble 1000000000",
        "--runs 1000000000", "--layers 1000 --hidden 1000000 --heads 1 --model mlp"}) {
    INFO(arguments);
    const Result result = run_within(sandbox, 2048, "train " + std::string(Sandbox::kTrain) + arguments);
    CHECK(result.code == 2);
    CHECK_THAT(result.error, Contains("edgewise: "));
  }
  CHECK(run_within(sandbox, 2048, "train " + std::string(Sandbox::kTrain) + "--threads 1024").code == 0);
}

#ifndef __SANITIZE_ADDRESS__  // without a memory limit they are computed
TEST_CASE("too many pairs for the memory are refused", "[apps][reliability]") {
  const Sandbox sandbox;
  sandbox.write("long.csv", "smiles,y\n" + std::string(20'000, 'C') + ",1\nCC,2\nCCC,3\nCCCC,4\n");
  const Result pairs = run_within(sandbox, 8192, "train --molecules long.csv --target y --model gps --epochs 1");
  CHECK(pairs.code == 2);
  CHECK_THAT(pairs.error, Contains("all pairs of the 20000 nodes"));
  for (const char* mask : {"complete+distance", "causal"}) {
    const Result others =
        run_within(sandbox, 8192,
                   fmt::format("train --molecules long.csv --target y --model transformer --mask {} --epochs 1", mask));
    CHECK(others.code == 2);
    CHECK_THAT(others.error, Contains("pairs of the 20000 nodes of the largest graph"));
  }
}

TEST_CASE("a mask along edges that does not fit in memory is refused", "[apps][reliability]") {
  const Sandbox sandbox;
  std::string edges = "source,target\n", nodes = "id,x,y\nhub,1,a\n";
  for (int i = 0; i < 30'000; ++i) {
    edges += fmt::format("hub,{}\n", i);
    nodes += fmt::format("{},{},{}\n", i, i % 7, i % 2 == 0 ? "a" : "b");
  }
  sandbox.write("star.csv", edges);
  sandbox.write("nodes.csv", nodes);
  const std::string train = "train --edges star.csv --nodes nodes.csv --label y --model gat --epochs 1 --hidden 8 ";
  const Result hops = run_within(sandbox, 8192, train + "--mask k_hop:2");
  CHECK(hops.code == 2);
  CHECK_THAT(hops.error, Contains("pairs of the 30001 nodes of the largest graph (\"k_hop:2\") would take at least") &&
                             Contains("use fewer hops, or a model that attends along edges"));
  CHECK(run_within(sandbox, 8192, train + "--mask k_hop:1").code == 0);
}

TEST_CASE("more classes than Correct and Smooth has memory for are refused", "[apps][reliability]") {
  const Sandbox sandbox;
  std::string edges = "source,target\n", nodes = "id,x,y\n";
  for (int i = 0; i < 25'000; ++i) {
    edges += fmt::format("{},{}\n", i, (i + 1) % 25'000);
    nodes += fmt::format("{},{},c{}\n", i, i % 7, i);
  }
  sandbox.write("ring.csv", edges);
  sandbox.write("many.csv", nodes);
  const Result result =
      run_within(sandbox, 8192,
                 "train --edges ring.csv --nodes many.csv --label y --model mlp --hidden 2 --epochs 1 "
                 "--correct-and-smooth always");
  CHECK(result.code == 2);
  CHECK_THAT(result.error, Contains("25000 classes of 25000 nodes would take at least 11 GiB, more memory than is "
                                    "available"));
}

TEST_CASE("a text whose rows do not fit in memory is refused", "[apps][reliability]") {
  const Sandbox sandbox;
  std::string words;
  for (int i = 0; i < 200'000; ++i) words += "a b ";
  sandbox.write("texts.csv", "text,y\na b,1\n" + words + ",2\nb,1\na,2\n");
  const auto train = [&](const std::string& mask) {
    return run_within(sandbox, 8192, "train --texts texts.csv --label y --epochs 1 --hidden 512 --mask " + mask);
  };
  const Result rows = train("band:2");
  CHECK(rows.code == 2);
  CHECK_THAT(rows.error, Contains("texts.csv:3: model: the 400000 nodes of the largest graph would take at least"));
  const std::string complete = "train --texts texts.csv --label y --epochs 1 --hidden 8 --heads 2 --mask complete";
  CHECK_THAT(run_within(sandbox, 8192, complete).error,
             Contains("texts.csv:3: model: attention between all pairs") && Contains("such as --mask band:8"));
}
#endif

TEST_CASE("a hang-up saves, and a file size limit is an error", "[apps][reliability]") {
  const Sandbox sandbox;
  // The tests themselves may run with hang-ups ignored, as under nohup.
  const std::string train = "env --default-signal=HUP " + Sandbox::kBinary + "train " + Sandbox::kTrain +
                            "--set training.stopping=none --epochs 100000000 ";
  const Result result =
      sandbox.shell(train +
                    "--metrics m.jsonl --out m.safetensors & "
                    "while ! [ -s m.jsonl ] && kill -0 $!; do sleep 0.05; done; kill -HUP $!; wait $!");
  CHECK(result.code == 130);
  CHECK(std::filesystem::exists(sandbox.path("m.safetensors.checkpoint")));
  const Result limited =
      sandbox.shell("ulimit -f 1; " + Sandbox::kBinary + "train " + Sandbox::kTrain + "--out big.safetensors");
  CHECK(limited.code == 3);
  CHECK_THAT(limited.error, Contains("File too large"));
  CHECK_FALSE(std::filesystem::exists(sandbox.path("big.safetensors")));
}

TEST_CASE("messages are one bounded line without control characters", "[apps][reliability]") {
  const Sandbox sandbox;
  sandbox.write("control.csv", "id,a\x1b[2Jb,a\x1b[2Jb\n1,2,3\n");
  sandbox.write("control.json", "{\"\\u001b[2J\":1,\"\\u001b[2J\":2}");
  sandbox.write("c1.json", "{\"nodes\":[{\"id\":\"\xc2\x9b\"}],\"links\":[{\"source\":\"\xc2\x9b!\",\"target\":1}]}");
  for (const char* arguments : {"inspect --edges friends.csv --nodes control.csv", "inspect --graph control.json",
                                "inspect --graph c1.json", "train $'\\033[2J'"}) {
    INFO(arguments);
    const Result result = sandbox.shell("bash -c \"" + Sandbox::kBinary + arguments + "\"");
    CHECK(result.code != 0);
    check_one_line(result);
    CHECK(result.error.find_first_of("\x1b\x9b") == std::string::npos);
  }
  sandbox.write("people2.csv", "id,a\x1b[2Jb\np0,1\n");
  sandbox.write("one.csv", "p0,p0\n");
  for (const char* json : {"", " --json"})
    CHECK(sandbox.run("inspect --edges one.csv --nodes people2.csv" + std::string(json)).out.find('\x1b') ==
          std::string::npos);
  const Result lengthy = sandbox.run("train " + std::string(100'000, 'x'));
  CHECK(lengthy.code == 2);
  CHECK(lengthy.error.size() < 2200);
}
