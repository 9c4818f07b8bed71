#include "edgewise/nn/sage.hpp"

#include <array>

#include "edgewise/nn/edges.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

constexpr std::array kSageFields = {
    field<&SageOptions::width, Width>("width", "columns of the output"),
    field<&SageOptions::mask, MaskName>("mask", "what a node takes the neighbours from"),
    field<&SageOptions::dropout, Probability>("dropout", "on the input"),
    field<&SageOptions::bias, Flag>("bias", "whether there is one"),
    field<&SageOptions::root, Flag>("root", "whether a map of the node itself is added"),
    field<&SageOptions::aggregate, Choice<aggregate_names>>("aggregate", "mean or sum of the neighbours"),
    field<&SageOptions::activation, Choice<activation_names>>("activation", "at the end"),
};

TailOptions tail_options(const SageOptions& options) {
  return {.inputs = options.inputs,
          .width = options.width,
          .bias = options.bias,
          .residual = options.root ? Residual::projection : Residual::none,
          .activation = options.activation};
}

}  // namespace

const float* slot_weights(Aggregate aggregate, autograd::Tape& tape, const Edges& edges) {
  if (aggregate == Aggregate::mean) return mean_weights(tape, edges);
  return edges.importance != nullptr ? edges.importance : unit_weights(tape, edges.mask);
}

std::vector<std::string> aggregate_names() { return {"mean", "sum"}; }

std::span<const Field<SageOptions>> sage_fields() { return kSageFields; }

Sage::Sage(const SageOptions& options, BuildContext& context)
    : name_(context.name),
      options_(options),
      weight_(glorot(context, "weight", options.inputs, options.width)),
      tail_(context, tail_options(options)) {}

NodeRows Sage::forward(ForwardContext& context, const NodeRows& input) {
  const NodeRows dropped = drop(context, input, options_.dropout);
  const Edges edges = next_edges(context, options_.mask, name_);
  const autograd::Variable means = project_sums(
      edges, [&] { return slot_weights(options_.aggregate, context.tape, edges); }, dropped,
      context.tape.parameter(weight_));
  return {.dense = tail_(context, means, dropped)};
}

BlockTraits Sage::traits() const {
  return {.reach = options_.mask.reach};
}

void Sage::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  parameters.push_back(&weight_);
  tail_.collect_parameters(parameters);
}

std::unique_ptr<Block> make_sage(const json::Value& config, BuildContext& context) {
  SageOptions options = read_fields(config, sage_fields(), context.shape);
  options.mask = use_mask(config, context);
  options.inputs = context.width;
  context.width = options.width;
  return std::make_unique<Sage>(options, context);
}

}  // namespace edgewise::nn
