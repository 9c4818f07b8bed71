#include "edgewise/nn/part_encoders.hpp"

#include <fmt/format.h>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/config.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

using autograd::Variable;

namespace {

/// 1 for the nodes of part `part` of `count` in each graph, 0 for all others: [nodes, 1].
Variable gate_of(std::size_t part, std::size_t count, const graph::FrozenGraph& parts, autograd::Tape& tape) {
  const Variable gate = tape.make(static_cast<Eigen::Index>(parts.source_count()), 1, false);
  gate.value().setZero();
  const graph::Csr& nodes = parts.incoming;
  for (std::size_t row = part; row < parts.destination_count(); row += count)
    for (graph::EdgeIndex slot = nodes.offsets[row]; slot < nodes.offsets[row + 1]; ++slot)
      gate.value()(nodes.columns[slot], 0) = 1;
  return gate;
}

/// Moves the weights of the nodes whose gate is 1 from the records at the end to those before them, as many.
void merge_records(Variable gate, std::size_t begin, const ForwardContext& context) {
  std::vector<AttentionRecord>& records = *context.attention;
  const std::size_t count = (records.size() - begin) / 2;
  for (std::size_t i = begin; i < begin + count; ++i) {
    const graph::Csr& mask = context.masks.at(records[i].mask)->incoming;
    for (Eigen::Index node = 0; node < gate.rows(); ++node)
      if (gate.value()(node, 0) == 1) {
        const auto first = static_cast<Eigen::Index>(mask.offsets[static_cast<std::size_t>(node)]);
        const auto end = static_cast<Eigen::Index>(mask.offsets[static_cast<std::size_t>(node) + 1]);
        records[i].weights.middleRows(first, end - first) = records[i + count].weights.middleRows(first, end - first);
      }
  }
  records.resize(begin + count);
}

}  // namespace

NodeRows PartEncoders::forward(ForwardContext& context, const NodeRows& input) {
  const graph::FrozenGraph& parts = mask_of(context, {.name = kComponents}, name_);
  const std::size_t records = context.attention == nullptr ? 0 : context.attention->size();
  Variable rows = dense(encoders_.front()->forward(context, input), name_);
  for (std::size_t part = 1; part < encoders_.size(); ++part) {
    const Variable own = dense(encoders_[part]->forward(context, input), name_);
    const Variable gate = gate_of(part, encoders_.size(), parts, context.tape);
    rows = autograd::mix(gate, own, rows);
    if (context.attention != nullptr) merge_records(gate, records, context);
  }
  return {.dense = rows};
}

void PartEncoders::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  for (const auto& encoder : encoders_) encoder->collect_parameters(parameters);
}

void PartEncoders::collect_state(std::vector<std::pair<std::string, Matrix*>>& state) {
  for (const auto& encoder : encoders_) encoder->collect_state(state);
}

std::vector<json::FieldDoc> part_encoders_fields() {
  return {{.name = "count", .doc = "parts of each graph", .type = json::FieldType::integer},
          {.name = "blocks", .doc = "what each part has of its own", .type = json::FieldType::list}};
}

std::unique_ptr<Block> make_part_encoders(const json::Value& config, BuildContext& context) {
  if (!context.widths.contains(kComponents))
    throw UsageError(fmt::format("{}: expected graphs of several parts, such as several molecules in a row",
                                 config.path()));
  const std::int64_t count = json::read_integer(config, "count", 2, 1, kMostParts);
  const BuildContext start = context;
  std::vector<std::unique_ptr<Block>> encoders;
  for (std::int64_t part = 0; part < count; ++part) {
    context.name = fmt::format("{}.parts.{}", start.name, part);
    context.width = start.width;
    encoders.push_back(make_inner(config, "blocks", context));
    if (context.node_set != start.node_set) refuse(config, "blocks", "expected no readout among them");
  }
  context.name = start.name;
  return std::make_unique<PartEncoders>(start.name, std::move(encoders));
}

}  // namespace edgewise::nn
