#include "edgewise/nn/gcn2.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "edgewise/autograd/activations.hpp"
#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/leading_rows.hpp"
#include "edgewise/autograd/linear.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"
#include "edgewise/nn/symmetric_weights.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

constexpr std::array kGcn2Fields = {
    field<&Gcn2Options::layers, LayerCount>("layers", "number of convolutions"),
    field<&Gcn2Options::restart, Probability>("restart", "share of the input in each layer"),
    field<&Gcn2Options::mapping, AboveZero>("mapping", "how much the weights of early layers count"),
    field<&Gcn2Options::dropout, Probability>("dropout", "on the input of each layer"),
    field<&Gcn2Options::weight_decay, AboveZero>("weight_decay", "factor of that of the training"),
    field<&Gcn2Options::edge_weights, Flag>("edge_weights", "the first edge feature is the weight of an edge"),
};

}  // namespace

std::span<const Field<Gcn2Options>> gcn2_fields() { return kGcn2Fields; }

Gcn2::Gcn2(const Gcn2Options& options, BuildContext& context) : name_(context.name), options_(options) {
  const int width = options.width;
  for (int layer = 1; layer <= options.layers; ++layer) {
    const float share = std::log1p(options.mapping / static_cast<float>(layer));
    autograd::Parameter weight = glorot(context, fmt::format("weight.{}", layer), width, width);
    weight.decay = options.weight_decay;
    layers_.push_back({std::move(weight), share, (1 - share) * Matrix::Identity(width, width)});
  }
}

NodeRows Gcn2::forward(ForwardContext& context, const NodeRows& input) {
  const Variable x = dense(input, name_);
  const Variable restarted = autograd::scale(x, options_.restart);
  SymmetricSteps steps(options_.mask, options_.edge_weights, 1 - options_.restart, name_);
  Variable h = x;
  const std::size_t first = context.tape.size();
  for (Layer& layer : layers_) {
    const auto [edges, weights] = steps.next(context);
    const Variable seen = sources(edges, drop(context, h, options_.dropout));
    const Variable spread = autograd::aggregate(edges.mask, weights.value().data(), seen,
                                                autograd::leading_rows(restarted, row_count(edges.mask)));
    const Variable map = autograd::add(autograd::scale(context.tape.parameter(layer.weight), layer.share),
                                       context.tape.constant(layer.identity));
    h = autograd::relu(autograd::linear(spread, map));
    forget(context, first, {h, weights});
  }
  return {.dense = h};
}

BlockTraits Gcn2::traits() const {
  return {.reach = repeated(options_.mask.reach, options_.layers),
          .weighs_by_degree = true,
          .uses_edge_features = options_.edge_weights};
}

void Gcn2::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  for (Layer& layer : layers_) parameters.push_back(&layer.weight);
}

std::unique_ptr<Block> make_gcn2(const json::Value& config, BuildContext& context) {
  Gcn2Options options = read_fields(config, gcn2_fields(), context.shape);
  options.mask = use_mask(config, context);
  if (options.edge_weights) check_edge_weights(config, options.mask);
  options.width = context.width;
  return std::make_unique<Gcn2>(options, context);
}

}  // namespace edgewise::nn
