#include "edgewise/nn/gcn.hpp"

#include <array>

#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"
#include "edgewise/nn/symmetric_weights.hpp"

namespace edgewise::nn {

namespace {

constexpr std::array kGcnFields = {
    field<&GcnOptions::width, Width>("width", "columns of the output"),
    field<&GcnOptions::dropout, Probability>("dropout", "on the input"),
    field<&GcnOptions::bias, Flag>("bias", "whether there is one"),
    field<&GcnOptions::residual, ResidualKind>("residual", "a connection around the block"),
    field<&GcnOptions::edge_weights, Flag>("edge_weights", "the first edge feature is the weight of an edge"),
    field<&GcnOptions::activation, Choice<activation_names>>("activation", "at the end"),
};

TailOptions gcn_tail(const GcnOptions& options) {
  return {.inputs = options.inputs,
          .width = options.width,
          .bias = options.bias,
          .residual = options.residual,
          .activation = options.activation};
}

}  // namespace

std::span<const Field<GcnOptions>> gcn_fields() { return kGcnFields; }

Gcn::Gcn(const GcnOptions& options, BuildContext& context)
    : name_(context.name),
      options_(options),
      weight_(glorot(context, "weight", options.inputs, options.width)),
      tail_(context, gcn_tail(options)) {}

NodeRows Gcn::forward(ForwardContext& context, const NodeRows& input) {
  const NodeRows dropped = drop(context, input, options_.dropout);
  const Edges edges = next_edges(context, options_.mask, name_);
  const autograd::Variable weights = symmetric_weights(context.tape, edges, options_.edge_weights);
  const autograd::Variable summed = project_sums(
      edges, [&] { return weights.value().data(); }, dropped, context.tape.parameter(weight_));
  return {.dense = tail_(context, summed, dropped)};
}

BlockTraits Gcn::traits() const {
  return {.reach = options_.mask.reach, .weighs_by_degree = true, .uses_edge_features = options_.edge_weights};
}

void Gcn::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  parameters.push_back(&weight_);
  tail_.collect_parameters(parameters);
}

std::unique_ptr<Block> make_gcn(const json::Value& config, BuildContext& context) {
  GcnOptions options = read_fields(config, gcn_fields(), context.shape);
  options.mask = use_mask(config, context);
  if (options.edge_weights) check_edge_weights(config, options.mask);
  options.inputs = context.width;
  context.width = options.width;
  return std::make_unique<Gcn>(options, context);
}

}  // namespace edgewise::nn
