#include "edgewise/nn/lstm.hpp"

#include <array>

#include "edgewise/autograd/concat.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

constexpr std::array kLstmFields = {
    field<&LstmOptions::width, Width>("width", "columns of each direction"),
    field<&LstmOptions::directions, Choice<direction_names>>("directions", "which way along the order"),
    field<&LstmOptions::dropout, Probability>("dropout", "on the input"),
};

}  // namespace

std::vector<std::string> direction_names() { return {"both", "forward", "backward"}; }

std::span<const Field<LstmOptions>> lstm_fields() { return kLstmFields; }

Lstm::Lstm(const LstmOptions& options, BuildContext& context) : name_(context.name), options_(options) {
  if (options.directions != Directions::backward) add(autograd::Walk::forward, context);
  if (options.directions != Directions::forward) add(autograd::Walk::backward, context);
}

void Lstm::add(autograd::Walk walk, BuildContext& context) {
  const std::string prefix = walk == autograd::Walk::forward ? "forward." : "backward.";
  const int width = options_.width;
  directions_.push_back({walk, LinearMap(context, prefix, options_.inputs, 4 * width, LinearMap::Bias::yes),
                         glorot(context, prefix + "recurrent", width, 4 * width, width, width)});
  std::vector<autograd::Parameter*> parameters;
  directions_.back().input.collect_parameters(parameters);
  parameters.back()->value.middleCols(width, width).setOnes();
}

NodeRows Lstm::forward(ForwardContext& context, const NodeRows& input) {
  const graph::FrozenGraph& order = mask_of(context, {.name = "readout"}, name_);
  const NodeRows dropped = drop(context, input, options_.dropout);
  std::vector<autograd::Variable> outputs;
  for (Direction& direction : directions_) {
    const autograd::Variable gates = direction.input(context, dropped);
    outputs.push_back(autograd::lstm(order, gates, context.tape.parameter(direction.recurrent), direction.walk));
  }
  return {.dense = outputs.size() == 1 ? outputs.front() : autograd::concat_columns(outputs)};
}

void Lstm::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  for (Direction& direction : directions_) {
    direction.input.collect_parameters(parameters);
    parameters.push_back(&direction.recurrent);
  }
}

std::unique_ptr<Block> make_lstm(const json::Value& config, BuildContext& context) {
  LstmOptions options = read_fields(config, lstm_fields(), context.shape);
  use_order(config, context);
  options.inputs = context.width;
  context.width = options.output_width();
  return std::make_unique<Lstm>(options, context);
}

}  // namespace edgewise::nn
