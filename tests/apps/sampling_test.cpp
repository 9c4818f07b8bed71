// --sample on the command line.
#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

TEST_CASE("a model is trained on samples, and predicts from all edges", "[apps][sampling]") {
  const Sandbox sandbox;
  for (const char* sample :
       {"3,2 --batch-size 4", "3 --set training.replace=true --batch-size 4", "clusters:4/2", "walks:5x2"}) {
    INFO(sample);
    const Result trained = sandbox.train(
        fmt::format("--model gatv2 --out m.safetensors --predictions one.csv --json --sample {}", sample));
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    CHECK(sandbox.run("predict m.safetensors " + std::string(Sandbox::kFiles) + "--out again.csv").code == 0);
    CHECK(sandbox.read("again.csv") == sandbox.read("one.csv"));
    CHECK(sandbox.train(fmt::format("--model gatv2 --predictions two.csv --threads 2 --sample {}", sample)).code == 0);
    CHECK(sandbox.read("two.csv") == sandbox.read("one.csv"));
  }
  const Result config = sandbox.train("--model gatv2 --sample 3,2 --print-config");
  CHECK_THAT(config.out, Contains("\"sample\": \"3,2\"") && Contains("\"batch_size\": 1024"));
  CHECK_FALSE(Contains("\"sample\"").match(sandbox.train("--print-config").out));
}

TEST_CASE("a training over samples goes on after a checkpoint", "[apps][sampling]") {
  const Sandbox sandbox;
  const std::string job = "--model gatv2 --sample 3,2 --batch-size 4 ";
  REQUIRE(sandbox.train(job + "--predictions whole.csv").code == 0);
  REQUIRE(sandbox.train(job + "--epochs 7 --checkpoint c").code == 0);
  REQUIRE(sandbox.train(job + "--resume c --predictions resumed.csv").code == 0);
  CHECK(sandbox.read("resumed.csv") == sandbox.read("whole.csv"));
  CHECK_THAT(sandbox.train("--model gatv2 --sample 3,3 --batch-size 4 --resume c").error, Contains("sample"));
}

TEST_CASE("samples that do not suit are refused in one line", "[apps][sampling]") {
  const Sandbox sandbox;
  const auto check = [&](const std::string& arguments, const std::string& message) {
    INFO(arguments);
    const Result refused = sandbox.train(arguments);
    CHECK(refused.code == 2);
    const std::string last = refused.error.substr(refused.error.rfind('\n', refused.error.size() - 2) + 1);
    CHECK_THAT(last, Catch::Matchers::StartsWith("edgewise: ") && Contains(message));
  };
  check("--model gatv2 --sample many",
        "training.sample: expected fan-outs such as 15,10, clusters:64/4 or walks:3000x2");
  check("--model gatv2 --sample 3,2,1", "expected 2 fan-outs, one for each step of the model along the edges");
  check("--model gps --sample 3", "training.sample: the model does not only follow edges, as gat, gatv2");
  check("--model gatv2 --set training.replace=true", "training.replace: expected --sample as well, such as 15,10");
  check("--model gatv2 --sample clusters:4/2 --set training.replace=true",
        "training.replace: is for sampled neighbours, such as --sample 15,10");
  check("--model gatv2 --sample clusters:9000/2", "training.sample: expected at most as many clusters as the");
  check("--model gatv2 --sample 3 --consistency 2", "a step sees a sample of the nodes");
  sandbox.write("m.csv", "smiles,carbons\nC,1\nCC,2\nCCC,3\nCCCC,4\n");
  const Result graphs = sandbox.run("train --molecules m.csv --target carbons --sample 3");
  CHECK(graphs.code == 2);
  CHECK_THAT(graphs.error, Contains("training.sample: is for the nodes of one graph; "));
}
