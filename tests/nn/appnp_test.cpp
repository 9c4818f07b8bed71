#include "edgewise/nn/appnp.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "edgewise/nn/model.hpp"
#include "support/gradient_check.hpp"
#include "support/random_graph.hpp"

using namespace edgewise;

TEST_CASE("propagate equals the powers of the normalised matrix", "[nn][propagate]") {
  const graph::FrozenGraph graph = test::random_mask(30, 30, 4, 9);
  const json::Value config = json::parse(
      R"({"blocks": [{"type": "appnp", "steps": 4, "restart": 0.15}]})", "propagate");
  nn::Model model(config, {.inputs = 5, .outputs = 5, .edge_features = 0}, 1);
  const Matrix x = test::random_matrix(30, 5, 2);

  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(30, 30);
  const auto degree = [&](graph::Node v) {
    return static_cast<double>(graph.incoming.offsets[v + 1] - graph.incoming.offsets[v]);
  };
  for (graph::Node v = 0; v < 30; ++v)
    for (auto slot = graph.incoming.offsets[v]; slot < graph.incoming.offsets[v + 1]; ++slot) {
      const graph::Node u = graph.incoming.columns[slot];
      if (degree(u) > 0) a(v, u) = 1 / std::sqrt(degree(u) * degree(v));
    }
  const Eigen::MatrixXd start = x.cast<double>();
  Eigen::MatrixXd z = start;
  for (int step = 0; step < 4; ++step) z = 0.85 * (a * z) + 0.15 * start;

  autograd::Tape tape(false);
  nn::ForwardContext context{.tape = tape, .masks = {{"edges", &graph}}};
  const autograd::Variable out = model.forward(context, {.dense = tape.constant(x)});
  CHECK((out.value().cast<double>() - z).cwiseAbs().maxCoeff() < 1e-5);
}
