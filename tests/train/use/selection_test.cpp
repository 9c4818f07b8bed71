#include "edgewise/train/use/selection.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/train/loop/graph_batches.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "support/chorded_ring.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

train::TrainedModel make(const std::string& config, std::uint64_t seed = 3) {
  const json::Value model = nn::expand_model(json::parse(config, "model"));
  const bool has_weights = nn::graph_options_of(model).weight_as_feature;
  return {.model = nn::Model(model, {.inputs = 5, .outputs = 3, .edge_features = has_weights ? 1 : 0}, seed),
          .data = {},
          .split = {},
          .features = {},
          .label_names = {"a", "b", "c"},
          .scaler = {},
          .training = {}};
}

Matrix rows_at(const Matrix& all, const std::vector<graph::Node>& nodes) { return Matrix(all(nodes, Eigen::all)); }

}  // namespace

TEST_CASE("a selection has the same bits as the full pass", "[train][selection]") {
  const graph::Graph graph = test::chorded_ring();
  const data::Features features = test::noise_on_ring(5);
  const std::vector<graph::Node> selected = {150, 3, 299, 3, 42};
  const auto [config, reach] = GENERATE(table<std::string, int>({
      {R"({"preset": "gat", "hidden": 16})", 2},
      {R"({"preset": "gat", "hidden": 16, "graph": {"weight_as_feature": true}})", 2},
      {R"({"preset": "gatv2", "hidden": 16, "layers": 3, "norm": "batch"})", 3},
      {R"({"preset": "gcn"})", 3},
      {R"({"preset": "gcn", "edge_weights": true, "graph": {"weight_as_feature": true}})", 3},
      {R"({"preset": "sage"})", 2},
      {R"({"preset": "mlp"})", 0},
      {R"({"preset": "gatv2_sep", "hidden": 16})", 2},
      {R"({"preset": "transformer", "hidden": 16})", 2},
      {R"({"preset": "gat", "hidden": 16, "mask": "k_hop:2"})", 4},
      {R"({"blocks": [{"type": "linear", "width": "outputs"}, {"type": "appnp", "steps": 4}]})", 5},
      {R"({"blocks": [{"type": "parallel", "branches": [[{"type": "sage", "width": 3}, {"type": "sage", "width": 3}],
                      [{"type": "linear", "width": 3}]]}]})",
       2},
  }));
  INFO(config);
  train::TrainedModel trained = make(config);
  if (config.find("batch") != std::string::npos) trained.other_members.push_back(std::move(make(config, 8).model));
  REQUIRE(trained.model.reach(false) == std::size_t(reach));
  const graph::FrozenGraph frozen = graph::freeze(graph, trained.model.graph_options());
  train::NodeBatches batches(features, frozen);
  Matrix deviations;
  const Matrix all = train::predict(trained, batches, &deviations);
  const std::vector<train::ModelInput> inputs = {{.features = features, .graph = frozen}};
  const train::SelectedPredictions some = train::predict_selection(trained, inputs, {}, selected);
  CHECK(some.values == rows_at(all, selected));
  if (!trained.other_members.empty()) CHECK(some.deviations == rows_at(deviations, selected));
  CHECK(some.nodes < test::kRingNodes);
}

TEST_CASE("a model that attends everywhere needs the whole graph", "[train][selection]") {
  train::TrainedModel trained = make(R"({"preset": "transformer", "hidden": 16, "mask": "complete"})");
  CHECK_FALSE(trained.model.reach(false));
  const data::Features features = test::noise_on_ring(5);
  const graph::FrozenGraph frozen = graph::freeze(test::chorded_ring(), trained.model.graph_options());
  train::NodeBatches batches(features, frozen);
  const std::vector<graph::Node> selected = {5, 9};
  const std::vector<train::ModelInput> inputs = {{.features = features, .graph = frozen}};
  const train::SelectedPredictions some = train::predict_selection(trained, inputs, {}, selected, true);
  CHECK(some.values == rows_at(train::predict(trained, batches), selected));
  CHECK(some.embeddings.rows() == 2);
  CHECK(some.nodes == test::kRingNodes);
  const std::vector<graph::Node> beyond = {test::kRingNodes};
  CHECK_THROWS_AS(train::predict_selection(trained, inputs, {}, beyond), UsageError);
}

TEST_CASE("a selection from many graphs has the same bits as the full pass", "[train][selection]") {
  const std::string config = GENERATE(as<std::string>(), R"({"preset": "gat", "hidden": 16})",
                                      R"({"preset": "transformer", "hidden": 16, "mask": "band:2"})",
                                      R"({"preset": "transformer", "hidden": 16, "mask": "complete"})",
                                      R"({"preset": "transformer", "hidden": 16, "mask": "causal"})",
                                      R"({"preset": "transformer", "hidden": 16, "mask": "grid:3x3"})",
                                      R"({"preset": "window", "hidden": 16})", R"({"preset": "lstm", "hidden": 16})",
                                      R"({"preset": "convolution", "hidden": 16})");
  INFO(config);
  const train::GraphLayout layout{.offsets = {0, 4, 10, 10, 60, 220, 300}, .grid_columns = 2};
  graph::EdgeList edges;
  for (graph::Node node = 0; node + 1 < test::kRingNodes; ++node) {
    if (std::ranges::find(layout.offsets, node + 1) != layout.offsets.end()) continue;
    edges.sources.push_back(node);
    edges.targets.push_back(node + 1);
  }
  train::TrainedModel trained = make(config);
  const graph::Graph chains(graph::NodeNames::numbered(test::kRingNodes), std::move(edges));
  const std::vector<train::ModelInput> inputs = {
      {.features = test::noise_on_ring(5), .graph = graph::freeze(chains, trained.model.graph_options())}};
  train::GraphBatches batches(inputs[0].features, {inputs[0].graph, layout.offsets},
                              {.labelled = train::Labelled::nodes, .grid_columns = layout.grid_columns});
  const Matrix all = train::predict(trained, batches), embeddings = train::embeddings(trained.model, batches);
  const auto selected = GENERATE(std::vector<graph::Node>{7}, std::vector<graph::Node>{299, 10, 3, 299, 59, 0});
  const train::SelectedPredictions some = train::predict_selection(trained, inputs, layout, selected, true);
  CHECK(some.values == rows_at(all, selected));
  CHECK(some.embeddings == rows_at(embeddings, selected));
  CHECK(some.nodes <= 4 + 50 + 80);
}

TEST_CASE("names to predict come from a list or a table", "[train][selection]") {
  graph::NodeNames names;
  for (const char* name : {"ada", "bob", "c,d"}) names.add(name);
  const test::TemporaryDirectory folder;
  const auto read = [&](const std::string& text) {
    folder.write("n.csv", text);
    return train::read_selection((folder.path() / "n.csv").string(), names);
  };
  CHECK(read("bob\nada\n") == std::vector<graph::Node>{1, 0});
  CHECK(read("Name\r\n\"c,d\"\r\n") == std::vector<graph::Node>{2});
  CHECK(read("who,age\nbob,3\n") == std::vector<graph::Node>{1});
  CHECK_THROWS_WITH(read("eve\nada\n"), Contains("n.csv:1") && Contains("\"eve\" is not one of the 3 nodes"));
  CHECK(read("age,name\n3,bob\n") == std::vector<graph::Node>{1});
  for (const char* text : {"ada,3\nbob,4\n", "ada bob\n", "bob;ada\n"})
    CHECK_THROWS_WITH(read(text), Contains("n.csv:1: expected one node per line, or a header, found 2 fields"));
  CHECK_THROWS_WITH(read("ada\neve\n"), Contains("n.csv:2") && Contains("\"eve\" is not one of the 3 nodes"));
  CHECK_THROWS_AS(read("name\n"), DataError);
}

TEST_CASE("selected nodes may have names that begin like comments", "[train][selection]") {
  graph::NodeNames names;
  for (const char* name : {"#a", "%b c", "d"}) names.add(name);
  const test::TemporaryDirectory folder;
  const auto read = [&](const std::string& text) { return train::read_selection(folder.write("n.csv", text), names); };
  CHECK(read("#a\n%b c\nd\n#a\n") == std::vector<graph::Node>{0, 1, 2, 0});
  CHECK(read("# a list\n#node\nd\n#a\n") == std::vector<graph::Node>{2, 0});
  CHECK(read("#age,node\n3,d\n4,#a\n") == std::vector<graph::Node>{2, 0});
  CHECK_THROWS_WITH(read("#e\nd\n"), Contains("\"e\" begins like a comment and is not one of the 3 nodes"));
  CHECK_THROWS_WITH(read("d\n#e\n"), Contains("n.csv:2: \"#e\" is not one of the 3 nodes"));
}
