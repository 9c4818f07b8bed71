#include "edgewise/nn/reach.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;

TEST_CASE("a model uses features of edges by attention, as weights, and by convolution", "[nn][reach]") {
  const auto uses = [](const std::string& block) {
    const std::string model = R"({"blocks": [{"type": "residual", "blocks": [)" + block + "]}]}";
    return nn::uses_edge_features(json::parse(model, "test"));
  };
  CHECK(uses(R"({"type": "gat", "width": 2})"));
  CHECK(uses(R"({"type": "gcn", "width": 2, "edge_weights": true})"));
  CHECK(uses(R"({"type": "convolution", "width": 2, "mask": "edges"})"));
  CHECK_FALSE(uses(R"({"type": "convolution", "width": 2})"));
  CHECK_FALSE(uses(R"({"type": "convolution", "width": 2, "mask": "k_hop:2"})"));
  CHECK_FALSE(uses(R"({"type": "gcn", "width": 2})"));
  CHECK_FALSE(uses(R"({"type": "sage", "width": 2, "mask": "edges"})"));
}
