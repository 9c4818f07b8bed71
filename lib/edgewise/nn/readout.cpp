#include "edgewise/nn/readout.hpp"

#include <utility>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/concat.hpp"
#include "edgewise/autograd/segment_max.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

enum class ReadoutKind { sum, mean, max, sum_mean_max };

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

class Readout : public Block {
 public:
  Readout(std::string name, ReadoutKind kind) : name_(std::move(name)), kind_(kind) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    return {.dense = read_out(begin_readout(context, input, name_), kind_, dense(input, name_))};
  }

  void collect_parameters(std::vector<autograd::Parameter*>&) override {}

 private:
  std::string name_;
  ReadoutKind kind_;
};

}  // namespace

std::unique_ptr<Block> make_readout(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "kind"});
  begin_graph_level(config, context);
  config.at("kind");
  const auto kind = static_cast<ReadoutKind>(read_choice(config, "kind", {"sum", "mean", "max", "sum_mean_max"}, 0));
  if (kind == ReadoutKind::sum_mean_max) context.width *= 3;
  return std::make_unique<Readout>(context.name, kind);
}

}  // namespace edgewise::nn
