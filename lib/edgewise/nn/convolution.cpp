#include "edgewise/nn/convolution.hpp"

#include <array>
#include <utility>

#include "edgewise/autograd/linear.hpp"
#include "edgewise/autograd/neighbourhood.hpp"
#include "edgewise/nn/edges.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

constexpr std::array kConvolutionFields = {
    field<&ConvolutionOptions::width, Width>("width", "columns of the output"),
    field<&ConvolutionOptions::mask, MaskName>("mask", "what each row sees, by features of its place"),
    field<&ConvolutionOptions::dropout, Probability>("dropout", "on the input"),
    field<&ConvolutionOptions::bias, Flag>("bias", "whether there is one"),
};

/// The mask with the features of each slot times its importance.
const graph::FrozenGraph& weighted(autograd::Tape& tape, const Edges& edges) {
  graph::FrozenGraph mask = edges.mask;
  const auto slots = static_cast<Eigen::Index>(mask.slot_count());
  for (Eigen::Index slot = 0; slot < slots; ++slot) mask.edge_features.row(slot) *= edges.importance[slot];
  return tape.keep(std::move(mask));
}

}  // namespace

std::span<const Field<ConvolutionOptions>> convolution_fields() { return kConvolutionFields; }

Convolution::Convolution(const ConvolutionOptions& options, BuildContext& context)
    : name_(context.name),
      options_(options),
      weight_(glorot(context, "weight", std::int64_t{options.mask.features} * options.inputs, options.width,
                     std::int64_t{options.mask.features} * options.inputs,
                     std::int64_t{options.mask.features} * options.width)) {
  if (options.bias) bias_ = constant(context, "bias", 1, options.width, 0);
}

NodeRows Convolution::forward(ForwardContext& context, const NodeRows& input) {
  const Edges edges = next_edges(context, options_.mask, name_);
  const graph::FrozenGraph& mask = edges.importance == nullptr ? edges.mask : weighted(context.tape, edges);
  const autograd::Variable dropped = drop(context, dense(input, name_), options_.dropout);
  const autograd::Variable seen = autograd::neighbourhood(mask, sources(edges, dropped));
  const autograd::Variable bias = bias_ ? context.tape.parameter(*bias_) : autograd::Variable();
  return {.dense = project({.dense = seen}, context.tape.parameter(weight_), bias)};
}

BlockTraits Convolution::traits() const {
  return {.reach = options_.mask.reach, .uses_edge_features = options_.mask.name == kEdges};
}

void Convolution::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  parameters.push_back(&weight_);
  if (bias_) parameters.push_back(&*bias_);
}

std::unique_ptr<Block> make_convolution(const json::Value& config, BuildContext& context) {
  ConvolutionOptions options = read_fields(config, convolution_fields(), context.shape);
  use_mask(config, options.mask, context);
  if (options.mask.features == 0)
    refuse(config, "mask", "expected a mask with features such as band:1+offset");
  options.inputs = context.width;
  context.width = options.width;
  return std::make_unique<Convolution>(options, context);
}

}  // namespace edgewise::nn
