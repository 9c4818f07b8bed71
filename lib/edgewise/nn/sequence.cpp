#include "edgewise/nn/sequence.hpp"

#include "edgewise/core/error.hpp"
#include "edgewise/nn/edges.hpp"

namespace edgewise::nn {

NodeRows Sequence::forward(ForwardContext& context, const NodeRows& input) {
  return forward(context, input, 0, blocks_.size());
}

NodeRows Sequence::forward(ForwardContext& context, const NodeRows& input, std::size_t begin, std::size_t end) {
  NodeRows rows = input;
  const std::size_t first = context.tape.size();
  for (std::size_t i = begin; i < end; ++i) {
    rows = blocks_[i]->forward(context, rows);
    if (context.part != nullptr) forget(context, first, {rows.dense});
  }
  return rows;
}

NodeRows Sequence::forward(ForwardContext& context, const NodeRows& input, Matrix& before_last) {
  NodeRows rows = input;
  for (const auto& block : blocks_) {
    if (block == blocks_.back()) {
      if (rows.sparse.is_set()) throw UsageError("blocks: a model with a single block has no embeddings");
      before_last = autograd::Variable(rows.dense).value();
    }
    rows = block->forward(context, rows);
  }
  return rows;
}

BlockTraits Sequence::traits(std::size_t begin, std::size_t end) const {
  BlockTraits all;
  for (std::size_t i = begin; i < end; ++i) all = in_sequence(all, blocks_[i]->traits());
  return all;
}

void Sequence::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  for (const auto& block : blocks_) block->collect_parameters(parameters);
}

void Sequence::collect_state(std::vector<std::pair<std::string, Matrix*>>& state) {
  for (const auto& block : blocks_) block->collect_state(state);
}

}  // namespace edgewise::nn
