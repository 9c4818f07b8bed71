#include "edgewise/train/explain/graph_attention.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "train/explain/explained_models.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

TEST_CASE("a model says which atoms and bonds it attends to, and what it predicts", "[train][graph_attention]") {
  ModelData loaded = test::trained_on_molecules(test::small_gatv2("mean"));
  const GraphAttention answer = attention_of_graph("m", loaded, item_in_row(loaded, 4), test::ignore_note);
  CHECK(answer.item == 3);
  REQUIRE(answer.names.size() == 4);
  CHECK(answer.names[3] == "3");
  CHECK(answer.tokens.empty());
  CHECK(answer.records.size() == 2);
  CHECK(answer.ends == std::vector<std::pair<graph::Node, graph::Node>>{{0, 1}, {1, 2}, {2, 3}});
  CHECK(answer.summary.edges.size() == 3);
  CHECK_FALSE(answer.summary.is_by_readout);
  REQUIRE(answer.summary.nodes.size() == 4);
  CHECK(sum(answer.summary.nodes) == Approx(1));
  CHECK(answer.summary.nodes[0] == Approx(answer.summary.nodes[3]));  // butane is symmetric
  const Matrix predictions = predict(loaded.trained, loaded.data, loaded.inputs);
  CHECK(answer.prediction.isApprox(predictions.row(3), 1e-5F));

  const io::AttentionTable rows = collect_rows(loaded.data, answer, "");
  REQUIRE(rows.layers.size() == 2);
  for (const graph::StoredEdge edge : rows.edges) CHECK((edge == graph::kAddedSelfLoop || edge < 3));
  for (const graph::Node target : rows.targets) CHECK(target < 4);
  CHECK_THROWS_AS(collect_rows(loaded.data, answer, "band:3"), UsageError);

  const std::optional<std::string> picture = draw(loaded, answer);
  REQUIRE(picture);
  CHECK_THAT(*picture, Contains("</svg>"));
}

TEST_CASE("a readout's attention is that of the nodes", "[train][graph_attention]") {
  ModelData loaded = test::trained_on_molecules(test::small_gatv2("attention"));
  const GraphAttention answer = attention_of_graph("m", loaded, item_in_row(loaded, 1), test::ignore_note);
  CHECK(answer.summary.is_by_readout);
  CHECK(sum(answer.summary.nodes) == Approx(1));
}

TEST_CASE("rows without a graph are refused", "[train][graph_attention]") {
  const ModelData loaded = test::trained_on_molecules(test::small_gatv2("mean"));
  CHECK(item_in_row(loaded, 9) == 8);
  CHECK_THROWS_WITH(item_in_row(loaded, 0), Contains("counted from 1"));
  CHECK_THROWS_WITH(item_in_row(loaded, 10), Contains("expected 1 to 9, got 10"));
  CHECK_THROWS_WITH(item_in_row(loaded, 2), Contains("m.csv: row 2: ") && Contains("ring"));
  CHECK_THROWS_AS(item_in_row(loaded, 3), DataError);
}

TEST_CASE("a model of graphs without attention says which has it", "[train][graph_attention]") {
  ModelData loaded = test::trained_on_molecules(json::Object{{"preset", "sage"}, {"hidden", 8}, {"readout", "mean"}});
  CHECK_THROWS_WITH(attention_of_graph("m", loaded, 0, test::ignore_note),
                    Contains("m: the model has no attention layer; train model.preset gatv2 makes one that does"));
}
