#include "edgewise/nn/query_readout.hpp"

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/linear.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/signal.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

class QueryReadout : public Block {
 public:
  QueryReadout(BuildContext& context, int heads, int width, LinearMap::Bias bias, float attention_dropout)
      : name_(context.name),
        heads_(heads),
        attention_dropout_(attention_dropout),
        query_(glorot(context, "query", 1, heads * width, heads, width)),
        key_(context, "key.", context.width, heads * width, bias),
        value_(context, "value.", context.width, heads * width, bias) {}

  Signal forward(ForwardContext& context, const Signal& input) override {
    const graph::FrozenGraph& mask = mask_of(context, MaskKind::readout, name_);
    const Variable zeros =
        context.tape.make(static_cast<Eigen::Index>(mask.destination_count()), query_.value.cols(), false);
    zeros.value().setZero();
    const Variable query = autograd::add_row(zeros, context.tape.parameter(query_));
    return {.dense = autograd::attend_dot_product(
                mask, query, key_(context, input), value_(context, input), {}, {},
                {.heads = heads_,
                 .dropout = context.is_training ? attention_dropout_ : 0,
                 .dropout_key = next_mask_key(context),
                 .weights = record_attention(context, name_, MaskKind::readout)})};
  }

  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override {
    parameters.push_back(&query_);
    key_.collect_parameters(parameters);
    value_.collect_parameters(parameters);
  }

 private:
  std::string name_;
  int heads_;
  float attention_dropout_;
  autograd::Parameter query_;
  LinearMap key_;
  LinearMap value_;
};

}  // namespace

std::unique_ptr<Block> make_query_readout(const json::Value& config, BuildContext& context) {
  config.allow_only({"type", "heads", "width", "attention_dropout", "bias"});
  begin_graph_level(config, context);
  const int heads = read_heads(config, 1);
  const int width = read_width(config, "width", context.shape);
  if (static_cast<std::int64_t>(heads) * width > kWidestRow) {
    refuse(config, "heads", "expected heads * width of at most 16777216");
  }
  const auto bias = config.get("bias", true) ? LinearMap::Bias::yes : LinearMap::Bias::no;
  auto block = std::make_unique<QueryReadout>(context, heads, width, bias,
                                              read_probability(config, "attention_dropout", 0));
  context.width = heads * width;
  return block;
}

}  // namespace edgewise::nn
