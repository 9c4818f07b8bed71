#include "edgewise/nn/parallel.hpp"

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

NodeRows Parallel::forward(ForwardContext& context, const NodeRows& input) {
  autograd::Variable sum;
  for (const auto& branch : branches_) {
    const autograd::Variable found = dense(branch->forward(context, input), name_);
    sum = sum.is_set() ? autograd::add(sum, found) : found;
  }
  return {.dense = sum};
}

BlockTraits Parallel::traits() const {
  BlockTraits all;
  for (const auto& branch : branches_) all = in_parallel(all, branch->traits());
  return all;
}

void Parallel::collect_parameters(std::vector<autograd::Parameter*>& parameters) {
  for (const auto& branch : branches_) branch->collect_parameters(parameters);
}

void Parallel::collect_state(std::vector<std::pair<std::string, Matrix*>>& state) {
  for (const auto& branch : branches_) branch->collect_state(state);
}

}  // namespace edgewise::nn
