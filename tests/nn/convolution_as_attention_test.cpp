#include "edgewise/nn/convolution_as_attention.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/dot_product.hpp"
#include "edgewise/nn/masks.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using attention::Normaliser;
using graph::Node;

namespace {

constexpr int kRowColumns = 3, kFilters = 4;

/// A convolution with random weights over the mask of a rule, and the equivalent attention.
struct Pair {
  Pair(const std::string& name, std::vector<Node> graph_offsets, std::uint32_t grid_columns, Normaliser normaliser)
      : offsets(std::move(graph_offsets)) {
    const graph::Mask rule = graph::parse_mask(name);
    const graph::FrozenGraph no_edges;
    mask = rule.build({.edges = no_edges, .offsets = offsets, .grid_columns = grid_columns});
    shape = {.name = name, .features = rule.features()};
    nn::BuildContext context{
        .shape = {.inputs = kRowColumns, .outputs = kFilters}, .width = kRowColumns, .name = "c", .seed = 3};
    const nn::ConvolutionOptions options{.inputs = kRowColumns, .width = kFilters, .mask = shape};
    convolution = std::make_unique<nn::Convolution>(options, context);
    std::vector<autograd::Parameter*> weights;
    convolution->collect_parameters(weights);
    weights[1]->value = test::random_matrix(1, kFilters, 4);
    const nn::LayerOfAttention layer =
        nn::attention_of_convolution(options, weights[0]->value, weights[1]->value, normaliser);
    context = {.shape = {.inputs = kRowColumns, .outputs = kFilters}, .width = kRowColumns, .name = "a"};
    attention = nn::make_dot_product(layer.options, context);
    std::vector<autograd::Parameter*> parameters;
    attention->collect_parameters(parameters);
    REQUIRE(parameters.size() == layer.parameters.size());
    for (autograd::Parameter* parameter : parameters) {
      const auto found = std::ranges::find_if(layer.parameters,
                                              [&](const auto& named) { return parameter->name == "a." + named.first; });
      REQUIRE(found != layer.parameters.end());
      REQUIRE(parameter->value.size() == found->second.size());
      parameter->value = found->second;
    }
  }

  /// The largest difference in each row.
  Eigen::VectorXf differences(const Matrix& x) const {
    const auto run = [&](nn::Block& block) {
      autograd::Tape tape;
      nn::ForwardContext context{.tape = tape, .masks = {{shape.name, &mask}}};
      return Matrix(autograd::Variable(block.forward(context, {.dense = tape.constant(x)}).dense).value());
    };
    return (run(*convolution) - run(*attention)).cwiseAbs().rowwise().maxCoeff();
  }

  std::vector<Node> offsets;
  graph::FrozenGraph mask;
  nn::MaskShape shape;
  std::unique_ptr<nn::Block> convolution, attention;
};

}  // namespace

TEST_CASE("attention computes a convolution along sequences, including the ends", "[nn][convolution]") {
  const Pair pair("band:2+offset", {0, 9, 9, 10, 13}, 0, Normaliser::none);
  CHECK(pair.differences(test::random_matrix(13, kRowColumns, 1)).maxCoeff() < 1e-5F);
}

TEST_CASE("attention computes a convolution on grids, including the borders", "[nn][convolution]") {
  const Pair pair("grid:3x3+offset", {0, 20, 30}, 5, Normaliser::none);
  CHECK(pair.differences(test::random_matrix(30, kRowColumns, 1)).maxCoeff() < 1e-5F);
}

TEST_CASE("softmax attention computes a convolution over rows padded with zeros", "[nn][convolution]") {
  Matrix line = test::random_matrix(12, kRowColumns, 1);
  line.topRows(2).setZero();
  line.bottomRows(2).setZero();
  const Pair along("band:2+offset", {0, 12}, 0, Normaliser::softmax);
  CHECK(along.differences(line).segment(2, 8).maxCoeff() < 1e-5F);
  CHECK(along.differences(line)(0) > 1e-3F);        // where the window is truncated
  Matrix plane = Matrix::Zero(6 * 5, kRowColumns);  // 4 x 3 within a border of zeros
  for (Eigen::Index row = 1; row <= 4; ++row) plane.middleRows(row * 5 + 1, 3) = test::random_matrix(3, kRowColumns, 7);
  const Pair on_grid("grid:3x3+offset", {0, 30}, 5, Normaliser::softmax);
  const Eigen::VectorXf differences = on_grid.differences(plane);
  for (Eigen::Index row = 1; row <= 4; ++row) CHECK(differences.segment(row * 5 + 1, 3).maxCoeff() < 1e-5F);
}

TEST_CASE("attention of a convolution refuses other weights", "[nn][convolution]") {
  const nn::ConvolutionOptions options{.inputs = 3, .width = 2, .mask = {.name = "band:1+offset", .features = 3}};
  CHECK_THROWS_AS(nn::attention_of_convolution(options, Matrix::Zero(8, 2), Matrix::Zero(1, 2)), UsageError);
  CHECK_THROWS_AS(nn::attention_of_convolution(options, Matrix::Zero(9, 2), Matrix::Zero(1, 3)), UsageError);
  CHECK_THROWS_AS(nn::attention_of_convolution(options, Matrix::Zero(9, 2), Matrix::Zero(1, 2), Normaliser::relu),
                  UsageError);
}
