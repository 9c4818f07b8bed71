#include "edgewise/nn/components.hpp"

#include <fmt/format.h>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/concat.hpp"
#include "edgewise/autograd/reshape.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

constexpr const char* kReadout = "readout";

/// Each row times its weight.
Variable times_weights(Variable x, Variable weights) {
  const Variable zeros = x.tape().make(x.rows(), x.cols(), false);
  zeros.value().setZero();
  return autograd::mix(weights, x, zeros);
}

/// The sum of `count` groups of columns.
Variable sum_of_groups(Variable x, int count) {
  const Eigen::Index width = x.cols() / count;
  Variable sum = autograd::slice_columns(x, 0, width);
  for (int i = 1; i < count; ++i) sum = autograd::add(sum, autograd::slice_columns(x, i * width, width));
  return sum;
}

}  // namespace

/// The readout gets the parts as its graphs.
NodeRows Components::read_out_parts(ForwardContext& context, const NodeRows& input) {
  const graph::FrozenGraph* graphs = &mask_of(context, {.name = kReadout}, name_);
  context.masks[kReadout] = &mask_of(context, {.name = kComponents}, name_);
  NodeRows rows = blocks_->forward(context, input);
  context.masks[kReadout] = graphs;
  return rows;
}

NodeRows Components::forward(ForwardContext& context, const NodeRows& input) {
  const auto graphs = static_cast<Eigen::Index>(mask_of(context, {.name = kReadout}, name_).destination_count());
  const NodeRows rows = read_out_parts(context, input);
  const auto weights = context.node_sets.find(kComponents);
  if (weights == context.node_sets.end() || weights->second.count() != rows.count() ||
      rows.count() != graphs * options_.count)
    throw ModelError(fmt::format("{}: expected {} parts of each of {} graphs and their weights, got {} rows", name_,
                                 options_.count, graphs, rows.count()));
  const Variable x = times_weights(dense(rows, name_), dense(weights->second, name_));
  const Variable beside = autograd::reshape(x, graphs, x.cols() * options_.count);
  return {.dense = options_.is_sum ? sum_of_groups(beside, options_.count) : beside};
}

std::vector<json::FieldDoc> components_fields() {
  return {{.name = "count", .doc = "parts of each graph", .type = json::FieldType::integer},
          {.name = "sum", .doc = "add them up, instead of putting them side by side", .type = json::FieldType::boolean},
          {.name = "blocks", .doc = "what reads out a part", .type = json::FieldType::list}};
}

std::unique_ptr<ReadoutBlock> make_components(const json::Value& config, BuildContext& context) {
  const ComponentsOptions options{
      .count = static_cast<int>(json::read_integer(config, "count", 2, 1, kMostParts)),
      .is_sum = config.get("sum", false)};
  if (!context.widths.contains(kComponents))
    throw UsageError(fmt::format("{}: expected graphs of several parts, such as several molecules in a row",
                                 config.path()));
  auto blocks = make_inner(config, "blocks", context);
  if (context.node_set != kGraphs) refuse(config, "blocks", "expected a readout among them");
  if (!options.is_sum) context.width *= options.count;
  return std::make_unique<Components>(context.name, options, std::move(blocks));
}

}  // namespace edgewise::nn
