#include "edgewise/nn/rgcn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/linear.hpp"
#include "edgewise/autograd/reshape.hpp"
#include "edgewise/autograd/select_rows.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/edges.hpp"
#include "edgewise/nn/initialisers.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {
namespace {

using autograd::Variable;

constexpr std::array kRgcnFields = {
    field<&RgcnOptions::width, Width>("width", "columns of the output"),
    field<&RgcnOptions::relations, json::Integer<1, kMostRelations>>("relations", "how many relations there are"),
    field<&RgcnOptions::bases, json::Integer<0, kMostRelations>>("bases", "how many maps all are sums of; 0: none"),
    field<&RgcnOptions::aggregate, Choice<aggregate_names>>("aggregate", "mean or sum of the neighbours"),
    field<&RgcnOptions::edge_features, EdgeFeaturesKind>("edge_features", "whether those after the relations are used"),
};

/// The sums along the edges, with a weight for each slot, of their features: [destinations, features].
Variable feature_sums(autograd::Tape& tape, const graph::FrozenGraph& mask, const float* slot_weights) {
  Matrix sums = Matrix::Zero(row_count(mask), mask.edge_features.cols());
  for (std::size_t v = 0; v < mask.incoming.rows(); ++v)
    for (graph::EdgeIndex slot = mask.incoming.offsets[v]; slot < mask.incoming.offsets[v + 1]; ++slot)
      sums.row(static_cast<Eigen::Index>(v)) +=
          slot_weights[slot] * mask.edge_features.row(static_cast<Eigen::Index>(slot));
  return tape.constant(tape.keep(std::move(sums)));
}

}  // namespace

std::span<const Field<RgcnOptions>> rgcn_fields() { return kRgcnFields; }

Rgcn::Rgcn(const RgcnOptions& options, BuildContext& context)
    : name_(context.name),
      options_(options),
      masks_(relation_masks(options.relations, options.edge_columns, context)),
      rows_(static_cast<std::size_t>(options.relations)),
      root_(context, "root.", options.inputs, options.width, LinearMap::Bias::yes) {
  std::iota(rows_.begin(), rows_.end(), graph::Node{0});
  if (options.bases > 0) {
    const std::int64_t elements = std::int64_t{options.inputs} * options.width;
    bases_ = glorot(context, "bases", options.bases, elements, options.inputs, options.width);
    coefficients_ = glorot(context, "coefficients", options.relations, options.bases);
  }
  for (int k = 1; k <= options.relations && options.bases == 0; ++k)
    weights_.push_back(glorot(context, fmt::format("relations.{}.weight", k), options.inputs, options.width));
  for (int k = 1; k <= options.relations && options.edge_columns > 0; ++k)
    edge_weights_.push_back(
        glorot(context, fmt::format("relations.{}.edge_weight", k), options.edge_columns, options.width));
}

std::vector<Variable> Rgcn::weights(autograd::Tape& tape) {
  std::vector<Variable> weights;
  for (autograd::Parameter& weight : weights_) weights.push_back(tape.parameter(weight));
  if (!bases_) return weights;
  const Variable combined = autograd::linear(tape.parameter(*coefficients_), tape.parameter(*bases_));
  for (std::size_t k = 0; k < rows_.size(); ++k)
    weights.push_back(autograd::reshape(autograd::select_rows(combined, std::span(rows_).subspan(k, 1)),
                                        options_.inputs, options_.width));
  return weights;
}

NodeRows Rgcn::forward(ForwardContext& context, const NodeRows& input) {
  autograd::Tape& tape = context.tape;
  const std::vector<Variable> weight = weights(tape);
  const std::size_t step = context.next_step;
  Variable sum;
  for (std::size_t k = 0; k < masks_.size(); ++k) {
    context.next_step = step;  // all relations are in one step along the edges
    const Edges edges = next_edges(context, masks_[k], name_);
    if (!sum.is_set()) sum = root_(context, leading(context, input, row_count(edges.mask)));
    const auto of_slots = [&] { return slot_weights(options_.aggregate, tape, edges); };
    sum = autograd::add(sum, project_sums(edges, of_slots, input, weight[k]));
    if (!edge_weights_.empty())
      sum = autograd::add(
          sum, autograd::linear(feature_sums(tape, edges.mask, of_slots()), tape.parameter(edge_weights_[k])));
  }
  return {.dense = sum};
}

BlockTraits Rgcn::traits() const {
  return {.reach = std::size_t{1}, .uses_edge_features = options_.edge_columns > 0};
}

void Rgcn::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  root_.collect_parameters(parameters);
  for (autograd::Parameter& weight : weights_) parameters.push_back(&weight);
  for (auto* shared : {&bases_, &coefficients_})
    if (*shared) parameters.push_back(&**shared);
  for (autograd::Parameter& weight : edge_weights_) parameters.push_back(&weight);
}

std::unique_ptr<Block> make_rgcn(const json::Value& config, BuildContext& context) {
  RgcnOptions options = read_fields(config, rgcn_fields(), context.shape);
  options.inputs = context.width;
  const int others = std::max(context.shape.edge_features - options.relations, 0);
  options.edge_columns = options.edge_features == EdgeFeatures::no ? 0 : others;
  if (options.edge_features == EdgeFeatures::yes && others == 0)
    refuse(config, "edge_features", "expected edges with features after those of the relations: there are none");
  auto block = std::make_unique<Rgcn>(options, context);
  for (const MaskShape& mask : block->masks()) use_mask(config, mask, context);
  context.width = options.width;
  return block;
}

}  // namespace edgewise::nn
