#include "edgewise/train/inputs/model_shape.hpp"

#include <catch2/catch.hpp>

#include "edgewise/train/doctor/read_dataset.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;

TEST_CASE("few dense columns of nodes are not dropped", "[train][model_shape]") {
  const test::FriendFiles files;
  const train::Dataset data = train::read_dataset(files.config.data, {});
  const auto input_dropout = [&](const char* model, const data::Features& features) {
    return train::complete_model(json::parse(model, "model"), data, features).get("input_dropout", -1.0);
  };
  const auto dense = [](Eigen::Index columns) {
    data::Features features;
    features.dense = Matrix::Ones(3, columns);
    return features;
  };
  CHECK(input_dropout(R"({"preset": "mlp"})", dense(32)) == 0);
  CHECK(input_dropout(R"({"preset": "mlp"})", dense(33)) == -1);
  CHECK(input_dropout(R"({"preset": "mlp", "dropout": 0.5})", dense(2)) == -1);
  CHECK(input_dropout(R"({"preset": "mlp", "input_dropout": 0.1})", dense(2)) == 0.1);
  data::Features sparse;
  sparse.is_sparse = true;
  sparse.sparse.resize(3, 2);
  CHECK(input_dropout(R"({"preset": "mlp"})", sparse) == -1);
}

TEST_CASE("weights are features of the edges, scaled", "[train][model_shape]") {
  const test::FriendFiles files;
  files.write("friends.csv", "source,target,weight\na,b,10\nb,c,1000\nc,a,100000\n");
  files.write("people.csv", "id,age,buys\na,30,yes\nb,40,no\nc,50,yes\n");
  const train::Dataset data = train::read_dataset(files.config.data, {});
  const auto frozen = [&](const char* model) {
    const json::Value complete = train::complete_model(json::parse(model, "model"), data, data.features);
    CHECK(train::complete_model(complete, data, data.features) == complete);
    return graph::freeze(data.graph, nn::graph_options_of(complete));
  };
  const Matrix scaled = frozen(R"({"preset": "gatv2"})").edge_features;
  REQUIRE(scaled.cols() == 1);
  CHECK(scaled.minCoeff() == Approx(-1.2247).epsilon(0.01));
  CHECK(scaled.maxCoeff() == Approx(1.2247).epsilon(0.01));
  // A block that multiplies by the weight gets it unscaled, and so does anyone who requests it.
  CHECK(frozen(R"({"preset": "gcn", "edge_weights": true})").edge_features.maxCoeff() == 100000);
  CHECK(frozen(R"({"preset": "gat", "graph": {"weight_as_feature": true}})").edge_features.maxCoeff() == 100000);
  CHECK(frozen(R"({"preset": "gat", "graph": {"weight_as_feature": false}})").edge_features.size() == 0);
}
