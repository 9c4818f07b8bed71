#include "edgewise/nn/lstm.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>

#include "edgewise/autograd/activations.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/concat.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/graph/masks/readout.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/kept_rows.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

constexpr std::array kLstmFields = {
    field<&LstmOptions::width, Width>("width", "columns of each direction"),
    field<&LstmOptions::directions, Choice<direction_names>>("directions", "which way along the order"),
    field<&LstmOptions::dropout, Probability>("dropout", "on the input"),
    field<&LstmOptions::start, json::Text>("start", "a mask to the rows that the state begins with"),
};

}  // namespace

std::vector<std::string> direction_names() { return {"both", "forward", "backward"}; }

std::span<const Field<LstmOptions>> lstm_fields() { return kLstmFields; }

Lstm::Lstm(const LstmOptions& options, BuildContext& context) : name_(context.name), options_(options) {
  if (options.directions != Directions::backward) add(autograd::Walk::forward, context);
  if (options.directions != Directions::forward) add(autograd::Walk::backward, context);
  if (options.start.empty()) return;
  first_hidden_.emplace(context, "first_hidden.", options.start_inputs, options.width, LinearMap::Bias::yes);
  first_cell_.emplace(context, "first_cell.", options.start_inputs, options.width, LinearMap::Bias::yes);
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

autograd::LstmStart Lstm::start(ForwardContext& context) {
  if (!first_hidden_) return {};
  const graph::FrozenGraph& mask = mask_of(context, options_.start_mask, name_);
  const autograd::Variable rows = dense(key_rows(context, options_.start_mask, {}, name_), name_);
  const NodeRows summed = {.dense = autograd::aggregate(mask, unit_weights(context.tape, mask), rows)};
  return {autograd::tanh((*first_hidden_)(context, summed)), (*first_cell_)(context, summed)};
}

/// Each row alone, after the row that it follows.
autograd::Variable Lstm::step(ForwardContext& context, autograd::Variable gates) {
  if (directions_.size() > 1 || directions_.front().walk == autograd::Walk::backward)
    throw UsageError(fmt::format("{}: a decoder writes forward; it cannot read what follows", name_));
  std::vector<graph::Node> offsets(static_cast<std::size_t>(gates.rows()) + 1);
  std::iota(offsets.begin(), offsets.end(), graph::Node{0});
  const graph::FrozenGraph& alone = context.tape.keep(graph::readout_mask(offsets));
  const std::string hidden = name_ + ".hidden", cell = name_ + ".cell";
  const autograd::LstmStart before = context.kept->step == 0
                                         ? start(context)
                                         : autograd::LstmStart{past_rows(context, hidden), past_rows(context, cell)};
  Matrix cells;
  const autograd::Variable y = autograd::lstm(alone, gates, context.tape.parameter(directions_.front().recurrent),
                                              autograd::Walk::forward, before, &cells);
  context.kept->tables[hidden].append(y.value());
  context.kept->tables[cell].append(cells);
  return y;
}

NodeRows Lstm::forward(ForwardContext& context, const NodeRows& input) {
  const NodeRows dropped = drop(context, input, options_.dropout);
  if (context.kept != nullptr && options_.order.columns == kNodes)
    return {.dense = step(context, directions_.front().input(context, dropped))};
  const graph::FrozenGraph& order = mask_of(context, options_.order, name_);
  std::vector<autograd::Variable> outputs;
  for (Direction& direction : directions_) {
    const autograd::Variable gates = direction.input(context, dropped);
    outputs.push_back(
        autograd::lstm(order, gates, context.tape.parameter(direction.recurrent), direction.walk, start(context)));
  }
  return {.dense = outputs.size() == 1 ? outputs.front() : autograd::concat_columns(outputs)};
}

void Lstm::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  for (Direction& direction : directions_) {
    direction.input.collect_parameters(parameters);
    parameters.push_back(&direction.recurrent);
  }
  for (std::optional<LinearMap>* map : {&first_hidden_, &first_cell_})
    if (*map) (*map)->collect_parameters(parameters);
}

std::unique_ptr<Block> make_lstm(const json::Value& config, BuildContext& context) {
  LstmOptions options = read_fields(config, lstm_fields(), context.shape);
  options.order = use_order(config, context);
  if (!options.start.empty()) {
    if (options.directions != Directions::forward) refuse(config, "start", "expected \"directions\": \"forward\" too");
    options.start_mask = use_graph_mask(config, "start", context);
    options.start_inputs = context.widths.at(options.start_mask.columns);
  }
  options.inputs = context.width;
  context.width = options.output_width();
  return std::make_unique<Lstm>(options, context);
}

}  // namespace edgewise::nn
