#include "edgewise/nn/query_readout.hpp"

#include <array>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/attention_parts.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

constexpr std::array kQueryReadoutFields = {
    field<&QueryReadoutOptions::heads, HeadCount>("heads", "learned queries"),
    field<&QueryReadoutOptions::width, Width>("width", "of each head"),
    field<&QueryReadoutOptions::attention_dropout, Probability>("attention_dropout", "on the attention weights"),
    field<&QueryReadoutOptions::bias, Flag>("bias", "of keys and values"),
    field<&QueryReadoutOptions::normaliser, Choice<attention::normaliser_names>>("normaliser",
                                                                           "how scores become weights"),
};

LinearMap::Bias key_bias(const QueryReadoutOptions& options) {
  return options.bias ? LinearMap::Bias::yes : LinearMap::Bias::no;
}

}  // namespace

std::span<const Field<QueryReadoutOptions>> query_readout_fields() { return kQueryReadoutFields; }

QueryReadout::QueryReadout(const QueryReadoutOptions& options, BuildContext& context)
    : name_(context.name),
      options_(options),
      query_(glorot(context, "query", 1, options.heads * options.width, options.heads, options.width)),
      key_(context, "key.", options.inputs, options.heads * options.width, key_bias(options)),
      value_(context, "value.", options.inputs, options.heads * options.width, key_bias(options)) {}

NodeRows QueryReadout::forward(ForwardContext& context, const NodeRows& input) {
  const graph::FrozenGraph& mask = begin_readout(context, input, name_);
  const Variable zeros =
      context.tape.make(static_cast<Eigen::Index>(mask.destination_count()), query_.value.cols(), false);
  zeros.value().setZero();
  const Variable query = autograd::add_row(zeros, context.tape.parameter(query_));
  const auto [key, value, none] = map_each(context, input, {&key_, &value_});
  return {.dense = autograd::attend(mask, {.query = query, .key = key, .value = value},
                                    attention_options(context, readout_attention(options_), name_))};
}

void QueryReadout::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  parameters.push_back(&query_);
  key_.collect_parameters(parameters);
  value_.collect_parameters(parameters);
}

std::unique_ptr<ReadoutBlock> make_query_readout(const json::Value& config, BuildContext& context) {
  QueryReadoutOptions options = read_fields(config, query_readout_fields(), context.shape);
  begin_graph_level(config, context);
  if (std::int64_t{options.heads} * options.width > kWidestRow) {
    refuse(config, "heads", "expected heads * width of at most 16777216");
  }
  options.inputs = context.width;
  context.width = options.heads * options.width;
  return std::make_unique<QueryReadout>(options, context);
}

}  // namespace edgewise::nn
