#include "edgewise/nn/edges.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/linear.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/graph/sampling.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/nn/symmetric_weights.hpp"
#include "support/gradient_check.hpp"
#include "support/node_graph.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t kHub = 0;  // of four sources

}  // namespace

TEST_CASE("weights of sampled edges estimate means and normalised sums of all edges", "[nn][edges]") {
  const graph::FrozenGraph whole = graph::freeze(test::small_graph(1));
  const auto sampler = graph::sample_neighbours(whole, {.fan_outs = {2}});
  const graph::SampleBatch batch{.nodes = {kHub, 2}, .item_count = 2};
  const bool has_weights = GENERATE(false, true);
  autograd::Tape tape;
  const float* all = nn::symmetric_weights(tape, {whole}, has_weights).value().data();
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    const graph::Sample sample = sampler->draw(batch, 1, 1, epoch);
    const graph::SampledEdges& step = *sample.steps[0];
    const nn::Edges edges{step.mask, &sample, step.importance.data()};
    const float* mean = nn::mean_weights(tape, edges);
    CHECK(mean[0] == 0.5F);  // importance 2 of a mean over 4
    CHECK(mean[1] == 0.5F);
    const float* weights = nn::symmetric_weights(tape, edges, has_weights).value().data();
    for (graph::EdgeIndex slot = 0; slot < step.mask.slot_count(); ++slot) {
      const graph::StoredEdge edge = step.mask.edge[slot];
      const auto in_whole = std::ranges::find(whole.edge, edge) - whole.edge.begin();
      CHECK(weights[slot] == Approx(all[in_whole] * step.importance[slot]));
    }
  }
}

TEST_CASE("weights of sampled edges of a relation estimate their mean", "[nn][edges]") {
  const graph::FrozenGraph mask = graph::freeze(graph::Csr{.offsets = {0, 3, 3, 4}, .columns = {0, 2, 1, 1}}, 3);
  const std::vector<float> importance = {3, 1, 4, 5};
  autograd::Tape tape;
  const float* mean = nn::mean_weights(tape, nn::Edges{.mask = mask, .importance = importance.data()});
  CHECK(std::vector<float>(mean, mean + 4) == std::vector<float>{0.375F, 0.125F, 0.5F, 1});
}

TEST_CASE("sums are projected before or after the sum, whichever is cheaper", "[nn][edges]") {
  const graph::FrozenGraph mask = graph::freeze(graph::Csr{.offsets = {0, 3, 5}, .columns = {0, 2, 4, 1, 3}}, 9);
  const Matrix x = test::random_matrix(9, 4, 1);
  const std::vector<float> weights = {1, 2, 3, 4, 5};
  const int width = GENERATE(1, 6);
  const Matrix weight = test::random_matrix(4, width, 2);
  autograd::Tape tape;
  const autograd::Variable projected = autograd::linear(tape.constant(x), tape.constant(weight));
  const Matrix expected = autograd::aggregate(mask, weights.data(), projected).value();
  const Matrix found = nn::project_sums(
                           {mask}, [&] { return weights.data(); }, {.dense = tape.constant(x)}, tape.constant(weight))
                           .value();
  CHECK(found.isApprox(expected, 1e-5F));
}

TEST_CASE("a model refuses a sample of other steps", "[nn][edges]") {
  const graph::FrozenGraph whole = graph::freeze(test::small_graph());
  const auto sampler = graph::sample_neighbours(whole, {.fan_outs = {2}});
  const graph::SampleBatch batch{.nodes = {kHub}, .item_count = 1};
  nn::Model model(json::parse(R"({"preset": "sage"})", "model"), {.inputs = 3, .outputs = 2}, 1);
  const Matrix x = test::random_matrix(6, 3, 1);
  const auto run = [&](std::size_t steps, Eigen::Index rows) {
    const graph::Sample sample = sampler->draw(batch, steps, 1, 0);
    autograd::Tape tape;
    nn::ForwardContext context{.tape = tape, .sample = &sample};
    if (rows == 0) rows = static_cast<Eigen::Index>(sample.nodes.size());
    const Matrix input = x.topRows(rows);
    return model.forward(context, {.dense = tape.constant(input)}).rows();
  };
  CHECK(run(2, 0) == 1);
  CHECK_THROWS_WITH(run(1, 0), Contains("steps along the edges of the sample: the model is made for 2, got 1"));
  CHECK_THROWS_AS(run(3, 0), ModelError);
  CHECK_THROWS_AS(run(2, 1), ModelError);
}
