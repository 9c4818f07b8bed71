
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/sandbox.hpp"
#include "edgewise/io/safetensors.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::check_one_line;
using test::Result;
using test::Sandbox;

namespace {

/// Changes the member at `path` of the JSON in the first metadata, and writes a file with the right checksum.
void change_member(const Sandbox& sandbox, const io::Safetensors& good, const std::string& path,
                   const json::Value& value) {
  io::Safetensors bad = good;
  json::Value text = json::parse(bad.metadata.at(0).second, "metadata");
  json::set_at(text, path, value);
  bad.metadata.at(0).second = json::dump(text);
  io::write_safetensors(sandbox.path("bad").string(), bad);
}

/// Sets the last number of a tensor.
void change_number(const Sandbox& sandbox, const io::Safetensors& good, const std::string& tensor, float value) {
  io::Safetensors bad = good;
  for (io::Tensor& each : bad.tensors)
    if (each.name.starts_with(tensor) && !each.values.empty()) each.values.back() = value;
  io::write_safetensors(sandbox.path("bad").string(), bad);
}

io::Safetensors read(const Sandbox& sandbox, const std::string& name) {
  return io::read_safetensors(sandbox.path(name).string());
}

void check_refused(const Sandbox& sandbox, const std::string& arguments, const std::string& reason) {
  const Result result = sandbox.run(arguments);
  INFO(arguments << '\n' << reason << '\n' << result.error << result.out);
  CHECK(result.code == 4);
  CHECK_THAT(result.error, Contains("bad") && Contains(reason) && !Contains("checksum"));
}

}  // namespace

TEST_CASE("a checkpoint with a wrong member is refused with its path", "[apps][damaged_files]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--checkpoint good").code == 0);
  const io::Safetensors good = read(sandbox, "good");
  const std::string config = "note.config.";
  for (const auto& [member, value, reason] :
       std::vector<std::tuple<std::string, json::Value, const char*>>{
           {"epoch", -1, "epoch"},
           {"epoch", 1000, "adam_steps"},
           {"adam_steps", "many", "adam_steps"},
           {"has_kept", 2, "has_kept"},
           {"schedule.level", 7, "level"},
           {"schedule.since_best", -1, "since_best"},
           {"stopping.best_epoch", 21, "best epoch"},
           {"stopping.waited", -1, "wait"},
           {"stopping.best_metric", 7, "best validation metric is 7, which accuracy cannot be"},
           {"options.batch_size", 0, "batch_size"},
           {"model.blocks", json::Array{}, "another model.blocks"},
           {"note", 3, "note"},
           {"note.config", 3, "config"},
           {config + "data", json::Object{}, "configuration"},
           {config + "data.task", 0, "task"},
           {config + "data.edges", "", "configuration"},
           {config + "data.label", "unheard", "unheard"},
           {config + "data.id", "unheard", "unheard"},
           {config + "model.preset", "unheard", "unheard"},
           {config + "model.heads", "x", "heads"},
           {config + "model.readout", 3, "readout"},
           {config + "model.unheard", 3, "unheard"},
           {config + "split.kind", "unheard", "kind"},
           {config + "split.train", 7, "train"},
           {config + "training.metric", "unheard", "metric"},
           {config + "training.ensemble", 2, ""},
           {config + "training.runs", 0, "runs"},
           {"note.data_mark", 3, "expected a string"},
           {"note.split_mark", "other", "another split"},
       }) {
    INFO(member);
    change_member(sandbox, good, member, value);
    check_refused(sandbox, "train --resume bad", reason);
    check_refused(sandbox, "train --resume bad --epochs 30 --threads 1", reason);
  }
}

TEST_CASE("a checkpoint with a wrong number is refused with its path", "[apps][damaged_files]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--set training.average=0.9 --checkpoint good").code == 0);
  const io::Safetensors good = read(sandbox, "good");
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  for (const std::string tensor : {"model.", "adam.first.", "adam.second.", "average.", "kept."})
    for (const float value : {kNan, kInfinity, -kInfinity}) {
      change_number(sandbox, good, tensor, value);
      check_refused(sandbox, "train --resume bad --epochs 30 --out m.safetensors", "holds NaN or infinities");
    }
  change_number(sandbox, good, "adam.second.", -1);
  check_refused(sandbox, "train --resume bad --epochs 30 --out m.safetensors", "holds negative numbers");
  CHECK_FALSE(std::filesystem::exists(sandbox.path("m.safetensors")));
}

TEST_CASE("a checkpoint of several runs with a wrong number is refused with its path", "[apps][damaged_files]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--runs 2 --epochs 3 --checkpoint good").code == 0);
  const io::Safetensors good = read(sandbox, "good");
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {kNan, kInfinity, 7.0F, -1.0F}) {
    change_number(sandbox, good, "note.predictions", value);
    check_refused(sandbox, "train --resume bad --runs 3 --predictions p.csv", "expected probabilities");
  }
  CHECK_FALSE(std::filesystem::exists(sandbox.path("p.csv")));
  const json::Array runs = json::parse(good.metadata.at(0).second, "metadata").at("note").at("runs").as_array();
  json::Array bad = runs;
  json::set_at(bad[1], "report.test.accuracy", 7);
  change_member(sandbox, good, "note.runs", bad);
  check_refused(sandbox, "train --resume bad", "note.runs[1].report.test.accuracy: expected a share in [0, 1], got 7");
}

TEST_CASE("a model with a wrong member is refused with its path", "[apps][damaged_files]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--out good").code == 0);
  io::Safetensors good = read(sandbox, "good");
  const auto place = [&](const char* name) {
    return std::ranges::find(good.metadata, name, &std::pair<std::string, std::string>::first);
  };
  for (const auto& [part, member, value] : std::vector<std::tuple<const char*, const char*, json::Value>>{
           {"edgewise.shape", "inputs", 1},
           {"edgewise.shape", "outputs", 3},
           {"edgewise.shape", "edge_features", 2147483647},
           {"edgewise.shape", "pair_features", 5},
           {"edgewise.model", "graph.self_loops", 3},
           {"edgewise.model", "graph.weight_as_feature", false},
           {"edgewise.sections", "data", json::Object{}},
           {"edgewise.sections", "data.task", "unheard"},
           {"edgewise.sections", "data.hydrogens", true},
           {"edgewise.sections", "data.encodings.random_walk", 7},
           {"edgewise.sections", "data.label", json::Array{3}},
           {"edgewise.sections", "split.kind", "unheard"},
           {"edgewise.sections", "labels.task", "regression"},
           {"edgewise.sections", "labels.names", json::Array{}},
           {"edgewise.sections", "label_input", 7},
           {"edgewise.sections", "training", 3},
           {"edgewise.sections", "training.validation", json::Object{{"accuracy", 7}}},
           {"edgewise.sections", "training.positive_class", "unheard"},
       }) {
    INFO(part << ": " << member);
    std::iter_swap(good.metadata.begin(), place(part));
    change_member(sandbox, good, member, value);
    for (const char* verb : {"evaluate bad", "predict bad", "explain bad --node p0"}) check_refused(sandbox, verb, "");
  }
}

TEST_CASE("a path that leads to no file is an error with the path", "[apps][damaged_files]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--out m").code == 0);
  for (const std::string end : {"", ".csv", ".gml"}) {
    std::filesystem::create_symlink("loop" + end, sandbox.path("loop" + end));
    std::filesystem::create_directory(sandbox.path("folder" + end));
  }
  const std::string known = Sandbox::kFiles, job = std::string("train ") + Sandbox::kTrain;
  for (const std::string& path : {std::string("loop"), std::string("folder"), std::string(300, 'n'),
                                  std::string("people.csv/x"), std::string("nowhere/x")}) {
    const auto check = [&](const std::string& arguments) {
      const Result result = sandbox.run(arguments);
      INFO(arguments << '\n' << result.error);
      CHECK(result.code == 3);
      check_one_line(result);
      CHECK_THAT(result.error, Contains(path));
    };
    for (const char* reads :
         {"inspect --edges ", "inspect --molecules ", "inspect --texts ", "inspect --edges friends.csv --nodes ",
          "inspect --edges friends.csv --features ", "inspect --tu ", "train --config ", "train --resume ", "evaluate ",
          "predict ", "explain --node p0 ", "predict m --edges friends.csv --nodes ", "predict m --nodes-to-predict ",
          "bench attention --edges "})
      check(reads + path);
    check("inspect --graph " + path + ".gml");
    check(job + "--from " + path);
    check(job + "--split-file " + path);
    for (const char* writes : {"--out ", "--checkpoint ", "--metrics "}) check(job + writes + path);
    check(job + "--predictions " + path + ".csv");
    check("predict m --out " + path + ".csv");
    check("compare --label buys --models mlp --runs 1 --epochs 1 " + known + "--log " + path);
    check("tune --label buys --models mlp --brackets 1 --epochs 1 " + known + "--log " + path);
  }
}
