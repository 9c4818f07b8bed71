#include "edgewise/train/loop/sampling.hpp"

#include <catch2/catch.hpp>

#include "edgewise/train/loop/train_options.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

nn::Model follower(const std::string& config) {
  return nn::Model(json::parse(config, "model"), {.inputs = 3, .outputs = 2}, 1);
}

}  // namespace

TEST_CASE("a sampling is read from its text", "[train][sampling]") {
  const auto neighbours = std::get<graph::NeighbourSampling>(train::read_sampling("15,10", true, 256));
  CHECK(neighbours.fan_outs == std::vector<std::uint32_t>{15, 10});
  CHECK(neighbours.replace);
  CHECK(neighbours.batch_size == 256);
  CHECK(std::get<graph::NeighbourSampling>(train::read_sampling("5", false, 1)).fan_outs.size() == 1);
  const auto clusters = std::get<graph::ClusterSampling>(train::read_sampling("clusters:64/4", false, 1));
  CHECK(clusters.clusters == 64);
  CHECK(clusters.at_once == 4);
  const auto walks = std::get<graph::WalkSampling>(train::read_sampling("walks:3000x2", false, 1));
  CHECK(walks.roots == 3000);
  CHECK(walks.length == 2);
}

TEST_CASE("texts that say no sampling are refused with the setting", "[train][sampling]") {
  for (const char* text : {"", "15,", ",10", "0", "15;10", "-3", "1.5", "99999999999", "cluster:4/2", "clusters:4",
                           "clusters:4x2", "walks:30", "walks:30/2", "walks:0x2", "random"}) {
    INFO(text);
    CHECK_THROWS_WITH(train::read_sampling(text, false, 1),
                      Contains("training.sample: expected fan-outs such as 15,10"));
  }
  CHECK_THROWS_WITH(train::read_sampling("clusters:64/5", false, 1),
                    Contains("training.sample: expected a number of clusters that those at once divide"));
  CHECK_THROWS_WITH(train::read_sampling("walks:30x2", true, 1),
                    Contains("training.replace: is for sampled neighbours"));
}

TEST_CASE("options of a training say how to sample", "[train][sampling]") {
  const auto parse = [](const char* text) { return train::parse_train_options(json::parse(text, "training")); };
  const train::TrainOptions options = parse(R"({"sample": "15,10"})");
  CHECK(options.batch_size == 1024);
  CHECK(parse(R"({"sample": "15,10", "batch_size": 64})").batch_size == 64);
  CHECK(parse("{}").batch_size == 64);
  CHECK(train::to_json(options).at("sample").as_string() == "15,10");
  CHECK(train::to_json(train::TrainOptions{}).find("sample") == nullptr);
  CHECK(train::to_json(train::TrainOptions{}).find("replace") == nullptr);
  CHECK(train::to_json(parse(R"({"sample": "5", "replace": true})")).at("replace").as_bool());
  CHECK_THROWS_WITH(parse(R"({"sample": "many"})"), Contains("training.sample: expected"));
  CHECK_THROWS_WITH(parse(R"({"replace": true})"), Contains("training.replace: expected training.sample"));
}

TEST_CASE("models that do not only follow edges are refused", "[train][sampling]") {
  const graph::NeighbourSampling two{.fan_outs = {15, 10}}, any{.fan_outs = {5}};
  for (const char* config : {R"({"preset": "sage"})", R"({"preset": "gatv2", "residual": "pre_norm"})",
                             R"({"preset": "gcn"})", R"({"preset": "gps", "global": "none"})"}) {
    INFO(config);
    CHECK_NOTHROW(train::check_sampling(two, follower(config)));
    CHECK_NOTHROW(train::check_sampling(graph::ClusterSampling{}, follower(config)));
  }
  for (const char* config : {R"({"preset": "mlp"})", R"({"preset": "grand"})", R"({"preset": "gcn2", "layers": 3})"})
    CHECK_NOTHROW(train::check_sampling(any, follower(config)));
  CHECK_THROWS_WITH(train::check_sampling(two, follower(R"({"preset": "sage", "layers": 3})")),
                    "training.sample: expected 3 fan-outs, one for each step of the model along the edges, or one for "
                    "all, got 2");
  for (const char* config :
       {R"({"preset": "gps"})", R"({"preset": "gps", "global": "complete"})", R"({"preset": "attention"})",
        R"({"preset": "window"})", R"({"preset": "lstm"})", R"({"preset": "gat", "mask": "k_hop:2"})",
        R"({"preset": "gat", "readout": "mean"})", R"({"preset": "attention", "mask": "edges"})"}) {
    INFO(config);
    CHECK_THROWS_WITH(train::check_sampling(any, follower(config)),
                      Contains("training.sample: the model does not only follow edges, as gat, gatv2, bahdanau, "
                               "transformer, gcn, gcn2, grand, sage, rgcn, rgat, hgt, gat_sep, gatv2_sep, "
                               "transformer_sep do"));
  }
}
