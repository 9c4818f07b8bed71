#include "edgewise/nn/appnp.hpp"

#include <array>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/leading_rows.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"
#include "edgewise/nn/symmetric_weights.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

constexpr std::array kAppnpFields = {
    field<&AppnpOptions::steps, LayerCount>("steps", "steps of the walk"),
    field<&AppnpOptions::restart, Probability>("restart", "share of the input in each step"),
    field<&AppnpOptions::dropout, Probability>("dropout", "on the entries of A"),
    field<&AppnpOptions::edge_weights, Flag>("edge_weights", "the first edge feature is the weight of an edge"),
};

}  // namespace

std::span<const Field<AppnpOptions>> appnp_fields() { return kAppnpFields; }

Appnp::Appnp(const AppnpOptions& options, const BuildContext& context)
    : name_(context.name), options_(options) {}

NodeRows Appnp::forward(ForwardContext& context, const NodeRows& input) {
  const Variable x = dense(input, name_);
  const Variable restarted = autograd::scale(x, options_.restart);
  SymmetricSteps steps(options_.mask, options_.edge_weights, 1 - options_.restart, name_);
  Variable z = x;
  const std::size_t first = context.tape.size();
  for (int step = 0; step < options_.steps; ++step) {
    const auto [edges, weights] = steps.next(context);
    const Variable dropped = drop(context, weights, options_.dropout);
    const Variable seen = sources(edges, z);
    z = autograd::aggregate(edges.mask, dropped.value().data(), seen,
                            autograd::leading_rows(restarted, row_count(edges.mask)));
    forget(context, first, {z, weights});
  }
  return {.dense = z};
}

BlockTraits Appnp::traits() const {
  return {.reach = repeated(options_.mask.reach, options_.steps),
          .weighs_by_degree = true,
          .uses_edge_features = options_.edge_weights};
}

std::unique_ptr<Block> make_appnp(const json::Value& config, BuildContext& context) {
  AppnpOptions options = read_fields(config, appnp_fields(), context.shape);
  options.mask = use_mask(config, context);
  if (options.edge_weights) check_edge_weights(config, options.mask);
  return std::make_unique<Appnp>(options, context);
}

}  // namespace edgewise::nn
