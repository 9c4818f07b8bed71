#include "edgewise/nn/positions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/flow_path.hpp"
#include "edgewise/autograd/lstm.hpp"
#include "edgewise/autograd/select_rows.hpp"
#include "edgewise/graph/masks/readout.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/kept_rows.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;
using graph::Node;

namespace {

constexpr std::array kPositionsFields = {
    field<&PositionsOptions::kind, Choice<position_names>>("kind", "how places are encoded"),
    field<&PositionsOptions::longest, Count>("longest", "places with a row of their own (learned)"),
    field<&PositionsOptions::hidden, Count>("hidden", "columns of the flow's hidden layer (floater)"),
    field<&PositionsOptions::step, AboveZero>("step", "time from one place to the next (floater)"),
};

Variable sinusoids(autograd::Tape& tape, Eigen::Index length, int width) {
  const Variable table = tape.make(length, width, false);
  std::vector<double> wavelengths;  // divided by 2 pi
  for (int column = 0; column < width; ++column) wavelengths.push_back(std::pow(10000.0, 2.0 * (column / 2) / width));
  for (Eigen::Index t = 0; t < length; ++t)
    for (int column = 0; column < width; ++column) {
      const double angle = static_cast<double>(t) / wavelengths[static_cast<std::size_t>(column)];
      table.value()(t, column) = static_cast<float>(column % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  return table;
}

/// The position of each node among the columns of its row of `order`.
std::vector<Node> places_of(const graph::FrozenGraph& order) {
  std::vector<Node> places(order.source_count(), 0);
  for (std::size_t g = 0; g < order.destination_count(); ++g)
    for (graph::EdgeIndex slot = order.incoming.offsets[g]; slot < order.incoming.offsets[g + 1]; ++slot)
      places[order.incoming.columns[slot]] = static_cast<Node>(slot - order.incoming.offsets[g]);
  return places;
}

}  // namespace

std::vector<std::string> position_names() { return {"sinusoidal", "learned", "recurrent", "floater"}; }

std::span<const Field<PositionsOptions>> positions_fields() { return kPositionsFields; }

Positions::Positions(const PositionsOptions& options, BuildContext& context) : name_(context.name), options_(options) {
  const int width = options.inputs, hidden = options.hidden;
  switch (options.kind) {
    case PositionKind::sinusoidal:
      break;
    case PositionKind::learned:
      parameters_.push_back(glorot(context, "table", options.longest, width, 50, width));
      break;
    case PositionKind::recurrent:
      parameters_.push_back(glorot(context, "gates", 1, 4 * width, width, width));
      parameters_.push_back(glorot(context, "recurrent", width, 4 * width, width, width));
      break;
    case PositionKind::floater:
      parameters_.push_back(constant(context, "start", 1, width, 0));
      parameters_.push_back(glorot(context, "w1", width + 1, hidden));
      parameters_.push_back(constant(context, "b1", 1, hidden, 0));
      parameters_.push_back(glorot(context, "w2", hidden, width));
      parameters_.push_back(constant(context, "b2", 1, width, 0));
      break;
  }
}

/// The rows of positions 0 ... length - 1.
Variable Positions::rows(ForwardContext& context, Eigen::Index length) {
  const auto parameter = [&](std::size_t i) { return context.tape.parameter(parameters_[i]); };
  switch (options_.kind) {
    case PositionKind::sinusoidal:
      break;
    case PositionKind::learned:
      return parameter(0);
    case PositionKind::recurrent: {
      const Node offsets[] = {0, static_cast<Node>(length)};
      const graph::FrozenGraph& walk = context.tape.keep(graph::readout_mask(offsets));
      const Variable nothing = context.tape.make(length, options_.inputs * 4, false);
      nothing.value().setZero();
      return autograd::lstm(walk, autograd::add_row(nothing, parameter(0)), parameter(1));
    }
    case PositionKind::floater:
      return autograd::flow_path(parameter(0), {parameter(1), parameter(2), parameter(3), parameter(4)}, length,
                                 options_.step);
  }
  return sinusoids(context.tape, length, options_.inputs);
}

NodeRows Positions::forward(ForwardContext& context, const NodeRows& input) {
  const Variable x = dense(input, name_);
  std::vector<Node> places = context.kept != nullptr && options_.order.columns == kNodes
                                 ? std::vector<Node>(static_cast<std::size_t>(x.rows()), context.kept->step)
                                 : places_of(mask_of(context, options_.order, name_));
  if (places.empty()) return {.dense = x};
  if (options_.kind == PositionKind::learned)
    for (Node& place : places) place = std::min(place, static_cast<Node>(options_.longest - 1));
  const Node last = *std::ranges::max_element(places);
  const Variable table = rows(context, Eigen::Index{last} + 1);
  return {.dense = autograd::add(x, autograd::select_rows(table, context.tape.keep(std::move(places))))};
}

void Positions::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  for (autograd::Parameter& parameter : parameters_) parameters.push_back(&parameter);
}

std::unique_ptr<Block> make_positions(const json::Value& config, BuildContext& context) {
  PositionsOptions options = read_fields(config, positions_fields(), context.shape);
  options.order = use_order(config, context);
  options.inputs = context.width;
  return std::make_unique<Positions>(options, context);
}

}  // namespace edgewise::nn
