#include "edgewise/nn/set2set.hpp"

#include <array>

#include "edgewise/autograd/activations.hpp"
#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/concat.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

Variable zeros(autograd::Tape& tape, Eigen::Index rows, Eigen::Index columns) {
  const Variable made = tape.make(rows, columns, false);
  made.value().setZero();
  return made;
}

/// One row per graph: 1 if it has nodes, otherwise 0.
Variable has_nodes(autograd::Tape& tape, const graph::FrozenGraph& mask) {
  const Variable gate = tape.make(static_cast<Eigen::Index>(mask.destination_count()), 1, false);
  for (std::size_t g = 0; g < mask.destination_count(); ++g) {
    gate.value()(static_cast<Eigen::Index>(g), 0) = mask.incoming.offsets[g] < mask.incoming.offsets[g + 1] ? 1 : 0;
  }
  return gate;
}

constexpr std::array kSet2SetFields = {
    field<&Set2SetOptions::steps, LayerCount>("steps", "attention steps over the nodes"),
};

}  // namespace

std::span<const Field<Set2SetOptions>> set2set_fields() { return kSet2SetFields; }

Set2Set::Set2Set(const Set2SetOptions& options, BuildContext& context)
    : name_(context.name),
      options_(options),
      input_(context, "input.", 2 * options.inputs, 4 * options.inputs, LinearMap::Bias::yes),
      hidden_(context, "hidden.", options.inputs, 4 * options.inputs, LinearMap::Bias::no) {}

NodeRows Set2Set::forward(ForwardContext& context, const NodeRows& input) {
  const graph::FrozenGraph& mask = begin_readout(context, input, name_);
  const Variable x = dense(input, name_);
  const auto graphs = static_cast<Eigen::Index>(mask.destination_count());
  const int width = options_.inputs;
  Variable state = zeros(context.tape, graphs, 2 * width);
  Variable query = zeros(context.tape, graphs, width);
  Variable cell = query;
  for (int step = 0; step < options_.steps; ++step) {
    query = remember(context, state, query, cell);
    const Variable parts[] = {query, ask(context, mask, query, x, step + 1 == options_.steps)};
    state = autograd::concat_columns(parts);
  }
  const Variable nothing = zeros(context.tape, graphs, 2 * width);
  return {.dense = autograd::mix(has_nodes(context.tape, mask), state, nothing)};
}

void Set2Set::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  input_.collect_parameters(parameters);
  hidden_.collect_parameters(parameters);
}

/// One LSTM step (Hochreiter and Schmidhuber 1997, with forget gate): returns the new hidden state and updates `cell`.
Variable Set2Set::remember(ForwardContext& context, Variable state, Variable hidden, Variable& cell) {
  const Variable gates = autograd::add(input_(context, {.dense = state}), hidden_(context, {.dense = hidden}));
  const int width = options_.inputs;
  const auto gate = [&](int index) { return autograd::slice_columns(gates, index * width, width); };
  const Variable kept = autograd::multiply(autograd::sigmoid(gate(1)), cell);
  const Variable added = autograd::multiply(autograd::sigmoid(gate(0)), autograd::tanh(gate(2)));
  cell = autograd::add(kept, added);
  return autograd::multiply(autograd::sigmoid(gate(3)), autograd::tanh(cell));
}

/// The mean of the nodes, weighted by the softmax of query . x.
Variable Set2Set::ask(ForwardContext& context, const graph::FrozenGraph& mask, Variable query, Variable x,
                      bool is_last) {
  autograd::AttentionOptions options;
  options.of_score.scale = false;
  options.weights = is_last ? record_attention(context, name_, "readout") : nullptr;
  return autograd::attend(mask, {.query = query, .key = x, .value = x}, options);
}

std::unique_ptr<ReadoutBlock> make_set2set(const json::Value& config, BuildContext& context) {
  Set2SetOptions options = read_fields(config, set2set_fields(), context.shape);
  begin_graph_level(config, context);
  options.inputs = context.width;
  context.width *= 2;
  return std::make_unique<Set2Set>(options, context);
}

}  // namespace edgewise::nn
