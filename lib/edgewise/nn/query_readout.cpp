#include "edgewise/nn/query_readout.hpp"

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/attention_settings.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/linear.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

class QueryReadout : public Block {
 public:
  QueryReadout(BuildContext& context, const AttentionSettings& s, LinearMap::Bias bias)
      : name_(context.name),
        settings_(s),
        query_(glorot(context, "query", 1, s.projected_width(), s.heads, s.width)),
        key_(context, "key.", context.width, s.projected_width(), bias),
        value_(context, "value.", context.width, s.projected_width(), bias) {}

  NodeRows forward(ForwardContext& context, const NodeRows& input) override {
    const graph::FrozenGraph& mask = begin_readout(context, input, name_);
    const Variable zeros =
        context.tape.make(static_cast<Eigen::Index>(mask.destination_count()), query_.value.cols(), false);
    zeros.value().setZero();
    const Variable query = autograd::add_row(zeros, context.tape.parameter(query_));
    const Variable key = key_(context, input), value = value_(context, input);
    return {.dense = autograd::attend(mask, {.query = query, .key = key, .value = value},
                                      attention_options(context, settings_, name_))};
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    parameters.push_back(&query_);
    key_.collect_parameters(parameters);
    value_.collect_parameters(parameters);
  }

 private:
  std::string name_;
  AttentionSettings settings_;
  autograd::Parameter query_;
  LinearMap key_;
  LinearMap value_;
};

}  // namespace

std::unique_ptr<Block> make_query_readout(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "heads", "width", "attention_dropout", "bias", "normaliser"});
  AttentionSettings settings;
  settings.mask = begin_graph_level(config, context);
  settings.heads = read_heads(config, 1);
  settings.width = read_width(config, "width", context.shape);
  if (static_cast<std::int64_t>(settings.heads) * settings.width > kWidestRow) {
    refuse(config, "heads", "expected heads * width of at most 16777216");
  }
  const auto bias = config.get("bias", true) ? LinearMap::Bias::yes : LinearMap::Bias::no;
  settings.attention_dropout = read_probability(config, "attention_dropout", 0);
  settings.normaliser = read_normaliser(config);
  auto block = std::make_unique<QueryReadout>(context, settings, bias);
  context.width = settings.projected_width();
  return block;
}

}  // namespace edgewise::nn
