#include "edgewise/nn/link_readout.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/concat.hpp"
#include "edgewise/autograd/linear.hpp"
#include "edgewise/autograd/select_rows.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/nn/attention_parts.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

constexpr std::array kLinkReadoutFields = {
    field<&LinkReadoutOptions::kind, Choice<link_kind_names>>("kind", "how the rows of both ends are combined"),
    field<&LinkReadoutOptions::common, Choice<link_common_names>>(
        "common", "how the rows of the nodes that both ends know are summarised"),
    field<&LinkReadoutOptions::heads, HeadCount>("heads", "of the attention, which share the columns of the input"),
};

/// log(1 + number of columns) of each row of the mask: [rows, 1].
Variable log_counts(autograd::Tape& tape, const graph::FrozenGraph& mask) {
  const std::size_t rows = mask.destination_count();
  const Variable result = tape.make(static_cast<Eigen::Index>(rows), 1, false);
  const std::vector<graph::EdgeIndex>& offsets = mask.incoming.offsets;
  for (std::size_t row = 0; row < rows; ++row)
    result.value()(static_cast<Eigen::Index>(row), 0) = std::log1p(static_cast<float>(offsets[row + 1] - offsets[row]));
  return result;
}

void use_common_neighbours(const json::Value& config, BuildContext& context) {
  const MaskShape mask = common_neighbours_mask();
  const std::vector<MaskShape>& given = context.shape.masks;
  if (std::ranges::find(given, mask) == given.end())
    refuse(config, "common", "expected \"none\": only data of links tells which nodes both ends know");
  use_mask(config, mask, context);
}

}  // namespace

MaskShape common_neighbours_mask() { return {.name = kCommonNeighbours, .rows = kLinks, .columns = kNodes}; }

std::vector<std::string> link_kind_names() { return {"product", "bilinear", "dot", "none"}; }

std::vector<std::string> link_common_names() { return {"attention", "sum", "none"}; }

std::span<const Field<LinkReadoutOptions>> link_readout_fields() { return kLinkReadoutFields; }

int LinkReadoutOptions::output_width() const {
  const int pair = kind == LinkKind::none ? 0 : kind == LinkKind::dot ? 1 : inputs;
  if (common == LinkCommon::none) return pair;
  return pair + inputs + (common == LinkCommon::attention ? 1 : 0);
}

LinkReadout::LinkReadout(const LinkReadoutOptions& options, BuildContext& context)
    : name_(context.name), options_(options) {
  const int inputs = options.inputs;
  const auto map = [&](std::optional<LinearMap>& to, const char* prefix, LinearMap::Bias bias) {
    to.emplace(context, prefix, inputs, inputs, bias);
  };
  if (options.kind == LinkKind::dot) ones_ = Matrix::Ones(inputs, 1);
  if (options.kind == LinkKind::bilinear) {
    map(source_, "source.", LinearMap::Bias::no);
    map(target_, "target.", LinearMap::Bias::no);
  }
  if (options.common != LinkCommon::attention) return;
  check_heads(name_, options.heads, inputs);
  map(query_, "query.", LinearMap::Bias::yes);
  map(key_, "key.", LinearMap::Bias::yes);
  map(value_, "value.", LinearMap::Bias::yes);
}

NodeRows LinkReadout::forward(ForwardContext& context, const NodeRows& input) {
  context.node_sets[kNodes] = input;
  if (options_.kind == LinkKind::none)  // the numbers of links alone, which a later block appends
    return {.dense = context.tape.make(static_cast<Eigen::Index>(context.links.sources.size()), 0, false)};
  const Variable x = dense(input, name_);
  const Variable pair = pair_rows(context, x);
  std::vector<Variable> parts = {pair};
  if (options_.kind == LinkKind::dot) parts = {autograd::linear(pair, context.tape.constant(ones_))};
  if (options_.common == LinkCommon::none) return {.dense = parts[0]};
  const graph::FrozenGraph& common = mask_of(context, common_neighbours_mask(), name_);
  if (options_.common == LinkCommon::sum) {
    parts.push_back(autograd::aggregate(common, unit_weights(context.tape, common), x));
  } else {
    parts.push_back(attend_to(context, common, input, pair));
    parts.push_back(log_counts(context.tape, common));
  }
  return {.dense = autograd::concat_columns(parts)};
}

Variable LinkReadout::pair_rows(ForwardContext& context, Variable x) {
  Variable source = autograd::select_rows(x, context.links.sources);
  Variable target = autograd::select_rows(x, context.links.targets);
  if (source_) source = (*source_)(context, {.dense = source});
  if (target_) target = (*target_)(context, {.dense = target});
  return autograd::multiply(source, target);
}

Variable LinkReadout::attend_to(ForwardContext& context, const graph::FrozenGraph& common, const NodeRows& input,
                                Variable pair) {
  AttentionOptions options;
  options.heads = options_.heads;
  options.mask = common_neighbours_mask();
  const Variable query = (*query_)(context, {.dense = pair});
  const auto [key, value, none] = map_each(context, input, {&*key_, &*value_});
  return autograd::attend(common, {.query = query, .key = key, .value = value},
                          attention_options(context, options, name_));
}

void LinkReadout::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  for (std::optional<LinearMap>* map : {&source_, &target_, &query_, &key_, &value_})
    if (*map) (*map)->collect_parameters(parameters);
}

std::unique_ptr<Block> make_link_readout(const json::Value& config, BuildContext& context) {
  LinkReadoutOptions options = read_fields(config, link_readout_fields(), context.shape);
  begin_link_level(config, context);
  options.inputs = context.width;
  if (options.kind == LinkKind::none && config.find("common") == nullptr) options.common = LinkCommon::none;
  if (options.kind == LinkKind::none && options.common != LinkCommon::none)
    refuse(config, "common", "expected \"none\" beside \"kind\": \"none\"");
  if (options.common != LinkCommon::none) use_common_neighbours(config, context);
  context.width = options.output_width();
  return std::make_unique<LinkReadout>(options, context);
}

}  // namespace edgewise::nn
