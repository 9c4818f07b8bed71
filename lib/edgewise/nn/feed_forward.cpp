#include "edgewise/nn/feed_forward.hpp"

#include <array>

#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

constexpr std::array kFeedForwardFields = {
    field<&FeedForwardOptions::hidden, Width>("hidden", "columns between the two maps"),
    field<&FeedForwardOptions::width, OptionalWidth>("width", "columns of the output; by default those of the input"),
    field<&FeedForwardOptions::activation, Choice<activation_names>>("activation", "between the two maps"),
    field<&FeedForwardOptions::dropout, Probability>("dropout", "after the activation"),
};

}  // namespace

std::span<const Field<FeedForwardOptions>> feed_forward_fields() { return kFeedForwardFields; }

FeedForward::FeedForward(const FeedForwardOptions& options, BuildContext& context)
    : options_(options),
      first_(context, "first.", options.inputs, options.hidden, LinearMap::Bias::yes),
      second_(context, "second.", options.hidden, options.output_width(), LinearMap::Bias::yes) {}

NodeRows FeedForward::forward(ForwardContext& context, const NodeRows& input) {
  const autograd::Variable hidden = first_(context, input);
  const autograd::Variable active = activate(hidden, {}, options_.activation, next_dropout(context, options_.dropout));
  return {.dense = second_(context, {.dense = active})};
}

void FeedForward::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  first_.collect_parameters(parameters);
  second_.collect_parameters(parameters);
}

std::unique_ptr<Block> make_feed_forward(const json::Value& config, BuildContext& context) {
  FeedForwardOptions options = read_fields(config, feed_forward_fields(), context.shape);
  options.inputs = context.width;
  context.width = options.output_width();
  return std::make_unique<FeedForward>(options, context);
}

}  // namespace edgewise::nn
