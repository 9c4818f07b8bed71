#include "edgewise/nn/readout.hpp"

#include <array>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/concat.hpp"
#include "edgewise/autograd/segment_max.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

Variable sum_over(const graph::FrozenGraph& mask, Variable x) {
  return autograd::aggregate(mask, unit_weights(x.tape(), mask), x);
}

Variable mean_over(const graph::FrozenGraph& mask, Variable x) {
  return autograd::aggregate(mask, mean_weights(x.tape(), mask), x);
}

Variable read_out(const graph::FrozenGraph& mask, ReadoutKind kind, Variable x) {
  switch (kind) {
    case ReadoutKind::sum: return sum_over(mask, x);
    case ReadoutKind::mean: return mean_over(mask, x);
    case ReadoutKind::max: return autograd::segment_max(mask, x);
    case ReadoutKind::sum_mean_max: break;
  }
  const Variable parts[] = {sum_over(mask, x), mean_over(mask, x), autograd::segment_max(mask, x)};
  return autograd::concat_columns(parts);
}

constexpr std::array kReadoutFields = {
    field<&ReadoutOptions::kind, Required<Choice<readout_kind_names>>>("kind", "how the rows of a graph are combined"),
};

}  // namespace

std::vector<std::string> readout_kind_names() { return {"sum", "mean", "max", "sum_mean_max"}; }

std::span<const Field<ReadoutOptions>> readout_fields() { return kReadoutFields; }

Readout::Readout(const ReadoutOptions& options, const BuildContext& context) : name_(context.name), options_(options) {}

NodeRows Readout::forward(ForwardContext& context, const NodeRows& input) {
  return {.dense = read_out(begin_readout(context, input, name_), options_.kind, dense(input, name_))};
}

std::unique_ptr<ReadoutBlock> make_readout(const json::Value& config, BuildContext& context) {
  const ReadoutOptions options = read_fields(config, readout_fields(), context.shape);
  begin_graph_level(config, context);
  if (options.kind == ReadoutKind::sum_mean_max) context.width *= 3;
  return std::make_unique<Readout>(options, context);
}

}  // namespace edgewise::nn
